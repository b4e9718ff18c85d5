#![no_main]

#[path = "../../tests/support/calls.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::calls_on_any_device(bytes));
