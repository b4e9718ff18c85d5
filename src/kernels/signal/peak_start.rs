//! Twin of `shaders/signal/peak_start.wgsl`.

use super::Peaks;
use crate::error::Result;
use crate::kernels::{Dispatch, Grid, kernel, params};

kernel!(SIGNAL_PEAK_START, overrides: ["WORKGROUP"]);

params! { items: u32, extents: [u32; 3] }

/// Estimates where the tops lie, with workgroups of `invocations`.
pub fn dispatch(params: Params, invocations: u32, max_groups: u32, peaks: Peaks) -> Result<Dispatch> {
    let grid = Grid::linear(u64::from(params.items.div_ceil(invocations)), max_groups)?;
    let label = format!("tops of {} parabolas", params.items);
    Ok(KERNEL.dispatch(label, &params, grid, [invocations, 1, 1], peaks.binds(None)).overriding([invocations]))
}
