//! Spectra on a fine grid in a band of frequencies.

use std::fmt;
use std::marker::PhantomData;

use num_complex::Complex32;

use super::chirp::{Grid, bits_of};
use super::convolve::{By, Recipe};
use super::ends::times;
use super::number::Number;
use super::parse::{batch_before, shape_after};
use super::spectrum::{Points, Spectrum, not_finite, spectrum};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::fft::ops::filter::{Filter, FilterRecipe};
use crate::fft::spec::window::Windowed;
use crate::fft::{End, TransformKind, next_fast_len};
use crate::fragment::{Checked, Form, Side};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::plan::{Computation, Program, Search, typed};
use crate::settings::settings;
use crate::shape::Shape;
use crate::text::{join, parsed};

/// The spectrum of a signal on a grid as fine as you like, in a band of frequencies: the chirp-Z
/// transform along one axis, as `scipy.signal.zoom_fft`.
///
/// ```no_run
/// use wgpu_fft::{Complex32, Planner, signal::Zoom};
///
/// # fn beats(planner: &Planner, echoes: &[f32]) -> wgpu_fft::Result<Vec<Complex32>> {
/// // 64 echoes of 4096 samples: 500 frequencies from 0.11 to 0.12 cycles per sample.
/// let zoom = Zoom::<f32>::new([64, 4096], [0.11, 0.12], 500);
/// let beats = planner.plan(zoom)?.run(echoes)?.wait()?; // 64 x 500 numbers
/// # Ok(beats)
/// # }
/// ```
///
/// # Definition
/// Along the axis, for a signal x of length n and a band from f₀ to f₁ with m points:
///
/// y\[k\] = Σⱼ x\[j\] · exp(-2πi·j·fₖ), with fₖ = f₀ + k·(f₁ - f₀)/m, k = 0 … m-1
///
/// With [`endpoint`](Self::endpoint) the band is divided by m - 1, so that the last frequency is
/// f₁. Frequencies are in cycles per sample: divide those in Hz by the sampling rate, SciPy's `fs`
/// (whose default is 2). They may be negative, and f₁ may be below f₀. The band from 0 to 1 with n
/// points is the FFT. With j·k = (j² + k² - (k - j)²)/2 (Bluestein), y is a product with a chirp, a
/// convolution with a chirp, and a product with a chirp.
///
/// # Shapes
/// The input has the shape that is given, b times; in the output the axis has m elements. The axis
/// is the last one unless [`axis`](Self::axis) says otherwise, and the other axes behave like
/// batches. All arrays are dense and row-major. The input is f32 or complex f32 and the output
/// complex f32, unless fragments map them ([`map_input`](Self::map_input),
/// [`map_output`](Self::map_output)). To a fragment `n0`, … are the lengths of the transforms.
///
/// # Accuracy
/// The two-norm of the error is at most (6·√log₂N + 10)·u·w times that of the signal, where N is
/// the length of the transforms, u = 2⁻²⁴, and w the largest magnitude in the chirp's spectrum: at
/// most n + m - 1, and for a step s = |f₁ - f₀|/m at most about 1.2·(1 + (n + m)·s)/√s. Of signals
/// that are spread over all frequencies the error is about 4·u·√log₂N times the result. But
/// rounding is that of the whole signal: next to a strong tone outside of a narrow band, what is
/// weak in the band has fewer digits. The chirps are computed in f64, with their angles reduced
/// exactly, for signals of any length.
///
/// # Determinism
/// That of [`C2c`](crate::fft::C2c): equal plans on one adapter give equal bits.
///
/// # Cost
/// That of a convolution along the axis with a length N ≥ n + m - 1 that the device transforms
/// fast; the recipe prints it. If N fits a workgroup, it is one dispatch, which reads the signal
/// once and writes only the m results. A longer N takes the passes of its transform there and back,
/// with a workspace. Constants on the device: n + m + N complex numbers. An FFT padded to the same
/// grid would take transforms of length m/|f₁ - f₀|.
///
/// # Errors
/// Planning returns [`Error::Empty`]; [`Error::Unsupported`] for shapes of more than 3 axes, for an
/// axis that the shape does not have, and for frequencies that are not finite;
/// [`Error::LimitExceeded`] for 2³² or more elements, and if n + m - 1 exceeds 2³¹; the errors of
/// [`C2c`](crate::fft::C2c).
///
/// # Sources
/// L. R. Rabiner, R. W. Schafer and C. M. Rader, The Chirp z-Transform Algorithm, IEEE Trans. Audio
/// Electroacoustics 17 (1969) 86.
#[must_use]
pub struct Zoom<I, O = Complex32> {
    core: Core,
    element: PhantomData<fn(I) -> O>,
}

