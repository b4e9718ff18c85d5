//! Twin of `shaders/transpose/swap.wgsl`.

use super::{Arrays, Blocks};
use crate::error::Result;
use crate::kernels::{Dispatch, Value, kernel, params};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Elements along a side.
        pub extent: u32,
        /// Blocks along a row.
        pub blocks_x: u32,
        /// Blocks along a column.
        pub blocks_y: u32,
        /// Workgroups that have work.
        pub groups: u32,
        /// Place of the first element.
        pub data: u32,
        /// Distance between two rows.
        pub row: u32,
        /// Extents of the other axes except the last, fastest first.
        pub outer: [u32; 2],
        /// Strides of the other axes.
        pub data_outer: [u32; 3],
    }
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
    let blocks = blocks(params.extent, outer, workgroup);
    let params = Params { blocks_x: blocks.x, blocks_y: blocks.y, groups: blocks.groups as u32, ..params };
    let [x, y] = workgroup;
    Ok(Dispatch {
        overrides: vec![("WIDTH", Value::U32(x)), ("HEIGHT", Value::U32(y)), ("BYTES", Value::U32(bytes))],
        ..KERNEL.dispatch(label, &params, blocks.grid(max_groups)?, [x, y, 1], arrays.bind_in_place())
    })
}

/// The blocks of `outer` matrices with sides of `extent` elements.
pub(crate) fn blocks(extent: u32, outer: u64, [x, y]: [u32; 2]) -> Blocks {
    Blocks::new([extent; 2], (x.into(), y), outer)
}
