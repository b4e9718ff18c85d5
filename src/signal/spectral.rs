//! Filters given by what they do to a spectrum.

use std::fmt;
use std::marker::PhantomData;

use num_complex::Complex32;

use super::ends::{Ends, maps};
use super::number::Number;
use super::turned::delaying;
use crate::edge::Edge;
use crate::element::Element;
use crate::error::{Error, Result, check_count, refuse_if};
use crate::fft::End;
use crate::fft::ops::filter::{Filter, FilterRecipe};
use crate::fft::spec::window::Windowed;
use crate::fragment::{Checked, Fragment, Maps};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::layout::Layout;
use crate::plan::{Computation, Program, Sealed, Search, others, typed};
use crate::settings::settings;
use crate::shape::{Axes, Batched, Shape};
use crate::text::{Field, Flag, join};
use crate::verify::Verification;

/// A filter in the frequency domain: a Fourier transform, WGSL of yours on every element of the
/// spectrum, and the inverse transform.
///
/// ```no_run
/// use wgpu_fft::{Fragment, Planner, signal::SpectralFilter};
///
/// # fn smooth(planner: &Planner, image: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// // A Gaussian of 3 pixels: exp(-2π²σ²f²).
/// let gaussian = Fragment::new("value * exp(-177.65 * (f0 * f0 + f1 * f1))");
/// let plan = planner.plan(SpectralFilter::real([1080, 1920], gaussian)?)?;
/// let smooth = plan.run(image)?.wait()?; // 1080 x 1920 numbers
/// # Ok(smooth)
/// # }
/// ```
///
/// # Definition
/// y = IDFT(F(DFT(x))), where F is the [`Fragment`]: it maps each element X\[k₀, k₁, …\] of the
/// spectrum to one of the filtered spectrum, a `vec2<f32>`. DFT is [`C2c::forward`] and IDFT the
/// inverse with the factor 1/n. The fragment sees X\[k₀, …\] as `value`, the signed frequencies
/// `k0` … in cycles per length and `f0` … in cycles per sample, the indices `i0` …, the lengths of
/// the transform `n0` …, the `batch`, and arrays and uniforms that it declares.
///
/// Of real signals the spectrum is Hermitian, and the fragment sees only its first half along the
/// last axis: k = 0 … ⌊n/2⌋, not negative. The other elements of the filtered spectrum are the
/// conjugates of these, Y\[-k\] = conj Y\[k\], so that the result is real. Write F so that
/// F(conj X, -k) = conj F(X, k): every real factor that depends on |f| alone is of this kind, and
/// so is a delay. Where F is not, the result is still defined. On the planes k = 0 and k = n/2 of
/// the last axis, which are their own mirror images, the Hermitian part of Y is taken: along one
/// axis that is the real part.
///
/// Of complex signals, the fragment sees all frequencies. There, and on the other axes of real
/// signals, the frequency n/2 of an even length is negative, `k` = -n/2.
///
/// # Shapes
/// Input and output have the shape that is given, b times. By default the transforms have the same
/// lengths, so that filters are cyclic: what leaves at one end enters at the other.
/// [`lengths`](Self::lengths) makes them longer; then the signal is padded with zeros, or as
/// [`edge`](Self::edge) says, and only its own positions are stored. Arrays are dense and row-major
/// unless [`Layout`]s say otherwise. With [`axes`](Self::axes), the other axes behave like batches.
///
/// # Accuracy
/// If F multiplies by numbers of magnitude at most 1, the two-norm of the error is at most 3·u
/// times that of the input, plus the sum of the bounds that [`C2c`] gives for the two transforms:
/// 3·u·√log₂n along an axis, with u = 2⁻²⁴, or 6·u·√log₂m for lengths with a prime factor above 31.
/// To this comes what F makes of its own rounding. A filter that amplifies a frequency also
/// amplifies its error. Functions such as `exp` are the device's.
///
/// # Determinism
/// That of [`C2c`]: equal plans on one adapter give equal bits.
///
/// # Cost
/// One pass for each axis but the first there, one for each of these back, and one for the first
/// axis, which is transformed there and back with the fragment in between: along one axis that is
/// all. If the first axis does not fit a workgroup, its transforms take passes of their own. The
/// spectrum as a whole is stored only then. Nothing is stored or transformed for the padding. Along
/// one axis, a row of reals takes the arithmetic of a complex one, so that no row reaches another.
/// [`next_fast_len`](crate::fft::next_fast_len) says which lengths a device transforms fast.
///
/// # Errors
/// Planning returns [`Error::Empty`]; [`Error::Unsupported`] for shapes of more than 3 axes, for
/// lengths that are shorter than the signal, for a real filter without the last axis, and for
/// [`Edge::Odd`]; the errors of [`C2c`].
///
/// # Sources
/// A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal Processing, Prentice Hall 1989, chapters
/// 5 and 8.
///
/// [`C2c`]: crate::fft::C2c
/// [`C2c::forward`]: crate::fft::C2c::forward
#[must_use]
pub struct SpectralFilter<I, O> {
    core: Core,
    element: PhantomData<fn(I) -> O>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Core {
    ends: Ends,
    shape: Shape,
    batch: usize,
    /// In the form of [`Shape::canonical_axes`].
    axes: Option<Vec<usize>>,
    lengths: Option<Shape>,
    edge: Edge,
    layouts: [Option<Layout>; 2],
    response: Response,
}

/// What is done to the spectrum.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Response {
    Fragment(Checked),
    /// A delay along each axis: the bits of numbers of samples.
    Delay(Vec<u64>),
}

