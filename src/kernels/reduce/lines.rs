//! Twin of `shaders/reduce/lines.wgsl`.

use super::{Arrays, DIFFERENCES, RANKS, SCALES, SHARES, Workgroup, stage_of};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, kernel, params, sources};

params! {
    /// `Params` of the kernel. Strides count accesses; if elements are gathered, they count
    /// elements.
    pub struct Params {
        /// Lines to reduce.
        pub lines: u32,
        /// Parts of a line. Each has a result.
        pub parts: u32,
        /// Accesses of a part. The last part has the rest.
        pub chunk: u32,
        /// The first of the lines.
        pub first_line: u32,
        /// The first access of a line that is reduced.
        pub begin: u32,
        /// The end of the accesses of a line that are reduced.
        pub end: u32,
        /// Extents of the kept dimensions, fastest first, except the slowest.
        pub kept_extents: [u32; 3],
        /// Strides of the kept dimensions.
        pub kept_strides: [u32; 4],
        /// Extents of the reduced dimensions, fastest first, except the slowest.
        pub reduced_extents: [u32; 3],
        /// Strides of the reduced dimensions.
        pub reduced_strides: [u32; 4],
        /// The place of line 0 in the array.
        pub first_access: u32,
        /// The place of the array at which the binding begins.
        pub bound: u32,
        /// The index of the first element in its line.
        pub first_index: u32,
        /// The place of the first result.
        pub first_result: u32,
        /// Always 0.
        pub zero: u32,
    }
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
