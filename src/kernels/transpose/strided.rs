//! Twin of `shaders/transpose/strided.wgsl`.

use super::{Arrays, Blocks};
use crate::error::Result;
use crate::kernels::element::{self, Width};
use crate::kernels::{Dispatch, Value, kernel, params};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Elements along x.
        pub extent_x: u32,
        /// Elements along y.
        pub extent_y: u32,
        /// Blocks along x.
        pub blocks_x: u32,
        /// Blocks along y.
        pub blocks_y: u32,
        /// Workgroups that have work.
        pub groups: u32,
        /// Place of the first element of the input.
        pub input: u32,
        /// Place of the first element of the output.
        pub output: u32,
        /// Extents of the other axes except the last, fastest first.
        pub outer: [u32; 2],
        /// Strides of x and y in the input.
        pub input_x: u32,
        pub input_y: u32,
        /// Strides of the other axes in the input.
        pub input_outer: [u32; 3],
        /// Strides of x and y in the output.
        pub output_x: u32,
        pub output_y: u32,
        /// Strides of the other axes in the output.
        pub output_outer: [u32; 3],
    }
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

impl Block {
    /// The blocks of these extents of x and y and `outer` indices of the other axes.
    pub(crate) fn blocks(self, extents: [u32; 2], outer: u64) -> Blocks {
        let [x, y] = self.workgroup;
        Blocks::new(extents, (u64::from(x) * u64::from(self.elements), y), outer)
    }
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
    let [x, y] = block.workgroup;
    let blocks = block.blocks([params.extent_x, params.extent_y], outer);
    let params = Params { blocks_x: blocks.x, blocks_y: blocks.y, groups: blocks.groups as u32, ..params };
    Ok(Dispatch {
        overrides: vec![("WIDTH", Value::U32(x)), ("HEIGHT", Value::U32(y)), ("ELEMENTS", Value::U32(block.elements))],
        ..KERNEL.dispatch(label, &params, blocks.grid(max_groups)?, [x, y, 1], arrays.binds()).appending(width.source())
    })
}
