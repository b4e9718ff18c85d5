//! How to reduce, as data that can be printed and parsed.

use std::fmt;

use super::geometry::Geometry;
use crate::error::Result;
use crate::text::{Flag, parsed};

/// How to reduce.
///
/// It is printed as `tree 256`, or as passes joined by `+`: `workgroup=256 lanes=256 width=4
/// accumulators=1 unroll=8 parts=1024 subgroup=32 + workgroup=256 lanes=256 width=4 accumulators=1
/// unroll=1`. The last pass may end with `join`. A text may leave out all but the workgroup: a
/// missing subgroup is 0, and any other missing field is 1.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Recipe {
    /// The kernel `reduce/tree` on a whole array, repeated until one value is left. It is the
    /// readable baseline.
    Tree {
        /// Invocations of a workgroup, each with one value. A power of two.
        workgroup: u32,
    },
    /// The kernel `reduce/lines` or `reduce/columns`, depending on which axis is contiguous. Each
    /// pass but the last leaves several partial results per result.
    Passes(Vec<Pass>),
}

/// One dispatch over the elements or over partial results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Pass {
    /// Invocations of a workgroup. A power of two.
    pub workgroup: u32,
    /// How many invocations share a line (or a part of it), or a column. A power of two. In each
    /// step they read that many consecutive accesses or rows.
    pub lanes: u32,
    /// Elements of an access. A power of two that divides the number of contiguous elements.
    pub width: u32,
    /// Independent accumulators per invocation, used round-robin. A power of two.
    pub accumulators: u32,
    /// Accesses per accumulator that are in flight before any of them is combined.
    pub unroll: u32,
    /// The most partial results of a line or column; 1 in the last pass.
    pub parts: u32,
    /// The size of the subgroups that exchange values without workgroup memory; 0 for none. The
    /// device's subgroups may be larger.
    pub subgroup: u32,
    /// Whether the workgroup that arrives last combines the parts of a line, instead of another
    /// pass.
    pub join: bool,
}

/// The most iterations of a loop on a processor. lavapipe (Mesa 22.3.6) leaves a loop after 65,535
/// iterations without any error, and the result is wrong.
pub(crate) const MAX_STEPS_ON_CPU: u32 = 32_768;

impl Recipe {
    /// The number of additions that an element passes through.
    pub(super) fn depth(&self, geometry: &Geometry) -> u32 {
        match self {
            Self::Tree { workgroup } => {
                let mut length = geometry.count();
                let mut passes = 1;
                while length > *workgroup {
                    length = length.div_ceil(*workgroup);
                    passes += 1;
                }
                passes * workgroup.ilog2()
            }
            Self::Passes(passes) => {
                let mut count = geometry.count();
                let mut depth = 0;
                for pass in passes {
                    let in_line = if geometry.lines { pass.width } else { 1 };
                    let length = geometry.length(count, pass.width);
                    let (chunk, parts) = pass.chunk(length);
                    let own = chunk.min(length);
                    depth += own.div_ceil(pass.lanes * pass.accumulators) + (in_line * pass.lanes * pass.accumulators).ilog2();
                    if pass.join {
                        depth += parts.div_ceil(pass.workgroup) + pass.workgroup.ilog2();
                    }
                    count = parts;
                }
                depth
            }
        }
    }
}

/// Divides `length` accesses or rows, `side_by_side` of which are read in one step, into at most
/// `parts` parts. Returns the accesses or rows of a part, and the number of parts.
pub(super) fn chunk(length: u32, side_by_side: u32, parts: u32) -> (u32, u32) {
    let chunk = u64::from(length.div_ceil(parts)).next_multiple_of(side_by_side.into()).min(u64::from(u32::MAX)) as u32;
    (chunk, length.div_ceil(chunk))
}

impl Pass {
    /// The accesses or rows of a part, and the number of parts. A part is a whole number of steps
    /// of all lanes and accumulators.
    pub(super) fn chunk(&self, length: u32) -> (u32, u32) {
        chunk(length, self.lanes * self.accumulators, self.parts)
    }

    /// Loop iterations of an invocation over a part of `part` accesses or rows.
    pub(super) fn steps(&self, part: u32) -> u32 {
        (part / (self.lanes * self.accumulators)).div_ceil(self.unroll)
    }

    /// Limits `unroll` to the number of accesses that there are, because the rest of a step is
    /// checked access by access. H200, sum of 2²⁰ f32 with 4 accesses per lane: 4.9 µs if unrolled
    /// 4 times, 5.9 if 8 times; 65536 rows of 1024: 61.3 and 65.8.
    pub(super) fn unrolled(self, length: u32) -> Self {
        let (chunk, _) = self.chunk(length);
        let rows = chunk.min(length) / (self.lanes * self.accumulators);
        Self { unroll: self.unroll.min(1 << rows.max(1).ilog2()), ..self }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tree { workgroup } => write!(f, "tree {workgroup}"),
            Self::Passes(passes) => {
                for (i, pass) in passes.iter().enumerate() {
                    write!(f, "{}{pass}", if i == 0 { "" } else { " + " })?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workgroup, lanes, width, accumulators, unroll, parts, subgroup, join } = self;
        write!(
            f,
            "workgroup={workgroup} lanes={lanes} width={width} accumulators={accumulators} unroll={unroll} parts={parts} subgroup={subgroup}"
        )?;
        Flag("join", *join).fmt(f)
    }
}

parsed!(Recipe, "reduction recipe", |text, whole| {
    let mut words = text.words(whole);
    if words.any() == Some("tree") {
        let workgroup = text.number(words.one("a tree's workgroup, such as `tree 256`")?)?;
        return words.done().map(|()| Self::Tree { workgroup });
    }
    let pass = |part| {
        let mut fields = text.words(part).fields();
        let mut number = |name, default| fields.number(name, default);
        let pass = Pass {
            workgroup: number("workgroup", None)?,
            lanes: number("lanes", Some(1))?,
            width: number("width", Some(1))?,
            accumulators: number("accumulators", Some(1))?,
            unroll: number("unroll", Some(1))?,
            parts: number("parts", Some(1))?,
            subgroup: number("subgroup", Some(0))?,
            join: fields.flag("join"),
        };
        fields.done("`tree 256`, or passes of workgroup=…, lanes=…, width=…, accumulators=…, unroll=…, parts=…, subgroup=… and join")?;
        Ok(pass)
    };
    Ok(Self::Passes(whole.split('+').map(pass).collect::<Result<_>>()?))
});
