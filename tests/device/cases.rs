//! Test cases for Fourier transforms, as plain data: the input, the expected output, and the error
//! of the device.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use rustfft::FftNum;
use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::low_level;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::Complex;
use wgpu_fft::plan::Placement;
use wgpu_fft::{Complex32, Element, Error, Plan, Planner, Shape, Spec};

use crate::harness::*;
use crate::reference::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Forward,
    Inverse,
    R2c,
    C2r,
}

pub const KINDS: [Kind; 4] = [Kind::Forward, Kind::Inverse, Kind::R2c, Kind::C2r];

#[derive(Clone, Debug)]
pub struct Case {
    pub kind: Kind,
    pub shape: Vec<usize>,
    pub batch: usize,
    pub axes: Vec<usize>,
    pub input: Option<Places>,
    pub output: Option<Places>,
    pub scale: Scale,
    pub in_place: bool,
    pub transposed: bool,
    pub recipe: Option<Recipe>,
}

/// The outcome of a case.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The specification, and the recipe that computed it.
    pub what: String,
    /// The relative error in the two-norm against f64.
    pub error: f64,
    /// The error of rustfft in f32 on the same data.
    pub theirs: f64,
    /// The bound that the documentation promises.
    pub budget: f64,
    /// The number of elements of one transform.
    pub n: usize,
    /// Whether it was computed by a convolution.
    pub bluestein: bool,
    pub by_hand: bool,
}

impl Case {
    pub fn new(kind: Kind, shape: &[usize]) -> Self {
        Self {
            kind,
            shape: shape.to_vec(),
            batch: 1,
            axes: (0..shape.len()).collect(),
            input: None,
            output: None,
            scale: Scale::One,
            in_place: false,
            transposed: false,
            recipe: None,
        }
    }

    pub fn batch(self, batch: usize) -> Self {
        Self { batch, ..self }
    }

    pub fn axes(self, axes: &[usize]) -> Self {
        Self { axes: axes.to_vec(), ..self }
    }

    pub fn layouts(self, input: &Places, output: &Places) -> Self {
        Self { input: Some(input.clone()), output: Some(output.clone()), ..self }
    }

    pub fn scale(self, scale: Scale) -> Self {
        Self { scale, ..self }
    }

    pub fn in_place(self, in_place: bool) -> Self {
        Self { in_place, ..self }
    }

    pub fn transposed(self) -> Self {
        Self { transposed: true, ..self }
    }

    pub fn by(self, recipe: &str) -> Self {
        Self { recipe: Some(recipe.parse().unwrap_or_else(|error| panic!("{error}"))), ..self }
    }

    /// Whether the recipe takes rows of reals in pairs.
    fn has_pairs(&self) -> bool {
        self.recipe.as_ref().is_some_and(|recipe| recipe.to_string().contains("pairs"))
    }

    /// The shapes of input and output.
    fn shapes(&self) -> [Vec<usize>; 2] {
        match self.kind {
            Kind::Forward | Kind::Inverse => [self.shape.clone(), self.shape.clone()],
            Kind::R2c => [self.shape.clone(), half(&self.shape)],
            Kind::C2r => [half(&self.shape), self.shape.clone()],
        }
    }

    /// The places of the elements of input and output.
    fn places(&self) -> [Places; 2] {
        let [input, output] = self.shapes();
        let mut places = [
            self.input.clone().unwrap_or_else(|| Places::dense(&input)),
            self.output.clone().unwrap_or_else(|| if self.transposed { Places::reversed(&output) } else { Places::dense(&output) }),
        ];
        if self.in_place {
            // The rows of reals are padded to the length of the complex side.
            match self.kind {
                Kind::Forward | Kind::Inverse => {}
                Kind::R2c => places[0] = Places::rows_in_half(&self.shape),
                Kind::C2r => places[1] = Places::rows_in_half(&self.shape),
            }
        }
        places
    }

    pub fn noise(&self) -> Vec<Complex32> {
        let len = self.shapes()[0].iter().product::<usize>() * self.batch;
        let seed = (len + 3 * self.shape[0]) as u64;
        match self.kind {
            Kind::R2c => noise(len, seed).into_iter().map(|x| Complex32::new(x, 0.0)).collect(),
            _ => complex_noise(len, seed),
        }
    }

    /// The transform as documented, on dense arrays.
    pub fn transform<T: FftNum>(&self, input: &[Complex32]) -> Vec<Complex<T>> {
        let number = |x: f32| T::from_f32(x).unwrap();
        let mut data: Vec<Complex<T>> = input.iter().map(|z| Complex::new(number(z.re), number(z.im))).collect();
        match self.kind {
            Kind::Forward | Kind::Inverse => dft(&mut data, &self.shape, &self.axes, self.kind == Kind::Inverse),
            Kind::R2c => {
                dft(&mut data, &self.shape, &self.axes, false);
                data = of_half(&data, &self.shape);
            }
            Kind::C2r => {
                let last = self.shape.len() - 1;
                let others: Vec<usize> = self.axes.iter().copied().filter(|&axis| axis != last).collect();
                dft(&mut data, &half(&self.shape), &others, true);
                data = of_whole(&data, &self.shape);
                dft(&mut data, &self.shape, &[last], true);
            }
        }
        let n = self.n() as f64;
        let factor = match self.scale {
            Scale::One => return data,
            Scale::InvLen => 1.0 / n,
            Scale::InvSqrtLen => 1.0 / n.sqrt(),
        };
        data.into_iter().map(|z| z * T::from_f64(factor).unwrap()).collect()
    }

