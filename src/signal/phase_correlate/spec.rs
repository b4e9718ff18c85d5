//! What a phase correlation computes.

use std::fmt;
use std::marker::PhantomData;

use super::Recipe;
use crate::element::Element;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::fft::End;
use crate::fragment::{Fragment, Maps, Readable};
use crate::plan::{Search, typed};
use crate::settings::settings;
use crate::shape::{Batched, Shape};
use crate::signal::ends::{Ends, sealed};
use crate::signal::parse::{batch_of, shape_after};
use crate::text::{Flag, parsed};

/// By how much a picture is shifted against another, to a fraction of a pixel: phase correlation.
/// Only the shift comes back from the device.
///
/// ```no_run
/// use wgpu_fft::{Fragment, Planner, signal::PhaseCorrelate};
///
/// # fn align(planner: &Planner, reference: &[u8], moving: &[u8]) -> wgpu_fft::Result<()> {
/// // A window along both axes, because the pictures do not continue at their edges.
/// let window = Fragment::new("f32(value) * hann(i0, n0) * hann(i1, n1)")
///     .functions("fn hann(i: u32, n: u32) -> f32 { return 0.5 - 0.5 * cos(6.2831853 * f32(i) / f32(n)); }");
/// let spec = PhaseCorrelate::new([1080, 1920]).map_input::<u8>(window)?;
/// let result = planner.plan(spec)?.run((reference, moving))?.wait()?;
/// let [down, right, height] = [result[0], result[1], result[2]];
/// println!("shifted by {down} rows and {right} columns, it lies on the reference ({height})");
/// # Ok(())
/// # }
/// ```
///
/// # Definition
/// For a reference x and a moving picture y with the spectra X and Y, let
///
/// C(s) = 1/N · Σₖ Q\[k\] · exp(2πi · Σₐ kₐ·sₐ/nₐ), with Q\[k\] = X\[k\]/|X\[k\]| · conj
/// Y\[k\]/|Y\[k\]|,
///
/// where N = Πₐ nₐ, and 0 takes the place of 0/0. For whole s that is the inverse transform of Q.
/// The result is the s at which C is largest, and C(s). Shifted by s, the moving picture lies on
/// the reference: y\[j\] = x\[j + s\], cyclically. This is the sign of `phase_cross_correlation` in
/// scikit-image, and [`delay`](crate::signal::delay()) by s carries out the shift.
///
/// The search begins at the largest element of C at whole s, where shifts are in -⌈n/2⌉+1 … ⌊n/2⌋,
/// and goes on by two steps of Newton's method to the top of the polynomial between the elements,
/// at most 0.75 from it. Frequencies n/2 of even lengths count for whole s only. If a picture is
/// shifted cyclically and nothing else differs, C(s) is 1; it is less the more they differ, and
/// about (2·ln N/N)^½ for pictures that have nothing to do with each other.
///
/// With [`unnormalised`](Self::unnormalised), Q\[k\] = X\[k\] · conj Y\[k\], so that C is the
/// cyclic cross-correlation.
///
/// # Shapes
/// The inputs are the references and the moving pictures, each b × the shape, dense and row-major.
/// The output is b × (rank + 1) numbers of f32: the shift along each axis, then C(s).
///
/// # Accuracy
/// For a cyclic shift of a picture with frequencies up to n/2, shifts are within 10⁻³ of a pixel.
/// In practice the pictures decide: their noise, and what enters at their edges, which a window
/// such as above weakens. Frequencies at which a picture has only rounding errors count as much as
/// others. Where such are many, as in smooth pictures, use `unnormalised`.
///
/// # Determinism
/// That of [`R2c`](crate::fft::R2c): equal plans on one adapter give equal bits.
///
/// # Cost
/// Three real transforms, of which the second one forms the products as it stores, one reduction,
/// and for each of the two steps one reading of half of a spectrum. The workspace has two spectra
/// and C.
///
/// # Errors
/// Planning returns [`Error::Empty`]; [`Error::Unsupported`] for more than 3 axes;
/// [`Error::LimitExceeded`] for an axis of 2³¹ or more elements, for 2³² elements, and for spectra
/// that do not fit one binding of the device.
///
/// # Sources
/// C. D. Kuglin and D. C. Hines, Proc. Int. Conf. on Cybernetics and Society (1975) 163; M.
/// Guizar-Sicairos, S. T. Thurman and J. R. Fienup, Optics Letters 33 (2008) 156.
#[must_use]
pub struct PhaseCorrelate<T> {
    core: Core,
    element: PhantomData<fn(T)>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Core {
    pub shape: Shape,
    pub batch: usize,
    pub normalised: bool,
    pub ends: Ends,
}

typed!(PhaseCorrelate<T: Element> { core }, T => f32, Recipe);

impl PhaseCorrelate<f32> {
    /// Shifts between pictures of this shape.
    pub fn new(shape: impl Into<Shape>) -> Self {
        Self { core: Core { shape: shape.into(), batch: 1, normalised: true, ends: Ends::of::<f32, f32>() }, element: PhantomData }
    }
}

impl<T: Element> PhaseCorrelate<T> {
    settings! { own:
        /// Compares `count` pairs of pictures. Both inputs have their pictures one after the other.
        batch(count: usize) => own.core.batch = count;

        /// Does not divide the spectra by their magnitudes: cross-correlation. Large magnitudes
        /// count more, so that noise counts less, but the top is wider.
        unnormalised() => own.core.normalised = false;
    }

    /// Applies a fragment to every element of both inputs that is loaded. Their elements have type
    /// `T` then, and the fragment's result is an `f32`.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line and the column, if the fragment is not valid;
    /// [`Error::LimitExceeded`] if it is too long; [`Error::Unsupported`] for a name or a uniform
    /// that does not fit.
    pub fn map_input<U: Readable>(mut self, fragment: Fragment) -> Result<PhaseCorrelate<U>> {
        self.core.ends = self.core.ends.mapped(End::Input, self.core.shape.rank(), fragment, U::FORM, U::NAME)?;
        Ok(PhaseCorrelate { core: self.core, element: PhantomData })
    }
}

sealed!(Core, 1e-3);

impl Search for Core {}

/// ``phase-correlate 1080x1920 x4 unnormalised from u8 by `f32(value)` ``, where defaults are left
/// out.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unnormalised = Flag("unnormalised", !self.normalised);
        write!(f, "phase-correlate {}{unnormalised}{}", Batched(self.shape, self.batch), Maps(&self.ends.maps))
    }
}

parsed!(
    /// It has no fragment.
    PhaseCorrelate<f32>, |whole| {
        let (text, shape, words) = shape_after(&["phase-correlate"], whole)?;
        let mut fields = words.fields();
        let mut own = Self::new(shape).batch(batch_of(text, &mut fields)?);
        own.core.normalised = !fields.flag("unnormalised");
        fields.done("a batch (x4) and unnormalised")?;
        Ok(own)
    }
);
