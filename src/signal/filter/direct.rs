//! Filters with one kernel over all axes.

use std::marker::PhantomData;

use super::Recipe;
use super::spec::{Core, Kernels, Pixel, bits, specification};
use crate::edge::Edge;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::shape::Shape;
use crate::signal::Mode;

/// A convolution or correlation of an array with one kernel over all its axes.
///
/// ```
/// use wgpu_fft::signal::DirectFilter;
/// use wgpu_fft::signal::Mode;
///
/// let laplace = [0.0, 1.0, 0.0, 1.0, -4.0, 1.0, 0.0, 1.0, 0.0];
/// let filter = DirectFilter::<f32>::correlation([480, 640], [3, 3], laplace).mode(Mode::Valid);
/// assert_eq!(filter.output_shape()?.to_string(), "478x638");
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
///
/// # Definition
/// With a kernel w of k₀ × k₁ taps, and sums over all of them:
/// - a correlation is y\[i, j\] = Σ w\[s, t\] x\[i + s - p₀, j + t - p₁\];
/// - a convolution is y\[i, j\] = Σ w\[s, t\] x\[i + q₀ - s, j + q₁ - t\].
///
/// Along each axis, p and q depend on the [`Mode`] of the output:
///
/// | | p | q |
/// |---|---|---|
/// | `Same` | ⌊(k-1)/2⌋ | ⌊(k-1)/2⌋ |
/// | `Full` | k-1 | 0 |
/// | `Valid` | 0 | k-1 |
///
/// The indices of x outside the array follow the [`Edge`], also where the kernel is longer than the
/// array. With zeros outside, these are `correlate2d` and `convolve2d` of `scipy.signal`. (If a
/// kernel is longer than the array along every axis, SciPy's `valid` exchanges the two.)
///
/// # Shapes
/// | | `Same` | `Full` | `Valid` |
/// |---|---|---|---|
/// | input | b × n₀ × n₁ | the same | the same |
/// | output | b × n₀ × n₁ | b × (n₀+k₀-1) × (n₁+k₁-1) | b × (n₀-k₀+1) × (n₁-k₁+1) |
///
/// There are 1 or 2 axes, dense and row-major. A kernel has up to 255 taps along an axis and 1024
/// in all, such as 32 × 32. Elements of the input are f32 or u8, those of the output f32.
///
/// # Accuracy
/// |y - ŷ| ≤ K·u/(1 - K·u)·Σ|w||x| with u = 2⁻²⁴ and K = k₀·k₁ taps. Products and sums are rounded
/// to f32, unless the device fuses them. An infinite or NaN element makes every output NaN or
/// infinite that it reaches, also under a tap of 0.
///
/// # Determinism
/// Each sum goes through the rows of its taps in order, so the result depends on no recipe: equal
/// devices give equal bits. Drivers decide whether products and sums are fused, so other devices
/// may differ in the last bits.
///
/// # Cost
/// One dispatch with K products for each element of the output, and no workspace.
///
/// # Errors
/// Planning returns:
/// - [`Error::Empty`] for an empty array or kernel;
/// - [`Error::WrongLen`] if there are not k₀·k₁ taps;
/// - [`Error::Unsupported`] for more than 2 axes, for a kernel with another number of axes, for
///   taps that are not finite, for [`Mode::Valid`] with a kernel longer than the array, and for
///   [`Edge::Odd`];
/// - [`Error::LimitExceeded`] for too many taps, for 2³² or more elements, and for an array larger
///   than one binding of the device;
/// - [`Error::UnfitRecipe`] for a recipe given by hand that does not fit.
///
/// For errors when running, see [`Plan`](crate::Plan).
///
/// # Sources
/// The definition follows the documentation of `scipy.signal`.
#[must_use]
pub struct DirectFilter<T> {
    core: Core,
    element: PhantomData<T>,
}

specification!(DirectFilter, "direct");

impl<T: Pixel> DirectFilter<T> {
    fn new(shape: Shape, flipped: bool, kernel: Shape, taps: Vec<u32>) -> Self {
        let kernels = Kernels::Direct { shape: kernel, taps, size: Mode::default() };
        Self { core: Core { stored: T::STORED, shape, batch: 1, flipped, edge: Edge::default(), kernels }, element: PhantomData }
    }

    /// A convolution with a kernel of these extents, whose taps are given row by row.
    pub fn convolution(shape: impl Into<Shape>, kernel: impl Into<Shape>, taps: impl IntoIterator<Item = f32>) -> Self {
        Self::new(shape.into(), true, kernel.into(), bits(taps))
    }

    /// A correlation with a kernel of these extents, whose taps are given row by row.
    pub fn correlation(shape: impl Into<Shape>, kernel: impl Into<Shape>, taps: impl IntoIterator<Item = f32>) -> Self {
        Self::new(shape.into(), false, kernel.into(), bits(taps))
    }

    /// Sets which part of the result is computed. The default is [`Mode::Same`].
    pub fn mode(mut self, mode: Mode) -> Self {
        if let Kernels::Direct { size: own, .. } = &mut self.core.kernels {
            *own = mode;
        }
        self
    }
}

impl<T> DirectFilter<T> {
    /// The shape of the output, without the batch.
    ///
    /// # Errors
    /// Those of planning that do not depend on a device.
    pub fn output_shape(&self) -> Result<Shape> {
        Ok(self.core.problem()?.output)
    }
}
