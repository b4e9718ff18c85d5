//! The specification of an average over rings of frequencies.

use std::fmt;
use std::marker::PhantomData;

use super::recipe::Recipe;
use crate::element::Element;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::fft::End;
use crate::fragment::{Checked, Form, Fragment, Maps, Readable, Side};
use crate::plan::typed;
use crate::settings::settings;
use crate::shape::{Batched, Shape};
use crate::signal::ends::{Ends, sealed};
use crate::signal::parse::{batch_of, shape_after};
use crate::text::{Flag, join, parsed};

/// The mean of a spectrum over rings of equal frequency: radially averaged power spectra, Fourier
/// ring statistics, azimuthal averages of pictures. In three dimensions the rings are shells.
///
/// ```no_run
/// use wgpu_fft::signal::RadialAverage;
/// use wgpu_fft::{Complex32, Fragment, Planner, fft};
///
/// # fn averaged(planner: &Planner, picture: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// // The power of a picture of 512 x 512 at 0, 1, … 256 cycles per picture, in any direction.
/// let spectrum = planner.plan(fft::R2c::forward([512, 512]))?.run(picture)?.wait()?;
/// let power = Fragment::new("dot(value, value)");
/// let rings = RadialAverage::new([512, 512]).half().map_input::<Complex32>(power)?;
/// planner.plan(rings)?.run(&spectrum)?.wait()
/// # }
/// ```
///
/// # Definition
/// Y\[b, r\] is the mean of X\[b, k\] over all k in ring r. An element at frequency f, in cycles
/// per sample, is in the ring nearest to L·|f|, where L is the longest extent:
///
/// r - ½ ≤ L·√((k₀/n₀)² + (k₁/n₁)² + …) < r + ½,
///
/// for signed frequencies kᵢ, and extents nᵢ of the transform. If all extents are equal, that is
/// |k| rounded. Ring r stands for r/L cycles per sample. The rings are 0 … ⌊L/2⌋; of elements
/// further out, in the corners, there is nothing, unless [`corners`](Self::corners) adds their
/// rings.
///
/// Elements are those of an FFT in its order, 0, 1, …, -2, -1 on each axis.
/// [`centred`](Self::centred) takes them as [`Roll::fftshift`](crate::signal::Roll::fftshift)
/// leaves them, and so also the pixels of a picture by their distance from its middle.
/// [`half`](Self::half) takes the half-spectrum of a real transform. Every element there also
/// counts for its mirror image at -k, unless the half contains that too.
///
/// # Shapes
/// The input has the shape of the spectrum, with 1 to 3 axes, dense; the shape to give is that of
/// the transform, also with `half`. The output is b × rings; [`rings`](Self::rings) says how many.
/// The least common multiple of the extents is at most 2³⁰, because lengths of frequencies are
/// whole multiples of its inverse.
///
/// # Accuracy
/// Which ring an element is in is decided exactly, in integers. |error| ≤ (d+3)·u·Σ|X|/count, where
/// the sum goes over the ring, u = 2⁻²⁴, and d is the number of additions that an element passes
/// through: the elements of the ring in `lines` lines, then the parts over `join`, then log₂
/// `join`.
///
/// # Determinism
/// The order of all additions is that of the recipe: equal plans on one adapter give equal bits.
/// There are no floating-point atomics.
///
/// # Cost
/// Two dispatches: sums over rings in parts of the array, and means. The input is read once, in
/// pieces of a few elements. Between the dispatches is a workspace of 8 bytes for each ring and
/// part.
///
/// # Errors
/// Planning returns:
/// - [`Error::Empty`] for an empty array;
/// - [`Error::Unsupported`] for more than 3 axes;
/// - [`Error::LimitExceeded`] for 2³² or more elements, for extents with a larger common multiple
///   than above, or if an array does not fit one binding of the device;
/// - [`Error::UnfitRecipe`] for a recipe given by hand that does not fit.
///
/// # Sources
/// W. O. Saxton and W. Baumeister, J. Microscopy 127 (1982) 127, for rings of Fourier coefficients.
#[must_use]
pub struct RadialAverage<T = f32> {
    pub(super) core: Core,
    element: PhantomData<fn(T)>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Core {
    /// Of the transform.
    pub shape: Shape,
    pub batch: usize,
    pub centred: bool,
    pub half: bool,
    pub corners: bool,
    pub ends: Ends,
}

typed!(RadialAverage<T: Readable> { core }, T => f32, Recipe);

impl RadialAverage {
    /// The rings of spectra of this shape.
    pub fn new(shape: impl Into<Shape>) -> Self {
        let core = Core { shape: shape.into(), batch: 1, centred: false, half: false, corners: false, ends: Ends::of::<f32, f32>() };
        Self { core, element: PhantomData }
    }
}

impl<T: Element> RadialAverage<T> {
    settings! { own:
        /// Averages each of `count` spectra that follow one another.
        batch(count: usize) => own.core.batch = count;

        /// Takes frequency 0 to be at index ⌊n/2⌋ of each axis, as after `fftshift`; with
        /// [`half`](Self::half), of each axis but the last.
        centred() => own.core.centred = true;

        /// Takes the first ⌊n/2⌋+1 elements of the last axis, as [`R2c`](crate::fft::R2c) stores
        /// them.
        half() => own.core.half = true;

        /// Adds rings beyond ⌊L/2⌋, up to that of the highest frequency in the corners. They are
        /// not complete, and their elements lie along the diagonals.
        corners() => own.core.corners = true;
    }

