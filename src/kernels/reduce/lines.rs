//! Twin of `shaders/reduce/lines.wgsl`.

use super::{Arrays, DIFFERENCES, RANKS, SCALES, SHARES, Workgroup, stage_of};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, kernel, params, sources};

// Strides count accesses; if elements are gathered, they count elements.
params! {
    lines: u32,
    parts: u32,
    chunk: u32,
    first_line: u32,
    begin: u32,
    end: u32,
    kept_extents: [u32; 3],
    kept_strides: [u32; 4],
    reduced_extents: [u32; 3],
    reduced_strides: [u32; 4],
    first_access: u32,
    bound: u32,
    first_index: u32,
    first_result: u32,
    zero: u32,
}

kernel!(REDUCE_LINES, appended: [RANKS, DIFFERENCES, SCALES, SHARES, &[&sources::REDUCE_STORE, &sources::REDUCE_JOIN]]);

/// Reduces lines, or parts of them. A workgroup takes as many lines as it has invocations for.
pub fn dispatch(params: Params, generated: Generated, workgroup: Workgroup, max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let stage = stage_of(&generated);
    let of_line = u64::from(params.end - params.begin) * u64::from(stage.width);
    let joined = if stage.join > 0 { " -> 1" } else { "" };
    let label = format!("reduce {} x {of_line} -> {}{joined}", params.lines, params.parts);
    let groups = u64::from(params.lines.div_ceil(workgroup.invocations / stage.lanes)) * u64::from(params.parts);
    let grid = Grid::linear(groups, max_groups)?;
    let mut dispatch = super::dispatch(&KERNEL, label, &params, generated, workgroup, arrays, grid);
    dispatch.appended.push(if stage.join > 0 { &sources::REDUCE_JOIN } else { &sources::REDUCE_STORE });
    Ok(dispatch)
}
