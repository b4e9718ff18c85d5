//! Spectra at a list of frequencies.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use num_complex::Complex32;

use super::checks::check_axis;
use super::chirp::{Frequency, bits_of};
use super::ends::{Ends, maps, times};
use super::number::Number;
use super::parse::{batch_and, shape_after};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::fft::ops::filter::Filter;
use crate::fft::ops::step::Step;
use crate::fft::spec::window::Windowed;
use crate::fft::{self, End};
use crate::fragment::{Form, Fragment, Maps};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::layout::Layout;
use crate::plan::program::Table;
use crate::plan::{Computation, Program, Sealed, Search, Spec, typed};
use crate::reduce::{self, Reduction};
use crate::settings::settings;
use crate::shape::{Batched, Shape};
use crate::strides::dense;
use crate::text::{Text, join, parsed};
use crate::verify::Verification;

/// The spectrum of a signal at a list of frequencies, along one axis: what Goertzel's algorithm
/// computes, and `goertzel` in MATLAB.
///
/// ```no_run
/// use wgpu_fft::{Complex32, Planner, signal::Frequencies};
///
/// # fn keys(planner: &Planner, calls: &[f32]) -> wgpu_fft::Result<Vec<Complex32>> {
/// // The 8 tones of a telephone's keys in 200 blocks of 205 samples, of which there are 8000 a second.
/// let tones = [697.0, 770.0, 852.0, 941.0, 1209.0, 1336.0, 1477.0, 1633.0].map(|hertz| hertz / 8000.0);
/// let keys = planner.plan(Frequencies::<f32>::new([200, 205], tones))?.run(calls)?.wait()?; // 200 x 8
/// // The elements 3, 17 and 1000 of the FFT of each of 64 rows.
/// let some = Frequencies::<f32>::bins([64, 4096], [3, 17, 1000]);
/// # let _ = some;
/// # Ok(keys)
/// # }
/// ```
///
/// # Definition
/// Along the axis, for a signal x of length n and the frequencies f₀, f₁, …:
///
/// y\[k\] = Σⱼ x\[j\] · exp(-2πi·j·fₖ)
///
/// Frequencies are in cycles per sample: divide those in Hz by the sampling rate. They may be any
/// finite numbers, in any order, also more than once. [`bins`](Self::bins) takes indices of the FFT
/// instead, fₖ = binₖ/n. For frequencies at equal distances, [`Zoom`](super::Zoom) is faster; for
/// neighbouring elements of an FFT, [`C2c::output_part`](crate::fft::C2c::output_part).
///
/// # Shapes
/// The input has the shape that is given, b times; in the output the axis has as many elements as
/// there are frequencies. The axis is the last one unless [`axis`](Self::axis) says otherwise, and
/// the other axes behave like batches. All arrays are dense and row-major. The input is f32 or
/// complex f32 and the output complex f32, unless fragments map them
/// ([`map_input`](Self::map_input), [`map_output`](Self::map_output)).
///
/// # Accuracy
/// Summed directly, |error| ≤ 2·u·(d + 4)·Σ|x| with u = 2⁻²⁴, where d is the number of additions
/// that an element passes through: tens, as for [`reduce::sum`]. The factors are products of two
/// numbers that were computed in f64, with their angles reduced exactly, for signals of any length;
/// the recursion of Goertzel's algorithm, whose errors grow with n², is not used. By a transform the
/// error is that of [`C2c`](crate::fft::C2c) or [`R2c`](crate::fft::R2c).
///
/// # Determinism
/// Equal plans on one adapter give equal bits.
///
/// # Cost
/// A few frequencies are summed directly: each reads the signal once, mostly from a cache, in one
/// or two dispatches. The constants take about 2·√n complex numbers for each frequency. Where a
/// transform has fewer operations, for about log₂n/4 of the FFT's own frequencies, of reals log₂n/6,
/// they are taken from the whole spectrum: the passes of the transform, and one more that reads and writes only
/// the results. Frequencies between those of the FFT are summed directly, however many there are.
///
/// # Errors
/// Planning returns [`Error::Empty`], also without a frequency; [`Error::Unsupported`] for shapes of
/// more than 3 axes, for an axis that the shape does not have, for frequencies that are not finite,
/// and for bins of n or more; [`Error::LimitExceeded`] for 2³² or more elements, and for as many
/// products where frequencies are summed directly; [`Error::UnfitRecipe`] for a recipe given by
/// hand.
///
/// # Sources
/// G. Goertzel, An Algorithm for the Evaluation of Finite Trigonometric Series, Am. Math. Monthly 65
/// (1958) 34; for its errors, W. M. Gentleman, Comput. J. 12 (1969) 160.
#[must_use]
pub struct Frequencies<I, O = Complex32> {
    core: Core,
    element: PhantomData<fn(I) -> O>,
}

