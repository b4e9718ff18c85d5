//! Which part of a transform's arrays a rank has.

use std::ops::Range;

use wgpu_fft::low_level::divide::{PartKind, Parts};
use wgpu_fft::{Complex32, Error, Result, Shape};

use crate::partition::ranges;

/// The order of the frequencies on a cluster. The default saves an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// Slabs of axis 1, with axis 0 the fastest: \[n₁, n₀\] or \[n₁, n₂, n₀\].
    #[default]
    Transposed,
    /// Slabs of axis 0, with the axes in the same order as the positions.
    Natural,
}

/// The part of the input or the output that a rank holds.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Slab {
    /// The axis that is divided: 0 or 1 of the transform's shape. For a batch, 0 counts the
    /// transforms.
    pub axis: usize,
    /// This rank's indices of that axis.
    pub range: Range<usize>,
    /// Number of elements for each index. The slab has `range.len()` times as many elements, stored
    /// without gaps.
    pub unit: usize,
}

impl Slab {
    /// Number of elements in the slab.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "the number of elements of an array that somebody else holds")]
    pub fn len(&self) -> usize {
        self.range.len() * self.unit
    }
}

/// The number of units of both axes that each rank has, by rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RankShares {
    /// Units of axis 0: lines, planes, or transforms of a batch.
    pub rows: Vec<usize>,
    /// Units of axis 1 on the side of the frequencies. All are 0 if nothing is exchanged.
    pub columns: Vec<usize>,
}

/// A transform in the numbers that the other modules use.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Geometry {
    pub kind: PartKind,
    pub order: Order,
    /// The factor on every output.
    pub factor: f32,
    /// Number of units of axis 0: lines, planes, or transforms of a batch.
    pub rows: usize,
    /// The shape of a unit of axis 0.
    pub unit: Vec<usize>,
    /// Rows of reals or complex numbers in a unit of axis 0.
    pub rows_in_unit: usize,
    /// Elements of a unit of axis 0 on the side of the positions.
    pub positions: usize,
    /// Number of units of axis 1 on the side of the frequencies; 0 if nothing is exchanged.
    pub columns: usize,
    /// Frequencies for each index of axes 0 and 1.
    pub inner: usize,
}

/// Bytes of a complex number.
pub(super) const COMPLEX: usize = size_of::<Complex32>();

