//! Twin of `shaders/transpose/strided.wgsl`.

use super::{Arrays, Blocks, planar};
use crate::error::Result;
use crate::kernels::element::{self, Width};
use crate::kernels::{Dispatch, kernel, params};

params! {
    extent_x: u32,
    extent_y: u32,
    blocks_x: u32,
    blocks_y: u32,
    groups: u32,
    input: u32,
    output: u32,
    /// Extents of the other axes except the last, fastest first.
    outer: [u32; 2],
    input_x: u32,
    input_y: u32,
    input_outer: [u32; 3],
    output_x: u32,
    output_y: u32,
    output_outer: [u32; 3],
}

kernel!(TRANSPOSE_STRIDED, appended: [element::SOURCES], overrides: ["WIDTH", "HEIGHT", "ELEMENTS"]);

/// The most elements that one invocation can move: the number of calls that the WGSL writes out.
pub const MAX_ELEMENTS: u32 = 8;

/// The invocations of a workgroup, and the share of each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    /// Invocations along x and y.
    pub workgroup: [u32; 2],
    /// Elements of an invocation, along x.
    pub elements: u32,
}

/// Moves the elements of `params`, for `outer` indices of the other axes. This function fills in
/// the blocks and groups.
pub fn dispatch(
    label: String,
    params: Params,
    outer: u64,
    width: Width,
    block: Block,
    max_groups: u32,
    arrays: Arrays,
) -> Result<Dispatch> {
    let Block { workgroup: [x, y], elements } = block;
    let blocks = Blocks::new([params.extent_x, params.extent_y], (u64::from(x) * u64::from(elements), y), outer);
    let params = Params { blocks_x: blocks.x, blocks_y: blocks.y, groups: blocks.groups as u32, ..params };
    let grid = blocks.grid(max_groups)?;
    Ok(planar(&KERNEL, label, &params, grid, block.workgroup, Some(elements), arrays.binds()).appending(width.source()))
}
