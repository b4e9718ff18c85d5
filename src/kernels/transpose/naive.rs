//! Twin of `shaders/transpose/naive.wgsl`.

use super::{Arrays, Matrices, planar};
use crate::error::Result;
use crate::kernels::element::{self, Width};
use crate::kernels::{Dispatch, kernel, params};

params! {
    rows: u32,
    columns: u32,
    batch: u32,
    blocks_x: u32,
    blocks_y: u32,
}

kernel!(TRANSPOSE_NAIVE, appended: [element::SOURCES], overrides: ["WIDTH", "HEIGHT"]);

/// Transposes with workgroups of `workgroup` invocations along x and y.
pub fn dispatch(matrices: Matrices, width: Width, workgroup: [u32; 2], max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let Matrices { rows, columns, batch } = matrices;
    let blocks = matrices.blocks(workgroup);
    let params = Params { rows, columns, batch, blocks_x: blocks.x, blocks_y: blocks.y };
    let grid = blocks.grid(max_groups)?;
    Ok(planar(&KERNEL, matrices.label(), &params, grid, workgroup, None, arrays.binds()).appending(width.source()))
}
