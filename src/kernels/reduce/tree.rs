//! Twin of `shaders/reduce/tree.wgsl`.

use super::{Arrays, DIFFERENCES, RANKS, SCALES, SHARES, Workgroup, stage_of};
use crate::error::Result;
use crate::kernels::{Dispatch, Generated, Grid, kernel, params};

params! { length: u32, partials: u32, zero: u32 }

kernel!(REDUCE_TREE, appended: [RANKS, DIFFERENCES, SCALES, SHARES], overrides: ["WORKGROUP"]);

/// Reduces every `workgroup` of the `length` values to one. The generated text must read elements
/// with a width of 1.
pub fn dispatch(length: u32, generated: Generated, workgroup: u32, max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let partials = length.div_ceil(workgroup);
    let bytes = u64::from(workgroup * stage_of(&generated).operator.value().bytes());
    let (label, params) = (format!("reduce {length} -> {partials}"), Params { length, partials, zero: 0 });
    let grid = Grid::linear(u64::from(partials), max_groups)?;
    let workgroup_of = Workgroup { invocations: workgroup, bytes };
    Ok(super::dispatch(&KERNEL, label, &params, generated, workgroup_of, arrays, grid).overriding([workgroup]))
}
