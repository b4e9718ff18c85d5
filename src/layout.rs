//! Where the elements of an array lie.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::shape::{Shape, join};
use crate::sort::sort_short_by_key;
use crate::strides::dense;

/// Distances between neighbours along each axis and between the arrays of a batch, in elements of
/// the array: complex numbers or reals.
///
/// Element \[j, k, …\] of array b lies at `offset` + b·`batch_distance` + j·`strides[0]` +
/// k·`strides[1]` + …, for up to 4 axes. So padded rows, interleaved channels, parts of larger
/// arrays and axes in another order need no copy:
///
/// ```
/// use wgpu_fft::Layout;
///
/// // Rows of 1000 in a pitch of 1024; the next image follows after 1000 rows.
/// let padded = Layout::strides([1024, 1]);
/// // Three interleaved channels of a picture, as a batch of 3.
/// let channels = Layout::strides([3 * 640, 3]).batch_distance(1);
/// // The part that begins in row 8, column 16 of 768 rows of 1024.
/// let part = Layout::strides([1024, 1]).offset(8 * 1024 + 16).within(768 * 1024);
/// // 480 rows and 640 columns, stored column by column.
/// let transposed = Layout::strides([1, 480]);
/// ```
///
/// A view of such an array has as many elements as [`within`](Self::within) says, or else as it
/// takes from 0 to the last element, gaps and offset included; a plan says how many in
/// `plan.program().inputs[0].len` and `plan.program().output.len`.
///
/// Elements of an output lie apart, and a layout where they might not is refused: sorted by size,
/// each stride is larger than all that the smaller ones reach. Those of an input may share places,
/// as overlapping frames do: `Layout::strides([1]).batch_distance(128)` for frames of 512 that
/// begin 128 apart.
///
/// Printed as `1024,1/65536@8208:786432`: strides, batch distance if given, offset if not 0,
/// elements of the whole array if given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct Layout {
    strides: [usize; 4],
    rank: usize,
    batch_distance: Option<usize>,
    offset: usize,
    within: Option<usize>,
}

impl Layout {
    /// Distances between neighbours along each axis, slowest axis first, as the shape. The arrays
    /// of a batch are the first extent times its stride apart, unless said otherwise.
    pub fn strides(strides: impl Into<Shape>) -> Self {
        let strides = strides.into();
        let mut all = [1; 4];
        all[..strides.rank()].copy_from_slice(strides.extents());
        Self { strides: all, rank: strides.rank(), batch_distance: None, offset: 0, within: None }
    }

    /// Row-major without gaps.
    pub fn dense(shape: impl Into<Shape>) -> Self {
        let shape = shape.into();
        let mut layout = Self::strides(shape);
        layout.strides[..shape.rank()].copy_from_slice(&dense(shape.extents()));
        layout
    }

    /// As `dense`, with the axes of the shape in reverse order.
    pub(crate) fn reversed(shape: Shape) -> Self {
        let extents: Vec<usize> = shape.extents().iter().rev().copied().collect();
        let mut layout = Self::strides(shape).batch_distance(extents.iter().product());
        layout.strides[..shape.rank()].copy_from_slice(&dense(&extents));
        layout.strides[..shape.rank()].reverse();
        layout
    }

    /// Distance between the arrays of a batch, which may be smaller than an array: interleaved
    /// arrays have 1.
    pub fn batch_distance(mut self, distance: usize) -> Self {
        self.batch_distance = Some(distance);
        self
    }

    /// Where the first element lies. Unlike a view's offset it needs no alignment.
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Elements of the whole array that views have, where it is longer than up to the last element
    /// that the layout reaches.
    pub fn within(mut self, len: usize) -> Self {
        self.within = Some(len);
        self
    }

    /// With all distances times `factor`.
    pub(crate) fn scaled(self, factor: usize) -> Self {
        let times = |value: usize| value.saturating_mul(factor);
        let mut strides = self.strides.map(times);
        strides[self.rank - 1] = self.strides[self.rank - 1];
        Self { strides, batch_distance: self.batch_distance.map(times), offset: times(self.offset), within: self.within.map(times), ..self }
    }

