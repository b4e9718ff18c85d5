//! Filters with a kernel of one axis for each axis.

use std::marker::PhantomData;

use super::Recipe;
use super::spec::{Core, Kernels, Pixel, bits, specification};
use crate::edge::Edge;
#[cfg(doc)]
use crate::error::Error;
use crate::shape::Shape;

/// A convolution or correlation of an array with a separate kernel along each axis.
///
/// ```no_run
/// use wgpu_fft::signal::SeparableFilter;
/// use wgpu_fft::Edge;
/// use wgpu_fft::{Gpu, GpuOptions, Planner};
///
/// # fn example(picture: &[f32]) -> wgpu_fft::Result<()> {
/// let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
/// // The derivative along rows by Sobel's kernel, which smooths along columns.
/// let sobel = SeparableFilter::<f32>::correlation([1080, 1920])
///     .kernel(0, [1.0, 2.0, 1.0])
///     .kernel(1, [-1.0, 0.0, 1.0])
///     .edge(Edge::Nearest);
/// let derivative = Planner::new(&gpu).plan(sobel)?.run(picture)?.wait()?;
/// # Ok(())
/// # }
/// ```
///
/// # Definition
/// Along an axis of n elements with a kernel w of k taps, and with m = ⌊k/2⌋:
/// - a correlation is y\[i\] = Σ w\[t\] x\[i + t - m\], t = 0 … k-1;
/// - a convolution is y\[i\] = Σ w\[t\] x\[i + m - t\].
///
/// So tap m lies over the element itself, and if k is even, a correlation reaches one element
/// farther to the front and a convolution to the back. The indices of x outside 0 … n-1 follow the
/// [`Edge`], also where the kernel is longer than the axis. These are `correlate1d` and
/// `convolve1d` of `scipy.ndimage` with origin 0. Axes with kernels are filtered one after the
/// other; in exact arithmetic the order does not matter. Axes without a kernel stay as they are.
///
/// # Shapes
/// Input and output are b × n₀ × …, 1 to 4 axes, dense and row-major. A kernel has 1 to 255 taps.
/// Elements of the input are f32 or u8, those of the output f32.
///
/// # Accuracy
/// |y - ŷ| ≤ K·u/(1 - K·u)·Σ|w||x| with u = 2⁻²⁴, where K is the sum of the numbers of taps along
/// all axes, and Σ|w||x| the result for the absolute values of taps and elements. Products and sums
/// are rounded to f32, unless the device fuses them. An infinite or NaN element makes every output
/// NaN or infinite that it reaches, also under a tap of 0.
///
/// # Determinism
/// Each sum goes through its taps in order, so the result depends on no tile: equal plans on equal
/// devices give equal bits. The recipe decides the order of the axes, and drivers decide whether
/// products and sums are fused, so other devices may differ in the last bits.
///
/// # Cost
/// Σ k products for each element. Short kernels of a GPU take one dispatch for the last two axes,
/// which reads and writes the array once. Otherwise there is a dispatch for each axis that has a
/// kernel, with one array of workspace between them.
///
/// # Errors
/// Planning returns:
/// - [`Error::Empty`] for an empty array;
/// - [`Error::Unsupported`] if no axis has a kernel, for a kernel along an axis that does not exist
///   or without taps, for taps that are not finite, and for [`Edge::Odd`];
/// - [`Error::LimitExceeded`] for more than 255 taps, for 2³² or more elements, and for an array
///   larger than one binding of the device;
/// - [`Error::UnfitRecipe`] for a recipe given by hand that does not fit.
///
/// For errors when running, see [`Plan`](crate::Plan).
///
/// # Sources
/// The definition follows the documentation of `scipy.ndimage`. For tiles in workgroup memory, V.
/// Podlozhnyuk, Image Convolution with CUDA, NVIDIA 2007.
#[must_use]
pub struct SeparableFilter<T> {
    core: Core,
    element: PhantomData<T>,
}

specification!(SeparableFilter, "separable");

impl<T: Pixel> SeparableFilter<T> {
    fn new(shape: Shape, flipped: bool) -> Self {
        let kernels = Kernels::Separable(Vec::new());
        Self { core: Core { stored: T::STORED, shape, batch: 1, flipped, edge: Edge::default(), kernels }, element: PhantomData }
    }

    /// A convolution, for now without kernels.
    pub fn convolution(shape: impl Into<Shape>) -> Self {
        Self::new(shape.into(), true)
    }

    /// A correlation, for now without kernels.
    pub fn correlation(shape: impl Into<Shape>) -> Self {
        Self::new(shape.into(), false)
    }

    /// Sets the kernel along an axis, counted from the slowest. It replaces an earlier one.
    pub fn kernel(mut self, axis: usize, taps: impl IntoIterator<Item = f32>) -> Self {
        if let Kernels::Separable(kernels) = &mut self.core.kernels {
            kernels.retain(|(other, _)| *other != axis);
            kernels.push((axis, bits(taps)));
            kernels.sort_unstable();
        }
        self
    }
}
