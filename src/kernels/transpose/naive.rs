//! Twin of `shaders/transpose/naive.wgsl`.

use super::{Arrays, Matrices};
use crate::error::Result;
use crate::kernels::element::{self, Width};
use crate::kernels::{Dispatch, Value, kernel, params};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Rows of each input matrix.
        pub rows: u32,
        /// Columns of each input matrix.
        pub columns: u32,
        /// The number of matrices.
        pub batch: u32,
        /// Blocks along a row of the input.
        pub blocks_x: u32,
        /// Blocks along a column of the input.
        pub blocks_y: u32,
    }
}

kernel!(TRANSPOSE_NAIVE, appended: [element::SOURCES], overrides: ["WIDTH", "HEIGHT"]);

/// Transposes with workgroups of `workgroup` invocations along x and y.
pub fn dispatch(matrices: Matrices, width: Width, workgroup: [u32; 2], max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let Matrices { rows, columns, batch } = matrices;
    let blocks = matrices.blocks(workgroup);
    let params = Params { rows, columns, batch, blocks_x: blocks.x, blocks_y: blocks.y };
    let [x, y] = workgroup;
    Ok(Dispatch {
        overrides: vec![("WIDTH", Value::U32(x)), ("HEIGHT", Value::U32(y))],
        ..KERNEL.dispatch(matrices.label(), &params, blocks.grid(max_groups)?, [x, y, 1], arrays.binds()).appending(width.source())
    })
}
