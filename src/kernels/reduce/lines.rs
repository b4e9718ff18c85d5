//! Twin of `shaders/reduce/lines.wgsl`.

use super::{Arrays, DIFFERENCES, RANKS, Workgroup, stage_of};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, Kernel, params, sources};

params! {
    /// `Params` of the kernel. Distances count accesses.
    pub struct Params {
        /// Lines to reduce.
        pub lines: u32,
        /// Accesses of a line.
        pub length: u32,
        /// Parts of a line, with a result each.
        pub parts: u32,
        /// Accesses of a part; the last one has what is left.
        pub chunk: u32,
        /// Lines that are `line_stride` apart; the next ones begin `block_stride` later.
        pub block: u32,
        /// Distance of lines.
        pub line_stride: u32,
        /// Distance of blocks of lines.
        pub block_stride: u32,
        /// Accesses of a line that follow one another; the next ones begin `run_stride` later.
        pub run: u32,
        /// Distance of runs.
        pub run_stride: u32,
        /// Where the first line begins in what is bound.
        pub first_access: u32,
        /// Index of the first element in its line.
        pub first_index: u32,
        /// Place of the first result.
        pub first_result: u32,
        /// 0.
        pub zero: u32,
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "reduce/lines",
    source: &sources::REDUCE_LINES,
    appended: &[&[&sources::GRID], RANKS, DIFFERENCES, &[&sources::REDUCE_STORE, &sources::REDUCE_JOIN]],
    params: Params::FIELDS,
    overrides: &[],
};

/// Reduces lines, or parts of them, in workgroups that share out as many lines as they have room
/// for.
pub fn dispatch(params: Params, generated: Generated, workgroup: Workgroup, max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let stage = stage_of(&generated);
    let of_line = u64::from(params.length) * u64::from(stage.width);
    let joined = if stage.join > 0 { " -> 1" } else { "" };
    let label = format!("reduce {} x {of_line} -> {}{joined}", params.lines, params.parts);
    let groups = u64::from(params.lines.div_ceil(workgroup.invocations / stage.lanes)) * u64::from(params.parts);
    let grid = Grid::linear(groups, max_groups)?;
    let mut dispatch = super::dispatch(&KERNEL, label, &params, generated, workgroup, arrays, grid);
    dispatch.appended.push(if stage.join > 0 { &sources::REDUCE_JOIN } else { &sources::REDUCE_STORE });
    Ok(dispatch)
}
