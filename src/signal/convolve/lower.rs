//! Which transforms a convolution becomes.

use num_complex::Complex32;

use super::recipe::{By, Recipe};
use super::spec::{Axis, Core, SPECTRUM};
use crate::edge::Edge;
use crate::error::{Error, Result};
use crate::fft::ops::filter::{Filter, FilterRecipe};
use crate::fft::ops::step::Step;
use crate::fft::spec::window::Windowed;
use crate::fft::{End, TransformKind, next_fast_len};
use crate::fragment::Fragment;
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::plan::{Array, Computation, Placement, Program, Search, others};
use crate::shape::Shape;
use crate::signal::filter::Problem;

/// The most taps of a kernel over two axes for which a GPU computes sums directly. On an H200,
/// 1080x1920 takes 0.0097 ms with 3x3 taps, 0.0152 with 7x7, 0.0333 with 11x11, 0.0508 with 15x15,
/// and 0.0485 by transforms; 4096x4096 takes 0.092 with 7x7, 0.243, 0.384, and 0.385; 64 of 512x512
/// 0.092, 0.243, 0.385, and 0.231.
const MAX_ON_GPU: usize = 169;

/// The same on a processor. On lavapipe (2 cores under load), 7x7 taps took 70 ms for 1080x1920,
/// and transforms 34 ms for a quarter of it.
const MAX_ON_CPU: usize = 64;

/// The same along one axis, where transforms there and back are one pass. On an H200, 4096 lines of
/// 1000 take 0.0138 ms with 15 taps, 0.0259 with 31, and 0.0208 by transforms.
const MAX_ON_LINES: usize = 15;

/// The same along one axis of a GPU, where transforms take several passes. On an H200, 2²² numbers
/// take 0.014 ms with 15 taps, 0.030 with 63, 0.086 with 127, and 0.262 by transforms.
const MAX_ON_LONG_LINES: usize = 255;

/// Lines that a GPU transforms there and back in one pass.
const LONGEST_LINE: u32 = 4096;

impl Core {
    /// The lengths that the device transforms fastest.
    pub(super) fn lengths(&self, axes: &[Axis], profile: &DeviceProfile) -> Result<Vec<u32>> {
        if let Some(lengths) = &self.spectrum {
            return Ok(lengths.clone());
        }
        let last = axes.len() - 1;
        let length = |(axis, own): (usize, &Axis)| {
            // Rows of reals of even length are taken as complex numbers of half the length.
            let kind = if self.real && axis == last && last > 0 { TransformKind::R2c } else { TransformKind::C2c };
            Ok(next_fast_len(profile, kind, own.least)? as u32)
        };
        axes.iter().enumerate().map(length).collect()
    }

    /// Refuses lengths with which unwanted elements would fall onto wanted ones.
    pub(super) fn check_lengths(&self, axes: &[Axis], lengths: &[u32]) -> std::result::Result<(), String> {
        if axes.len() != lengths.len() {
            return Err(format!("{} lengths were given for {} axes", lengths.len(), axes.len()));
        }
        let short = axes.iter().zip(lengths).enumerate().find(|(_, (own, n))| (**n as usize) < own.least);
        short.map_or(Ok(()), |(axis, (own, n))| {
            Err(format!("along axis {axis} a transform of {n} is too short: it needs at least {}", own.least))
        })
    }

    fn kernel_transform(&self, axes: &[Axis], lengths: &[u32]) -> Step {
        let input = axes.iter().zip(lengths).map(|(own, &n)| Windowed { len: own.k as u32, ..Windowed::whole(n) }).collect();
        Step::of_all_axes(self.real, false, [input, Filter::spectrum(self.real, lengths)], self.kernels())
    }

    /// The transforms of the signal, with the kernel's spectrum in a slot, or in an array of the
    /// caller's.
    fn filter(&self, axes: &[Axis], lengths: &[u32], spectrum: Option<Slot>) -> Result<Filter> {
        let input = |(own, &n): (&Axis, &u32)| Windowed {
            len: own.n as u32,
            edge: if own.before + own.after == 0 { Edge::Zero } else { self.edge },
            before: own.before as u32,
            after: own.after as u32,
            ..Windowed::whole(n)
        };
        let output =
            |(own, &n): (&Axis, &u32)| Windowed { first: own.first.rem_euclid(n.into()) as u32, len: own.len as u32, ..Windowed::whole(n) };
        let both = || axes.iter().zip(lengths);
        Ok(Filter {
            real: self.real,
            axes: (0..axes.len()).collect(),
            frames: [both().map(input).collect(), both().map(output).collect()],
            batch: self.batch,
            layouts: [None; 2],
            maps: [None, None],
            fragment: Filter::check(self.product(lengths, spectrum), lengths.len())?,
        })
    }

