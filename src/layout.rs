//! Strides, offsets and batch distances of arrays.

use std::fmt;

use crate::error::{Error, Result, check_count};
use crate::settings::settings;
use crate::shape::Shape;
use crate::sort::sort_short_by_key;
use crate::strides::dense;
use crate::text::{Text, join, parsed};

/// Where the elements of an array are: strides along each axis and the distance between the arrays
/// of a batch, counted in elements of the array (complex or real numbers).
///
/// Element \[j, k, …\] of array b is at index `offset` + b·`batch_distance` + j·`strides[0]` +
/// k·`strides[1]` + …, for up to 4 axes. Padded rows, interleaved channels, parts of larger arrays
/// and axes in another order therefore need no copy:
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
/// A view of such an array must have as many elements as [`within`](Self::within) says. Without it,
/// a view reaches from index 0 to the last element, including gaps and the offset. A plan gives
/// this number in [`Plan::input_len`](crate::Plan::input_len) and
/// [`Plan::output_len`](crate::Plan::output_len).
///
/// Elements of an output must not overlap. A layout is refused if they might: when the strides are
/// sorted by size, each must be larger than the reach of all smaller ones together. Elements of an
/// input may overlap, as frames of a signal do: `Layout::strides([1]).batch_distance(128)`
/// describes frames of 512 that begin 128 apart.
///
/// A layout is printed as `1024,1/65536@8208:786432`: the strides, the batch distance if given, the
/// offset if not 0, and the number of elements of the whole array if given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct Layout {
    /// In place of extents.
    strides: Shape,
    batch_distance: Option<usize>,
    offset: usize,
    within: Option<usize>,
}

impl Layout {
    /// Sets the stride of each axis, slowest axis first, like the shape. By default, the arrays of
    /// a batch are the first extent times its stride apart.
    pub fn strides(strides: impl Into<Shape>) -> Self {
        Self { strides: strides.into(), batch_distance: None, offset: 0, within: None }
    }

    /// The layout of a dense, row-major array.
    pub fn dense(shape: impl Into<Shape>) -> Self {
        let shape = shape.into();
        Self::strides(shape.with_extents(&dense(shape.extents())))
    }

    /// Like `dense`, but with the axes of the shape in reverse order in memory.
    pub(crate) fn reversed(shape: Shape) -> Self {
        let extents: Vec<usize> = shape.extents().iter().rev().copied().collect();
        let mut strides = dense(&extents);
        strides.reverse();
        Self::strides(shape.with_extents(&strides)).batch_distance(extents.iter().product())
    }

