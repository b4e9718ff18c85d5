//! Parts of axes: input that is zero elsewhere, and output that is not wanted elsewhere.

use std::fmt;
use std::ops::Range;

use crate::edge::Edge;
use crate::error::Result;
use crate::plan::ensure;
use crate::text::Text;

/// A range of the indices of an axis. Negative indices count from the end of the axis, as those of
/// negative frequencies do, so that a range may go around its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::fft) struct Window {
    pub first: i64,
    pub end: i64,
}

impl From<Range<i64>> for Window {
    fn from(range: Range<i64>) -> Self {
        Self { first: range.start, end: range.end }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.end)
    }
}

/// A window on an axis of a known length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Windowed {
    /// Length of the transform along the axis.
    pub n: u32,
    /// Whether the axis holds half of a spectrum, without negative frequencies.
    pub half: bool,
    /// The first index, not negative.
    pub first: u32,
    pub len: u32,
    /// How the array continues past its ends, for so many positions before its first element and
    /// after its last one. Then `first` is 0, and the array's first element is at position
    /// `before`.
    pub edge: Edge,
    pub before: u32,
    pub after: u32,
}

impl Window {
    /// The window that a part of a text prints.
    pub fn parse(text: Text<'_>, part: &str) -> Result<Self> {
        let ends = part.split_once("..").ok_or_else(|| text.wrong(part, "expected a range, such as -8..8"))?;
        Ok(Self { first: text.number(ends.0)?, end: text.number(ends.1)? })
    }

    /// The window on an axis, or why there is none.
    pub fn on(self, axis: Windowed) -> std::result::Result<Windowed, String> {
        let Self { first, end } = self;
        let n = axis.len;
        let length = i64::from(n);
        ensure(!axis.half || first == 0, || format!("the part {self} of the axis of a half-spectrum must begin at 0"))?;
        ensure(first < end, || format!("the part {self} of an axis is empty"))?;
        ensure(first >= -length && end <= length && end.saturating_sub(first) <= length, || {
            format!("the part {self} of an axis of length {n} must lie between -{n} and {n} and not be longer than {n}")
        })?;
        Ok(Windowed { first: first.rem_euclid(length) as u32, len: (end - first) as u32, ..axis })
    }
}

impl Windowed {
    /// Whether index 0 is not position 0.
    pub fn moves(&self) -> bool {
        self.first > 0 || self.edge != Edge::Zero
    }

    pub fn whole(n: u32) -> Self {
        Self { n, half: false, first: 0, len: n, edge: Edge::Zero, before: 0, after: 0 }
    }

    /// All of the stored half of a spectrum of n reals.
    pub fn half(n: u32) -> Self {
        Self { half: true, len: n / 2 + 1, ..Self::whole(n) }
    }

    pub fn is_whole(&self) -> bool {
        !self.moves() && self.len == if self.half { self.n / 2 + 1 } else { self.n }
    }
}