/// The points of a band.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Band {
    /// Bits of the frequencies.
    ends: [u64; 2],
    points: usize,
    endpoint: bool,
}

type Core = Spectrum<Band>;

typed!(Zoom<I: Element, O: Element> { core }, I => O, Recipe);

impl<T: Number> Zoom<T> {
    /// The spectrum of a signal of this shape along its last axis: `points` frequencies from
    /// `band[0]` to `band[1]`, in cycles per sample.
    pub fn new(shape: impl Into<Shape>, band: [f64; 2], points: usize) -> Self {
        let band = Band { ends: band.map(bits_of), points, endpoint: false };
        Self { core: Core::new::<T>(shape.into(), band), element: PhantomData }
    }
}

impl<I: Element, O: Element> Zoom<I, O> {
    settings! { own:
        /// Whether the last frequency is the end of the band. The default is not: it is one step
        /// before it. A single point is always the begin of the band.
        endpoint(included: bool) => own.core.points.endpoint = included;
    }

    /// The frequencies of the results, in cycles per sample.
    ///
    /// # Errors
    /// The errors of planning that do not depend on the device.
    pub fn frequencies(&self) -> Result<Vec<f64>> {
        self.core.sizes()?;
        let grid = self.core.grid();
        Ok((0..self.core.points.points).map(|k| grid.frequency(k)).collect())
    }
}

spectrum! { Zoom:
    /// It costs the same.
    adjoint;

    /// Applies a fragment of WGSL to every element that is loaded: a window, or a conversion. The
    /// input array has elements of type `T` then, and the fragment's result is an `f32` for a zoom
    /// into real signals and a `vec2<f32>` for one into complex signals. It costs no pass.
    map_input;
}

impl Points for Band {
    const WORD: &'static str = "zoom";

    fn count(&self) -> usize {
        self.points
    }

    fn wrong(&self, _: usize) -> Option<String> {
        not_finite(&self.ends)
    }

    fn flags(&self) -> &'static str {
        if self.endpoint { " endpoint" } else { "" }
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "to {} in {}", self.points, join(&self.ends.map(f64::from_bits), ".."))
    }
}

impl Core {
    /// What they have along the axis.
    fn lens(&self) -> [usize; 2] {
        self.shapes().map(|shape| shape.extents()[self.axis])
    }

    fn grid(&self) -> Grid {
        let Band { ends, points, endpoint } = self.points;
        let parts = if endpoint { points.max(2) - 1 } else { points };
        Grid { band: ends, parts: parts as u32, adjoint: self.adjoint }
    }

    /// The shortest length of the transforms. What is not wanted may fall onto itself.
    fn least(&self) -> usize {
        let [from, to] = self.lens();
        from + to - 1
    }