/// Spectra without their types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Core {
    ends: Ends,
    shape: Shape,
    batch: usize,
    axis: usize,
    at: At,
    /// Whether it is the adjoint, from spectra to signals of this shape.
    adjoint: bool,
}

/// The frequencies.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum At {
    /// Elements of the FFT.
    Bins(Vec<usize>),
    /// Bits of numbers of cycles per sample.
    Cycles(Vec<u64>),
}

/// Operations of a sum for each number and each frequency, with the words that it loads: two numbers
/// from tables, their product, and the product with a complex number, or with a real one. On a
/// software driver 2²⁰ reals in rows of 2⁸, 2¹², 2¹⁶ and 2²⁰ take as long either way for 1, 1, 2 and
/// 4 frequencies.
const SUM: f64 = 18.0;
const SUM_OF_REALS: f64 = 14.0;

/// What stands between the two recipes.
const PICK: &str = " / pick ";

/// All decisions on a spectrum at a list of frequencies.
///
/// The text form is `sums workgroup=256 ...`, or `axis 0: ... / pick workgroup=256 ...`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The transform from whose spectrum frequencies are picked. Without it they are summed
    /// directly.
    pub transform: Option<fft::Recipe>,
    /// The sums, or those of one element that pick.
    pub sums: reduce::Recipe,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.transform {
            None => write!(f, "sums {}", self.sums),
            Some(transform) => write!(f, "{transform}{PICK}{}", self.sums),
        }
    }
}

parsed!(Recipe, |whole| {
    if let Some(sums) = whole.strip_prefix("sums ") {
        return Ok(Self { transform: None, sums: sums.parse()? });
    }
    let text = Text::new("recipe", whole);
    let (transform, sums) = whole.rsplit_once(PICK).ok_or_else(|| text.wrong(whole, "expected `sums …` or `… / pick …`"))?;
    Ok(Self { transform: Some(transform.parse()?), sums: sums.parse()? })
});

typed!(Frequencies<I: Element, O: Element> { core }, I => O, Recipe);

impl<T: Number> Frequencies<T> {
    /// The spectrum of a signal of this shape along its last axis, at frequencies in cycles per
    /// sample.
    pub fn new(shape: impl Into<Shape>, frequencies: impl AsRef<[f64]>) -> Self {
        Self::at(shape.into(), At::Cycles(frequencies.as_ref().iter().copied().map(bits_of).collect()))
    }

    /// These elements of the FFT of a signal of this shape along its last axis. Of n, element n - k
    /// is that of the frequency -k/n.
    pub fn bins(shape: impl Into<Shape>, bins: impl AsRef<[usize]>) -> Self {
        Self::at(shape.into(), At::Bins(bins.as_ref().to_vec()))
    }

    fn at(shape: Shape, at: At) -> Self {
        let core = Core { ends: Ends::new::<T>(), shape, batch: 1, axis: shape.rank() - 1, at, adjoint: false };
        Self { core, element: PhantomData }
    }
}

