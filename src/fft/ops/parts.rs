//! The components of a transform, for code that computes it in parts.

use super::builders::{C2c, C2r, R2c, R2r};
use super::specification::Adapt;
use num_complex::Complex64;

use crate::error::{Error, Result};
use crate::fft::spec::kind::{Direction, Kind};
use crate::fft::spec::number::Number;
use crate::fft::spec::real_kind::RealKind;
use crate::fft::spec::transform::Transform;
use crate::plan::Placement;
use crate::shape::Shape;

/// A transform of dense arrays, with the batch as its slowest axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Parts {
    /// The kind of transform.
    pub kind: PartKind,
    /// What it computes with.
    pub number: Number,
    /// The batch, then the extents of the array of positions.
    pub extents: Vec<usize>,
    /// For each of these extents, whether it is transformed.
    pub transformed: Vec<bool>,
    /// The factor on every output.
    pub factor: f64,
    /// Of [`PartKind::Reals`] the kind of each axis that is transformed.
    pub kinds: Vec<RealKind>,
    /// Whether these axes have the factors on single elements that make them orthogonal.
    pub orthogonal: bool,
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
    /// Reals to reals, along one axis after the other.
    Reals,
}

impl PartKind {
    /// Whether the sign of the exponent is positive.
    #[must_use]
    pub fn is_inverse(self) -> bool {
        matches!(self, Self::Complex { inverse: true } | Self::ToReals)
    }
}

/// A transform that can be computed in parts: [`C2c`](crate::fft::C2c), [`R2c`](crate::fft::R2c),
/// [`C2r`](crate::fft::C2r) and [`R2r`](crate::fft::R2r), of f32 or of f64.
pub trait InParts: Adapt {
    /// The transform of what this one makes, or of what it takes on the way back, along further
    /// axes: of complex numbers, or of reals where there are no others.
    type Columns: InParts<Columns = Self::Columns>;

    /// The transform in one direction, of which real transforms have only one, computed with these
    /// numbers, which are as long as those of the type. One from reals to reals lacks its
    /// [kinds](Self::of_kinds).
    fn in_direction(number: Number, inverse: bool, shape: Shape) -> Self;

    /// With these kinds, one for each axis of the shape, if it is one from reals to reals.
    #[must_use]
    fn of_kinds(self, kinds: &[RealKind], orthogonal: bool) -> Self;

    /// The components of the transform.
    ///
    /// # Errors
    /// If the specification is not valid, and for arrays that are not dense.
    fn parts(&self) -> Result<Parts>;

    /// The transform of `batch` arrays along some of their axes, with a factor on every output.
    #[must_use]
    fn of_part(self, batch: usize, axes: Vec<usize>, factor: f64) -> Self;
}

macro_rules! in_parts {
    ($($own:ty, $columns:ty, |$number:tt, $inverse:tt, $shape:ident| $spec:expr;)*) => { $(
        impl InParts for $own {
            type Columns = $columns;

            fn in_direction($number: Number, $inverse: bool, $shape: Shape) -> Self {
                $spec
            }

            fn of_kinds(mut self, kinds: &[RealKind], orthogonal: bool) -> Self {
                self.transform.kinds = kinds.iter().copied().map(Some).collect();
                self.transform.orthogonal = orthogonal;
                self
            }

            fn parts(&self) -> Result<Parts> {
                self.transform.parts()
            }

            fn of_part(self, batch: usize, axes: Vec<usize>, factor: f64) -> Self {
                let part = self.batch(batch).axes(axes);
                if factor == 1.0 { part } else { part.scale_by(factor) }
            }
        }
    )* };
}

macro_rules! of_f64 {
    ($number:ident, $spec:expr) => {
        if $number == Number::F64 { $spec.f64() } else { $spec.f64_by_f32() }
    };
}

type C2c64 = C2c<Complex64, Complex64>;

in_parts! {
    C2c, C2c, |_, inverse, shape| if inverse { C2c::inverse(shape) } else { C2c::forward(shape) };
    R2c, C2c, |_, _, shape| R2c::forward(shape);
    C2r, C2c, |_, _, shape| C2r::inverse(shape);
    R2r, R2r, |_, _, shape| R2r::by_axis([], shape);
    R2r<f64, f64>, R2r<f64, f64>, |number, inverse, shape| of_f64!(number, R2r::in_direction(number, inverse, shape));
    C2c64, C2c64, |number, inverse, shape| of_f64!(number, C2c::in_direction(number, inverse, shape));
    R2c<f64, Complex64>, C2c64, |number, _, shape| of_f64!(number, R2c::forward(shape));
    C2r<Complex64, f64>, C2c64, |number, _, shape| of_f64!(number, C2r::inverse(shape));
}

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
        if self.kind != Kind::R2r && !self.kinds.is_empty() {
            return Err(unsupported("axes from reals to reals beside complex ones are not transformed in parts"));
        }
        let (axes, factor) = self.check()?;
        let rank = self.shape.rank();
        let kind = match self.kind {
            Kind::C2c(direction) => PartKind::Complex { inverse: direction == Direction::Inverse },
            Kind::R2c => PartKind::FromReals,
            Kind::C2r => PartKind::ToReals,
            Kind::Filter { .. } => return Err(unsupported("a filter has no parts")),
            Kind::R2r => PartKind::Reals,
        };
        let kinds: Vec<RealKind> = axes.iter().filter_map(|&axis| self.real_kind(axis)).collect();
        // What the kinds leave to the scale, each part adds itself.
        let factor = factor / self.factor_of_kinds(&axes);
        let extents = std::iter::once(self.batch).chain(self.shape.extents().iter().copied()).collect();
        let transformed = std::iter::once(false).chain((0..rank).map(|axis| axes.contains(&axis))).collect();
        Ok(Parts { kind, number: self.number, extents, transformed, factor, kinds, orthogonal: self.orthogonal })
    }
}
