//! How to transpose, and the rules that choose.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::element::Width;
use crate::kernels::transpose::tiled::{MAX_ELEMENTS, Tile};

/// How to transpose. The variants' numbers are those of a well-known tutorial, which compares them as a ladder (it does not describe its number 2).
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
    /// The rules' choice for matrices of `rows` x `columns` elements.
    pub(crate) fn for_matrices(rows: u32, columns: u32, width: Width, profile: &DeviceProfile) -> Self {
        if rows == 1 || columns == 1 {
            return Self::Copy;
        }
        let fitting = Self::preferred(width, profile).into_iter().find(|recipe| recipe.unfit(rows, columns, width, profile).is_none());
        fitting.unwrap_or(Self::Naive { workgroup: [1, 1] })
    }

    /// Recipes for such a device, best first; the later ones are for devices with little workgroup memory or few invocations.
    ///
    /// H200, fraction of the copy bandwidth at 4096², tile 16 or 32 with 1, 2, 4, 8, 16 elements per invocation (naive 27, 42, 88%):
    ///
    /// | | tile 16 | tile 32 |
    /// |---|---|---|
    /// | 4 bytes | 40, 67, 79, 74, 52% | 32, 61, 83, 79, 64% |
    /// | 8 bytes | 67, 86, 90, 79, 63% | 55, 86, 92, 82, 62% |
    /// | 16 bytes | 90, 95, 95, 85, 67% | 78, 83, 83, 71, 49% |
    ///
    /// On a processor workgroup memory is ordinary memory, and a barrier costs. Lavapipe, 1024² elements of 4, 8, 16 bytes:
    /// naive 32x32 7.0, 7.0, 8.4 ms; naive 16x16 8.4, 9.2, 10.0; tiled 32+0 elements=8 6.5, 7.2, 12.0; tiled 32+1 elements=4 11.7, 14.1, 16.8.
    fn preferred(width: Width, profile: &DeviceProfile) -> Vec<Self> {
        let naive = |x, y| Self::Naive { workgroup: [x, y] };
        if profile.is_cpu() {
            return vec![naive(32, 32), naive(16, 16), naive(8, 4), naive(32, 1)];
        }
        let tiled = |tile, elements| Self::Tiled { tile, padding: 1, elements };
        let best = if width == Width::Quad { tiled(16, 4) } else { tiled(32, 4) };
        vec![best, tiled(16, 4), naive(16, 16), naive(8, 4), naive(32, 1)]
    }

    /// Says why the recipe cannot transpose such matrices, if it cannot.
    pub(super) fn unfit(&self, rows: u32, columns: u32, width: Width, profile: &DeviceProfile) -> Option<String> {
        match *self {
            Self::Copy => (rows > 1 && columns > 1).then(|| format!("a copy transposes one row or one column, not {rows}x{columns}")),
            Self::Naive { workgroup: [x, y] } => {
                let [most_x, most_y, _] = profile.workgroup_size;
                let invocations = u64::from(x) * u64::from(y);
                (invocations == 0 || invocations > profile.invocations.into() || x > most_x || y > most_y)
                    .then(|| format!("{x} x {y} invocations are not between 1 and {most_x} x {most_y}, {} in all", profile.invocations))
            }
            Self::Tiled { tile, padding, elements } => {
                if tile == 0 || tile > profile.invocations || padding > 32 {
                    return Some(format!("a tile has 1 to {} elements along a side and 0 to 32 spare ones", profile.invocations));
                }
                if elements == 0 || elements > MAX_ELEMENTS || tile % elements != 0 {
                    return Some(format!("elements must divide the tile and be 1 to {MAX_ELEMENTS}"));
                }
                let invocations = tile * (tile / elements);
                let [most_x, most_y, _] = profile.workgroup_size;
                if invocations > profile.invocations || tile > most_x || tile / elements > most_y {
                    let all = profile.invocations;
                    return Some(format!("it needs {tile} x {} invocations of {most_x} x {most_y}, {all} in all", tile / elements));
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
