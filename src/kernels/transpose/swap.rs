//! Twin of `shaders/transpose/swap.wgsl`.

use super::{Arrays, Blocks, planar};
use crate::error::Result;
use crate::kernels::{Dispatch, kernel, params};

params! {
    extent: u32,
    blocks_x: u32,
    blocks_y: u32,
    groups: u32,
    data: u32,
    row: u32,
    outer: [u32; 2],
    data_outer: [u32; 3],
}

kernel!(TRANSPOSE_SWAP, overrides: ["WIDTH", "HEIGHT", "BYTES"]);

/// Transposes the `outer` square matrices of `params`, with elements of `bytes` bytes. This
/// function fills in the blocks and groups.
pub fn dispatch(
    label: String,
    params: Params,
    outer: u64,
    bytes: u32,
    workgroup: [u32; 2],
    max_groups: u32,
    arrays: Arrays,
) -> Result<Dispatch> {
    let blocks = Blocks::new([params.extent; 2], (workgroup[0].into(), workgroup[1]), outer);
    let params = Params { blocks_x: blocks.x, blocks_y: blocks.y, groups: blocks.groups as u32, ..params };
    Ok(planar(&KERNEL, label, &params, blocks.grid(max_groups)?, workgroup, Some(bytes), arrays.bind_in_place()))
}