    /// The convolution with a chirp between products with chirps, which lie in these slots.
    fn filter(&self, length: u32, [first, spectrum, second]: [Slot; 3]) -> Result<Filter> {
        let (axis, rank) = (self.axis, self.shape.rank());
        let frame = |len: usize| {
            let own = |(own, &extent): (usize, &usize)| {
                if own == axis { Windowed { len: len as u32, ..Windowed::whole(length) } } else { Windowed::whole(extent as u32) }
            };
            self.shape.extents().iter().enumerate().map(own).collect()
        };
        let [product, factors] = ["product", "factors"].map(|name| self.ends.free_name(name));
        let by = |value: Form, result: Form, len: usize, slot: Slot| {
            let fragment = times(value, result, &product, &format!("{factors}[i{axis}]"));
            fragment.slot::<Complex32>(&factors, len, Some(slot))
        };
        let [from, to] = self.lens();
        let [load, store] = [(End::Input, from, first), (End::Output, to, second)].map(|(end, len, slot)| {
            let form = self.ends.form(end);
            let own = if end == End::Input { by(form, Form::COMPLEX, len, slot) } else { by(Form::COMPLEX, form, len, slot) };
            let (array, element) = self.ends.array(end);
            let side = Side::of(end as usize, rank, array, Form::COMPLEX);
            Checked::new(self.ends.joined(end, own, |axis| axis), element, side)
        });
        Ok(Filter {
            real: false,
            axes: vec![axis],
            frames: [frame(from), frame(to)],
            batch: self.batch,
            layouts: [None; 2],
            maps: [Some(load?), Some(store?)],
            fragment: Filter::check(by(Form::COMPLEX, Form::COMPLEX, length as usize, spectrum), rank)?,
        })
    }

    /// The filter, where it does not matter which arrays hold its constants.
    fn like(&self, length: u32) -> Result<Filter> {
        self.filter(length, [Slot::Table(0); 3])
    }

    /// The kernel's spectrum is constant.
    fn recipe(length: u32, filter: FilterRecipe) -> Recipe {
        Recipe { lengths: vec![length], by: By::Transforms { kernel: None, filter } }
    }

    fn with_length(&self, length: u32, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(Self::recipe(length, self.like(length)?.design(profile)?))
    }
}

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        self.sizes()?;
        let length = next_fast_len(profile, TransformKind::C2c, self.least())? as u32;
        self.with_length(length, profile)
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let sizes = self.sizes()?;
        let title = self.to_string();
        let unfit = |why: String| Error::unfit(recipe, self, why);
        let &[length] = &recipe.lengths[..] else {
            return Err(unfit(format!("it has {} lengths for one axis", recipe.lengths.len())));
        };
        if (length as usize) < self.least() {
            return Err(unfit(format!("a transform of {length} is too short: it needs at least {}", self.least())));
        }
        let By::Transforms { kernel: None, filter } = &recipe.by else {
            return Err(unfit("only transforms there and back are computed, with a kernel whose spectrum is constant".to_owned()));
        };
        let mut program = self.ends.program(title.clone(), sizes, profile)?;
        program.notes.push(format!("transforms of length {length}"));
        let [from, to] = self.lens();
        let slots = self.grid().tables(from as u32, to as u32, length).map(|table| program.table(table));
        self.filter(length, slots)?.append(filter, &title, profile, &mut program, [Slot::Input(0), Slot::Output])?;
        Ok(program.share_workspaces())
    }
}

impl Search for Core {
    /// Other lengths, and the transform in passes of its own.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(own) = self.design(profile) else { return Vec::new() };
        let lengths = [self.least().next_power_of_two() as u32, self.least() as u32];
        let mut all: Vec<Recipe> = lengths.into_iter().filter_map(|length| self.with_length(length, profile).ok()).collect();
        let in_passes = self.like(own.lengths[0]).and_then(|filter| filter.design_in_passes(profile));
        all.extend(in_passes.ok().map(|filter| Self::recipe(own.lengths[0], filter)));
        crate::plan::others(Some(&own), all)
    }
}

parsed!(
    /// It is no adjoint and has no fragments.
    Zoom<T> where T: Number, |whole| {
        let (text, shape, mut words) = shape_after(&["zoom", T::NAME], whole)?;
        let batch = batch_before("to", text, &mut words)?;
        let points = text.number(words.one("a number of points")?)?;
        words.skip("in")?;
        let band = words.one("a band, such as 0.1..0.2")?;
        let (f0, f1) = band.split_once("..").ok_or_else(|| text.wrong(band, "expected a band, such as 0.1..0.2"))?;
        let mut fields = words.fields();
        let mut zoom = Self::new(shape, [text.number(f0)?, text.number(f1)?], points).batch(batch).endpoint(fields.flag("endpoint"));
        if let Some(axis) = fields.value("axis") {
            zoom = zoom.axis(text.number(axis)?);
        }
        fields.done("axis=0 or endpoint, each at most once")?;
        Ok(zoom)
    }
);
