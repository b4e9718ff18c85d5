//! What is computed.

use std::marker::PhantomData;

#[cfg(doc)]
use wgpu_fft::Error;
use wgpu_fft::{DeviceProfile, Planner, Result, Shape};

use crate::geometry::Geometry;
use crate::kernels::Texts;
use crate::plan::Plan;
use crate::real::{Real, check_numbers, window};
use crate::window::Window;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
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
/// let in_f64 = Nufft::type2(1000).f64().tolerance(1e-12);
/// ```
///
/// The [documentation of the crate](crate) has definition, shapes, accuracy, cost and errors.
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub struct Nufft<T = f32> {
    pub(crate) kind: Kind,
    pub(crate) shape: Shape,
    pub(crate) sign: Sign,
    tolerance: f64,
    pub(crate) batch: usize,
    pub(crate) order: ModeOrder,
    numbers: PhantomData<T>,
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
        Self { kind, shape, sign, tolerance: 1e-5, batch: 1, order: ModeOrder::Ascending, numbers: PhantomData }
    }

    /// The same transform of f64, computed in f64: coordinates, strengths, modes and values. The
    /// device must have 64-bit floats in shaders ([`DeviceProfile::f64`]), as many do with Vulkan;
    /// planning returns [`Error::Unsupported`] elsewhere.
    pub fn f64(self) -> Nufft<f64> {
        let Self { kind, shape, sign, tolerance, batch, order, .. } = self;
        Nufft { kind, shape, sign, tolerance, batch, order, numbers: PhantomData }
    }
}

impl<T: Real> Nufft<T> {
    /// The sign of the exponent.
    pub fn sign(self, sign: Sign) -> Self {
        Self { sign, ..self }
    }

    /// The relative error that is asked for, from 1e-1 to 1e-6, or to 1e-12 in f64; 1e-5 unless this
    /// says otherwise.
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
    /// axes, a tolerance out of range, or f64 on a device without it; [`Error::LimitExceeded`] if
    /// the device cannot bind the fine grids; those of [`Planner::plan`](wgpu_fft::Planner::plan).
    pub fn plan(&self, planner: &Planner) -> Result<Plan<T>> {
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
        check_numbers::<T>(profile)?;
        Ok(Texts::new::<T>(profile, &Geometry::new::<T>(profile, &self.shape, &window)?, &window))
    }

    pub(crate) fn window(&self) -> Result<Window> {
        window::<T>(self.tolerance, self.shape.rank())
    }
}
