//! Twin of `shaders/fft/lanes.wgsl`: FFTs of lines in the registers of a subgroup, or of the same
//! number of invocations of a workgroup.

use crate::error::Result;
use crate::kernels::{Bind, Dispatch, Generated, Grid, kernel, params};

params! {
    /// Lines to transform, or groups of lines that one access spans.
    lines: u32,
    scale: f32,
}

kernel!(FFT_LANES);

/// The workgroup for which the text was generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workgroup {
    /// Invocations of a workgroup.
    pub invocations: u32,
    /// Invocations per line.
    pub lanes: u32,
    /// Workgroup memory in bytes; 0 if the lanes of a line form a subgroup.
    pub bytes: u64,
}

/// Transforms lines with the text in `generated`.
pub fn dispatch(
    label: String,
    params: Params,
    workgroup: Workgroup,
    generated: Generated,
    max_groups: u32,
    binds: Vec<Bind>,
) -> Result<Dispatch> {
    let groups = (u64::from(params.lines) * u64::from(workgroup.lanes)).div_ceil(workgroup.invocations.into());
    let grid = Grid::linear(groups, max_groups)?;
    Ok(Dispatch {
        generated: Some(generated),
        workgroup_bytes: workgroup.bytes,
        ..KERNEL.dispatch(label, &params, grid, [workgroup.invocations, 1, 1], binds)
    })
}