    /// The layout of an array of the crate `ndarray`, from its first element on. For a
    /// specification whose arrays begin there; it needs the feature `ndarray`.
    ///
    /// ```
    /// use ndarray::{Array2, s};
    /// use wgpu_fft::Layout;
    ///
    /// let image = Array2::<f32>::zeros((480, 640));
    /// assert_eq!(Layout::of(&image)?, Layout::strides([640, 1]));
    /// assert_eq!(Layout::of(&image.t())?, Layout::strides([1, 640]));
    /// assert_eq!(Layout::of(&image.slice(s![..;2, 16..]))?, Layout::strides([1280, 1]));
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] if there are not 1 to 4 axes, or if one of them goes backwards in
    /// memory.
    #[cfg(feature = "ndarray")]
    pub fn of<S: ndarray::RawData, D: ndarray::Dimension>(array: &ndarray::ArrayBase<S, D>) -> Result<Self> {
        let stride = |(axis, (&extent, &stride)): (usize, (&usize, &isize))| {
            // The stride of a single element means nothing.
            let stride = if extent > 1 { stride } else { 1 };
            usize::try_from(stride).map_err(|_| Error::Unsupported {
                what: format!("the layout of an array of {}", join(array.shape(), "x")),
                why: format!("it has the stride {stride} along axis {axis}, and strides must not be negative"),
            })
        };
        let strides = array.shape().iter().zip(array.strides()).enumerate().map(stride).collect::<Result<Vec<_>>>()?;
        let strides = Shape::from(strides);
        strides.check()?;
        Ok(Self::strides(strides))
    }

    settings! { own:
        /// Sets the distance between the arrays of a batch. It may be smaller than an array:
        /// interleaved arrays have a distance of 1.
        batch_distance(distance: usize) => own.batch_distance = Some(distance);

        /// Sets the index of the first element. Unlike the offset of a view, it needs no alignment.
        offset(offset: usize) => own.offset = offset;

        /// Sets the number of elements of the whole array that views must have, if it continues
        /// beyond the last element of the layout.
        within(len: usize) => own.within = Some(len);
    }

    /// The same layout with all distances except the last stride multiplied by `factor`.
    pub(crate) fn scaled(self, factor: usize) -> Self {
        let times = |value: usize| value.saturating_mul(factor);
        let mut strides: Vec<usize> = self.strides.extents().to_vec();
        let last = strides.len() - 1;
        strides[..last].iter_mut().for_each(|stride| *stride = times(*stride));
        Self {
            strides: self.strides.with_extents(&strides),
            batch_distance: self.batch_distance.map(times),
            offset: times(self.offset),
            within: self.within.map(times),
        }
    }

    /// The layout that a part of a text prints.
    pub(crate) fn parse(text: Text<'_>, part: &str) -> Result<Self> {
        let number = |part: &str| text.number::<usize>(part);
        let (rest, within) = part.split_once(':').map_or((part, None), |(rest, len)| (rest, Some(len)));
        let (rest, offset) = rest.split_once('@').map_or((rest, None), |(rest, offset)| (rest, Some(offset)));
        let (strides, distance) = rest.split_once('/').map_or((rest, None), |(strides, distance)| (strides, Some(distance)));
        let strides = Shape::from(text.numbers(strides, ',')?);
        strides.check().map_err(|_| {
            text.wrong(
                part,
                "expected 1 to 4 strides, and then batch distance, offset and elements of the whole array: 1024,1/65536@8208:786432",
            )
        })?;
        let layout = Self::strides(strides).offset(offset.map_or(Ok(0), number)?);
        Ok(Self { batch_distance: distance.map(number).transpose()?, within: within.map(number).transpose()?, ..layout })
    }

    /// Checks the layout for arrays of this shape and converts it to the numbers that the device
    /// uses.
    pub(crate) fn placed(&self, argument: &'static str, shape: Shape, batch: usize) -> Result<Placed> {
        let unsupported = |why: String| Error::Unsupported { what: format!("{argument} layout {self} of {shape}"), why };
        let given = self.strides.given();
        if given != shape.given() {
            return Err(unsupported(format!("it has {given} strides, but there are {} axes", shape.given())));
        }
        let own = self.strides.extents();
        let distance = self.batch_distance.unwrap_or(own[0].saturating_mul(shape.extents()[0]));
        let mut axes: Vec<(usize, usize)> = shape.extents().iter().copied().zip(own.iter().copied()).collect();
        axes.push((batch, distance));
        axes.retain(|(extent, _)| *extent > 1);
        sort_short_by_key(&mut axes, |&(_, stride)| stride);
        // If every stride is larger than the reach of all smaller ones, no two elements overlap.
        let (mut reach, mut distinct) = (0u64, true);
        for (extent, stride) in axes {
            distinct &= stride as u64 > reach;
            reach = reach.saturating_add(((extent - 1) as u64).saturating_mul(stride as u64));
        }
        let reached = reach.saturating_add(self.offset as u64).saturating_add(1);
        let span = self.within.map_or(reached, |len| len as u64);
        if span < reached {
            return Err(unsupported(format!("it reaches {reached} elements, but the array has {span}")));
        }
        check_count(|| format!("{argument} layout {self} of {shape}"), span)?;
        let mut strides: Vec<u32> = own.iter().map(|&stride| stride.min(u32::MAX as usize) as u32).collect();
        strides.push(distance.min(u32::MAX as usize) as u32);
        Ok(Placed { strides, offset: self.offset as u32, span: span as usize, distinct })
    }
}

/// A layout that has been checked for a shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Placed {
    /// The strides of the axes, followed by that of the batch.
    pub strides: Vec<u32>,
    pub offset: u32,
    /// The elements of the array: up to the last one of the layout, or as many as `within` says.
    pub span: usize,
    /// Whether it is certain that no two elements overlap.
    pub distinct: bool,
}

impl Placed {
    /// Row-major without gaps. The last extent is that of the batch, which is outermost.
    pub fn dense(extents: &[u32]) -> Self {
        let extents: Vec<usize> = extents.iter().map(|&extent| extent as usize).collect();
        let (_, axes) = extents.split_last().expect("there is always a batch");
        let strides = dense(axes).into_iter().chain([axes.iter().product()]).map(|stride| stride as u32).collect();
        Self { strides, offset: 0, span: extents.iter().product(), distinct: true }
    }

    /// The index in memory of an element, given its index along each axis and in the batch.
    pub fn place(&self, index: &[usize]) -> usize {
        let distances = index.iter().zip(&self.strides).map(|(digit, stride)| digit * *stride as usize);
        self.offset as usize + distances.sum::<usize>()
    }

    /// Whether every element of this shape is at the same index in both layouts, in arrays of the
    /// same size.
    pub fn is_same_place(&self, other: &Self, shape: Shape, batch: usize) -> bool {
        let extents = shape.extents().iter().chain([&batch]);
        let mut strides = self.strides.iter().zip(&other.strides).zip(extents);
        (self.offset, self.span) == (other.offset, other.span) && strides.all(|((own, other), &extent)| extent == 1 || own == other)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&join(self.strides.extents(), ","))?;
        if let Some(distance) = self.batch_distance {
            write!(f, "/{distance}")?;
        }
        if self.offset > 0 {
            write!(f, "@{}", self.offset)?;
        }
        self.within.map_or(Ok(()), |len| write!(f, ":{len}"))
    }
}

parsed!(Layout, "layout", |text, whole| Self::parse(text, whole));
