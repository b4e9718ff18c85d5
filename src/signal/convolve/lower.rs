//! Which transforms a convolution becomes.

use num_complex::Complex32;

use super::Recipe;
use super::spec::{Axis, Core};
use crate::edge::Edge;
use crate::error::{Error, Result};
use crate::fft::filter::{Filter, FilterRecipe};
use crate::fft::step::Step;
use crate::fft::window::Windowed;
use crate::fft::{End, TransformKind, next_fast_len};
use crate::fragment::Fragment;
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::plan::{Array, Placement, Program};
use crate::shape::Shape;

impl Core {
    /// The lengths that the device transforms fastest.
    fn lengths(&self, axes: &[Axis], profile: &DeviceProfile) -> Result<Vec<u32>> {
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
    fn check_lengths(&self, axes: &[Axis], lengths: &[u32]) -> std::result::Result<(), String> {
        if axes.len() != lengths.len() {
            return Err(format!("{} lengths were given for {} axes", lengths.len(), axes.len()));
        }
        let short = axes.iter().zip(lengths).enumerate().find(|(_, (own, n))| (**n as usize) < own.least);
        short.map_or(Ok(()), |(axis, (own, n))| {
            Err(format!("along axis {axis} a transform of {n} is too short: it needs at least {}", own.least))
        })
    }

    /// The kernel's transform.
    fn kernel_transform(&self, axes: &[Axis], lengths: &[u32]) -> Step {
        let input = axes.iter().zip(lengths).map(|(own, &n)| Windowed { len: own.k as u32, ..Windowed::whole(n) }).collect();
        Step::forward(self.real, [input, Filter::spectrum(self.real, lengths)], self.kernels())
    }

    /// The transforms of the signal, with the kernel's spectrum in a slot.
    fn filter(&self, axes: &[Axis], lengths: &[u32], spectrum: Slot) -> Result<Filter> {
        let input = |(own, &n): (&Axis, &u32)| Windowed {
            len: own.n as u32,
            edge: if own.before + own.after == 0 { Edge::Zero } else { self.edge },
            before: own.before as u32,
            after: own.after as u32,
            ..Windowed::whole(n)
        };
        let output = |(own, &n): (&Axis, &u32)| Windowed {
            first: own.wanted.first.rem_euclid(n.into()) as u32,
            len: own.wanted.len as u32,
            ..Windowed::whole(n)
        };
        let both = || axes.iter().zip(lengths);
        Ok(Filter {
            real: self.real,
            axes: (0..axes.len()).collect(),
            frames: [both().map(input).collect(), both().map(output).collect()],
            batch: self.batch,
            layouts: [None; 2],
            maps: [None, None],
            fragment: Filter::check(self.product(lengths, spectrum), lengths.len())?,
            linear: true,
        })
    }

    /// The product with the kernel's spectrum, or with its conjugate.
    fn product(&self, lengths: &[u32], spectrum: Slot) -> Fragment {
        let first = if self.for_each { "batch" } else { "0u" };
        let len = self.spectrum_len(lengths) * self.kernels();
        Fragment::new(format!("product(value, spectrum[{}])", self.place(first, lengths)))
            .functions(self.product_function())
            .slot::<Complex32>("spectrum", len, spectrum)
    }

    /// Elements of one spectrum.
    fn spectrum_len(&self, lengths: &[u32]) -> usize {
        Filter::spectrum(self.real, lengths).iter().map(|window| window.len as usize).product()
    }

    /// The place of an element in the spectrum with this number, in WGSL.
    fn place(&self, number: &str, lengths: &[u32]) -> String {
        let stored = Filter::spectrum(self.real, lengths);
        stored.iter().enumerate().fold(number.to_owned(), |index, (axis, window)| {
            if index == "0u" { format!("i{axis}") } else { format!("({index}) * {}u + i{axis}", window.len) }
        })
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
    fn sum(&self, [inputs, outputs]: [usize; 2], lengths: &[u32], slots: [Slot; 2]) -> Fragment {
        let of_one = self.spectrum_len(lengths);
        let functions = format!(
            "{}\nfn summed(batch: u32, place: u32) -> vec2<f32> {{\n    let signal = batch / {outputs}u * {inputs}u;\n    \
             let kernel = batch % {outputs}u * {inputs}u;\n    var sum = vec2(0.0);\n    \
             for (var channel = 0u; channel < {inputs}u; channel++) {{\n        \
             sum += product(signals[(signal + channel) * {of_one}u + place], spectrum[(kernel + channel) * {of_one}u + place]);\n    \
             }}\n    return sum;\n}}",
            self.product_function()
        );
        Fragment::new(format!("summed(batch, {})", self.place("0u", lengths)))
            .functions(functions)
            .slot::<Complex32>("signals", of_one * self.signals(), slots[0])
            .slot::<Complex32>("spectrum", of_one * self.kernels(), slots[1])
    }

    /// The transforms there and back with a sum over channels between them. The slots have the
    /// spectra of the signals and of the kernels.
    fn summing(&self, channels: [usize; 2], axes: &[Axis], lengths: &[u32], slots: [Slot; 2]) -> Result<[Step; 2]> {
        let own = self.filter(axes, lengths, slots[1])?;
        let spectrum = Filter::spectrum(self.real, lengths);
        let [input, output] = own.frames;
        let count: f64 = lengths.iter().map(|&n| f64::from(n)).product();
        let there = Step::forward(self.real, [input, spectrum.clone()], self.signals());
        let back = Step { inverse: true, factor: (1.0 / count) as f32, ..Step::forward(self.real, [spectrum, output], self.results()) };
        let back = back.map(End::Input, self.sum(channels, lengths, slots))?;
        Ok([there, back])
    }

    pub fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let axes = self.axes()?;
        let lengths = self.lengths(&axes, profile)?;
        self.with_lengths(&axes, lengths, profile)
    }

    fn with_lengths(&self, axes: &[Axis], lengths: Vec<u32>, profile: &DeviceProfile) -> Result<Recipe> {
        self.check_lengths(axes, &lengths).map_err(|why| self.unsupported(why))?;
        let kernel = if self.spectrum.is_some() { None } else { Some(self.kernel_transform(axes, &lengths).design(profile)?) };
        let filter = match self.channels {
            None => self.filter(axes, &lengths, Slot::Input(1))?.design(profile)?,
            // Which arrays hold the spectra does not matter.
            Some(channels) => {
                let [there, back] = self.summing(channels, axes, &lengths, [Slot::Workspace(0), Slot::Workspace(1)])?;
                FilterRecipe { forward: Some(there.design(profile)?), middle: None, back: Some(back.design(profile)?) }
            }
        };
        Ok(Recipe { lengths, kernel, filter })
    }

    #[cfg(feature = "tune")]
    pub fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(axes) = self.axes() else { return Vec::new() };
        let Ok(own) = self.design(profile) else { return Vec::new() };
        let mut all = Vec::new();
        if self.spectrum.is_none() {
            let powers = axes.iter().map(|own| own.least.next_power_of_two() as u32).collect();
            let tight = axes.iter().map(|own| own.least as u32).collect();
            all.extend([powers, tight].into_iter().filter_map(|lengths| self.with_lengths(&axes, lengths, profile).ok()));
        }
        if self.channels.is_none()
            && let Ok(filter) = self.filter(&axes, &own.lengths, Slot::Input(1))
        {
            all.extend(filter.design_in_passes(profile).ok().map(|filter| Recipe { filter, ..own.clone() }));
        }
        all
    }

