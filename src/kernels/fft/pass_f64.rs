//! Twin of `shaders/fft/pass_f64.wgsl`: what `fft/pass` computes, in f64.

use crate::kernels::{Kernel, params, sources};

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

/// The kernel.
pub static KERNEL: Kernel =
    Kernel { name: "fft/pass_f64", source: &sources::FFT_PASS_F64, appended: &[&[&sources::GRID]], params: Params::FIELDS, overrides: &[] };
