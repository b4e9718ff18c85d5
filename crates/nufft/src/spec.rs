//! What is computed.

use wgpu_fft::{DeviceProfile, Error, Planner, Result, Shape};

use crate::geometry::Geometry;
use crate::kernels::Texts;
use crate::plan::Plan;
use crate::window::{LARGEST, SMALLEST, Window};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    One,
    Two,
}

/// The sign of the exponent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sign {
    /// exp(+i k·x).
    Plus,
    /// exp(-i k·x).
    Minus,
}

/// The order of the modes of an axis of length n in an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ModeOrder {
    /// -⌊n/2⌋, …, -1, 0, 1, …, ⌈n/2⌉-1.
    Ascending,
    /// 0, 1, …, ⌈n/2⌉-1, -⌊n/2⌋, …, -1, as transforms on uniform points have them.
    Fft,
}

/// A Fourier transform on non-uniform points, of type 1 or 2, along one to three axes.
///
/// ```
/// use wgpu_fft_nufft::{ModeOrder, Nufft, Sign};
///
/// let spec = Nufft::type1([128, 128]).tolerance(1e-4).sign(Sign::Minus).batch(8).order(ModeOrder::Fft);
/// ```
///
/// The [documentation of the crate](crate) has definition, shapes, accuracy, cost and errors.
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub struct Nufft {
    pub(crate) kind: Kind,
    pub(crate) shape: Shape,
    pub(crate) sign: Sign,
    tolerance: f64,
    pub(crate) batch: usize,
    pub(crate) order: ModeOrder,
}

impl Nufft {
    /// From strengths at points to modes, with exp(+i k·x) unless [`sign`](Self::sign) says
    /// otherwise. `modes` are the numbers of modes along the axes.
    pub fn type1(modes: impl Into<Shape>) -> Self {
        Self::new(Kind::One, modes.into(), Sign::Plus)
    }

    /// From modes to values at points, with exp(-i k·x) unless [`sign`](Self::sign) says otherwise.
    /// With the opposite sign of a type 1 it is that one's adjoint.
    pub fn type2(modes: impl Into<Shape>) -> Self {
        Self::new(Kind::Two, modes.into(), Sign::Minus)
    }

    fn new(kind: Kind, shape: Shape, sign: Sign) -> Self {
        Self { kind, shape, sign, tolerance: 1e-5, batch: 1, order: ModeOrder::Ascending }
    }

    /// The sign of the exponent.
    pub fn sign(self, sign: Sign) -> Self {
        Self { sign, ..self }
    }

    /// The relative error that is asked for, from 1e-1 to 1e-6; 1e-5 unless this says otherwise.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// So many transforms at once, with the same points. Their arrays follow one another.
    pub fn batch(self, count: usize) -> Self {
        Self { batch: count, ..self }
    }

    /// The order of the modes along all axes.
    pub fn order(self, order: ModeOrder) -> Self {
        Self { order, ..self }
    }

    /// Compiles the transform for the planner's device.
    ///
    /// # Errors
    /// [`Error::Empty`] for no modes or an empty batch; [`Error::Unsupported`] for more than three
    /// axes or a tolerance out of range; [`Error::LimitExceeded`] if the device cannot bind the
    /// fine grids; those of [`Planner::plan`](wgpu_fft::Planner::plan).
    pub fn plan(&self, planner: &Planner) -> Result<Plan> {
        Plan::new(planner, self.clone())
    }

    /// The names and the WGSL of all kernels for such a transform on a device of `profile`, of both
    /// types. They need no device.
    ///
    /// # Errors
    /// Those of [`plan`](Self::plan) that need none.
    pub fn wgsl(&self, profile: &DeviceProfile) -> Result<Vec<(&'static str, String)>> {
        Ok(self.texts(profile)?.all())
    }

    pub(crate) fn texts(&self, profile: &DeviceProfile) -> Result<Texts> {
        let window = self.window()?;
        Ok(Texts::new(profile, &Geometry::new(profile, &self.shape, &window)?, &window))
    }

    pub(crate) fn window(&self) -> Result<Window> {
        window(self.tolerance)
    }
}

/// The window for a tolerance, if it is one for f32.
pub(crate) fn window(tolerance: f64) -> Result<Window> {
    if (SMALLEST * 0.999..=LARGEST * 1.001).contains(&tolerance) {
        return Ok(Window::new(tolerance));
    }
    let what = format!("the tolerance {tolerance:e}");
    Err(Error::Unsupported { what, why: format!("in f32 it is between {SMALLEST:e} and {LARGEST:e}") })
}
