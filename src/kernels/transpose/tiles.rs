//! Twin of `shaders/transpose/tiles.wgsl` and `shaders/transpose/walks.wgsl`.

use std::fmt;
use std::sync::Arc;

use super::Arrays;
use crate::error::Result;
use crate::kernels::{Dispatch, Form, Grid, kernel, params, sources};

// Places and strides of a side count its accesses, or its elements if the side is shifted.
params! {
    /// Elements along a, the fastest axis of the input.
    extent_a: u32,
    /// Elements along b, the fastest axis of the output.
    extent_b: u32,
    tiles_a: u32,
    tiles_b: u32,
    groups: u32,
    input: u32,
    output: u32,
    input_b: u32,
    output_a: u32,
    outer: [u32; 2],
    input_outer: [u32; 3],
    output_outer: [u32; 3],
}

kernel!(TRANSPOSE_TILES, appended: [&[&sources::TRANSPOSE_WALKS]]);

/// How the columns of a tile are spread over the banks of workgroup memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Spread {
    /// This many accesses of padding at the end of each row of the tile.
    Padding(u32),
    /// In the rows of block x, access c is stored at c XOR x, or XOR a multiple of x in tiles with
    /// few blocks along a.
    Swizzle,
}

/// The order in which workgroups take the tiles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Walk {
    /// Along the rows of the input.
    Rows,
    /// Along the rows of the output.
    Columns,
    /// Down the columns of bands, each of which is this many rows of tiles of the input.
    Bands(u32),
    /// Like `Rows`, but each row begins one tile later.
    Diagonal,
}

impl fmt::Display for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows => f.write_str("rows"),
            Self::Columns => f.write_str("columns"),
            Self::Bands(rows) => write!(f, "bands{rows}"),
            Self::Diagonal => f.write_str("diagonal"),
        }
    }
}

/// One side of a block: its accesses to global memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Side {
    /// Elements of an access.
    pub elements: u32,
    /// Whether accesses may begin anywhere instead of at multiples of their size. Words are then
    /// moved and shifted.
    pub shifted: bool,
}

/// What the generated text computes. Element \[b, a\] of the input becomes element \[a, b\] of the
/// output. a is the fastest axis of the input, b that of the output.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tiles {
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// Elements of a tile along b and along a.
    pub tile: [u32; 2],
    /// Accesses to the input, along a.
    pub load: Side,
    /// Accesses to the output, along b.
    pub store: Side,
    /// Blocks that each invocation loads. A block has as many elements as an access to the input
    /// times an access to the output.
    pub blocks: u32,
    /// How tiles are stored in workgroup memory; `None` if they do not go through it.
    pub memory: Option<Spread>,
    /// Only without workgroup memory: whether neighbouring invocations store to neighbouring
    /// addresses instead of loading from them.
    pub across: bool,
    /// The order of the tiles.
    pub walk: Walk,
    /// The number of axes besides a and b.
    pub outer: u32,
    /// Whether each workgroup exchanges a tile and its mirror image.
    pub in_place: bool,
    /// Whether a tile is incomplete or a workgroup has no work.
    pub guarded: bool,
    /// Whether two words are shifted as one number of 64 bits.
    pub int64: bool,
}

impl Tiles {
    /// Blocks of a tile along b and along a.
    pub fn grid(&self) -> [u32; 2] {
        [self.tile[0] / self.store.elements, self.tile[1] / self.load.elements]
    }

    /// Invocations of a workgroup.
    pub fn invocations(&self) -> u32 {
        let [b, a] = self.grid();
        a * b / self.blocks
    }

    /// Tiles that are in workgroup memory at once. In place a workgroup exchanges two; if they are
    /// large, they take turns, so that more workgroups have room. H200, percent of a copy, together
    /// and in turns: u8 16384² in 128x128 67 and 87, f32 8192² in 64x64 76 and 94. Small ones need
    /// no turns: in 32x32 f32 8192² has 88 (benches/reports/2026-11-25-transposes).
    pub fn together(&self) -> u32 {
        const SMALL: u32 = 8192;
        let bytes = self.tile[0] * self.tile[1] * self.bytes;
        1 + u32::from(self.in_place && bytes <= SMALL)
    }

    /// The distance of two rows of a tile in workgroup memory, in accesses.
    pub fn pitch(&self) -> u32 {
        let padding = if let Some(Spread::Padding(padding)) = self.memory { padding } else { 0 };
        self.grid()[0] + padding
    }

    /// How far a swizzle moves the columns from one block along a to the next. Workgroup memory
    /// takes 128 bytes at a time. The invocations that store these have blocks along a first; where
    /// such blocks are fewer, the next ones along b need columns of their own. H200, percent of a
    /// copy, with steps of 1 and of 4: u8 8191² in 256x64 54 and 62.
    pub fn step(&self) -> u32 {
        (128 / (self.store.elements * self.bytes) / self.grid()[1]).max(1)
    }

    /// Bytes of workgroup memory.
    pub fn memory_bytes(&self) -> u64 {
        let bytes = u64::from(self.together() * self.tile[1]) * u64::from(self.pitch()) * u64::from(self.store.elements * self.bytes);
        if self.memory.is_some() { bytes } else { 0 }
    }

    /// The bytes of an access to the input and of one to the output.
    pub fn widths(&self) -> [u32; 2] {
        [self.load.elements * self.bytes, self.store.elements * self.bytes]
    }
}

/// The workgroups for `tiles_a` x `tiles_b` tiles and `outer` indices of the other axes.
pub fn groups(tiles: &Tiles, [tiles_b, tiles_a]: [u32; 2], outer: u64) -> u64 {
    let (a, b) = (u64::from(tiles_a), u64::from(tiles_b));
    let pairs = if tiles.in_place { a * (a + 1) / 2 } else { a * b };
    pairs * outer
}

/// Moves the tiles of `params`, of which this sets the number of groups, for `outer` indices of the
/// other axes.
pub fn dispatch(
    label: String,
    params: Params,
    outer: u64,
    tiles: &Arc<Tiles>,
    text: Arc<str>,
    max_groups: u32,
    arrays: Arrays,
) -> Result<Dispatch> {
    let groups = groups(tiles, [params.tiles_b, params.tiles_a], outer);
    let grid = Grid::linear(groups, max_groups)?;
    let params = Params { groups: groups as u32, ..params };
    let binds = if tiles.in_place { arrays.bind_in_place() } else { arrays.binds() };
    let dispatch = KERNEL.dispatch(label, &params, grid, [tiles.invocations(), 1, 1], binds);
    Ok(dispatch.generated(text, Form::Tiles(tiles.clone()), tiles.memory_bytes()))
}
