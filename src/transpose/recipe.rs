//! How to transpose, and the rules that choose.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::element::Width;
use crate::kernels::transpose::tiled::{MAX_ELEMENTS, Tile};

/// How to transpose. The numbers are those of the ladder in the literature; 2 is not described there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Recipe {
    /// One row or one column: the order in memory does not change. Printed as `copy`.
    Copy,
    /// Variant 1: one element per invocation, no workgroup memory. Printed as `naive 16x16`.
    Naive {
        /// Invocations of a workgroup along x and y.
        workgroup: [u32; 2],
    },
    /// Variants 3 (no padding), 4 (padding) and 5 (several elements per invocation): through a tile in workgroup memory.
    /// Printed as `tiled 32+1 elements=4`.
    Tiled {
        /// Elements along a side of the tile.
        tile: u32,
        /// Spare elements at the end of each tile row.
        padding: u32,
        /// Elements that each invocation moves, 1 to 16; they divide the tile.
        elements: u32,
    },
}

impl Recipe {
    /// The rules' choice for matrices of `rows` x `columns` elements of `element_bytes`.
    pub(crate) fn for_matrices(rows: u32, columns: u32, element_bytes: u32, profile: &DeviceProfile) -> Result<Self> {
        if rows == 1 || columns == 1 {
            return Ok(Self::Copy);
        }
        if profile.is_cpu() {
            return Ok(Self::for_processors(profile));
        }
        let fits = |tile: u32, elements: u32| {
            let (x, y) = (tile, tile / elements);
            tile * (tile + 1) * element_bytes <= profile.workgroup_bytes
                && x * y <= profile.invocations
                && x <= profile.workgroup_size[0]
                && y <= profile.workgroup_size[1]
        };
        let candidates = [(32, 4), (16, 1), (16, 4), (8, 1)];
        let fitting = candidates.into_iter().find(|&(tile, elements)| fits(tile, elements));
        Ok(fitting.map_or(Self::Naive { workgroup: [8, 8] }, |(tile, elements)| Self::Tiled { tile, padding: 1, elements }))
    }

    /// On a processor workgroup memory is ordinary memory.
    fn for_processors(profile: &DeviceProfile) -> Self {
        if profile.subgroup_sizes[1] >= 8 && profile.invocations >= 256 {
            Self::Tiled { tile: 32, padding: 1, elements: 4 }
        } else {
            Self::Naive { workgroup: [16, 16] }
        }
    }

    /// Says why the recipe cannot transpose such matrices, if it cannot.
    pub(super) fn unfit(&self, rows: u32, columns: u32, width: Width, profile: &DeviceProfile) -> Option<String> {
        match *self {
            Self::Copy => (rows > 1 && columns > 1).then(|| format!("a copy transposes one row or one column, not {rows}x{columns}")),
            Self::Naive { workgroup: [x, y] } => {
                let invocations = u64::from(x) * u64::from(y);
                (invocations == 0 || invocations > profile.invocations.into())
                    .then(|| format!("{invocations} invocations are not between 1 and {}", profile.invocations))
            }
            Self::Tiled { tile, padding, elements } => {
                if tile == 0 || tile > profile.invocations || padding > 32 {
                    return Some(format!("a tile has 1 to {} elements along a side and 0 to 32 spare ones", profile.invocations));
                }
                if elements == 0 || elements > MAX_ELEMENTS || tile % elements != 0 {
                    return Some(format!("elements must divide the tile and be 1 to {MAX_ELEMENTS}"));
                }
                let invocations = tile * (tile / elements);
                if invocations > profile.invocations {
                    return Some(format!("it needs {invocations} invocations of {}", profile.invocations));
                }
                let bytes = Tile { size: tile, padding, elements }.area() * width.bytes();
                (bytes > profile.workgroup_bytes)
                    .then(|| format!("it needs {bytes} bytes of workgroup memory of {}", profile.workgroup_bytes))
            }
        }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Copy => f.write_str("copy"),
            Self::Naive { workgroup: [x, y] } => write!(f, "naive {x}x{y}"),
            Self::Tiled { tile, padding, elements } => write!(f, "tiled {tile}+{padding} elements={elements}"),
        }
    }
}

/// Reads what [`Display`](fmt::Display) prints.
impl FromStr for Recipe {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let pair = |text: &str, separator: char| {
            let (a, b) = text.split_once(separator)?;
            Some([a.parse().ok()?, b.parse().ok()?])
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let parsed = match words[..] {
            ["copy"] => Some(Self::Copy),
            ["naive", workgroup] => pair(workgroup, 'x').map(|workgroup| Self::Naive { workgroup }),
            ["tiled", tile, elements] => pair(tile, '+').and_then(|[tile, padding]| {
                let elements = elements.strip_prefix("elements=")?.parse().ok()?;
                Some(Self::Tiled { tile, padding, elements })
            }),
            _ => None,
        };
        parsed.ok_or_else(|| {
            let why = "it is `copy`, `naive 16x16` or `tiled 32+1 elements=4`".to_owned();
            Error::Parse { what: "transpose recipe", text: text.to_owned(), why }
        })
    }
}
