//! Resampling by Fourier transforms.

use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;

use num_complex::Complex32;

use super::ends::{Ends, maps, sealed};
use super::number::Number;
use super::parse::{batch_before, shape_after};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::fft::ops::filter::Filter;
use crate::fft::ops::step::Step;
use crate::fft::spec::window::Windowed;
use crate::fft::{End, FilterRecipe};
use crate::fragment::{Checked, Fragment, Maps, Side};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::layout::Layout;
use crate::plan::{Array, Computation, Program, Search, typed};
use crate::settings::settings;
use crate::shape::{Batched, Shape};
use crate::strides::dense;
use crate::text::{Flag, parsed};

/// Signals, pictures and volumes with more or fewer samples, by Fourier transforms: along each axis
/// as `scipy.signal.resample`.
///
/// ```no_run
/// use wgpu_fft::{Planner, signal::Resample};
///
/// # fn smaller(planner: &Planner, image: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// let plan = planner.plan(Resample::<f32>::new([1080, 1920], [720, 1280]))?;
/// let smaller = plan.run(image)?.wait()?; // 720 x 1280 numbers
/// # Ok(smaller)
/// # }
/// ```
///
/// # Definition
/// Along an axis of n elements that becomes one of m, with X = DFT(x) and h = min(n, m)/2:
///
/// y\[j\] = 1/n · Σₖ X\[k\] · exp(2πi·j·k/m), where k goes over the integers with |k| < h, and if
/// min(n, m) is even and n ≠ m also over ±h: for m < n both X\[h\] and X\[-h\] are added, for m > n
/// half of X\[h\] at h and half at -h.
///
/// This is the trigonometric polynomial through the samples, without its frequencies above those
/// that m samples can have, at the places j·n/m. The signal is taken to be periodic: where its end
/// does not meet its begin, there are ripples at both. Of real signals the result is real. Several
/// axes are resampled one after the other, in any order: the result is the same. An axis whose
/// length stays the same keeps its samples.
///
/// # Shapes
/// The first shape is that of the input, the second one that of the output, of as many axes; b
/// arrays of each. All arrays are dense and row-major. Input and output are both f32 or both
/// complex f32, unless fragments map them ([`map_input`](Self::map_input),
/// [`map_output`](Self::map_output)).
///
/// # Accuracy
/// The two-norm of the error, divided by √(m/n) for each axis, is at most 3·u times that of the
/// input, plus 1.5 times the bounds that [`C2c`](crate::fft::C2c) gives for transforms of length n
/// and of length m: 3·u·√log₂n along an axis, with u = 2⁻²⁴, or 6·u·√log₂n for lengths with a prime
/// factor above 31.
///
/// # Determinism
/// That of [`C2c`](crate::fft::C2c): equal plans on one adapter give equal bits.
///
/// # Cost
/// One transform there and one back of the axes that are resampled, each with the passes that its
/// lengths take: one pass for each axis that fits a workgroup. Of the spectrum only the frequencies
/// that both lengths have are stored and transformed further: along an axis min(n, m), or one more
/// if that is even; half as many along one axis of reals. Of reals that axis is the last one that
/// is resampled, and the recipe counts the axes as if it was the last of all. One workspace for
/// these frequencies. Lengths are transformed as they are: where they can be chosen,
/// [`next_fast_len`](crate::fft::next_fast_len) says which ones are fast.
///
/// # Errors
/// Planning returns [`Error::Empty`]; [`Error::Unsupported`] for shapes of different numbers of
/// axes, or of more than 3; [`Error::LimitExceeded`] for 2³² or more elements, and if the
/// frequencies do not fit one binding of the device; the errors of [`C2c`](crate::fft::C2c).
///
/// # Sources
/// A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal Processing, Prentice Hall 1989, chapters
/// 3 and 8; the documentation of SciPy's `resample`, whose conventions these are.
#[must_use]
pub struct Resample<I, O = I> {
    core: Core,
    element: PhantomData<fn(I) -> O>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Core {
    ends: Ends,
    shape: Shape,
    to: Shape,
    batch: usize,
    /// Whether it is the adjoint of resampling from `to` to `shape`.
    adjoint: bool,
}

typed!(Resample<I: Element, O: Element> { core }, I => O, FilterRecipe);

impl<T: Number> Resample<T> {
    /// Resamples an array of the first shape to the second one.
    pub fn new(from: impl Into<Shape>, to: impl Into<Shape>) -> Self {
        let core = Core { ends: Ends::of::<T, T>(), shape: from.into(), to: to.into(), batch: 1, adjoint: false };
        Self { core, element: PhantomData }
    }
}

impl<I: Element, O: Element> Resample<I, O> {
    settings! { own:
        /// Resamples `count` arrays, stored one after the other.
        batch(count: usize) => own.core.batch = count;
    }