    /// Applies a [`Fragment`] to every element when it is loaded. The array then has elements of
    /// type `I`; the result is an `f32`. The fragment knows `value`, the indices in the array, the
    /// batch, the extents of the transform, and the frequencies `k0`, `f0`, …. A second fragment
    /// replaces the first.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line and the column if the fragment is not valid;
    /// [`Error::LimitExceeded`] if it is too long or too deep.
    pub fn map_input<I: Readable>(self, fragment: Fragment) -> Result<RadialAverage<I>> {
        let mut core = self.core;
        let side = Side { spectrum: true, ..Side::of(0, core.shape.rank(), I::FORM, Form::REAL) };
        core.ends.maps[0] = Some(Checked::new(fragment, I::NAME, side)?);
        Ok(RadialAverage { core, element: PhantomData })
    }

    /// The number of rings.
    ///
    /// # Errors
    /// The errors of planning that do not depend on the device.
    pub fn rings(&self) -> Result<usize> {
        Ok(self.core.geometry()?.rings as usize)
    }
}

impl Core {
    /// The fragment on the elements.
    pub fn fragment(&self) -> Option<&Checked> {
        self.ends.maps[0].as_ref()
    }

    /// What the array of elements holds.
    pub fn form(&self) -> Form {
        self.ends.array(End::Input).0
    }

    fn parse(whole: &str) -> Result<Self> {
        let (text, shape, words) = shape_after(&["radial-average", f32::NAME], whole)?;
        let mut fields = words.fields();
        let core = Self {
            shape,
            batch: batch_of(text, &mut fields)?,
            centred: fields.flag("centred"),
            half: fields.flag("half"),
            corners: fields.flag("corners"),
            ends: Ends::of::<f32, f32>(),
        };
        fields.done("a batch (x4), `centred`, `half` or `corners`, each at most once")?;
        Ok(core)
    }
}

/// Relative error of sums in another order.
const TOLERANCE: f64 = 1e-5;

sealed!(Core, TOLERANCE);

/// `radial-average f32 512x512 x4 centred half corners`.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [Flag("centred", self.centred), Flag("half", self.half), Flag("corners", self.corners)];
        write!(f, "radial-average f32 {}{}{}", Batched(self.shape, self.batch), join(&flags, ""), Maps(&self.ends.maps))
    }
}

parsed!(
    /// It has no fragments.
    RadialAverage, |text| Ok(Self { core: Core::parse(text)?, element: PhantomData })
);