impl<I: Element, O: Element> Frequencies<I, O> {
    settings! { own:
        /// Transforms along this axis, counted from the slowest.
        axis(axis: usize) => own.core.axis = axis;

        /// Transforms `count` arrays, stored one after the other.
        batch(count: usize) => own.core.batch = count;
    }

    /// The adjoint, as [`C2c::adjoint`](crate::fft::C2c::adjoint) defines it: x\[j\] = Σₖ y\[k\] ·
    /// exp(2πi·j·fₖ), of which signals that are real have the real part. It is always summed directly.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with fragments, which need not be linear; those of planning that do not
    /// depend on the device.
    pub fn adjoint(&self) -> Result<Frequencies<O, I>> {
        Ok(Frequencies { core: self.core.adjoint()?, element: PhantomData })
    }

    /// The shape of a result.
    ///
    /// # Errors
    /// The errors of planning that do not depend on the device.
    pub fn output_shape(&self) -> Result<Shape> {
        self.core.sizes()?;
        let [_, output] = self.core.shapes();
        Ok(output)
    }
}

maps! { Frequencies:
    /// Applies a fragment of WGSL to every element that is loaded: a window, or a conversion. The
    /// input array has elements of type `T` then, and the fragment's result is an `f32` for real
    /// signals and a `vec2<f32>` for complex ones. It costs no pass. Where frequencies are summed
    /// directly, it is applied once for each of them.
    map_input;

    /// Applies a fragment to every result before it is stored: magnitudes, or decibels. Its `value`
    /// is the `vec2<f32>` y\[k\], and the index on the axis is k.
    map_output;
}

/// Sums, whose fragment takes further inputs: those behind the first one.
struct Sums {
    reduction: Reduction<f32, f32>,
    /// Constants that are inputs.
    tables: Vec<Table>,
}

impl Core {
    fn mapped(mut self, end: End, fragment: Fragment, array: Form, element: &'static str) -> Result<Self> {
        self.ends = self.ends.mapped(end, self.shape.rank(), fragment, array, element)?;
        Ok(self)
    }

    fn adjoint(&self) -> Result<Self> {
        Maps(&self.ends.maps).check_linear(self)?;
        self.sizes()?;
        Ok(Self { ends: self.ends.reversed(), adjoint: !self.adjoint, ..self.clone() })
    }

    /// The end of the signal.
    fn signal(&self) -> End {
        if self.adjoint { End::Output } else { End::Input }
    }

    fn is_real(&self) -> bool {
        self.ends.form(self.signal()) == Form::REAL
    }

    fn count(&self) -> usize {
        match &self.at {
            At::Bins(bins) => bins.len(),
            At::Cycles(cycles) => cycles.len(),
        }
    }

    /// The shapes of an input and of a result.
    fn shapes(&self) -> [Shape; 2] {
        let spectrum = self.shape.with(self.axis, self.count());
        if self.adjoint { [spectrum, self.shape] } else { [self.shape, spectrum] }
    }

    /// The length of the axis.
    fn n(&self) -> usize {
        self.shape.extents()[self.axis]
    }

    /// Elements of all inputs, and of all results.
    fn sizes(&self) -> Result<[usize; 2]> {
        let signal = self.shape.elements("spectrum at frequencies", self.batch)?;
        check_axis(self, "spectra at frequencies have", self.shape, self.axis)?;
        let n = self.n();
        match &self.at {
            At::Bins(bins) => bins.iter().find(|bin| **bin >= n).map(|bin| format!("bin {bin}: those of {n} elements are 0 to {}", n - 1)),
            At::Cycles(all) => {
                let not_finite = all.iter().map(|f| f64::from_bits(*f)).find(|f| !f.is_finite());
                not_finite.map(|f| format!("the frequency {f} is not finite"))
            }
        }
        .map_or(Ok(()), |why| Err(Error::unsupported(self, why)))?;
        let spectrum = self.shape.with(self.axis, self.count()).elements("result of a spectrum at frequencies", self.batch)?;
        Ok(if self.adjoint { [spectrum, signal] } else { [signal, spectrum] })
    }

