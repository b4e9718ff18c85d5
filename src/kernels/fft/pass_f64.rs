//! Twin of `shaders/fft/pass_f64.wgsl`: what `fft/pass` computes, in f64.

use crate::kernels::{kernel, params};

params! {
    lines: u32,
    /// A field of 8 bytes begins at a multiple of 8.
    unused: u32,
    scale: f64,
}

kernel!(FFT_PASS_F64);