typed!(SpectralFilter<I: Element, O: Element> { core }, I => O, FilterRecipe);

impl SpectralFilter<f32, f32> {
    /// A filter from real signals to real signals.
    ///
    /// # Errors
    /// Those of [`map_input`](Self::map_input), if the fragment is not valid.
    pub fn real(shape: impl Into<Shape>, fragment: Fragment) -> Result<Self> {
        Self::by_fragment(shape.into(), fragment)
    }
}

impl SpectralFilter<Complex32, Complex32> {
    /// A filter from complex signals to complex signals.
    ///
    /// # Errors
    /// Those of [`map_input`](Self::map_input), if the fragment is not valid.
    pub fn complex(shape: impl Into<Shape>, fragment: Fragment) -> Result<Self> {
        Self::by_fragment(shape.into(), fragment)
    }
}

impl<T: Number> SpectralFilter<T, T> {
    fn by_fragment(shape: Shape, fragment: Fragment) -> Result<Self> {
        let response = Response::Fragment(Filter::check(fragment, shape.rank())?);
        Ok(Self::new(shape, response))
    }

    /// A delay by these numbers of samples, one for each axis.
    pub(super) fn delay(shape: Shape, delays: &[f64]) -> Self {
        // An axis without a delay need not be transformed. Of reals, the last one is in any case.
        let rank = shape.rank();
        let mut axes: Vec<usize> =
            (0..rank).filter(|&axis| delays.get(axis).is_some_and(|&delay| delay != 0.0) || T::REAL && axis + 1 == rank).collect();
        if axes.is_empty() {
            axes.push(rank - 1);
        }
        // -0 is no other delay than 0.
        let response = Response::Delay(delays.iter().map(|delay| (delay + 0.0).to_bits()).collect());
        Self::new(shape, response).axes(axes)
    }

    fn new(shape: Shape, response: Response) -> Self {
        let (axes, lengths, edge, layouts) = Default::default();
        let core = Core { ends: Ends::of::<T, T>(), shape, batch: 1, axes, lengths, edge, layouts, response };
        Self { core, element: PhantomData }
    }
}

impl<I: Element, O: Element> SpectralFilter<I, O> {
    settings! { own:
        /// Filters `count` signals. They are stored one after the other unless a layout says
        /// otherwise.
        batch(count: usize) => own.core.batch = count;

        /// Transforms only these axes, counted from the slowest, in any order. By default all axes
        /// are transformed. On the others, `i0` … are positions, and `k0` … mean nothing.
        axes(axes: impl Into<Axes>) => own.core.axes = own.core.shape.canonical_axes(axes.into().as_ref());

        /// Sets the lengths of the transforms, one for each axis of the shape. They must not be
        /// shorter than the shape, and equal to it on axes that are not transformed.
        lengths(lengths: impl Into<Shape>) => own.core.lengths = Some(lengths.into());

        /// Sets how the signal continues into the padding, if the [`lengths`](Self::lengths) are
        /// longer than it. Zeros come after the signal. All else comes in halves before and after
        /// it, with one more after it if the number is odd; then the spectrum is that of the padded
        /// signal from its first element on.
        edge(edge: Edge) => own.core.edge = edge;

        /// Sets where the input's elements lie. The default is dense.
        input_layout(layout: Layout) => own.core.layouts[0] = Some(layout);

        /// Sets where the output's elements lie. The default is dense. Gaps between the elements
        /// are not written.
        output_layout(layout: Layout) => own.core.layouts[1] = Some(layout);
    }
}

maps! { SpectralFilter:
    /// Applies a fragment to every element that is loaded. The input array has elements of type `T`
    /// then, and the fragment's result is what is transformed: an `f32` for a real filter and a
    /// `vec2<f32>` for a complex one. Padding with zeros is padding after the fragment.
    map_input;

    /// Applies a fragment to every result before it is stored. The output array has elements of
    /// type `T` then.
    map_output;
}

impl Core {
    fn is_real(&self) -> bool {
        self.ends.is_real(End::Input)
    }