impl Geometry {
    /// # Errors
    /// For a shape without elements, for axes that are not transformed, and for a batch of arrays
    /// with more than one axis.
    pub fn new(spec: &str, parts: &Parts, order: Order) -> Result<Self> {
        let unsupported = |what: &str, why: &str| Error::Unsupported { what: format!("{what} (`{spec}`)"), why: why.to_owned() };
        let (&batch, extents) = parts.extents.split_first().ok_or_else(|| unsupported("nothing", "there is no array"))?;
        if parts.extents.contains(&0) {
            return Err(Error::Empty { what: "a distributed FFT", shape: spec.to_owned() });
        }
        if parts.transformed[1..].contains(&false) {
            return Err(unsupported("a distributed FFT of some axes", "all axes are transformed; give the others as a batch"));
        }
        if extents.len() > 1 && batch > 1 {
            return Err(unsupported(
                "a batch of several axes",
                "only a batch of one-dimensional arrays can be divided; run other arrays one after the other",
            ));
        }
        // The bytes of positions and frequencies together.
        let bytes = parts.extents.iter().try_fold(2 * COMPLEX, |bytes, extent| bytes.checked_mul(*extent));
        if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(unsupported("an array larger than the address space", "its size in bytes must fit a usize"));
        }
        let last = extents[extents.len() - 1];
        let half = if matches!(parts.kind, PartKind::Complex { .. }) { last } else { last / 2 + 1 };
        let [rows, rows_in_unit, positions, columns, inner] = match *extents {
            [n] => [batch, 1, n, 0, half],
            [rows, n] => [rows, 1, n, half, 1],
            [rows, columns, n] => [rows, columns, columns * n, columns, half],
            _ => return Err(unsupported("a distributed FFT of 4 axes", "there may be at most 3")),
        };
        let unit = if extents.len() == 1 { extents } else { &extents[1..] };
        Ok(Self { kind: parts.kind, order, factor: parts.factor, rows, unit: unit.to_vec(), rows_in_unit, positions, columns, inner })
    }

    /// Number of frequencies in a unit of axis 0.
    pub fn frequencies(&self) -> usize {
        self.columns.max(1) * self.inner
    }

    /// Whether an axis is divided among the slabs, so that an exchange is needed.
    pub fn is_distributed(&self) -> bool {
        self.columns > 0
    }

    /// Whether the transform goes from positions to frequencies.
    pub fn is_forward(&self) -> bool {
        !self.kind.is_inverse()
    }

    /// The shape of a unit of axis 0.
    pub fn unit(&self) -> Shape {
        Shape::from(&self.unit[..])
    }

    /// Bytes of a number on the side of the positions.
    pub fn position_bytes(&self) -> usize {
        if matches!(self.kind, PartKind::Complex { .. }) { COMPLEX } else { size_of::<f32>() }
    }

    /// The number of units of axis 0 that must stay together. Some recipes transform two rows of
    /// reals as one complex row, and the shares must not change which rows these are. The number
    /// does not depend on the recipe either, so that a transform and its inverse can have the same
    /// shares.
    pub fn alignment(&self) -> usize {
        let real = !matches!(self.kind, PartKind::Complex { .. });
        if real && !self.rows_in_unit.is_multiple_of(2) { 2 } else { 1 }
    }

    /// The part of the input or the output that a rank holds.
    pub fn slab(&self, shares: &RankShares, rank: usize, input: bool) -> Slab {
        let of_rows = |unit| Slab { axis: 0, range: ranges(&shares.rows)[rank].clone(), unit };
        match (input == self.is_forward(), self.is_distributed() && self.order == Order::Transposed) {
            (true, _) => of_rows(self.positions),
            (false, false) => of_rows(self.frequencies()),
            (false, true) => Slab { axis: 1, range: ranges(&shares.columns)[rank].clone(), unit: self.inner * self.rows },
        }
    }

    /// Bytes of an element of the input or the output.
    pub fn element_bytes(&self, input: bool) -> usize {
        if input == self.is_forward() { self.position_bytes() } else { COMPLEX }
    }
}

#[cfg(test)]
mod tests {
    use wgpu_fft::fft::{C2c, R2c};
    use wgpu_fft::low_level::divide::InParts;

    use super::*;

    fn of(spec: &(impl InParts + ToString)) -> Result<Geometry> {
        Geometry::new(&spec.to_string(), &spec.parts()?, Order::Natural)
    }

    #[test]
    fn geometries_are_those_of_the_documentation() {
        let numbers = |spec: &R2c| {
            let Geometry { rows, rows_in_unit, positions, columns, inner, .. } = of(spec).unwrap();
            [rows, rows_in_unit, positions, columns, inner]
        };
        assert_eq!(numbers(&R2c::forward([12, 10])), [12, 1, 10, 6, 1]);
        assert_eq!(numbers(&R2c::forward([12, 10, 14])), [12, 10, 140, 10, 8]);
        assert_eq!(numbers(&R2c::forward(10).batch(12)), [12, 1, 10, 0, 6]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(matches!(of(&C2c::forward([3, 0])), Err(Error::Empty { .. })));
        assert!(matches!(of(&C2c::forward(3).batch(0)), Err(Error::Empty { .. })));
        for spec in [
            C2c::forward([1, 2, 3, 4]),
            C2c::forward([2, 3]).batch(2),
            C2c::forward([4, 3]).axes([0]),
            C2c::forward([usize::MAX, usize::MAX]),
        ] {
            assert!(matches!(of(&spec), Err(Error::Unsupported { .. })), "{spec}");
        }
    }
}
