#![no_main]

use wgpu_fft_tests::fuzz as targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::fragments(bytes));
