//! The specification of a reduction: what is combined, and how.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use half::f16;
use num_complex::Complex32;

use super::arithmetic::MAX_COMPLEX;
use super::geometry::Geometry;
use super::parse::parse_typed;
use super::samples::samples;
use super::verification::verification;
use super::{Recipe, design, lower};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::fragment::{Checked, Form, Fragment, Maps, Readable, Side, Writable};
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::{self, AxisIndex, Finish, Fold, Indexed, Kind, Operator};
use crate::layout::{Layout, Placed};
use crate::plan::{Computation, Program, Sealed, typed};
use crate::settings::settings;
use crate::shape::{Axes, Batched, Shape};
use crate::text::{join, parsed};
use crate::verify::{Sample, Verification};

/// A type whose values can be reduced: f32, i32, u32, complex f32, f16 (from the crate [`half`]) or
/// f64.
pub trait Value: Element + Kinded {
    /// The type of sums.
    type Wide: Element;
    /// The type of |x|².
    type Magnitude: Element;
    /// The type of |x - y|.
    type Distance: Element;
}

/// A private supertrait that seals [`Value`].
pub trait Kinded {
    /// The element type that kernels use for it.
    const KIND: Kind;
}

/// A type whose values are ordered.
pub trait Ordered: Value {}

/// A type whose division is rounded, unlike that of integers.
pub trait Float: Value {}

/// A type of integers.
pub trait Integer: Value {
    /// The type of sums that never overflow.
    type Long: Element;
}

macro_rules! values {
    ($($type:ty: $kind:ident, $wide:ty, $magnitude:ty, $distance:ty;)*) => { $(
        impl Kinded for $type {
            const KIND: Kind = Kind::$kind;
        }

        impl Value for $type {
            type Wide = $wide;
            type Magnitude = $magnitude;
            type Distance = $distance;
        }
    )* };
}

values! {
    f32: F32, f32, f32, f32;
    i32: I32, i32, i32, u32;
    u32: U32, u32, u32, u32;
    f16: F16, f32, f32, f32;
    f64: F64, f64, f64, f64;
    Complex32: Complex, Complex32, f32, f32;
}

impl Ordered for f32 {}
impl Ordered for i32 {}
impl Ordered for u32 {}
impl Ordered for f16 {}
impl Ordered for f64 {}
impl Integer for i32 {
    type Long = i64;
}
impl Integer for u32 {
    type Long = u64;
}
impl Float for f32 {}
impl Float for f16 {}
impl Float for f64 {}
impl Float for Complex32 {}

/// A map applied to each element when it is loaded, without an extra pass.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Map {
    /// x·x. For complex numbers that is not |x|²: for the energy use
    /// [`sum_squares`](super::sum_squares).
    Square,
    /// |x|; not for complex numbers. The absolute value of the smallest i32 is that number itself.
    Abs,
    /// x times a factor; not for integers.
    Scale(f32),
}

/// What the order of a sum may depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Determinism {
    /// On the recipe: equal plans on equal devices give equal bits, run after run. The rules are
    /// free to choose the fastest order.
    #[default]
    RunToRun,
    /// On the shape alone. The bits of the result depend neither on workgroup or subgroup sizes nor
    /// on where an array is cut for several bindings or devices.
    AcrossDevices,
}

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
/// indices k. The [module](super) lists ∘, m and f for each operation. Without
/// [`axes`](Self::axes), all axes are reduced: each array of a batch yields one value. Segments of
/// equal length are the rows of a matrix: `reduce::sum([segments, len]).axes([1])`.
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
/// sequential sum has n. Operations on an element before it is added count too: a product or scale
/// adds 1 to d, a complex product 2, and the division of `mean` at most 4. Values of f16 are exact
/// in f32, and f64 has u = 2⁻⁵³. Sums and products of integers are exact modulo 2³², and those of
/// `wide_sum` are exact. The order
/// differs from that of a sequential sum, so the last bits may differ too. Divisions and square
/// roots are as accurate as the adapter's: WGSL requires 2.5 units in the last place.
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
/// See [`Determinism`]. Min, max, argmin, argmax, integer sums and logical operations never depend
/// on the order. `AcrossDevices` covers sums and products of f32, f16 and complex numbers, on
/// adapters that round f32 operations as IEEE 754 does and keep subnormal numbers. On every device,
/// products are then rounded before they are added. Variances are covered as well, except for the
/// last division. It also fixes the order of custom operators, but not how a device rounds inside
/// them, or inside a fragment. Divisions and square roots depend on the adapter, and products of
/// f64 may be fused. The bits do not depend on a layout either.
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
/// invocations, unless the order is fixed: with `AcrossDevices`, for `argmin` and `argmax`, and for
/// a custom map, elements are visited in the order of the shape. That is slow if it is far from the
/// order in memory.
///
/// A fragment costs no pass, but with one on the input, elements are loaded one by one. If it asks
/// for indices of axes that are reduced, elements are visited in the order of the shape.
///
/// # Errors
/// Planning returns:
/// - [`Error::Empty`] for an empty array;
/// - [`Error::Unsupported`] for axes that do not exist, for a map that the type does not support,
///   for a layout of another number of axes or that leaves its array, for a ddof that is not less
///   than n, for f64 arithmetic on devices without it, and for two fragments with different arrays
///   of one name;
/// - [`Error::LimitExceeded`] for 2³² or more elements, including the gaps of a layout, for the
///   variance of 2³⁰ or more complex numbers, or if an
///   array larger than one binding cannot be cut: what one part of a line or row takes must fit,
///   and with a fragment on the input the whole array;
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