    /// The same with numbers as the device counts, for arrays of this shape.
    pub(crate) fn placed(&self, argument: &'static str, shape: Shape, batch: usize) -> Result<Placed> {
        let unsupported = |why: String| Error::Unsupported { what: format!("{argument} layout {self} of {shape}"), why };
        if self.rank != shape.rank() {
            return Err(unsupported(format!("it has {} strides for {} axes", self.rank, shape.rank())));
        }
        let distance = self.batch_distance.unwrap_or(self.strides[0].saturating_mul(shape.extents()[0]));
        let mut axes: Vec<(usize, usize)> = shape.extents().iter().copied().zip(self.strides).collect();
        axes.push((batch, distance));
        axes.retain(|(extent, _)| *extent > 1);
        sort_short_by_key(&mut axes, |&(_, stride)| stride);
        // With neighbours farther apart than all that lies below them, no two elements share a
        // place.
        let (mut reach, mut distinct) = (0u64, true);
        for (extent, stride) in axes {
            distinct &= stride as u64 > reach;
            reach = reach.saturating_add(((extent - 1) as u64).saturating_mul(stride as u64));
        }
        let reached = reach.saturating_add(self.offset as u64).saturating_add(1);
        let span = self.within.map_or(reached, |len| len as u64);
        if span < reached {
            return Err(unsupported(format!("it reaches {reached} elements far, and the array has {span}")));
        }
        let available = u64::from(u32::MAX);
        if span > available {
            let what = format!("{argument} layout {self} of {shape}");
            return Err(Error::LimitExceeded { what, limit: "elements indexed by a u32", required: span, available });
        }
        let mut strides: Vec<u32> = self.strides[..self.rank].iter().map(|&stride| stride.min(u32::MAX as usize) as u32).collect();
        strides.push(distance.min(u32::MAX as usize) as u32);
        Ok(Placed { strides, offset: self.offset as u32, span: span as usize, distinct })
    }
}

/// A layout checked for a shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Placed {
    /// Of each axis, and at last of the batch.
    pub strides: Vec<u32>,
    pub offset: u32,
    /// Elements of the array: up to the last that is reached, or as many as were said.
    pub span: usize,
    /// Surely no two elements have the same place.
    pub distinct: bool,
}

impl Placed {
    /// Where an element lies: by its index along each axis and, at last, its array of the batch.
    pub fn place(&self, index: &[usize]) -> usize {
        let distances = index.iter().zip(&self.strides).map(|(digit, stride)| digit * *stride as usize);
        self.offset as usize + distances.sum::<usize>()
    }

    /// Whether every element of such a shape lies where it lies by the other, in an array of the
    /// same size.
    pub fn is_same_place(&self, other: &Self, shape: Shape, batch: usize) -> bool {
        let extents = shape.extents().iter().chain([&batch]);
        let mut strides = self.strides.iter().zip(&other.strides).zip(extents);
        (self.offset, self.span) == (other.offset, other.span) && strides.all(|((own, other), &extent)| extent == 1 || own == other)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&join(&self.strides[..self.rank], ","))?;
        if let Some(distance) = self.batch_distance {
            write!(f, "/{distance}")?;
        }
        if self.offset > 0 {
            write!(f, "@{}", self.offset)?;
        }
        self.within.map_or(Ok(()), |len| write!(f, ":{len}"))
    }
}

/// Reads what [`Display`](fmt::Display) prints.
impl FromStr for Layout {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::Parse {
            what: "layout",
            text: text.to_owned(),
            why: "it is of the form 1024,1/65536@8208:786432: 1 to 4 strides, a batch distance, an offset, the array's elements".to_owned(),
        };
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        let (rest, within) = text.split_once(':').map_or(Ok((text, None)), |(rest, len)| Ok((rest, Some(number(len)?))))?;
        let (rest, offset) = rest.split_once('@').map_or(Ok((rest, 0)), |(rest, offset)| Ok((rest, number(offset)?)))?;
        let (strides, distance) =
            rest.split_once('/').map_or(Ok((rest, None)), |(strides, distance)| Ok((strides, Some(number(distance)?))))?;
        let strides: Vec<usize> = strides.split(',').map(number).collect::<Result<_>>()?;
        let layout = Self::strides(Shape::try_from(&strides[..]).map_err(|_| wrong())?);
        Ok(Self { batch_distance: distance, within, ..layout }.offset(offset))
    }
}
