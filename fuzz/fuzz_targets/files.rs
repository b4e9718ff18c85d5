#![no_main]

#[path = "../../tests/support/files.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::files(bytes));
