//! The extents of arrays.

use std::fmt;

use crate::error::{Error, Result, check_count};
use crate::text::{Text, join, parsed};

/// The extents of an array of rank 1 to 4, row-major, slowest axis first, as in `ndarray` and
/// NumPy.
///
/// A shape is made from a length or from extents in an array, a slice or a vector: `1024`,
/// `[rows, columns]`, `&[planes, rows, columns]`, `array.shape()`. One of another number of axes
/// than 1 to 4 is refused when it is planned.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The extents of more axes are left out: no operation takes such a shape.
    extents: [usize; 4],
    /// Axes that were given.
    given: usize,
}

impl Shape {
    fn new(given: &[usize]) -> Self {
        let mut extents = [1; 4];
        extents.iter_mut().zip(given).for_each(|(own, extent)| *own = *extent);
        Self { extents, given: given.len() }
    }

    /// Number of axes that were given. Other numbers than 1 to 4 are refused by
    /// [`check`](Self::check).
    pub(crate) fn given(&self) -> usize {
        self.given
    }

    /// Refuses other numbers of axes than 1 to 4, as planning does.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub(crate) fn check(&self) -> Result<()> {
        if (1..=self.extents.len()).contains(&self.given) {
            return Ok(());
        }
        let what = format!("an array of {} axes", self.given);
        Err(Error::Unsupported { what, why: "arrays must have 1 to 4 axes".to_owned() })
    }

    /// Axes in the form that a specification keeps: ascending, and `None` for all axes of the
    /// shape. Specifications that name the same axes in another order are then equal, and share one
    /// plan and one entry in a record.
    pub(crate) fn canonical_axes(&self, axes: &[usize]) -> Option<Vec<usize>> {
        let mut axes = axes.to_vec();
        axes.sort_unstable();
        (!axes.iter().copied().eq(0..self.rank())).then_some(axes)
    }

    /// The axes that canonical axes stand for, or why the shape does not have them.
    pub(crate) fn axes(&self, canonical: Option<&[usize]>) -> std::result::Result<Vec<usize>, String> {
        let Some(axes) = canonical else { return Ok((0..self.rank()).collect()) };
        match axes {
            [] => Err("the list of axes is empty: leave it out to select all axes".to_owned()),
            [.., last] if *last >= self.rank() => Err(format!("axis {last}: the axes of {self} are 0 to {}", self.rank() - 1)),
            _ => match axes.windows(2).find(|pair| pair[0] == pair[1]) {
                Some(pair) => Err(format!("axis {} is given twice", pair[0])),
                None => Ok(axes.to_vec()),
            },
        }
    }

    /// The extents, slowest axis first.
    #[must_use]
    pub fn extents(&self) -> &[usize] {
        &self.extents[..self.rank()]
    }

    /// Number of axes, 1 to 4.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.given.clamp(1, self.extents.len())
    }

    /// A shape of as many axes with other extents.
    pub(crate) fn with_extents(self, extents: &[usize]) -> Self {
        Self { given: self.given, ..Self::new(extents) }
    }

    /// The same shape with another extent of one axis.
    pub(crate) fn with(mut self, axis: usize, extent: usize) -> Self {
        self.extents[axis] = extent;
        self
    }

    /// The shape that a part of a text prints.
    pub(crate) fn parse(text: Text<'_>, part: &str) -> Result<Self> {
        let extents = text.numbers(part, 'x').ok().map(Self::from).filter(|shape| shape.check().is_ok());
        extents.ok_or_else(|| text.wrong(part, "expected 1 to 4 extents, such as 512x512"))
    }

    /// Returns an error if the number of axes is not supported, or if an axis or the batch is 0.
    pub(crate) fn check_not_empty(&self, what: &'static str, batch: usize) -> Result<()> {
        self.check()?;
        if batch == 0 || self.extents().contains(&0) {
            return Err(Error::Empty { what, shape: Batched(*self, batch).to_string() });
        }
        Ok(())
    }

    /// The number of elements in `batch` arrays of this shape.
    ///
    /// # Errors
    /// [`Error::Empty`] if an axis or the batch is 0. [`Error::LimitExceeded`] for 2³² or more
    /// elements, because indices on the device are u32. [`Error::Unsupported`] for another number
    /// of axes than 1 to 4.
    pub(crate) fn elements(&self, what: &'static str, batch: usize) -> Result<usize> {
        self.check_not_empty(what, batch)?;
        let required = self.extents().iter().fold(batch as u64, |product, &extent| product.saturating_mul(extent as u64));
        check_count(|| format!("{what} of {}", Batched(*self, batch)), required)?;
        Ok(required as usize)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.given {
            0 => f.write_str("no axes"),
            given => write!(f, "{}{}", join(self.extents(), "x"), if given > self.rank() { "x…" } else { "" }),
        }
    }
}

