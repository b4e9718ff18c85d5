//! Twin of `shaders/reduce/columns.wgsl`.

use super::{Arrays, DIFFERENCES, RANKS, Workgroup, stage_of};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, Kernel, params, sources};

params! {
    /// `Params` of the kernel. Distances count accesses.
    pub struct Params {
        /// Accesses of a row.
        pub columns: u32,
        /// Rows to reduce to one.
        pub rows: u32,
        /// Parts of the rows, with a row of results each.
        pub parts: u32,
        /// Rows of a part; the last one has what is left.
        pub chunk: u32,
        /// Planes, each reduced to a row.
        pub planes: u32,
        /// Planes that are `plane_stride` apart; the next ones begin `block_stride` later.
        pub block: u32,
        /// Distance of planes.
        pub plane_stride: u32,
        /// Distance of blocks of planes.
        pub block_stride: u32,
        /// Rows that are `row_stride` apart; the next ones begin `run_stride` later.
        pub run: u32,
        /// Distance of rows.
        pub row_stride: u32,
        /// Distance of runs of rows.
        pub run_stride: u32,
        /// Where the first plane begins in what is bound.
        pub first_access: u32,
        /// Index of the first row.
        pub first_index: u32,
        /// Place of the first result.
        pub first_result: u32,
        /// 0.
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

/// Reduces rows to one.
pub fn dispatch(params: Params, generated: Generated, workgroup: Workgroup, max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let stage = stage_of(&generated);
    let of_row = u64::from(params.columns) * u64::from(stage.width);
    let label = format!("reduce {} x {} x {of_row} -> {} rows", params.planes, params.rows, params.parts);
    let blocks = u64::from(params.columns.div_ceil(workgroup.invocations / stage.lanes));
    let groups = blocks * u64::from(params.parts) * u64::from(params.planes);
    let grid = Grid::linear(groups, max_groups)?;
    Ok(super::dispatch(&KERNEL, label, &params, generated, workgroup, arrays, grid))
}