    pub fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let axes = self.axes()?;
        let unfit = |why: String| Error::UnfitRecipe { recipe: recipe.to_string(), spec: self.to_string(), why };
        let Recipe { lengths, kernel, filter } = recipe;
        self.check_lengths(&axes, lengths).map_err(unfit)?;
        if let Some(given) = self.spectrum.as_ref().filter(|given| *given != lengths) {
            return Err(unfit(format!("the kernel's spectrum is given for the lengths {given:?}")));
        }
        let spectra = |count: usize| Array { len: self.spectrum_len(lengths) * count, element_bytes: 8 };
        let spectrum = spectra(self.kernels());
        let bytes = if self.real { 4 } else { 8 };
        let array = |len: usize| Array { len, element_bytes: bytes };
        let elements = |shape: Shape, count: usize| shape.extents().iter().product::<usize>() * count;
        let output = axes.iter().map(|own| own.wanted.len).product::<usize>() * self.results();
        // The spectrum is given as an array of the signal's numbers.
        let second = if self.spectrum.is_some() { array(spectrum.len * 8 / bytes) } else { array(elements(self.kernel, self.kernels())) };
        let inputs = vec![array(elements(self.shape, self.signals())), second];
        let mut program = Program::new(self.to_string(), Placement::OutOfPlace, inputs, array(output));
        program.inputs.iter().try_for_each(|array| array.check(&program.title, "input", profile))?;
        program.output.check(&program.title, "output", profile)?;
        program.notes.push(format!("transforms of length {}", crate::shape::join(lengths, "x")));
        let slot = match (kernel, &self.spectrum) {
            (Some(kernel), None) => {
                let slot = program.workspace(spectrum);
                self.kernel_transform(&axes, lengths).append(kernel, profile, &mut program, [Slot::Input(1), slot])?;
                slot
            }
            (None, Some(_)) => Slot::Input(1),
            (None, None) => return Err(unfit("it has no recipe for the kernel".to_owned())),
            (Some(_), Some(_)) => return Err(unfit("it has a recipe for the kernel, whose spectrum is given".to_owned())),
        };
        if let Some(channels) = self.channels {
            let FilterRecipe { forward: Some(forward), middle: None, back: Some(back) } = filter else {
                return Err(unfit("a sum over channels has a forward and a back, and no middle".to_owned()));
            };
            // The transform back is given an array of as many spectra as it has results, although the
            // sum finds its elements itself.
            let signals = program.workspace(spectra(self.signals().max(self.results())));
            let [there, and_back] = self.summing(channels, &axes, lengths, [signals, slot])?;
            there.append(forward, profile, &mut program, [Slot::Input(0), signals])?;
            and_back.append(back, profile, &mut program, [signals, Slot::Output])?;
            return Ok(program.share_workspaces());
        }
        let own = self.filter(&axes, lengths, slot)?;
        own.append(filter, &program.title.clone(), profile, &mut program, [Slot::Input(0), Slot::Output])?;
        Ok(program.share_workspaces())
    }
}