/// A reduction without the types of its elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Core {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) element: &'static str,
    pub(super) shape: Shape,
    pub(super) batch: usize,
    pub(super) axes: Option<Vec<usize>>,
    /// Where the elements of the inputs are; `None` for dense arrays.
    pub(super) input: Option<Layout>,
    pub(super) map: operator::Map,
    pub(super) fold: Fold,
    pub(super) finish: Finish,
    /// What is subtracted from the number of elements in the divisor of a variance.
    pub(super) ddof: usize,
    /// The map given to [`Reduction::map`], which replaces the operation's own.
    pub(super) mapped: Option<operator::Map>,
    /// The fragment that makes elements of this kind of those in the array, and the one that makes
    /// what is stored of the results.
    pub(super) maps: [Option<Checked>; 2],
    pub(super) determinism: Determinism,
}

impl Core {
    /// The operator for an array of this `geometry`, if the device supports it.
    pub(super) fn operator(&self, geometry: &Geometry, profile: &DeviceProfile) -> Result<Operator> {
        let operator = self.arithmetic(geometry)?;
        if operator.needs_f64() && !profile.f64 {
            return Err(Error::unsupported(self, format!("{} does not support f64 in shaders (`SHADER_F64`)", profile.name)));
        }
        Ok(operator)
    }

    /// The same operator, without asking whether a device supports it.
    pub(super) fn arithmetic(&self, geometry: &Geometry) -> Result<Operator> {
        let map = match (&self.mapped, &self.map) {
            (None, own) => own.clone(),
            (Some(map), operator::Map::Identity) => map.clone(),
            (Some(_), _) => return Err(Error::unsupported(self, "the operation already has a map of its own")),
        };
        match (&map, self.kind) {
            (map, _) if self.fold == Fold::WideSum && *map != operator::Map::Identity => {
                return Err(Error::unsupported(self, "a map has 32 bits, of which a wide sum cannot know whether they are all"));
            }
            (operator::Map::Abs, Kind::Complex) => return Err(Error::unsupported(self, "|x| of a complex number is real: use `norm`")),
            (operator::Map::Scale(_), Kind::I32 | Kind::U32) => {
                return Err(Error::unsupported(self, "integers cannot be multiplied by a floating-point factor"));
            }
            _ => {}
        }
        let count = geometry.count();
        let divisor = || match u32::try_from(self.ddof).ok().and_then(|ddof| count.checked_sub(ddof)) {
            Some(divisor) if divisor > 0 => Ok(divisor),
            _ => {
                Err(Error::unsupported(self, format!("ddof is {}, but must be less than {count}, the elements of each result", self.ddof)))
            }
        };
        let finish = match self.finish {
            Finish::Variance(_) => Finish::Variance(divisor()?),
            Finish::Deviation(_) => Finish::Deviation(divisor()?),
            _ if self.ddof > 0 => return Err(Error::unsupported(self, "only `variance` and `standard_deviation` have a ddof")),
            Finish::Mean(_) => Finish::Mean(count),
            Finish::Identity | Finish::Root => self.finish,
        };
        if (&self.fold, self.kind) == (&Fold::Moments, Kind::Complex) && count > MAX_COMPLEX {
            let what = format!("`{self}`, the complex numbers of a variance");
            let [required, available] = [count, MAX_COMPLEX].map(u64::from);
            return Err(Error::LimitExceeded { what, limit: "elements of each result", required, available });
        }
        let fold = match (&self.fold, self.kind) {
            // The squares of f16 fit f32 as they are.
            (Fold::Squares, Kind::F16) => Fold::Sum,
            (own, _) => own.clone(),
        };
        let rounded = self.determinism == Determinism::AcrossDevices;
        let [source, sink] = [0, 1].map(|side| self.maps[side].clone().map(|fragment| self.indexed(fragment)));
        Ok(Operator { input: self.kind, source, map, fold, finish, sink, rounded })
    }