    /// The adjoint, as [`C2c::adjoint`](crate::fft::C2c::adjoint) defines it. It is resampling
    /// back, divided by n instead of m, where n is the length before and m the one after; and where
    /// the shorter length is even, what was added or divided at half its rate is divided or added.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with fragments, which need not be linear; those of planning that do
    /// not depend on the device.
    pub fn adjoint(&self) -> Result<Resample<O, I>> {
        let Core { shape, to, adjoint, ends, .. } = &self.core;
        Maps(&ends.maps).check_linear(&self.core)?;
        self.core.sizes()?;
        let core = Core { shape: *to, to: *shape, adjoint: !adjoint, ..self.core.clone() };
        Ok(Resample { core, element: PhantomData })
    }
}

maps! { Resample:
    /// Applies a fragment of WGSL to every element that is loaded. The input array has elements of
    /// type `T` then, such as bytes, and the fragment's result is an `f32` where real numbers are
    /// resampled and a `vec2<f32>` where complex numbers are. It costs no pass.
    map_input;

    /// Applies a fragment to every result before it is stored. The output array has elements of
    /// type `T` then.
    map_output;
}

/// What is done along an axis, from n elements to m.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Axis {
    n: u32,
    m: u32,
    role: Role,
}

/// The part of an axis in the transforms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// It is not transformed.
    Other,
    /// All frequencies from -⌊h⌋ on are stored.
    Whole,
    /// The frequencies that are not negative are stored: the last axis of reals.
    Half,
}

/// What becomes of the frequency h, and of -h.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Nyquist {
    /// There is none that needs to be treated.
    Plain,
    /// They become one.
    Added,
    /// One becomes two halves.
    Split,
}

impl Axis {
    /// Frequencies that both lengths have.
    fn common(self) -> u32 {
        self.n.min(self.m)
    }

    fn nyquist(self) -> Nyquist {
        match self.n.cmp(&self.m) {
            Ordering::Less if self.common().is_multiple_of(2) => Nyquist::Split,
            Ordering::Greater if self.common().is_multiple_of(2) => Nyquist::Added,
            _ => Nyquist::Plain,
        }
    }

    /// Places in the workspace.
    fn stored(self) -> u32 {
        match (self.role, self.nyquist()) {
            (Role::Other, _) => self.n,
            (Role::Half, _) => self.common() / 2 + 1,
            (Role::Whole, Nyquist::Plain) => self.common(),
            // Of split frequencies the last place stays empty, so that there is one for each that
            // is loaded.
            (Role::Whole, _) => self.common() + 1,
        }
    }

    /// Frequencies of a length, from -⌊h⌋ on: one less than places in the workspace where h is
    /// `alone`.
    fn frequencies(self, length: u32, alone: Nyquist) -> Windowed {
        match self.role {
            Role::Other => Windowed::whole(length),
            Role::Half => Windowed { len: self.stored(), ..Windowed::half(length) },
            Role::Whole => {
                let first = (length - self.common() / 2) % length;
                let len = if self.nyquist() == alone { self.common() } else { self.stored() };
                Windowed { first, len, ..Windowed::whole(length) }
            }
        }
    }

    /// The frequencies that the first transform stores.
    fn kept(self) -> Windowed {
        self.frequencies(self.n, Nyquist::Split)
    }

    /// The frequencies that the second transform loads.
    fn loaded(self) -> Windowed {
        self.frequencies(self.m, Nyquist::Added)
    }
}

impl Core {
    /// The fragment at an end, for axes in the order of the transforms.
    fn map(&self, end: End, axes: &[(usize, Axis)]) -> Result<Option<Checked>> {
        let place = |axis: usize| axes.iter().position(|(own, _)| *own == axis).unwrap_or(axis);
        let Some(fragment) = self.ends.map(end, place) else { return Ok(None) };
        let (array, element) = self.ends.array(end);
        Checked::new(fragment, element, Side::of(end as usize, axes.len(), array, self.ends.form(end))).map(Some)
    }