    /// The sums for each result of `terms` elements. They are an axis behind that of the
    /// results, and these are the strides of the two in the array. The others are those of an array of
    /// such a shape, or 0.
    fn sums(
        &self,
        terms: usize,
        strides: [usize; 2],
        array: Option<Shape>,
        load: (Fragment, Form, &'static str),
    ) -> Result<Reduction<f32, f32>> {
        let own = |values: &[usize], along: [usize; 2]| {
            let mut all = values.to_vec();
            all.splice(self.axis..=self.axis, along);
            Shape::from(all)
        };
        let [_, results] = self.shapes();
        let shape = own(results.extents(), [results.extents()[self.axis], terms]);
        let (distance, others) =
            array.map_or((0, vec![0; results.rank()]), |array| (array.extents().iter().product(), dense(array.extents())));
        let layout = Layout::strides(own(&others, strides)).batch_distance(distance);
        // The batch makes the sums of all, which are counted by an index.
        shape.elements("products at frequencies", self.batch)?;
        // Sums are complex, and of the adjoint's real signals the real part.
        let behind = |axis| self.behind(axis);
        let store = match self.ends.form(End::Output) == Form::REAL {
            true => Some(self.ends.joined(End::Output, Fragment::new("value.x"), behind)),
            false => self.ends.map(End::Output, behind),
        };
        let store = store.map(|fragment| {
            let (form, element) = self.ends.array(End::Output);
            (fragment, form, element)
        });
        let sums = reduce::sum::<Complex32>(shape).axes([self.axis + 1]).batch(self.batch).input_layout(layout);
        sums.between(load, store)
    }

    /// The number of an axis of the results among those of the sums.
    fn behind(&self, axis: usize) -> usize {
        axis + usize::from(axis > self.axis)
    }

    /// The results as sums of products.
    fn direct(&self) -> Result<Sums> {
        let (n, count, axis) = (self.n(), self.count(), self.axis);
        let turned = |f: f64| (if self.adjoint { -f } else { f }).to_bits();
        let frequencies: Vec<Frequency> = match &self.at {
            At::Bins(bins) => bins.iter().map(|&bin| Frequency { f: turned(bin as f64), over: n as u32 }).collect(),
            At::Cycles(all) => all.iter().map(|&f| Frequency { f: turned(f64::from_bits(f)), over: 1 }).collect(),
        };
        // Of j, the high part and the low one.
        let bits = n.next_power_of_two().ilog2().div_ceil(2);
        let (low, high) = (1usize << bits, n.div_ceil(1 << bits));
        let [product, highs, lows] = ["product", "highs", "lows"].map(|name| self.ends.free_name(name));
        // The results are along one of them, and the terms along the other.
        let (mut k, mut j) = (format!("i{axis}"), format!("i{}", axis + 1));
        if self.adjoint {
            (k, j) = (j, k);
        }
        let factor = format!("{product}({highs}[{k} * {high}u + ({j} >> {bits}u)], {lows}[{k} * {low}u + ({j} & {}u)])", low - 1);
        let own = times(self.ends.form(End::Input), Form::COMPLEX, &product, &factor);
        let own = [(&highs, high, 1), (&lows, low, 2)]
            .iter()
            .fold(own, |own, (name, len, input)| own.slot::<Complex32>(name, len * count, Some(Slot::Input(*input))));
        // The array's own axis is that of the terms.
        let (array, element) = self.ends.array(End::Input);
        let in_front = |own: usize| own + usize::from(own >= axis);
        let load = (self.ends.joined(End::Input, own, in_front), array, element);
        let [from, _] = self.shapes();
        let extents = from.extents();
        let reduction = self.sums(extents[axis], [0, dense(extents)[axis]], Some(from), load)?;
        let tables = vec![Frequency::powers(&frequencies, 1 << bits, high as u32), Frequency::powers(&frequencies, 1, low as u32)];
        Ok(Sums { reduction, tables })
    }

    /// The transform of all frequencies, if they are among those of the results, and how results are
    /// picked from its spectrum. Of reals, the axis is the last one of the spectrum.
    fn by_transform(&self) -> Result<Option<(Step, Sums)>> {
        let (At::Bins(bins), false) = (&self.at, self.adjoint) else { return Ok(None) };
        let (n, real) = (self.n() as u32, self.is_real());
        let mut order: Vec<usize> = (0..self.shape.rank()).collect();
        if real {
            order.remove(self.axis);
            order.push(self.axis);
        }
        let extents = self.shape.extents();
        let place = |axis: usize| order.iter().position(|own| *own == axis).unwrap_or(axis);
        let lengths: Vec<u32> = order.iter().map(|&axis| extents[axis] as u32).collect();
        let whole: Vec<Windowed> = lengths.iter().map(|&n| Windowed::whole(n)).collect();
        let stored = Filter::spectrum(real, &lengths);
        let strides: Vec<usize> = order.iter().map(|&axis| dense(extents)[axis]).collect();
        let input = Layout::strides(strides).batch_distance(extents.iter().product());
        let (array, element) = self.ends.array(End::Input);
        let map = self.ends.map(End::Input, place);
        let step = Step::new(real, false, &[place(self.axis)], [whole, stored.clone()], self.batch).layouts([Some(input), None]);
        let step = match map {
            None => step,
            Some(map) => step.map_of(End::Input, map, array, element)?,
        };

        let stored: Vec<usize> = stored.iter().map(|window| window.len as usize).collect();
        let strides = dense(&stored);
        let [picked, own] = ["picked", "spectra"].map(|name| self.ends.free_name(name));
        let index = order.iter().zip(&strides).fold(format!("batch * {}u", stored.iter().product::<usize>()), |index, (&axis, stride)| {
            let along = if axis == self.axis { "(value >> 1u)".to_owned() } else { format!("i{}", self.behind(axis)) };
            format!("{index} + {along} * {stride}u")
        });
        // What a half-spectrum lacks is the conjugate of what it has.
        let functions =
            format!("fn {picked}(z: vec2<f32>, bin: u32) -> vec2<f32> {{\n    return vec2(z.x, select(z.y, -z.y, (bin & 1u) == 1u));\n}}");
        let load = Fragment::new(format!("{picked}({own}[{index}], value)")).functions(functions);
        let load = load.slot::<Complex32>(&own, step.array(End::Output).len, Some(Slot::Input(1)));
        let words = bins.iter().map(|&bin| {
            let is_mirrored = real && bin as u32 > n / 2;
            let stored = if is_mirrored { n - bin as u32 } else { bin as u32 };
            stored << 1 | u32::from(is_mirrored)
        });
        let words: Vec<u32> = words.collect();
        let label = format!("bins {} of {}{n}", join(bins, ","), if real { "half of " } else { "" });
        let table = Table::new(label, words.len() as u64, move || words.clone());
        let reduction = self.sums(1, [1, 0], None, (load, Form::U32, u32::NAME))?;
        Ok(Some((step, Sums { reduction, tables: vec![table] })))
    }

    fn picked(step: &Step, pick: &Sums, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(Recipe { transform: Some(step.design(profile)?), sums: pick.reduction.design(profile)? })
    }

    /// An error of the sums as one of all.
    fn named(&self, error: Error, recipe: &Recipe) -> Error {
        match error {
            Error::UnfitRecipe { why, .. } => Error::UnfitRecipe { recipe: recipe.to_string(), spec: self.to_string(), why },
            Error::LimitExceeded { limit, required, available, .. } => {
                Error::LimitExceeded { what: format!("`{self}`, its sums"), limit, required, available }
            }
            other => other,
        }
    }

    fn in_sums(&self, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(Recipe { transform: None, sums: self.direct()?.reduction.design(profile)? })
    }
}

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        self.sizes()?;
        let products = self.shape.elements("spectrum at frequencies", self.batch)? as f64 * self.count() as f64;
        let sums = products * if self.is_real() { SUM_OF_REALS } else { SUM };
        match self.by_transform()? {
            // What is picked from must be one binding.
            Some((step, pick)) if step.operations() < sums && step.array(End::Output).bytes() <= profile.binding_bytes => {
                Self::picked(&step, &pick, profile)
            }
            _ => self.in_sums(profile),
        }
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let mut program = self.ends.program(self.to_string(), self.sizes()?, profile)?;
        let (sums, inputs) = match &recipe.transform {
            None => {
                let sums = self.direct()?;
                let tables = sums.tables.iter().map(|table| program.table(table.clone()));
                let inputs: Vec<Slot> = [Slot::Input(0)].into_iter().chain(tables).collect();
                (sums, inputs)
            }
            Some(transform) => {
                let Some((step, pick)) = self.by_transform()? else {
                    let why = "only elements of the FFT can be picked from its spectrum".to_owned();
                    return Err(Error::UnfitRecipe { recipe: recipe.to_string(), spec: self.to_string(), why });
                };
                let spectra = program.workspace(step.array(End::Output));
                step.append(transform, profile, &mut program, [Slot::Input(0), spectra])?;
                let tables = pick.tables.iter().map(|table| program.table(table.clone()));
                let inputs: Vec<Slot> = tables.chain([spectra]).collect();
                (pick, inputs)
            }
        };
        let lowered = sums.reduction.lower(&recipe.sums, profile).map_err(|error| self.named(error, recipe))?;
        program.embed(lowered, &inputs, Slot::Output)?;
        Ok(program.share_workspaces())
    }
}

