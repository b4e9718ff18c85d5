//! Twin of `shaders/transpose/gather.wgsl`.

use super::{Arrays, Blocks};
use crate::error::Result;
use crate::kernels::{Dispatch, Value, kernel, params};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Elements of a row.
        pub extent_x: u32,
        /// Rows along the next axis.
        pub extent_y: u32,
        /// The most words that a row touches.
        pub words: u32,
        /// Blocks along a row.
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
        pub outer: [u32; 3],
        /// Strides of x and y in the input.
        pub input_x: u32,
        pub input_y: u32,
        /// Strides of the other axes in the input.
        pub input_outer: [u32; 4],
        /// Stride of y in the output. The stride of x is 1.
        pub output_y: u32,
        /// Strides of the other axes in the output.
        pub output_outer: [u32; 4],
    }
}

kernel!(TRANSPOSE_GATHER, overrides: ["WIDTH", "HEIGHT", "BYTES"]);

/// Gathers the rows of `params`, for `outer` indices of the other axes and elements of `bytes`
/// bytes. This function fills in the words, blocks and groups.
pub fn dispatch(
    label: String,
    params: Params,
    outer: u64,
    bytes: u32,
    workgroup: [u32; 2],
    max_groups: u32,
    arrays: Arrays,
) -> Result<Dispatch> {
    let words = words(params.extent_x, bytes);
    let blocks = blocks([params.extent_x, params.extent_y], outer, bytes, workgroup);
    let params = Params { words, blocks_x: blocks.x, blocks_y: blocks.y, groups: blocks.groups as u32, ..params };
    let [x, y] = workgroup;
    Ok(Dispatch {
        overrides: vec![("WIDTH", Value::U32(x)), ("HEIGHT", Value::U32(y)), ("BYTES", Value::U32(bytes))],
        ..KERNEL.dispatch(label, &params, blocks.grid(max_groups)?, [x, y, 1], arrays.binds())
    })
}

/// The blocks of these extents of x and y and `outer` indices of the other axes.
pub(crate) fn blocks([x, y]: [u32; 2], outer: u64, bytes: u32, [width, height]: [u32; 2]) -> Blocks {
    Blocks::new([words(x, bytes), y], (width.into(), height), outer)
}

/// Words touched by a row that begins at the last element of a word.
fn words(elements: u32, bytes: u32) -> u32 {
    let per_word = u64::from(4 / bytes);
    (u64::from(elements) + per_word - 1).div_ceil(per_word) as u32
}