    /// The number of elements of one transform.
    pub fn n(&self) -> usize {
        self.axes.iter().map(|&axis| self.shape[axis]).product()
    }

    /// Runs the case between guards and compares the result. `None` if the recipe does not fit the
    /// device.
    pub fn run(&self, device: &Device) -> Option<Outcome> {
        self.run_with(device, &device.planner)
    }

    fn run_with(&self, device: &Device, planner: &Planner) -> Option<Outcome> {
        let input = self.noise();
        let (what, recipe, actual) = self.output(device, planner, &input)?;
        let expected = self.transform::<f64>(&input);
        let bluestein = matches!(&recipe, Recipe::Axes(axes) if axes.iter().any(|axis| axis.bluestein.is_some()));
        let theirs = relative_error(&self.transform::<f32>(&input), &expected);
        Some(Outcome {
            what,
            error: relative_error(&actual, &expected),
            theirs,
            budget: bound_by(&recipe, &self.shape),
            n: self.n(),
            bluestein,
            by_hand: self.recipe.is_some(),
        })
    }

    /// The device's result for dense input.
    pub fn output(&self, device: &Device, planner: &Planner, input: &[Complex32]) -> Option<(String, Recipe, Vec<Complex32>)> {
        let shape: Shape = self.shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x").parse().unwrap();
        macro_rules! run {
            ($spec:expr) => {{
                let mut spec = $spec.batch(self.batch).scale(self.scale);
                if self.axes.len() < self.shape.len() {
                    spec = spec.axes(&self.axes);
                }
                if let Some(input) = &self.input {
                    spec = spec.input_layout(input.layout());
                }
                if let Some(output) = &self.output {
                    spec = spec.output_layout(output.layout());
                }
                if self.in_place {
                    spec = spec.in_place();
                }
                self.output_of(device, planner, spec, input)
            }};
        }
        let turned = |spec: C2c| if self.transposed { spec.transposed() } else { spec };
        match self.kind {
            Kind::Forward => run!(turned(C2c::forward(shape))),
            Kind::Inverse => run!(turned(C2c::inverse(shape))),
            Kind::R2c if self.has_pairs() => run!(R2c::forward(shape).rows_may_mix()),
            Kind::C2r if self.has_pairs() => run!(C2r::inverse(shape).rows_may_mix()),
            Kind::R2c => run!(R2c::forward(shape)),
            Kind::C2r => run!(C2r::inverse(shape)),
        }
    }

    fn output_of<S>(&self, device: &Device, planner: &Planner, spec: S, dense: &[Complex32]) -> Option<(String, Recipe, Vec<Complex32>)>
    where
        S: Spec<Recipe = Recipe, Input: Number, Output: Number>,
    {
        let plan: Arc<Plan<S>> = match &self.recipe {
            None => planner.plan(spec.clone()).unwrap_or_else(|error| panic!("{}: `{spec}`: {error}", device.name)),
            // Which recipes fit is tested without a device.
            Some(recipe) => match planner.plan_with(spec.clone(), recipe.clone()) {
                Err(Error::UnfitRecipe { .. }) => return None,
                plan => plan.unwrap_or_else(|error| panic!("{}: `{spec}` by `{recipe}`: {error}", device.name)),
            },
        };
        let what = format!("{}: `{spec}` by `{}`", device.name, plan.recipe());
        if self.recipe.is_some()
            && !device.is_thorough()
            && low_level::dispatches(plan.program()).iter().any(|dispatch| dispatch.wgsl().len() > LONG_TEXT)
        {
            println!("left out, as it takes long to compile: {what}");
            return None;
        }
        let [from, to] = self.places();
        let [input_shape, output_shape] = self.shapes();
        let mut input = vec![S::Input::of(Complex32::new(f32::NAN, f32::NAN)); plan.input_len()];
        from.all(&input_shape, self.batch).into_iter().zip(dense).for_each(|(place, z)| input[place] = S::Input::of(*z));
        let own = to.all(&output_shape, self.batch);
        let output = run_guarded(device, &plan, &input);
        // Gaps in a complex output must keep their bits.
        if output.len() > own.len() && !(self.in_place && self.kind == Kind::C2r) {
            let in_place = plan.program().placement() == Placement::InPlace;
            let before: Vec<u32> =
                if in_place { bytemuck::pod_collect_to_vec(&input) } else { vec![UNWRITTEN; plan.program().output().bytes() as usize / 4] };
            let before: Vec<S::Output> = bytemuck::pod_collect_to_vec(&before);
            let mut gap = vec![true; output.len()];
            own.iter().for_each(|&place| gap[place] = false);
            let touched = (0..gap.len()).find(|&i| gap[i] && bytemuck::bytes_of(&before[i]) != bytemuck::bytes_of(&output[i]));
            assert_eq!(touched, None, "{what} wrote into a gap");
        }
        Some((what, plan.recipe().clone(), own.into_iter().map(|place| output[place].value()).collect()))
    }