    /// The product with the kernel's spectrum, or with its conjugate.
    fn product(&self, lengths: &[u32], spectrum: Option<Slot>) -> Fragment {
        let first = if self.for_each { "batch" } else { "0u" };
        let len = self.spectrum_len(lengths) * self.kernels();
        Fragment::new(format!("product(value, spectrum[{}])", Filter::place(first, &Filter::spectrum(self.real, lengths))))
            .functions(self.product_function())
            .slot::<Complex32>(SPECTRUM, len, spectrum)
    }

    /// Where the kernel is: the second input, or an array of the caller's for its spectrum.
    fn second(&self) -> Option<Slot> {
        self.spectrum.is_none().then_some(Slot::Input(1))
    }

    /// Elements of one spectrum.
    fn spectrum_len(&self, lengths: &[u32]) -> usize {
        Filter::spectrum(self.real, lengths).iter().map(|window| window.len as usize).product()
    }

    fn product_function(&self) -> String {
        let sign = if self.correlate { "-" } else { "" };
        format!(
            "fn product(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {{\n    let y = {sign}b.y;\n    \
             return vec2(a.x * b.x - a.y * y, a.x * y + a.y * b.x);\n}}"
        )
    }

    /// The sum over channels of products with their kernels' spectra. It takes the place of the
    /// value.
    fn sum(&self, [inputs, outputs]: [usize; 2], lengths: &[u32], slots: [Option<Slot>; 2]) -> Fragment {
        let of_one = self.spectrum_len(lengths);
        let functions = format!(
            "{}\nfn summed(batch: u32, place: u32) -> vec2<f32> {{\n    let signal = batch / {outputs}u * {inputs}u;\n    \
             let kernel = batch % {outputs}u * {inputs}u;\n    var sum = vec2(0.0);\n    \
             for (var channel = 0u; channel < {inputs}u; channel++) {{\n        \
             sum += product(signals[(signal + channel) * {of_one}u + place], spectrum[(kernel + channel) * {of_one}u + place]);\n    \
             }}\n    return sum;\n}}",
            self.product_function()
        );
        Fragment::new(format!("summed(batch, {})", Filter::place("0u", &Filter::spectrum(self.real, lengths))))
            .functions(functions)
            .slot::<Complex32>("signals", of_one * self.signals(), slots[0])
            .slot::<Complex32>(SPECTRUM, of_one * self.kernels(), slots[1])
    }

    /// The transforms there and back with a sum over channels between them. The slots have the
    /// spectra of the signals and of the kernels.
    fn summing(&self, channels: [usize; 2], axes: &[Axis], lengths: &[u32], slots: [Option<Slot>; 2]) -> Result<[Step; 2]> {
        let own = self.filter(axes, lengths, slots[1])?;
        let spectrum = Filter::spectrum(self.real, lengths);
        let [input, output] = own.frames;
        let count: f64 = lengths.iter().map(|&n| f64::from(n)).product();
        let there = Step::of_all_axes(self.real, false, [input, spectrum.clone()], self.signals());
        let back = Step::of_all_axes(self.real, true, [spectrum, output], self.results()).factor((1.0 / count) as f32);
        let back = back.map(End::Input, self.sum(channels, lengths, slots))?;
        Ok([there, back])
    }

    /// The sums product by product, where a kernel can compute them.
    fn direct(&self, axes: &[Axis]) -> Option<Problem> {
        if !self.real || self.for_each || self.channels.is_some() || self.spectrum.is_some() {
            return None;
        }
        let output: Vec<usize> = axes.iter().map(|own| own.len).collect();
        let before: Vec<usize> = axes.iter().map(|own| own.k - 1 - own.start).collect();
        let output = Shape::from(&output[..]);
        Problem::of_given(self.to_string(), [self.shape, output, self.kernel], &before, self.edge, !self.correlate, self.batch)
    }

