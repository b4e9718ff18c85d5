//! Twin of `shaders/fft/pass_double.wgsl`: what `fft/pass` computes, with numbers of two f32.

use crate::kernels::{kernel, params, sources};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Lines to transform.
        pub lines: u32,
        /// Factor on every output, high and low part.
        pub scale: [f32; 2],
    }
}

kernel!(FFT_PASS_DOUBLE, appended: [&[&sources::FFT_DOUBLE]]);
