//! Twin of `shaders/fft/pass_double.wgsl`: what `fft/pass` computes, with numbers of two f32.

use super::pass::{Workgroup, grid};
use crate::error::Result;
use crate::kernels::{Bind, Dispatch, Generated, Kernel, params, sources};

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

/// Transforms `params.lines` lines with the text in `generated`.
pub fn dispatch(
    label: String,
    params: Params,
    workgroup: Workgroup,
    generated: Generated,
    max_groups: u32,
    binds: Vec<Bind>,
) -> Result<Dispatch> {
    let grid = grid(params.lines, workgroup, max_groups)?;
    Ok(Dispatch {
        appended: vec![&sources::GRID, &sources::FFT_DOUBLE],
        generated: Some(generated),
        workgroup_bytes: workgroup.bytes,
        ..KERNEL.dispatch(label, &params, grid, [workgroup.lanes * workgroup.lines, 1, 1], binds)
    })
}
