//! Twin of `shaders/reduce/columns.wgsl`.

use super::{Arrays, DIFFERENCES, RANKS, Workgroup, stage_of};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, Kernel, params, sources};

params! {
    /// `Params` of the kernel. Strides count accesses.
    pub struct Params {
        /// Accesses of a row.
        pub columns: u32,
        /// Rows that are reduced to one.
        pub rows: u32,
        /// Parts of the rows. Each has a row of results.
        pub parts: u32,
        /// Rows of a part. The last part has the rest.
        pub chunk: u32,
        /// Planes, each of which is reduced to a row.
        pub planes: u32,
        /// Planes in a block. They are `plane_stride` apart; the next block begins `block_stride`
        /// later.
        pub block: u32,
        /// Stride of planes.
        pub plane_stride: u32,
        /// Stride of blocks of planes.
        pub block_stride: u32,
        /// Rows in a run. They are `row_stride` apart; the next run begins `run_stride` later.
        pub run: u32,
        /// Stride of rows.
        pub row_stride: u32,
        /// Stride of runs of rows.
        pub run_stride: u32,
        /// The first access of the first plane, counted from the start of the binding.
        pub first_access: u32,
        /// The index of the first row.
        pub first_index: u32,
        /// The place of the first result.
        pub first_result: u32,
        /// Always 0.
        pub zero: u32,
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "reduce/columns",
    source: &sources::REDUCE_COLUMNS,
    appended: &[&[&sources::GRID], RANKS, DIFFERENCES],
    params: Params::FIELDS,
    overrides: &[],
};

/// Reduces the rows of each part to one row.
pub fn dispatch(params: Params, generated: Generated, workgroup: Workgroup, max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let stage = stage_of(&generated);
    let of_row = u64::from(params.columns) * u64::from(stage.width);
    let label = format!("reduce {} x {} x {of_row} -> {} rows", params.planes, params.rows, params.parts);
    let blocks = u64::from(params.columns.div_ceil(workgroup.invocations / stage.lanes));
    let groups = blocks * u64::from(params.parts) * u64::from(params.planes);
    let grid = Grid::linear(groups, max_groups)?;
    Ok(super::dispatch(&KERNEL, label, &params, generated, workgroup, arrays, grid))
}