    /// A fragment, with where it finds its indices.
    fn indexed(&self, fragment: Checked) -> Arc<Indexed> {
        let rank = self.shape.rank();
        let extents: Vec<u32> = self.shape.extents().iter().chain([&self.batch]).map(|&extent| extent as u32).collect();
        let is_reduced = |axis: usize| axis < rank && self.axes.as_ref().is_none_or(|axes| axes.contains(&axis));
        let axis = |axis: usize| {
            let reduced = is_reduced(axis);
            // The batch is slower than all axes.
            let together =
                |others: std::ops::Range<usize>| others.filter(|&other| is_reduced(other) == reduced).map(|other| extents[other]);
            let (slower, faster) = match axis {
                _ if axis == rank => (0..0, 0..rank),
                _ => (0..axis, axis + 1..rank),
            };
            let is_batched = !reduced && axis < rank && self.batch > 1;
            AxisIndex {
                reduced,
                faster: together(faster).product(),
                extent: extents[axis],
                slowest: !is_batched && together(slower).all(|extent| extent == 1),
            }
        };
        let axes = (0..=rank).map(axis).collect();
        Arc::new(Indexed { fragment, axes })
    }

    /// Refuses textures of other sizes than the arrays.
    pub(super) fn check_textures(&self, axes: &[usize], input: &Placed) -> Result<()> {
        let extents = self.shape.extents().iter().chain([&self.batch]).map(|&extent| extent as u32);
        let extents: Vec<u32> = extents.collect();
        let results: Vec<u32> = extents.iter().enumerate().map(|(axis, &extent)| if axes.contains(&axis) { 1 } else { extent }).collect();
        let texels = |side: usize| self.maps[side].as_ref().and_then(|map| map.array.texels());
        texels(0).map_or(Ok(()), |texels| texels.check("input", &extents, input))?;
        texels(1).map_or(Ok(()), |texels| texels.check("output", &results, &Placed::dense(&results)))
    }

    /// Adds a fragment that maps elements of an array to those that are reduced.
    pub(super) fn with_source(mut self, fragment: Fragment, array: Form, element: &'static str) -> Result<Self> {
        fn form<T: Readable>() -> Form {
            T::FORM
        }
        if matches!(self.map, operator::Map::Product | operator::Map::ConjugateProduct | operator::Map::Distance) {
            return Err(Error::unsupported(&self, "a fragment maps the elements of one array, but the operation takes two"));
        }
        let inner = match self.kind {
            Kind::F32 | Kind::F16 => form::<f32>(),
            Kind::I32 => form::<i32>(),
            Kind::U32 => form::<u32>(),
            Kind::Complex => form::<Complex32>(),
            Kind::F64 | Kind::Pair | Kind::Quad | Kind::Doubles => {
                return Err(Error::unsupported(&self, "fragments cannot compute in f64"));
            }
        };
        let side = Side::of(0, self.shape.rank(), array, inner);
        let checked = Checked::new(fragment, element, side)?;
        if self.kind == Kind::F16 {
            // The fragment has unpacked it.
            (self.kind, self.element) = (Kind::F32, f32::NAME);
        }
        self.maps[0] = Some(checked);
        Ok(self)
    }

    /// Adds a fragment that maps results to elements of an array. Without a fragment, they have the
    /// type of this id.
    pub(super) fn with_sink(mut self, fragment: Fragment, array: Form, element: &'static str, result: TypeId) -> Result<Self> {
        fn form<T: Readable>() -> (TypeId, Form) {
            (TypeId::of::<T>(), T::FORM)
        }
        let inner = match &self.maps[1] {
            Some(earlier) => earlier.inner(),
            None => {
                let forms = [form::<f32>(), form::<i32>(), form::<u32>(), form::<Complex32>()];
                let found = forms.into_iter().find(|(id, _)| *id == result);
                found.ok_or_else(|| Error::unsupported(&self, "the results have 64 bits, and fragments compute in 32 bits"))?.1
            }
        };
        let side = Side::of(1, self.shape.rank(), array, inner);
        self.maps[1] = Some(Checked::new(fragment, element, side)?);
        Ok(self)
    }

    /// Whether the order across devices is requested and the bits of the result depend on it.
    pub(super) fn is_ordered(&self, operator: &Operator) -> bool {
        self.determinism == Determinism::AcrossDevices && !operator.is_exact()
    }
}

typed!(Reduction<T: Element, O: Element> { core }, T => O, Recipe);

