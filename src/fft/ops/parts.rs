//! The components of a transform, for code that computes it in parts.

use super::builders::{C2c, C2r, R2c};
use super::specification::Adapt;
use crate::error::{Error, Result};
use crate::fft::Direction;
use crate::fft::spec::kind::Kind;
use crate::fft::spec::transform::Transform;
use crate::plan::Placement;
use crate::shape::Shape;

/// A transform of dense arrays, with the batch as its slowest axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Parts {
    /// The kind of transform.
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
pub enum PartKind {
    /// Complex numbers to complex numbers.
    Complex {
        /// Whether the sign of the exponent is positive.
        inverse: bool,
    },
    /// Reals to complex numbers.
    FromReals,
    /// Complex numbers to reals.
    ToReals,
}

impl PartKind {
    /// Whether the sign of the exponent is positive.
    #[must_use]
    pub fn is_inverse(self) -> bool {
        matches!(self, Self::Complex { inverse: true } | Self::ToReals)
    }
}

/// A transform that can be computed in parts: [`C2c`](crate::fft::C2c), [`R2c`](crate::fft::R2c) and
/// [`C2r`](crate::fft::C2r).
pub trait InParts: Adapt {
    /// The transform in one direction, of which real transforms have only one.
    fn in_direction(inverse: bool, shape: Shape) -> Self;

    /// The components of the transform.
    ///
    /// # Errors
    /// If the specification is not valid, and for arrays that are not dense.
    fn parts(&self) -> Result<Parts>;

    /// The transform of `batch` arrays along some of their axes, with a factor on every output.
    #[must_use]
    fn of_part(self, batch: usize, axes: Vec<usize>, factor: f32) -> Self;
}

macro_rules! in_parts {
    ($($name:ident: $forward:ident, $inverse:ident);*) => { $(
        impl InParts for $name {
            fn in_direction(inverse: bool, shape: Shape) -> Self {
                if inverse { Self::$inverse(shape) } else { Self::$forward(shape) }
            }

            fn parts(&self) -> Result<Parts> {
                self.transform.parts()
            }

            fn of_part(self, batch: usize, axes: Vec<usize>, factor: f32) -> Self {
                let part = self.batch(batch).axes(axes);
                if factor == 1.0 { part } else { part.scale_by(factor) }
            }
        }
    )* };
}

in_parts!(C2c: forward, inverse; R2c: forward, forward; C2r: inverse, inverse);

impl Transform {
    /// Unlike [`geometry`](Self::geometry), this accepts arrays of any size, since no device has to
    /// index all their elements.
    pub(in crate::fft) fn parts(&self) -> Result<Parts> {
        let unsupported = |why: &str| Error::Unsupported { what: format!("`{self}` in parts"), why: why.to_owned() };
        if self.input.is_some() || self.output.is_some() || self.transposed || self.placement == Placement::InPlace || !self.is_plain() {
            return Err(unsupported(
                "input and output are two dense arrays: leave out layouts, parts, fragments, `transposed` and `in_place`",
            ));
        }
        if !self.kinds.is_empty() {
            return Err(unsupported("axes from reals to reals are not transformed in parts"));
        }
        let (axes, factor) = self.check()?;
        let rank = self.shape.rank();
        let kind = match self.kind {
            Kind::C2c(direction) => PartKind::Complex { inverse: direction == Direction::Inverse },
            Kind::R2c => PartKind::FromReals,
            Kind::C2r => PartKind::ToReals,
            Kind::Filter { .. } => return Err(unsupported("a filter has no parts")),
            Kind::R2r => return Err(unsupported("a transform from reals to reals has no parts")),
        };
        let extents = std::iter::once(self.batch).chain(self.shape.extents().iter().copied()).collect();
        let transformed = std::iter::once(false).chain((0..rank).map(|axis| axes.contains(&axis))).collect();
        Ok(Parts { kind, extents, transformed, factor: factor as f32 })
    }
}
