//! Twin of `shaders/transpose/tiled.wgsl`.

use super::{Arrays, Matrices};
use crate::error::Result;
use crate::kernels::element::{self, Width};
use crate::kernels::{Dispatch, kernel, params};

params! {
    rows: u32,
    columns: u32,
    batch: u32,
    tiles_x: u32,
    tiles_y: u32,
}

kernel!(TRANSPOSE_TILED, appended: [element::SOURCES], overrides: ["TILE", "PADDING", "ELEMENTS"]);

/// The most elements that one invocation can move: the number of calls that the WGSL writes out.
pub const MAX_ELEMENTS: u32 = 16;

/// A square tile of workgroup memory, and the share of each invocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tile {
    /// Elements along a side.
    pub size: u32,
    /// Elements of padding at the end of each tile row.
    pub padding: u32,
    /// Elements that each invocation moves.
    pub elements: u32,
}

impl Tile {
    /// Elements of workgroup memory.
    pub fn area(self) -> u32 {
        self.size * (self.size + self.padding)
    }
}

/// Transposes through `tile`.
pub fn dispatch(matrices: Matrices, width: Width, tile: Tile, max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let Matrices { rows, columns, batch } = matrices;
    let tiles = matrices.blocks([tile.size; 2]);
    let params = Params { rows, columns, batch, tiles_x: tiles.x, tiles_y: tiles.y };
    let workgroup = [tile.size, tile.size / tile.elements, 1];
    let dispatch = KERNEL.dispatch(matrices.label(), &params, tiles.grid(max_groups)?, workgroup, arrays.binds());
    let dispatch = dispatch.overriding([tile.size, tile.padding, tile.elements]).appending(width.source());
    Ok(Dispatch { workgroup_bytes: u64::from(tile.area()) * u64::from(width.bytes()), ..dispatch })
}
