//! How to permute, as data that can be printed and parsed.

use std::fmt;

use crate::error::Result;
use crate::text::{Text, parsed};

pub use crate::kernels::transpose::tiles::{Spread, Walk};

/// How to permute. The variant numbers are those of a well-known tutorial that compares them step
/// by step (it does not describe its number 2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Recipe {
    /// For permutations that keep the order in memory, of elements without gaps. Printed as `copy`.
    Copy,
    /// Variant 1, for dense matrices: one element per invocation, without workgroup memory. Printed
    /// as `naive 16x16`.
    Naive {
        /// Invocations of a workgroup along x and y.
        workgroup: [u32; 2],
    },
    /// Variants 3 (no padding), 4 (padding) and 5 (several elements per invocation), for dense
    /// matrices: through a tile in workgroup memory. Printed as `tiled 32+1 elements=4`.
    Tiled {
        /// Elements along a side of the tile.
        tile: u32,
        /// Unused elements at the end of each tile row.
        padding: u32,
        /// Elements that each invocation moves, 1 to 16. They must divide the tile.
        elements: u32,
    },
    /// Blocks of wide accesses, transposed in registers, through a tile in workgroup memory.
    /// Printed as `tiles 64x64 width=16 blocks=1 swizzle walk=rows`.
    Tiles(Tiles),
    /// Blocks of wide accesses, transposed in registers and stored directly, for processors.
    /// Printed as `blocks 8x64 width=16 blocks=1 along=rows walk=rows`.
    Blocks(Blocks),
    /// Element by element. If the fastest axis stays the fastest, an element is a wide access.
    /// Printed as `strided 32x8 elements=4`.
    Strided {
        /// Invocations along the fastest axis of the output and along the next.
        workgroup: [u32; 2],
        /// Elements of an invocation along the fastest axis, 1 to 8.
        elements: u32,
    },
    /// For elements of 1 or 2 bytes in any layout: each invocation gathers a word of the output.
    /// Printed as `gather 8x32`.
    Gather {
        /// Words along a row of the output, and rows.
        workgroup: [u32; 2],
    },
    /// For elements of 1 or 2 bytes in any layout, in place: exchanges pairs. Printed as
    /// `swap 32x8`.
    Swap {
        /// Invocations along rows and columns.
        workgroup: [u32; 2],
    },
}

/// The tile of a workgroup, and the width of its accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Tiles {
    /// Elements of a tile: along the fastest axis of the output, and along that of the input. For a
    /// matrix: rows and columns of the input.
    pub tile: [u32; 2],
    /// Bytes of an access to the input, and of an access to the output: 4, 8 or 16. 32 is possible
    /// for elements of 8 and 16 bytes, if the device has 64-bit integers. Elements of 1 and 2 bytes
    /// whose rows do not begin at such multiples are moved in words and shifted.
    pub width: [u32; 2],
    /// Blocks of each invocation. A block is as many elements wide as an access to the input, and
    /// as many high as an access to the output.
    pub blocks: u32,
    /// How the columns of the tile are spread over the banks of workgroup memory.
    pub spread: Spread,
    /// The order of the tiles. It has no effect in place.
    pub walk: Walk,
}

/// The tile of a workgroup that uses no workgroup memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Blocks {
    /// As in [`Tiles`].
    pub tile: [u32; 2],
    /// As in [`Tiles`].
    pub width: [u32; 2],
    /// As in [`Tiles`].
    pub blocks: u32,
    /// Whether neighbouring invocations take blocks that are neighbours in the output instead of
    /// the input. Printed as `along=columns`.
    pub across: bool,
    /// As in [`Tiles`].
    pub walk: Walk,
}

