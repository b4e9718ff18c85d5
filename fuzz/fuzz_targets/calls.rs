#![no_main]

use wgpu_fft_tests::calls as targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::calls_on_any_device(bytes));
