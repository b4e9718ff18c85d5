//! Twin of `shaders/fft/pass_f64.wgsl`: what `fft/pass` computes, in f64.

use super::pass::{Workgroup, grid};
use crate::error::Result;
use crate::kernels::{Bind, Dispatch, Generated, Kernel, params, sources};

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
        appended: vec![&sources::GRID],
        generated: Some(generated),
        workgroup_bytes: workgroup.bytes,
        ..KERNEL.dispatch(label, &params, grid, [workgroup.lanes * workgroup.lines, 1, 1], binds)
    })
}
