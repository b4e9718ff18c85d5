//! Twin of `shaders/reduce/columns.wgsl`.

use super::{Arrays, DIFFERENCES, RANKS, SCALES, SHARES, Workgroup, stage_of};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, kernel, params};

params! {
    /// `Params` of the kernel. Strides count accesses.
    pub struct Params {
        /// Accesses of a row.
        pub columns: u32,
        /// Parts of the rows. Each has a row of results.
        pub parts: u32,
        /// Rows of a part. The last part has the rest.
        pub chunk: u32,
        /// Planes, each of which is reduced to a row.
        pub planes: u32,
        /// The first of the planes.
        pub first_plane: u32,
        /// The first row that is reduced.
        pub begin: u32,
        /// The end of the rows that are reduced.
        pub end: u32,
        /// Stride of the accesses of a row.
        pub column_stride: u32,
        /// Extents of the dimensions of planes, fastest first, except the slowest.
        pub kept_extents: [u32; 2],
        /// Strides of the dimensions of planes.
        pub kept_strides: [u32; 3],
        /// Extents of the reduced dimensions, fastest first, except the slowest.
        pub reduced_extents: [u32; 3],
        /// Strides of the reduced dimensions.
        pub reduced_strides: [u32; 4],
        /// The place of plane 0 in the array.
        pub first_access: u32,
        /// The place of the array at which the binding begins.
        pub bound: u32,
        /// The index of the first row.
        pub first_index: u32,
        /// The place of the first result.
        pub first_result: u32,
        /// Always 0.
        pub zero: u32,
    }
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
