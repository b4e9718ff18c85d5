//! The components of a transform, for code that distributes it over several devices.

use super::Direction;
use super::transform::{Kind, Transform};
use crate::error::{Error, Result};
use crate::plan::Placement;

/// A transform of dense arrays, with the batch as its slowest axis.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parts {
    pub kind: PartKind,
    /// The batch, then the extents of the array of positions.
    pub extents: Vec<usize>,
    /// For each of these extents, whether it is transformed.
    pub transformed: Vec<bool>,
    /// The factor on every output.
    pub factor: f32,
}

/// The kind of transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PartKind {
    Complex {
        inverse: bool,
    },
    /// Reals to complex numbers.
    FromReals,
    /// Complex numbers to reals.
    ToReals,
}

impl PartKind {
    /// Whether the sign of the exponent is positive.
    pub fn is_inverse(self) -> bool {
        matches!(self, Self::Complex { inverse: true } | Self::ToReals)
    }
}

impl Transform {
    /// Unlike [`geometry`](Self::geometry), this accepts arrays of any size, since no device has to
    /// index all their elements.
    pub(super) fn parts(&self) -> Result<Parts> {
        let unsupported = |why: &str| Error::Unsupported { what: format!("`{self}` in parts"), why: why.to_owned() };
        if self.input.is_some() || self.output.is_some() || self.transposed || self.placement == Placement::InPlace {
            return Err(unsupported("input and output are two dense arrays: leave out layouts, `transposed` and `in_place`"));
        }
        let (axes, factor) = self.check()?;
        let rank = self.shape.rank();
        let kind = match self.kind {
            Kind::C2c(direction) => PartKind::Complex { inverse: direction == Direction::Inverse },
            Kind::R2c => PartKind::FromReals,
            Kind::C2r => PartKind::ToReals,
        };
        let extents = std::iter::once(self.batch).chain(self.shape.extents().iter().copied()).collect();
        let transformed = std::iter::once(false).chain((0..rank).map(|axis| axes.contains(&axis))).collect();
        Ok(Parts { kind, extents, transformed, factor })
    }
}