parsed!(Shape, "shape", |text, whole| Self::parse(text, whole));

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Arrays of a shape. Prints `512x512 x4`; a batch of 1 is omitted.
pub(crate) struct Batched(pub Shape, pub usize);

impl Batched {
    /// The extents, then the batch. The caller has checked that their product is less than 2³².
    pub fn extents(&self) -> Vec<u32> {
        self.0.extents().iter().chain([&self.1]).map(|&extent| extent as u32).collect()
    }
}

impl fmt::Display for Batched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        if self.1 == 1 { Ok(()) } else { write!(f, " x{}", self.1) }
    }
}

/// The axes of an array that an operation works on, counted from the slowest: `1`, `[0, 2]`, a
/// slice or a vector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axes(Vec<usize>);

impl AsRef<[usize]> for Axes {
    fn as_ref(&self) -> &[usize] {
        &self.0
    }
}

/// A number, an array, a slice or a vector become `$type` by `$new`, which takes a slice.
macro_rules! from_lists {
    ($type:ty, $new:expr) => {
        impl From<usize> for $type {
            fn from(one: usize) -> Self {
                $new(&[one])
            }
        }

        impl<const N: usize> From<[usize; N]> for $type {
            fn from(list: [usize; N]) -> Self {
                $new(&list)
            }
        }

        impl<const N: usize> From<&[usize; N]> for $type {
            fn from(list: &[usize; N]) -> Self {
                $new(list)
            }
        }

        impl From<&[usize]> for $type {
            fn from(list: &[usize]) -> Self {
                $new(list)
            }
        }

        impl From<Vec<usize>> for $type {
            fn from(list: Vec<usize>) -> Self {
                $new(&list)
            }
        }

        impl From<&Vec<usize>> for $type {
            fn from(list: &Vec<usize>) -> Self {
                $new(list)
            }
        }
    };
}

from_lists!(Shape, Self::new);
from_lists!(Axes, |list: &[usize]| Self(list.to_vec()));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_and_bounded() {
        assert_eq!(Shape::from([3, 5]).elements("x", 2), Ok(30));
        assert!(matches!(Shape::from([3, 0]).elements("x", 2), Err(Error::Empty { .. })));
        assert!(matches!(Shape::from(4).elements("x", 0), Err(Error::Empty { .. })));
        assert_eq!(Shape::from([65535, 65537]).elements("x", 1), Ok(u32::MAX as usize));
        assert!(matches!(Shape::from([65536, 65536]).elements("x", 1), Err(Error::LimitExceeded { required: 0x1_0000_0000, .. })));
        assert!(matches!(Shape::from([usize::MAX, 2]).elements("x", usize::MAX), Err(Error::LimitExceeded { .. })));
    }

    #[test]
    fn axes_are_a_number_or_a_list() {
        let lists = [Axes::from(1), [1].into(), (&[1]).into(), vec![1].into(), (&vec![1]).into(), (&[0, 1][1..]).into()];
        assert!(lists.iter().all(|axes| axes.as_ref() == [1]));
    }

    #[test]
    fn shapes_are_a_number_or_a_list() {
        let lists = [Shape::from(3), [3].into(), (&[3]).into(), vec![3].into(), (&vec![3]).into(), (&[2, 3][1..]).into()];
        assert!(lists.iter().all(|shape| shape.extents() == [3]));
    }

    #[test]
    fn other_numbers_of_axes_are_refused() {
        for (shape, text) in [(Shape::from([]), "no axes"), (Shape::from([2, 3, 4, 5, 6]), "2x3x4x5x…")] {
            assert_eq!(shape.to_string(), text);
            assert!((1..=4).contains(&shape.rank()));
            assert!(matches!(shape.elements("x", 1), Err(Error::Unsupported { .. })));
        }
        assert!("2x3x4x5x6".parse::<Shape>().is_err());
    }

    #[test]
    fn shapes_print_slowest_axis_first() {
        assert_eq!(Batched(Shape::from([2, 3, 4]), 1).to_string(), "2x3x4");
        assert_eq!(Batched(Shape::from(8), 5).to_string(), "8 x5");
    }
}