    /// A recipe with transforms of these lengths.
    fn with_lengths(&self, axes: &[Axis], lengths: Vec<u32>, profile: &DeviceProfile) -> Result<Recipe> {
        self.check_lengths(axes, &lengths).map_err(|why| Error::unsupported(self, why))?;
        let kernel = if self.spectrum.is_some() { None } else { Some(self.kernel_transform(axes, &lengths).design(profile)?) };
        let filter = match self.channels {
            None => self.filter(axes, &lengths, self.second())?.design(profile)?,
            // Which arrays hold the spectra does not matter.
            Some(channels) => {
                let [there, back] = self.summing(channels, axes, &lengths, [Some(Slot::Workspace(0)), self.second()])?;
                FilterRecipe { forward: Some(there.design(profile)?), middle: None, back: Some(back.design(profile)?) }
            }
        };
        Ok(Recipe { lengths, by: By::Transforms { kernel, filter } })
    }
}

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let axes = self.axes()?;
        let count: usize = self.kernel.extents().iter().product();
        let lengths = self.lengths(&axes, profile)?;
        let most = match (profile.is_cpu(), &lengths[..]) {
            (false, [length]) if *length > LONGEST_LINE => MAX_ON_LONG_LINES,
            (_, [_]) => MAX_ON_LINES,
            (true, _) => MAX_ON_CPU,
            (false, _) => MAX_ON_GPU,
        };
        if count <= most
            && let Some(recipe) = self.direct(&axes).and_then(|direct| direct.design(profile))
        {
            return Ok(Recipe { lengths, by: By::Sums(recipe) });
        }
        self.with_lengths(&axes, lengths, profile)
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let axes = self.axes()?;
        let unfit = |why: String| Error::unfit(recipe, self, why);
        let Recipe { lengths, by } = recipe;
        self.check_lengths(&axes, lengths).map_err(unfit)?;
        if let Some(given) = self.spectrum.as_ref().filter(|given| *given != lengths) {
            return Err(unfit(format!("the kernel's spectrum is given for the lengths {given:?}")));
        }
        let spectra = |count: usize| Array { len: self.spectrum_len(lengths) * count, element_bytes: 8 };
        let spectrum = spectra(self.kernels());
        let bytes = if self.real { 4 } else { 8 };
        let array = |len: usize| Array { len, element_bytes: bytes };
        let elements = |shape: Shape, count: usize| shape.extents().iter().product::<usize>() * count;
        let output = axes.iter().map(|own| own.len).product::<usize>() * self.results();
        let mut inputs = vec![array(elements(self.shape, self.signals()))];
        if self.spectrum.is_none() {
            inputs.push(array(elements(self.kernel, self.kernels())));
        }
        let mut program = Program::new(self.to_string(), Placement::OutOfPlace, inputs, array(output)).checked(profile)?;
        let (kernel, filter) = match by {
            By::Transforms { kernel, filter } => (kernel, filter),
            By::Sums(recipe) => {
                let direct = self.direct(&axes).ok_or_else(|| {
                    unfit(
                        "one kernel of reals over 1 or 2 axes, with at most 255 taps along each and 1024 in all, has direct sums"
                            .to_owned(),
                    )
                })?;
                direct.append(recipe, profile, &mut program, [Slot::Input(0), Slot::Output], Slot::Input(1)).map_err(unfit)??;
                return Ok(program);
            }
        };
        program.notes.push(format!("transforms of length {}", crate::text::join(lengths, "x")));
        let slot = match (kernel, &self.spectrum) {
            (Some(kernel), None) => {
                let slot = program.workspace(spectrum);
                self.kernel_transform(&axes, lengths).append(kernel, profile, &mut program, [Slot::Input(1), slot])?;
                Some(slot)
            }
            (None, Some(_)) => None,
            (None, None) => return Err(unfit("it has no recipe for the kernel".to_owned())),
            (Some(_), Some(_)) => return Err(unfit("it has a recipe for the kernel, whose spectrum is given".to_owned())),
        };
        if let Some(channels) = self.channels {
            let FilterRecipe { forward: Some(forward), middle: None, back: Some(back) } = filter else {
                return Err(unfit("a sum over channels has a forward and a back, and no middle".to_owned()));
            };
            // The transform back is given an array of as many spectra as it has results, although
            // the sum finds its elements itself.
            let signals = program.workspace(spectra(self.signals().max(self.results())));
            let [there, and_back] = self.summing(channels, &axes, lengths, [Some(signals), slot])?;
            there.append(forward, profile, &mut program, [Slot::Input(0), signals])?;
            and_back.append(back, profile, &mut program, [signals, Slot::Output])?;
            return Ok(program.share_workspaces());
        }
        let own = self.filter(&axes, lengths, slot)?;
        own.append(filter, &program.title.clone(), profile, &mut program, [Slot::Input(0), Slot::Output])?;
        Ok(program.share_workspaces())
    }
}

impl Search for Core {
    /// Transforms, sums without transforms, other lengths, and the first axis in passes of its own.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(axes) = self.axes() else { return Vec::new() };
        let Ok(own) = self.design(profile) else { return Vec::new() };
        let by_transforms = self.with_lengths(&axes, own.lengths.clone(), profile).ok();
        let direct = self.direct(&axes).and_then(|direct| direct.design(profile));
        let direct = direct.map(|recipe| Recipe { lengths: own.lengths.clone(), by: By::Sums(recipe) });
        let mut all: Vec<Recipe> = by_transforms.iter().cloned().chain(direct).collect();
        if self.spectrum.is_none() {
            let powers = axes.iter().map(|own| own.least.next_power_of_two() as u32).collect();
            let tight = axes.iter().map(|own| own.least as u32).collect();
            all.extend([powers, tight].into_iter().filter_map(|lengths| self.with_lengths(&axes, lengths, profile).ok()));
        }
        if self.channels.is_none()
            && let Some(Recipe { by: By::Transforms { kernel, .. }, .. }) = by_transforms
            && let Ok(filter) = self.filter(&axes, &own.lengths, self.second())
        {
            let in_passes = filter.design_in_passes(profile).ok();
            all.extend(in_passes.map(|filter| Recipe { lengths: own.lengths.clone(), by: By::Transforms { kernel, filter } }));
        }
        others(Some(&own), all)
    }
}
