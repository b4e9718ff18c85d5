//! Twin of `shaders/signal/overlap_add.wgsl`.

use crate::error::Result;
use crate::kernels::{Dispatch, Grid, Slot, input_output, kernel, params};

kernel!(SIGNAL_OVERLAP_ADD, overrides: ["WORKGROUP"]);

params! {
    parts: u32,
    signal: u32,
    numbers: u32,
    frames: u32,
    frame: u32,
    hop: u32,
    before: u32,
    skip: u32,
}

/// Maximum number of invocations of a workgroup.
pub const MAX_WORKGROUP: u32 = 1024;

/// Adds frames with workgroups of `invocations`. The numbers of all signals are at most
/// 2³² - 1 - [`MAX_WORKGROUP`].
pub fn dispatch(label: String, params: Params, invocations: u32, max_groups: u32, slots: [Slot; 2]) -> Result<Dispatch> {
    let grid = Grid::linear(u64::from(params.numbers.div_ceil(invocations)), max_groups)?;
    Ok(KERNEL.dispatch(label, &params, grid, [invocations, 1, 1], input_output(slots[0], slots[1])).overriding([invocations]))
}
