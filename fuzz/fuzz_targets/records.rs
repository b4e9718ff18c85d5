#![no_main]

#[path = "../../tests/support/fuzz.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::records(bytes));