    /// Like [`run`](Self::run), but fails if the documented bound is exceeded.
    pub fn check(&self, device: &Device) -> Option<Outcome> {
        let outcome = self.run(device);
        if let Some(outcome) = &outcome {
            outcome.assert();
        }
        outcome
    }
}

impl Outcome {
    pub fn assert(&self) {
        assert!(self.error <= self.budget, "{}: relative error {:.3e} exceeds {:.3e}", self.what, self.error, self.budget);
    }

    /// An outcome without a case, for the test of the tally.
    pub fn none(n: usize) -> Self {
        Self { what: String::new(), error: 0.0, theirs: 0.0, budget: 0.0, n, bluestein: false, by_hand: false }
    }

    /// The error divided by rustfft's. It is 0 for very short transforms, where both errors are a
    /// matter of chance, and for a convolution forced by a recipe, which is less accurate.
    fn ratio(&self) -> f64 {
        if self.n < 8 || self.bluestein && self.by_hand { 0.0 } else { self.error / self.theirs }
    }
}

/// An element of an array that is transformed.
pub trait Number: Element {
    fn of(z: Complex32) -> Self;
    fn value(self) -> Complex32;
}

impl Number for Complex32 {
    fn of(z: Complex32) -> Self {
        z
    }

    fn value(self) -> Complex32 {
        self
    }
}

impl Number for f32 {
    fn of(z: Complex32) -> Self {
        z.re
    }

    fn value(self) -> Complex32 {
        Complex32::new(self, 0.0)
    }
}

/// The length in bytes of a shader that software adapters compile for most of a second.
const LONG_TEXT: usize = 24_000;

/// The most by which rustfft's own error in f32 may be exceeded.
const MAX_RATIO: f64 = 1.5;

/// The worst outcome of a class of cases.
pub struct Tally {
    class: String,
    start: Instant,
    worst: Mutex<Worst>,
}

#[derive(Default)]
struct Worst {
    /// The error divided by its bound: for lengths with small prime factors, and for convolutions.
    of_budget: [(f64, String); 2],
    of_rustfft: (f64, String),
    cases: usize,
    failures: Vec<String>,
}

impl Tally {
    pub fn new(device: &Device, class: &str) -> Self {
        Self::named(&format!("{}: {class}", device.name))
    }

    pub fn named(class: &str) -> Self {
        Self { class: class.to_owned(), start: Instant::now(), worst: Mutex::default() }
    }

    pub fn run(&self, device: &Device, case: &Case) {
        if let Some(outcome) = case.run(device) {
            self.add(&outcome);
        }
    }

    pub fn add(&self, outcome: &Outcome) {
        let mut worst = self.worst.lock().unwrap();
        worst.cases += 1;
        let keep = |worst: &mut (f64, String), value: f64| {
            if value > worst.0 {
                *worst = (value, outcome.what.clone());
            }
        };
        let (of_budget, ratio) = (outcome.error / outcome.budget, outcome.ratio());
        keep(&mut worst.of_budget[usize::from(outcome.bluestein)], of_budget);
        keep(&mut worst.of_rustfft, ratio);
        if of_budget > 1.0 || ratio > MAX_RATIO {
            let (error, theirs) = (outcome.error, outcome.theirs);
            let line =
                format!("{}: error {error:.2e}, {of_budget:.2} of the budget; rustfft in f32 {theirs:.2e}, ratio {ratio:.2}", outcome.what);
            worst.failures.push(line);
        }
    }

    /// Prints the worst outcomes, and fails if any error was too large, or if there was no case.
    pub fn finish(self) {
        let Worst { of_budget: [smooth, bluestein], of_rustfft, cases, failures } = self.worst.into_inner().unwrap();
        println!("{}: {cases} cases in {:.1?}", self.class, self.start.elapsed());
        for (what, (value, case)) in
            [("of the budget", smooth), ("of the budget, convolutions", bluestein), ("of rustfft's in f32", of_rustfft)]
        {
            if value > 0.0 {
                println!("    error at most {value:.2} {what}: {case}");
            }
        }
        assert!(cases > 0, "{}: no case fits the device, or none is left", self.class);
        assert!(
            failures.is_empty(),
            "{}: {} of {cases} cases are not accurate enough:\n{}",
            self.class,
            failures.len(),
            failures.join("\n")
        );
    }
}
