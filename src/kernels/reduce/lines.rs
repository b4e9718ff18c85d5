//! Twin of `shaders/reduce/lines.wgsl`.

use super::{Arrays, DIFFERENCES, RANKS, Workgroup, stage_of};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, Kernel, params, sources};

params! {
    /// `Params` of the kernel. Strides count accesses.
    pub struct Params {
        /// Lines to reduce.
        pub lines: u32,
        /// Accesses of a line.
        pub length: u32,
        /// Parts of a line. Each has a result.
        pub parts: u32,
        /// Accesses of a part. The last part has the rest.
        pub chunk: u32,
        /// Lines in a block. They are `line_stride` apart; the next block begins `block_stride`
        /// later.
        pub block: u32,
        /// Stride of lines.
        pub line_stride: u32,
        /// Stride of blocks of lines.
        pub block_stride: u32,
        /// Contiguous accesses of a line. The next run begins `run_stride` later.
        pub run: u32,
        /// Stride of runs.
        pub run_stride: u32,
        /// The first access of the first line, counted from the start of the binding.
        pub first_access: u32,
        /// The index of the first element in its line.
        pub first_index: u32,
        /// The place of the first result.
        pub first_result: u32,
        /// Always 0.
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

/// Reduces lines, or parts of them. A workgroup takes as many lines as it has invocations for.
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
