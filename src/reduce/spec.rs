//! The specification of a reduction: what is combined, and how.

use std::any::TypeId;
use std::marker::PhantomData;

use super::core::Core;
use super::recipe::Recipe;
use super::samples::samples;
use super::value::Value;
use super::verification::verification;
use super::{design, lower};
use crate::element::Element;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::fragment::{Fragment, Readable, Writable};
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::{self, Finish, Fold};
use crate::layout::Layout;
use crate::plan::{Computation, Program, Sealed, typed};
use crate::settings::settings;
use crate::shape::{Axes, Shape};
use crate::verify::{Sample, Verification};

/// A reduction of a whole array, of some of its axes, or of each array of a batch.
///
/// ```
/// use wgpu_fft::reduce;
///
/// // The mean of each row of a matrix.
/// let means = reduce::mean::<f32>([480, 640]).axes([1]);
/// assert_eq!(means.to_string(), "mean f32 480x640 axes=1");
/// assert_eq!("mean f32 480x640 axes=1".parse(), Ok(means));
///
/// // The largest green value of a picture of interleaved red, green and blue.
/// let green = wgpu_fft::Layout::strides([3 * 640, 3]).offset(1).within(3 * 480 * 640);
/// let brightest = reduce::max::<f32>([480, 640]).input_layout(green);
/// ```
///
/// # Definition
/// y\[k\] = f(m(x\[k, 0\]) ∘ m(x\[k, 1\]) ∘ … ∘ m(x\[k, n-1\])), over all elements with the kept
/// indices k. The [module](super) lists ∘, m and f for each operation; a fragment is part of m.
/// Without [`axes`](Self::axes), all axes are reduced: each array of a batch yields one value.
/// Segments of equal length are the rows of a matrix: `reduce::sum([segments, len]).axes([1])`.
///
/// # Shapes
/// | | |
/// |---|---|
/// | input | b × n₀ × … , 1 to 4 axes; two such arrays for `dot`, `vdot` and `max_abs_diff` |
/// | output | b × the extents of the kept axes |
///
/// The input has elements of type `T`, the output those of type `O`. With
/// [`map_input`](Self::map_input), a [`Fragment`] of WGSL makes the elements that are reduced from
/// those of an array of any [`Readable`] type. With [`map_output`](Self::map_output), one makes
/// elements of any [`Writable`] type from the results.
///
/// Arrays are row-major and dense, unless [`input_layout`](Self::input_layout) says where the
/// elements of the input are: one channel of several, a part of a larger array, axes in another
/// order, frames that overlap. The indices of `argmin` and `argmax` are those of the shape, not of
/// the memory. A GPU buffer cannot be empty, so n = 0 is [`Error::Empty`].
///
/// # Accuracy
/// Sums of f32 and complex f32 satisfy |s - ŝ| ≤ 2·u·d·Σ|x| with u = 2⁻²⁴, where d =
/// [`depth`](Self::depth) is the number of additions that an element passes through: tens, where a
/// sequential sum has n. Operations on an element before it is added count too: a product adds 1 to
/// d, a complex product 2, and the division of `mean` at most 4. Values of f16 are exact in f32,
/// and f64 has u = 2⁻⁵³. Sums and products of integers are exact modulo 2³², and those of
/// `wide_sum` are exact. The order differs from that of a sequential sum, so the last bits may
/// differ too. Divisions and square roots are as accurate as the adapter's: WGSL requires 2.5 units
/// in the last place.
///
/// A sum of squares overflows if the result does, and so may a sum whose mean would fit. Norms,
/// variances, standard deviations and |x - y| are right wherever the result is a normal number:
/// they scale by powers of two, so that no square overflows or vanishes.
///
/// A variance v of n elements satisfies |v - v̂| ≤ ε·√v·(√v + √d·m) + d·(ε·m)² with ε = 8·u·d and m
/// the largest |x|, times n / (n - ddof). Counts, means and sums of squared distances are combined,
/// so nothing is the difference of two large numbers. Errors are usually far below this bound,
/// about u·m·√v: of 10³ to 10⁵ values around 10⁴ with v = 1 they were at most 1.2·10⁻⁴. If an
/// element is a NaN, so is the variance; if one is infinite, the variance is a NaN or, for f64,
/// infinite.
///
/// Min and max return one of the inputs, bit by bit. -0 is less than +0, also for `argmin`, which
/// prefers a -0 to an earlier +0. If there is a NaN, the result is the NaN 0x7fc00000, and argmin
/// and argmax return the index of the first NaN. Equal infinities have distance 0. A NaN is
/// nonzero, so `any`, `all` and `count` count it.
///
/// # Determinism
/// Equal plans on equal devices give equal bits, run after run. With
/// [`across_devices`](Self::across_devices) the order of a sum depends on its shape alone. Min,
/// max, argmin, argmax, integer sums and logical operations never depend on the order. The fixed
/// order covers sums and products of f32, f16 and complex numbers, on adapters that round f32
/// operations as IEEE 754 does and keep subnormal numbers. On every device, products are then
/// rounded before they are added. Variances are covered as well, except for the last division. It
/// also fixes the order of custom operators, but not how a device rounds inside them, or inside a
/// fragment. Divisions and square roots depend on the adapter, and products of f64 may be fused.
/// The bits do not depend on a layout either.
///
/// # Cost
/// The array is read once. Short arrays, and arrays with many results, take one dispatch. Long
/// arrays with few results are reduced in parts. On GPUs, the workgroup that arrives last combines
/// the parts in the same dispatch, which takes some kilobytes of workspace for atomics. On
/// processors, for f64 and for arrays larger than a binding, a second dispatch combines them.
///
/// A layout is read as fast as a dense array if it has the same runs of elements in memory, in
/// whatever order the axes are. Elements that are apart are loaded one by one, and the memory
/// between them counts as read. The dimension closest in memory is walked by neighbouring
/// invocations, unless the order is fixed: with `across_devices`, for `argmin` and `argmax`, and
/// with a fragment that asks for indices of axes that are reduced, elements are visited in the
/// order of the shape. That is slow if it is far from the order in memory.
///
/// A fragment costs no pass. With one on the input, several elements are loaded at once, as without
/// it, if they are f32, f16, i32, u32, or pairs of f32, such as complex f32. Elements of other
/// types are loaded one by one.
///
/// # Errors
/// Planning returns:
/// - [`Error::Empty`] for an empty array;
/// - [`Error::Unsupported`] for axes that do not exist, for a layout of another number of axes or
///   that leaves its array, for a ddof that is not less than n, for f64 arithmetic on devices
///   without it, and for two fragments with different arrays of one name;
/// - [`Error::LimitExceeded`] for 2³² or more elements, including the gaps of a layout, for the
///   variance of 2³⁰ or more complex numbers, or if an array larger than one binding cannot be cut:
///   what one part of a line or row takes must fit;
/// - [`Error::UnfitRecipe`] for a recipe given by hand that does not fit.
///
/// Running returns [`Error::WrongInputs`] for one array where two are needed.
///
/// # Sources
/// M. Harris, Optimizing Parallel Reduction in CUDA, NVIDIA 2007; for the bound, N. J. Higham, SIAM
/// J. Sci. Comput. 14 (1993) 783; for variances, T. F. Chan, G. H. Golub and R. J. LeVeque, Am.
/// Stat. 37 (1983) 242.
#[must_use]
pub struct Reduction<T, O> {
    pub(super) core: Core,
    element: PhantomData<(T, O)>,
}