struct Width([u32; 2]);

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [load, store] = self.0;
        if load == store { write!(f, "width={load}") } else { write!(f, "load={load} store={store}") }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Copy => f.write_str("copy"),
            Self::Naive { workgroup: [x, y] } => write!(f, "naive {x}x{y}"),
            Self::Tiled { tile, padding, elements } => write!(f, "tiled {tile}+{padding} elements={elements}"),
            Self::Tiles(Tiles { tile: [rows, columns], width, blocks, spread, walk }) => {
                write!(f, "tiles {rows}x{columns} {} blocks={blocks} ", Width(*width))?;
                match spread {
                    Spread::Padding(padding) => write!(f, "padding={padding}")?,
                    Spread::Swizzle => f.write_str("swizzle")?,
                }
                write!(f, " walk={walk}")
            }
            Self::Blocks(Blocks { tile: [rows, columns], width, blocks, across, walk }) => {
                let along = if *across { "columns" } else { "rows" };
                write!(f, "blocks {rows}x{columns} {} blocks={blocks} along={along} walk={walk}", Width(*width))
            }
            Self::Strided { workgroup: [x, y], elements } => write!(f, "strided {x}x{y} elements={elements}"),
            Self::Gather { workgroup: [x, y] } => write!(f, "gather {x}x{y}"),
            Self::Swap { workgroup: [x, y] } => write!(f, "swap {x}x{y}"),
        }
    }
}

parsed!(
    /// In `tiles` and `blocks`, missing fields have defaults: accesses of 16 bytes, one block, a
    /// swizzle, a walk along rows.
    Recipe, "transpose recipe", |text, whole| Self::parse(text, whole)
);

impl Recipe {
    /// The recipe that a part of a text prints.
    pub(crate) fn parse(text: Text<'_>, part: &str) -> Result<Self> {
        const FORMS: &str = "`copy`, `naive 16x16`, `tiled 32+1 elements=4`, `tiles 64x64 width=16 blocks=1 swizzle walk=rows`, \
                             `blocks 8x64 width=16 blocks=1 along=rows walk=rows`, `strided 32x8 elements=4`, `gather 8x32` or `swap 32x8`";
        let mut words = text.words(part);
        let kind = words.one(FORMS)?;
        if kind == "copy" {
            return words.done().map(|()| Self::Copy);
        }
        let extents = words.one(FORMS)?;
        let mut fields = words.fields();
        let pair = || text.pair(extents, 'x');
        let recipe = match kind {
            "naive" => Self::Naive { workgroup: pair()? },
            "tiled" => {
                let [tile, padding] = text.pair(extents, '+')?;
                Self::Tiled { tile, padding, elements: fields.number("elements", None)? }
            }
            "strided" => Self::Strided { workgroup: pair()?, elements: fields.number("elements", None)? },
            "gather" => Self::Gather { workgroup: pair()? },
            "swap" => Self::Swap { workgroup: pair()? },
            "tiles" | "blocks" => {
                let tile = pair()?;
                let both = fields.number("width", Some(16))?;
                let width = [fields.number("load", Some(both))?, fields.number("store", Some(both))?];
                let blocks = fields.number("blocks", Some(1))?;
                let walk = match fields.value("walk") {
                    None | Some("rows") => Walk::Rows,
                    Some("columns") => Walk::Columns,
                    Some("diagonal") => Walk::Diagonal,
                    Some(walk) => match walk.strip_prefix("bands") {
                        Some(rows) => Walk::Bands(text.number(rows)?),
                        None => return Err(text.wrong(walk, "expected rows, columns, diagonal, or bands with a number")),
                    },
                };
                if kind == "tiles" {
                    let padding = fields.value("padding").map(|elements| text.number(elements)).transpose()?;
                    let spread = padding.map_or(Spread::Swizzle, Spread::Padding);
                    // What is the default may be stated, but not beside its opposite.
                    let _ = spread == Spread::Swizzle && fields.flag("swizzle");
                    Self::Tiles(Tiles { tile, width, blocks, spread, walk })
                } else {
                    let across = fields.choice("along", &["rows", "columns"])? == "columns";
                    Self::Blocks(Blocks { tile, width, blocks, across, walk })
                }
            }
            _ => return Err(text.wrong(kind, format!("expected {FORMS}"))),
        };
        fields.done(FORMS)?;
        Ok(recipe)
    }
}
