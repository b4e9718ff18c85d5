//! Twin of `shaders/fft/pass_double.wgsl`: what `fft/pass` computes, with numbers of two f32.

use crate::kernels::{kernel, params, sources};

params! { lines: u32, scale: [f32; 2] }

kernel!(FFT_PASS_DOUBLE, appended: [&[&sources::FFT_DOUBLE]]);
