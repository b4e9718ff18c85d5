#![no_main]
#![allow(dead_code, reason = "the command line uses more of it")]

// The modules themselves, so that the fuzzer need not compile the rest of the command line.
#[path = "../../cli/src/array.rs"]
mod array;
#[path = "../../cli/src/files.rs"]
mod files;
#[path = "../../cli/src/sound.rs"]
mod sound;
#[path = "../../cli/tests/support/files.rs"]
mod target;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::file(bytes));
