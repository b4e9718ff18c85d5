//! The fuzzer's sequences of calls, at random. `WGPU_FFT_FUZZ` is the number of sequences.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use wgpu_fft::Gpu;

use crate::harness::*;
use crate::sequences;

pub fn random_sequences(device: &Device) {
    let usual = if device.is_slow() { 20 } else { 60 };
    let number = std::env::var("WGPU_FFT_FUZZ").map_or(usual, |text| text.parse().expect("WGPU_FFT_FUZZ is a number"));
    let open = || -> Gpu { device.open_another() };
    let outcome = TestRunner::new(cases(number)).run(&prop::collection::vec(any::<u8>(), 0..80), |bytes| {
        sequences::calls(&bytes, &open);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{}: {failure}", device.name);
    }
}