typed!(Reduction<T: Element, O: Element> { core }, T => O, Recipe);

impl<T, O> Reduction<T, O> {
    /// A reduction whose types need not say what its arrays hold.
    pub(super) fn of(core: Core) -> Self {
        Self { core, element: PhantomData }
    }
}

impl<T: Value, O: Element> Reduction<T, O> {
    pub(super) fn new(name: &'static str, shape: impl Into<Shape>, map: operator::Map, fold: Fold, finish: Finish) -> Self {
        Self::of(Core::new(name, (T::KIND, T::NAME), shape.into(), map, fold, finish))
    }
}

impl<T: Element, O: Element> Reduction<T, O> {
    settings! { own:
        /// Reduces each of `count` consecutive arrays by itself.
        batch(count: usize) => own.core.batch = count;

        /// Sets the axes to reduce, counted from the slowest, in any order. The default is all
        /// axes. The other axes are kept, in their order.
        axes(axes: impl Into<Axes>) => own.core.axes = own.core.shape.canonical_axes(axes.into().as_ref());

        /// Sets where the elements of the input are: of both inputs, if there are two. The default
        /// is dense. The result is dense in any case.
        input_layout(layout: Layout) => own.core.input = Some(layout);
    }

    /// Applies a [`Fragment`] to every element when it is loaded, before what the operation itself
    /// does with it. The array then has elements of type `I`. The result of the fragment is what is
    /// reduced: `f32` for reductions of f32 and f16, `i32`, `u32`, or `vec2<f32>` for complex
    /// numbers.
    ///
    /// The fragment knows the indices of the element in the shape: `i0` on the first axis, and so
    /// on, `batch`, and the lengths `n0`, …. A second fragment replaces the first.
    ///
    /// ```
    /// use wgpu_fft::{Complex32, Fragment, reduce};
    ///
    /// // The mean of each row of a picture of bytes, from 0 to 1.
    /// let means = reduce::mean::<f32>([480, 640]).axes([1]).map_input::<u8>(Fragment::new("f32(value) / 255.0"))?;
    /// // The largest |z|, and a weighted sum of each row.
    /// let peak = reduce::max::<f32>(1 << 20).map_input::<Complex32>(Fragment::new("length(value)"))?;
    /// let weights = Fragment::new("f32(i1) * weights[i1] * value").array::<f32>("weights", 640);
    /// let centre = reduce::sum::<f32>([480, 640]).axes([1]).map_input::<f32>(weights)?;
    /// # use wgpu_fft::{DeviceProfile, Spec};
    /// # let profile = DeviceProfile::webgpu_defaults();
    /// # means.lower(&means.design(&profile)?, &profile)?;
    /// # peak.lower(&peak.design(&profile)?, &profile)?;
    /// # centre.lower(&centre.design(&profile)?, &profile)?;
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parse`] with the line and the column if the fragment is not valid;
    /// [`Error::LimitExceeded`] if it is too long or too deep; [`Error::Unsupported`] for f64, and
    /// for operations on two arrays.
    pub fn map_input<I: Readable>(self, fragment: Fragment) -> Result<Reduction<I, O>> {
        let core = self.core.with_source(fragment, I::FORM, I::NAME)?;
        Ok(Reduction::of(core))
    }

    /// Applies a [`Fragment`] to every result before it is stored. The output then has elements of
    /// type `U`. The `value` of the fragment is the finished result: `f32`, `i32`, `u32`, or
    /// `vec2<f32>` for complex numbers.
    ///
    /// The fragment knows the indices of the result in the shape of the input: on an axis that is
    /// kept, `i0` and so on are the result's index, on one that is reduced they are 0. `batch` is
    /// the array of the batch, and `n0`, … are the lengths of all axes. A second fragment replaces
    /// the first, and sees the results as the first one did.
    ///
    /// ```
    /// use wgpu_fft::{Fragment, reduce};
    ///
    /// // The root mean square of each row, and the level of each column in decibels.
    /// let rms = reduce::sum_squares::<f32>([480, 640]).axes([1]).map_output::<f32>(Fragment::new("sqrt(value / f32(n1))"))?;
    /// let decibels = Fragment::new("4.3429448 * log(max(value, 1e-20))"); // 10·log₁₀
    /// let levels = reduce::sum_squares::<f32>([480, 640]).axes([0]).map_output::<f32>(decibels)?;
    /// // A norm times a factor that is known when the plan runs.
    /// let scaled = reduce::norm::<f32>(1000).map_output::<f32>(Fragment::new("value * factor").uniform::<f32>("factor", "f32"))?;
    /// // Where each row has its largest element, as column and row.
    /// let peaks = Fragment::new("vec2(f32(value), f32(i0))");
    /// let peaks = reduce::argmax::<f32>([480, 640]).axes([1]).map_output::<[f32; 2]>(peaks)?;
    /// assert_eq!(peaks.to_string(), "argmax f32 480x640 axes=1 to f32x2 by `vec2(f32(value), f32(i0))`");
    /// # use wgpu_fft::{DeviceProfile, Spec};
    /// # let profile = DeviceProfile::webgpu_defaults();
    /// # rms.lower(&rms.design(&profile)?, &profile)?;
    /// # levels.lower(&levels.design(&profile)?, &profile)?;
    /// # scaled.lower(&scaled.design(&profile)?, &profile)?;
    /// # peaks.lower(&peaks.design(&profile)?, &profile)?;
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parse`] with the line and the column if the fragment is not valid;
    /// [`Error::LimitExceeded`] if it is too long or too deep; [`Error::Unsupported`] for results
    /// of 64 bits.
    pub fn map_output<U: Writable>(self, fragment: Fragment) -> Result<Reduction<T, U>> {
        let core = self.core.with_sink(fragment, U::FORM, U::NAME, TypeId::of::<O>())?;
        Ok(Reduction::of(core))
    }

    settings! { own:
        /// Sets what is subtracted from the number of elements in the divisor of
        /// [`variance`](super::variance) and [`standard_deviation`](super::standard_deviation), as
        /// in NumPy. The default is 0. With 1, the variance of a sample estimates that of what it
        /// was drawn from without bias.
        ddof(ddof: usize) => own.core.ddof = ddof;

        /// Lets the order of a sum depend on the shape alone: then the bits of the result depend
        /// neither on the sizes of workgroups and subgroups, nor on where an array is cut for
        /// several bindings or devices. By default the fastest order is chosen for the device.
        across_devices() => own.core.across_devices = true;
    }

    /// The number of additions that an element passes through with this recipe: the d of the error
    /// bound.
    ///
    /// # Errors
    /// The same as those of planning.
    pub fn depth(&self, recipe: &Recipe) -> Result<u32> {
        let geometry = self.core.geometry()?;
        Ok(recipe.depth(&geometry))
    }
}

impl Sealed for Core {
    fn has_wgsl(&self) -> bool {
        matches!(self.fold, Fold::Custom { .. }) || self.maps.iter().any(Option::is_some)
    }

    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        samples(self, input)
    }

    fn verification(&self) -> Verification {
        verification(self)
    }
}

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        design::design(self, profile)
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        lower::lower(self, recipe, profile)
    }
}
