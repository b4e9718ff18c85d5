//! Twin of `shaders/transpose/gather.wgsl`.

use super::{Arrays, Blocks, planar};
use crate::error::Result;
use crate::kernels::{Dispatch, kernel, params};

params! {
    extent_x: u32,
    extent_y: u32,
    words: u32,
    blocks_x: u32,
    blocks_y: u32,
    groups: u32,
    input: u32,
    output: u32,
    outer: [u32; 3],
    input_x: u32,
    input_y: u32,
    input_outer: [u32; 4],
    output_y: u32,
    output_outer: [u32; 4],
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
    let blocks = Blocks::new([words, params.extent_y], (workgroup[0].into(), workgroup[1]), outer);
    let params = Params { words, blocks_x: blocks.x, blocks_y: blocks.y, groups: blocks.groups as u32, ..params };
    Ok(planar(&KERNEL, label, &params, blocks.grid(max_groups)?, workgroup, Some(bytes), arrays.binds()))
}

/// Words touched by a row that begins at the last element of a word.
pub(in crate::kernels) fn words(elements: u32, bytes: u32) -> u32 {
    let per_word = u64::from(4 / bytes);
    (u64::from(elements) + per_word - 1).div_ceil(per_word) as u32
}