    /// Elements of all inputs, and of all outputs.
    fn sizes(&self) -> Result<[usize; 2]> {
        let sizes = [self.shape.elements("resampling", self.batch)?, self.to.elements("result of a resampling", self.batch)?];
        let [rank, to] = [self.shape.rank(), self.to.rank()];
        if rank != to || rank > 3 {
            let why = format!("the input has {rank} axes and the output has {to}: both need the same number, at most 3");
            return Err(Error::unsupported(self, why));
        }
        Ok(sizes)
    }

    /// The axes in the order of the transforms, each with its number. Of reals, the last of those
    /// that are resampled is the last of all.
    fn axes(&self) -> Vec<(usize, Axis)> {
        let pairs = self.shape.extents().iter().zip(self.to.extents());
        let changed: Vec<usize> = pairs.clone().enumerate().filter(|(_, (n, m))| n != m).map(|(axis, _)| axis).collect();
        // If all lengths stay the same, one axis is transformed there and back.
        let last = changed.last().copied().unwrap_or(self.shape.rank() - 1);
        let axis = |(own, (&n, &m)): (usize, (&usize, &usize))| {
            let role = match (own == last, self.ends.is_real(End::Input)) {
                (true, true) => Role::Half,
                (true, false) => Role::Whole,
                _ if n != m => Role::Whole,
                _ => Role::Other,
            };
            (own, Axis { n: n as u32, m: m as u32, role })
        };
        let mut axes: Vec<(usize, Axis)> = pairs.enumerate().map(axis).collect();
        if self.ends.is_real(End::Input) {
            let half = axes.remove(last);
            axes.push(half);
        }
        axes
    }

    /// The transforms, with the frequencies between them in a slot, and the array of these.
    fn steps(&self, slot: Slot) -> Result<([Step; 2], Array)> {
        self.sizes()?;
        let axes = self.axes();
        let extents_of = |extent: fn(Axis) -> u32| {
            let mut extents = vec![0; axes.len()];
            axes.iter().for_each(|&(own, axis)| extents[own] = extent(axis) as usize);
            extents
        };
        let stored = extents_of(Axis::stored);
        let len = Shape::from(&stored[..]).elements("spectrum of a resampling", self.batch)?;
        let strides_of = |extents: &[usize]| {
            let strides = dense(extents);
            axes.iter().map(|(own, _)| strides[*own]).collect::<Vec<_>>()
        };
        let layout = |extents: &[usize]| Some(Layout::strides(strides_of(extents)).batch_distance(extents.iter().product()));
        let frame = |window: fn(Axis) -> Windowed| axes.iter().map(|(_, axis)| window(*axis)).collect::<Vec<_>>();
        let transformed: Vec<usize> = (0..axes.len()).filter(|&i| axes[i].1.role != Role::Other).collect();
        let all = |length: fn(Axis) -> u32| axes.iter().map(|(_, axis)| Windowed::whole(length(*axis))).collect::<Vec<_>>();
        let divisor = |axis: Axis| f64::from(if self.adjoint { axis.m } else { axis.n });
        let count: f64 = transformed.iter().map(|&i| divisor(axes[i].1)).product();
        let load = self.load(&axes, &strides_of(&stored), len, slot)?;
        let step = |inverse, frames| Step::new(self.ends.is_real(End::Input), inverse, &transformed, frames, self.batch);
        let forward = step(false, [all(|axis| axis.n), frame(Axis::kept)])
            .layouts([layout(self.shape.extents()), layout(&stored)])
            .maps([self.map(End::Input, &axes)?, None]);
        let back = step(true, [frame(Axis::loaded), all(|axis| axis.m)])
            .layouts([layout(&stored), layout(self.to.extents())])
            .maps([load, self.map(End::Output, &axes)?])
            .factor((1.0 / count) as f32);
        Ok(([forward, back], Array { len, element_bytes: 8 }))
    }