impl Search for Core {
    /// The other way.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(own) = self.design(profile) else { return Vec::new() };
        let by_transform = self.by_transform().ok().flatten();
        let picked = by_transform.and_then(|(step, pick)| Self::picked(&step, &pick, profile).ok());
        let all = [picked, self.in_sums(profile).ok()];
        crate::plan::others(Some(&own), all.into_iter().flatten())
    }
}

impl Sealed for Core {
    fn verification(&self) -> Verification {
        self.ends.verification()
    }
}

/// `frequencies f32 200x205 x4 at 0.1,0.25 axis=0 adjoint`, or `bins 3,17` in place of `at`, where
/// defaults are left out.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frequencies {} {}", self.ends.element(self.signal()), Batched(self.shape, self.batch))?;
        match &self.at {
            At::Bins(bins) => write!(f, " bins {}", join(bins, ","))?,
            At::Cycles(all) => write!(f, " at {}", join(&all.iter().map(|f| f64::from_bits(*f)).collect::<Vec<_>>(), ","))?,
        }
        if self.axis != self.shape.rank() - 1 {
            write!(f, " axis={}", self.axis)?;
        }
        f.write_str(if self.adjoint { " adjoint" } else { "" })?;
        Maps(&self.ends.maps).fmt(f)
    }
}

/// Parses the text that [`Display`](fmt::Display) prints, of specifications that are no adjoints and
/// have no fragments.
impl<T: Number> FromStr for Frequencies<T> {
    type Err = Error;

    fn from_str(whole: &str) -> Result<Self> {
        let text = Text::new("specification", whole);
        let (shape, mut words) = shape_after(&["frequencies", T::NAME], text, whole)?;
        let (batch, kind) = batch_and(&["at", "bins"], text, &mut words)?;
        let list = words.one("frequencies, such as 0.1,0.25")?;
        let at = match kind {
            "at" => At::Cycles(text.numbers(list, ',')?.into_iter().map(bits_of).collect()),
            _ => At::Bins(text.numbers(list, ',')?),
        };
        let mut fields = words.fields();
        let mut own = Self::at(shape, at).batch(batch);
        if let Some(axis) = fields.value("axis") {
            own = own.axis(text.number(axis)?);
        }
        fields.done("axis=0, at most once")?;
        Ok(own)
    }
}
