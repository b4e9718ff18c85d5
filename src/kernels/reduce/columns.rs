//! Twin of `shaders/reduce/columns.wgsl`.

use super::{Arrays, DIFFERENCES, RANKS, SCALES, SHARES, Workgroup, stage_of};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, kernel, params};

// Strides count accesses.
params! {
    columns: u32,
    parts: u32,
    chunk: u32,
    planes: u32,
    first_plane: u32,
    begin: u32,
    end: u32,
    column_stride: u32,
    kept_extents: [u32; 2],
    kept_strides: [u32; 3],
    reduced_extents: [u32; 3],
    reduced_strides: [u32; 4],
    first_access: u32,
    bound: u32,
    first_index: u32,
    first_result: u32,
    zero: u32,
}

kernel!(REDUCE_COLUMNS, appended: [RANKS, DIFFERENCES, SCALES, SHARES]);

/// Reduces the rows of each part to one row.
pub fn dispatch(params: Params, generated: Generated, workgroup: Workgroup, max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let stage = stage_of(&generated);
    let of_row = u64::from(params.columns) * u64::from(stage.width);
    let rows = params.end - params.begin;
    let label = format!("reduce {} x {rows} x {of_row} -> {} rows", params.planes, params.parts);
    let blocks = u64::from(params.columns.div_ceil(workgroup.invocations / stage.lanes));
    let groups = blocks * u64::from(params.parts) * u64::from(params.planes);
    let grid = Grid::linear(groups, max_groups)?;
    Ok(super::dispatch(&KERNEL, label, &params, generated, workgroup, arrays, grid))
}
