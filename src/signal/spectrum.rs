//! Spectra along one axis at chosen frequencies: what a zoom and a list of frequencies share.

use std::fmt;

use num_complex::Complex32;

use super::ends::{Ends, sealed};
use super::number::Number;
use crate::error::{Error, Result, refuse_if};
use crate::fft::End;
use crate::fragment::Maps;
use crate::shape::{Batched, Shape};
use crate::text::{Field, Flag};

/// Frequencies along an axis. They print as what a specification says of them.
pub(super) trait Points: Clone + fmt::Display {
    /// The first word of a specification.
    const WORD: &'static str;

    fn count(&self) -> usize;

    /// Why an axis of n elements does not have them, if so.
    fn wrong(&self, n: usize) -> Option<String>;

    /// What a specification says behind its axis.
    fn flags(&self) -> &'static str {
        ""
    }
}

/// Why these bits of frequencies are no frequencies, if so.
pub(super) fn not_finite(all: &[u64]) -> Option<String> {
    let wrong = all.iter().map(|f| f64::from_bits(*f)).find(|f| !f.is_finite());
    wrong.map(|f| format!("the frequency {f} is not finite"))
}

/// A specification without its types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Spectrum<P> {
    pub ends: Ends,
    /// Of a signal.
    pub shape: Shape,
    pub batch: usize,
    pub axis: usize,
    pub points: P,
    /// Whether it is the adjoint, from spectra to signals.
    pub adjoint: bool,
}

impl<P: Points> Spectrum<P> {
    pub fn new<T: Number>(shape: Shape, points: P) -> Self {
        Self { ends: Ends::of::<T, Complex32>(), shape, batch: 1, axis: shape.rank() - 1, points, adjoint: false }
    }

    pub fn adjoint(&self) -> Result<Self> {
        Maps(&self.ends.maps).check_linear(self)?;
        self.sizes()?;
        Ok(Self { ends: self.ends.reversed(), adjoint: !self.adjoint, ..self.clone() })
    }

    /// The end of the signal.
    pub fn signal(&self) -> End {
        if self.adjoint { End::Output } else { End::Input }
    }

    /// The shapes of an input and of a result.
    pub fn shapes(&self) -> [Shape; 2] {
        let spectrum = self.shape.with(self.axis, self.points.count());
        if self.adjoint { [spectrum, self.shape] } else { [self.shape, spectrum] }
    }

    /// The shape of a result, of a specification that makes sense.
    pub fn output_shape(&self) -> Result<Shape> {
        self.sizes()?;
        let [_, output] = self.shapes();
        Ok(output)
    }

    /// Elements of all inputs, and of all results.
    pub fn sizes(&self) -> Result<[usize; 2]> {
        let (shape, axis, rank) = (self.shape, self.axis, self.shape.rank());
        let signal = shape.elements(P::WORD, self.batch)?;
        refuse_if(rank > 3, self, format_args!("it can have at most 3 axes, not {rank}"))?;
        refuse_if(axis >= rank, self, format_args!("axis {axis}: the axes of {shape} are 0 to {}", rank - 1))?;
        if let Some(why) = self.points.wrong(shape.extents()[axis]) {
            return Err(Error::unsupported(self, why));
        }
        let spectrum = shape.with(axis, self.points.count()).elements("result", self.batch)?;
        Ok(if self.adjoint { [spectrum, signal] } else { [signal, spectrum] })
    }
}

sealed!(Spectrum<P>, 2e-5);

/// `zoom f32 64x4096 x4 to 500 in 0.11..0.12 axis=0 endpoint adjoint`, or
/// `frequencies f32 200x205 x4 at 0.1,0.25 axis=0 adjoint`, where defaults are left out.
impl<P: Points> fmt::Display for Spectrum<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ends, shape, batch, axis, points, .. } = self;
        write!(f, "{} {} {} {points}", P::WORD, ends.element(self.signal()), Batched(*shape, *batch))?;
        let axis = Field("axis", (*axis != shape.rank() - 1).then_some(axis));
        write!(f, "{axis}{}{}{}", points.flags(), Flag("adjoint", self.adjoint), Maps(&ends.maps))
    }
}

/// The methods of a specification whose `core` is a [`Spectrum`].
macro_rules! spectrum {
    ($name:ident: $(#[$adjoint:meta])* adjoint; $(#[$input:meta])* map_input;) => {
        impl<I: $crate::Element, O: $crate::Element> $name<I, O> {
            $crate::settings::settings! { own:
                /// Transforms along this axis, counted from the slowest.
                axis(axis: usize) => own.core.axis = axis;

                /// Transforms `count` arrays, stored one after the other.
                batch(count: usize) => own.core.batch = count;
            }

            /// The adjoint, as [`C2c::adjoint`](crate::fft::C2c::adjoint) defines it: x\[j\] = Σₖ
            /// y\[k\] · exp(2πi·j·fₖ), of which signals that are real have the real part.
            $(#[$adjoint])*
            ///
            /// # Errors
            /// [`Error::Unsupported`](crate::Error::Unsupported) with fragments, which need not be
            /// linear; those of planning that do not depend on the device.
            pub fn adjoint(&self) -> $crate::Result<$name<O, I>> {
                Ok($name { core: self.core.adjoint()?, element: std::marker::PhantomData })
            }

            /// The shape of a result.
            ///
            /// # Errors
            /// The errors of planning that do not depend on the device.
            pub fn output_shape(&self) -> $crate::Result<$crate::Shape> {
                self.core.output_shape()
            }
        }

        $crate::signal::ends::maps! { $name:
            $(#[$input])*
            map_input;

            /// Applies a fragment to every result before it is stored: magnitudes, or decibels. Its
            /// `value` is the `vec2<f32>` y\[k\], and the index on the axis is k.
            map_output;
        }
    };
}
pub(super) use spectrum;