impl<T: Value, O: Element> Reduction<T, O> {
    pub(super) fn new(name: &'static str, shape: impl Into<Shape>, map: operator::Map, fold: Fold, finish: Finish) -> Self {
        let core = Core {
            name,
            kind: T::KIND,
            element: T::NAME,
            shape: shape.into(),
            batch: 1,
            axes: None,
            input: None,
            map,
            fold,
            finish,
            ddof: 0,
            mapped: None,
            maps: [None, None],
            determinism: Determinism::RunToRun,
        };
        Self { core, element: PhantomData }
    }
}

/// A fragment, and the elements of the array that it is for.
#[cfg(feature = "signal")]
pub(crate) type Mapping = (Fragment, Form, &'static str);

#[cfg(feature = "signal")]
impl Reduction<Complex32, Complex32> {
    /// The same between arrays of such elements, as part of a larger operation.
    pub(crate) fn between(self, (load, array, element): Mapping, store: Option<Mapping>) -> Result<Reduction<f32, f32>> {
        let mut core = self.core.with_source(load, array, element)?;
        if let Some((store, array, element)) = store {
            core = core.with_sink(store, array, element, TypeId::of::<Complex32>())?;
        }
        Ok(Reduction::untyped(core))
    }
}

impl Reduction<f32, f32> {
    /// A reduction whose type does not say what its arrays hold.
    pub(super) fn untyped(core: Core) -> Self {
        Self { core, element: PhantomData }
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

    /// Sets a map that is applied to each element when it is loaded. Planning returns an error if
    /// the type does not support the map, or if the operation already has a map: operations on two
    /// arrays, logical operations and squares.
    pub fn map(mut self, map: Map) -> Self {
        self.core.mapped = Some(match map {
            Map::Square => operator::Map::Square,
            Map::Abs => operator::Map::Abs,
            // All NaN print equally, and so must be equal.
            Map::Scale(factor) => operator::Map::Scale(if factor.is_nan() { f32::NAN } else { factor }.to_bits()),
        });
        self
    }

    /// Applies a [`Fragment`] to every element when it is loaded, before any map. The array then
    /// has elements of type `I`. The result of the fragment is what is reduced: `f32` for
    /// reductions of f32 and f16, `i32`, `u32`, or `vec2<f32>` for complex numbers.
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
        Ok(Reduction { core, element: PhantomData })
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
        Ok(Reduction { core, element: PhantomData })
    }

    settings! { own:
        /// Sets what is subtracted from the number of elements in the divisor of
        /// [`variance`](super::variance) and [`standard_deviation`](super::standard_deviation), as
        /// in NumPy. The default is 0. With 1, the variance of a sample estimates that of what it
        /// was drawn from without bias.
        ddof(ddof: usize) => own.core.ddof = ddof;

        /// Sets what the order of a sum may depend on.
        determinism(determinism: Determinism) => own.core.determinism = determinism;
    }

    /// The number of additions that an element passes through with this recipe: the d of the error
    /// bound.
    ///
    /// # Errors
    /// The same as those of planning.
    pub fn depth(&self, recipe: &Recipe) -> Result<u32> {
        let geometry = Geometry::of(&self.core)?;
        Ok(recipe.depth(&geometry))
    }
}

impl Sealed for Core {
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

parsed!(
    /// It has no fragments, and no [`Custom`](super::Custom) operator, whose identity element a
    /// text does not state.
    Reduction<T, O> where T: Value, O: Element, |text| {
        Ok(Self { core: parse_typed(text, T::KIND, T::NAME, TypeId::of::<O>())?, element: PhantomData })
    }
);

/// `sum f32 4194304`, `argmax f32 1024x1024 x4 axes=1`.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.name, self.element, Batched(self.shape, self.batch))?;
        if let Some(axes) = &self.axes {
            write!(f, " axes={}", join(axes, ","))?;
        }
        if let Some(layout) = self.input {
            write!(f, " in={layout}")?;
        }
        if self.ddof > 0 {
            write!(f, " ddof={}", self.ddof)?;
        }
        match &self.mapped {
            Some(operator::Map::Square) => f.write_str(" square")?,
            Some(operator::Map::Abs) => f.write_str(" abs")?,
            Some(operator::Map::Scale(bits)) => write!(f, " scale={}", f32::from_bits(*bits))?,
            _ => {}
        }
        if let Fold::Custom { expression, .. } = &self.fold {
            write!(f, " `{expression}`")?;
            if let operator::Map::Custom(map) = &self.map {
                write!(f, " of `{map}`")?;
            }
        }
        f.write_str(if self.determinism == Determinism::AcrossDevices { " across-devices" } else { "" })?;
        Maps(&self.maps).fmt(f)
    }
}
