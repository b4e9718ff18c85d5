//! Twin of `shaders/fft/pass_f64.wgsl`: what `fft/pass` computes, in f64.

use crate::kernels::{kernel, params};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Lines to transform.
        pub lines: u32,
        /// A field of 8 bytes begins at a multiple of 8.
        pub unused: u32,
        /// Factor on every output.
        pub scale: f64,
    }
}

kernel!(FFT_PASS_F64);