    /// The fragment that treats the frequencies h and -h as the array of frequencies is loaded, if
    /// there is anything to do. It calls one function for each axis, from the last one to the
    /// array.
    fn load(&self, axes: &[(usize, Axis)], strides: &[usize], len: usize, slot: Slot) -> Result<Option<Checked>> {
        let names: Vec<String> = (0..axes.len()).map(|i| format!("i{i}")).chain(["batch".to_owned()]).collect();
        let parameters = names.iter().map(|name| format!("{name}: u32")).collect::<Vec<_>>().join(", ");
        let call = |function: &str, other: Option<(usize, String)>| {
            let argument = |(i, name): (usize, &String)| match &other {
                Some((own, index)) if *own == i => index.clone(),
                _ => name.clone(),
            };
            format!("{function}({})", names.iter().enumerate().map(argument).collect::<Vec<_>>().join(", "))
        };
        let place = strides.iter().enumerate().map(|(i, stride)| format!(" + i{i} * {stride}u")).collect::<String>();
        let mut functions =
            format!("fn stored({parameters}) -> vec2<f32> {{\n    return spectrum[batch * {}u{place}];\n}}\n", len / self.batch);
        let (mut function, mut is_treated) = ("stored".to_owned(), false);
        for (i, (_, axis)) in axes.iter().enumerate() {
            let common = axis.common();
            let plain = call(&function, None);
            let body = match (axis.role, axis.nyquist()) {
                (Role::Other, _) | (_, Nyquist::Plain) => continue,
                // The other half is the conjugate. Where there is only one, its real part counts.
                (Role::Half, _) if self.adjoint => continue,
                (Role::Half, nyquist) => {
                    let factor = if nyquist == Nyquist::Added { "2.0" } else { "0.5" };
                    format!("return {plain} * select(1.0, {factor}, i{i} == {}u);", common / 2)
                }
                (Role::Whole, Nyquist::Added) => {
                    let other = call(&function, Some((i, format!("{common}u"))));
                    let sum = if self.adjoint { format!("z = 0.5 * (z + {other})") } else { format!("z += {other}") };
                    format!("var z = {plain};\n    if i{i} == 0u {{\n        {sum};\n    }}\n    return z;")
                }
                (Role::Whole, Nyquist::Split) => {
                    let own = call(&function, Some((i, format!("i{i} % {common}u"))));
                    if self.adjoint {
                        format!("return {own};")
                    } else {
                        format!("return {own} * select(1.0, 0.5, i{i} % {common}u == 0u);")
                    }
                }
            };
            (function, is_treated) = (format!("axis{i}"), true);
            functions += &format!("fn {function}({parameters}) -> vec2<f32> {{\n    {body}\n}}\n");
        }
        if !is_treated {
            return Ok(None);
        }
        let fragment = Fragment::new(call(&function, None)).functions(functions).slot::<Complex32>("spectrum", len, Some(slot));
        Filter::check(fragment, axes.len()).map(Some)
    }
}

impl Computation for Core {
    type Recipe = FilterRecipe;

    fn design(&self, profile: &DeviceProfile) -> Result<FilterRecipe> {
        // Which array holds the frequencies does not matter.
        let ([forward, back], _) = self.steps(Slot::Output)?;
        Ok(FilterRecipe { forward: Some(forward.design(profile)?), middle: None, back: Some(back.design(profile)?) })
    }

    fn lower(&self, recipe: &FilterRecipe, profile: &DeviceProfile) -> Result<Program> {
        let slot = Slot::Workspace(0);
        let ([there, and_back], spectrum) = self.steps(slot)?;
        let FilterRecipe { forward: Some(forward), middle: None, back: Some(back) } = recipe else {
            let why = "it must have the parts `forward` and `back`, and no `middle`".to_owned();
            return Err(Error::unfit(recipe, self, why));
        };
        let mut program = self.ends.program(self.to_string(), self.sizes()?, profile)?;
        program.workspaces.push(spectrum);
        there.append(forward, profile, &mut program, [Slot::Input(0), slot])?;
        and_back.append(back, profile, &mut program, [slot, Slot::Output])?;
        Ok(program.share_workspaces())
    }
}

sealed!(Core, 2e-5);

impl Search for Core {}

/// `resample f32 1080x1920 x4 to 720x1280 adjoint`, where defaults are left out.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ends, shape, batch, to, adjoint } = self;
        write!(f, "resample {} {} to {to}", ends.element(End::Input), Batched(*shape, *batch))?;
        write!(f, "{}{}", Flag("adjoint", *adjoint), Maps(&ends.maps))
    }
}

parsed!(
    /// It has no fragments.
    Resample<T> where T: Number, |whole| {
        let (text, shape, mut words) = shape_after(&["resample", T::NAME], whole)?;
        let batch = batch_before("to", text, &mut words)?;
        let to = Shape::parse(text, words.one("the shape of the result")?)?;
        let mut fields = words.fields();
        let mut own = Self::new(shape, to).batch(batch);
        own.core.adjoint = fields.flag("adjoint");
        fields.done("adjoint, at most once")?;
        Ok(own)
    }
);