    /// The transforms with what is between them.
    fn filter(&self) -> Result<Filter> {
        self.edge.check_of_filter(self)?;
        let Self { ends, shape, batch, edge, layouts, .. } = self;
        shape.elements("spectral filter", *batch)?;
        let rank = shape.rank();
        refuse_if(rank > 3, self, "a filter has at most 3 axes")?;
        let axes = shape.axes(self.axes.as_deref()).map_err(|why| Error::unsupported(self, why))?;
        refuse_if(
            self.is_real() && !axes.contains(&(rank - 1)),
            self,
            "of real signals the last axis must be transformed: its spectrum is the one of half the length",
        )?;
        let lengths = self.checked_lengths(&axes)?;
        let frame = |end: End| {
            let axis = |(&n, &length): (&usize, &u32)| {
                let padding = length - n as u32;
                let edge = if padding == 0 { Edge::Zero } else { *edge };
                let before = if edge == Edge::Zero { 0 } else { padding / 2 };
                let whole = Windowed { len: n as u32, ..Windowed::whole(length) };
                match end {
                    _ if edge == Edge::Zero => whole,
                    End::Input => Windowed { edge, before, after: padding - before, ..whole },
                    End::Output => Windowed { first: before, ..whole },
                }
            };
            shape.extents().iter().zip(&lengths).map(axis).collect()
        };
        let fragment = match &self.response {
            Response::Fragment(fragment) => fragment.clone(),
            Response::Delay(delays) => {
                let delays: Vec<f64> = delays.iter().copied().map(f64::from_bits).collect();
                let fragment = delaying(&delays, &lengths, &axes).map_err(|why| Error::unsupported(self, why))?;
                Filter::check(fragment, rank)?
            }
        };
        let frames = [frame(End::Input), frame(End::Output)];
        Ok(Filter { real: self.is_real(), axes, frames, batch: *batch, layouts: *layouts, maps: ends.maps.clone(), fragment })
    }

    /// The lengths of the transforms, and the extents of axes that are not transformed.
    fn checked_lengths(&self, axes: &[usize]) -> Result<Vec<u32>> {
        let extents = self.shape.extents();
        let lengths = self.lengths.unwrap_or(self.shape);
        refuse_if(
            lengths.given() != self.shape.given(),
            self,
            format_args!("{} lengths were given for {} axes", lengths.given(), extents.len()),
        )?;
        let checked = |(axis, (&n, &length)): (usize, (&usize, &usize))| {
            refuse_if(length < n, self, format_args!("along axis {axis} a transform of {length} is too short for a signal of {n}"))?;
            refuse_if(
                length != n && !axes.contains(&axis),
                self,
                format_args!("axis {axis} is not transformed, so its length is {n}, not {length}"),
            )?;
            check_count(|| format!("`{self}`, its transform along axis {axis}"), length as u64)?;
            Ok(length as u32)
        };
        extents.iter().zip(lengths.extents()).enumerate().map(checked).collect()
    }
}

impl Computation for Core {
    type Recipe = FilterRecipe;

    fn design(&self, profile: &DeviceProfile) -> Result<FilterRecipe> {
        self.filter()?.design(profile)
    }

    fn lower(&self, recipe: &FilterRecipe, profile: &DeviceProfile) -> Result<Program> {
        let filter = self.filter()?;
        let [input, output] = filter.arrays()?;
        let title = self.to_string();
        let mut program = self.ends.program(title.clone(), [input.len, output.len], profile)?;
        filter.append(recipe, &title, profile, &mut program, [Slot::Input(0), Slot::Output])?;
        Ok(program.share_workspaces())
    }
}

impl Sealed for Core {
    fn leaves_gaps(&self) -> bool {
        self.layouts[1].is_some()
    }

    fn has_wgsl(&self) -> bool {
        matches!(self.response, Response::Fragment(_)) || self.ends.has_wgsl()
    }

    fn verification(&self) -> Verification {
        self.ends.verification(2e-5)
    }
}

impl Search for Core {
    /// The first axis in passes of its own.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<FilterRecipe> {
        let own = self.design(profile).ok();
        let in_passes = self.filter().and_then(|filter| filter.design_in_passes(profile)).ok();
        others(own.as_ref(), in_passes)
    }
}

/// ``filter real 1080x1920 x4 axes=1 lengths=1080x2048 reflect in=2048,1 out=2048,1 by `value *
/// f1` ``, where defaults are left out.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "filter {} {}", if self.is_real() { "real" } else { "complex" }, Batched(self.shape, self.batch))?;
        Field("axes", self.axes.as_ref().map(|axes| join(axes, ","))).fmt(f)?;
        Field("lengths", self.lengths.map(|lengths| join(lengths.extents(), "x"))).fmt(f)?;
        let [input, output] = self.layouts;
        write!(f, "{}{}{}", Flag(self.edge, self.edge != Edge::Zero), Field("in", input), Field("out", output))?;
        match &self.response {
            Response::Fragment(fragment) => write!(f, " by {}", fragment.fragment)?,
            Response::Delay(delays) => {
                let delays: Vec<f64> = delays.iter().copied().map(f64::from_bits).collect();
                write!(f, " delay={}", join(&delays, ","))?;
            }
        }
        Maps(&self.ends.maps).fmt(f)
    }
}
