//! Twin of `shaders/fft/pass_double.wgsl`: what `fft/pass` computes, with numbers of two f32.

use crate::kernels::{Kernel, params, sources};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Lines to transform.
        pub lines: u32,
        /// Factor on every output, high and low part.
        pub scale: [f32; 2],
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "fft/pass_double",
    source: &sources::FFT_PASS_DOUBLE,
    appended: &[&[&sources::GRID], &[&sources::FFT_DOUBLE]],
    params: Params::FIELDS,
    overrides: &[],
};
