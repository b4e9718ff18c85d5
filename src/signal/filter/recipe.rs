//! How to filter, as data that can be printed and parsed.

use std::fmt;

use crate::error::Result;
use crate::text::{Text, join, parsed};
use crate::transpose;

/// How to filter: one step after the other, joined by `;`.
///
/// `axis 1: tile 1x1024 block=1x1 width=4; axis 0: tile 64x32 block=8x1 width=4` filters rows and
/// then columns where they lie. `axes 0,1: tile 32x32 block=4x1 width=4` filters both axes in one
/// dispatch. `axis 1: …; transpose: …; axis 0: …; transpose: …` brings the columns into rows and
/// back.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// In order. Together they filter every axis that has a kernel, each once.
    pub steps: Vec<Step>,
}

/// Filters one axis, or the last two in one dispatch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Step {
    /// One axis, or the last two.
    pub axes: Vec<usize>,
    /// How the dispatch is cut into workgroups.
    pub tile: Tile,
    /// The transposes before and after, if the axis is made contiguous for the filter.
    pub transposes: Option<[transpose::Recipe; 2]>,
}

/// The outputs of a workgroup, as rows and elements of a row. If the last axis is filtered alone,
/// rows are those of the whole array; else the rows lie along the filtered axis. A text may leave
/// out a block of `1x1` and a width of 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Tile {
    /// Whether the input goes through workgroup memory. Printed as `tile`, otherwise as `straight`.
    pub memory: bool,
    /// Rows and elements of a row.
    pub extents: [u32; 2],
    /// Outputs of an invocation: rows in sums down columns, accesses in sums along rows.
    pub block: [u32; 2],
    /// Elements of an access: 1, 2 or 4.
    pub width: u32,
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.memory { "tile" } else { "straight" };
        write!(f, "{kind} {} block={} width={}", join(&self.extents, "x"), join(&self.block, "x"), self.width)
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Step { axes, tile, transposes }) in self.steps.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "; " })?;
            if let Some([before, _]) = transposes {
                write!(f, "transpose: {before}; ")?;
            }
            write!(f, "{} {}: {tile}", if axes.len() == 1 { "axis" } else { "axes" }, join(axes, ","))?;
            if let Some([_, after]) = transposes {
                write!(f, "; transpose: {after}")?;
            }
        }
        Ok(())
    }
}

const FORMS: &str = "`axis 1: tile 1x1024 block=1x1 width=4`, `axes 0,1: straight 8x64 block=4x1 width=4`, or an axis between two transposes, \
                     `transpose: copy; axis 0: …; transpose: copy`";

parsed!(Recipe, "filter recipe", |text, whole| {
    let mut parts = whole.split(';').peekable();
    let mut steps = Vec::new();
    let transpose = |part: &str| -> Result<Option<transpose::Recipe>> {
        part.trim_start().strip_prefix("transpose:").map(|recipe| transpose::Recipe::parse(text, recipe)).transpose()
    };
    while let Some(part) = parts.next() {
        let Some(before) = transpose(part)? else {
            let (axes, tile) = filtered(text, part)?;
            steps.push(Step { axes, tile, transposes: None });
            continue;
        };
        let end = &whole[whole.len()..];
        let (axes, tile) = filtered(text, parts.next().unwrap_or(end))?;
        let part = parts.next().unwrap_or(end);
        let after = transpose(part)?.ok_or_else(|| text.wrong(part, "expected the transpose back, `transpose: …`"))?;
        steps.push(Step { axes, tile, transposes: Some([before, after]) });
    }
    Ok(Self { steps })
});

/// `axis 1: tile 1x1024 block=1x1 width=4`.
fn filtered(text: Text<'_>, part: &str) -> Result<(Vec<usize>, Tile)> {
    let expected = || text.wrong(part, format!("expected {FORMS}"));
    let (head, tile) = part.split_once(':').ok_or_else(expected)?;
    let mut words = text.words(head);
    if !matches!(words.any(), Some("axis" | "axes")) {
        return Err(expected());
    }
    let axes = text.numbers(words.one("the number of an axis")?, ',')?;
    words.done()?;
    let mut words = text.words(tile);
    let memory = match words.one("`tile` or `straight`")? {
        "tile" => true,
        "straight" => false,
        other => return Err(text.wrong(other, "expected `tile` or `straight`")),
    };
    let extents = text.pair(words.one("the extents of a tile, such as 1x1024")?, 'x')?;
    let mut fields = words.fields();
    let block = fields.value("block").map_or(Ok([1, 1]), |block| text.pair(block, 'x'))?;
    let width = fields.number("width", Some(1))?;
    fields.done("block=1x1 or width=4")?;
    Ok((axes, Tile { memory, extents, block, width }))
}
