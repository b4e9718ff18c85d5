//! Twin of `shaders/signal/peak_sums.wgsl`.

use super::Peaks;
use crate::error::Result;
use crate::kernels::{Access, Dispatch, Grid, kernel, params, sources};

kernel!(SIGNAL_PEAK_SUMS, appended: [&[&sources::SIGNAL_TURNED]]);

params! {
    /// Correlations, one after the other.
    items: u32,
    parts: u32,
    chunk: u32,
    extents: [u32; 3],
}

/// Invocations of a workgroup.
pub const WORKGROUP: u32 = 64;
/// Bytes of workgroup memory.
const MEMORY: u64 = 48 * WORKGROUP as u64;

/// Adds the terms of the spectra in their parts.
pub fn dispatch(params: Params, max_groups: u32, peaks: Peaks) -> Result<Dispatch> {
    let grid = Grid::linear(u64::from(params.items) * u64::from(params.parts), max_groups)?;
    let label = format!("derivatives of {} correlations in {} parts", params.items, params.parts);
    Ok(Dispatch { workgroup_bytes: MEMORY, ..KERNEL.dispatch(label, &params, grid, [WORKGROUP, 1, 1], peaks.binds(Some(Access::Read))) })
}
