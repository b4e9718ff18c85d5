//! Twin of `shaders/signal/peak_step.wgsl`.

use super::Peaks;
use crate::error::Result;
use crate::kernels::{Access, Dispatch, Grid, kernel, params};

kernel!(SIGNAL_PEAK_STEP);

params! {
    /// Correlations, one after the other.
    items: u32,
    parts: u32,
    extents: [u32; 3],
    rank: u32,
    last: u32,
}

/// Invocations of a workgroup.
pub const WORKGROUP: u32 = 64;
/// Bytes of workgroup memory.
const MEMORY: u64 = 48 * WORKGROUP as u64;

/// Takes a step.
pub fn dispatch(params: Params, max_groups: u32, peaks: Peaks) -> Result<Dispatch> {
    let grid = Grid::linear(params.items.into(), max_groups)?;
    let label = format!("step to the tops of {} correlations", params.items);
    Ok(Dispatch {
        workgroup_bytes: MEMORY,
        ..KERNEL.dispatch(label, &params, grid, [WORKGROUP, 1, 1], peaks.binds(Some(Access::ReadWrite)))
    })
}
