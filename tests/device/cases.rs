//! Cases of Fourier transforms on devices, and the worst outcome of a class of them.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use wgpu_fft::low_level;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::{Plan, Spec};

use crate::harness::*;
pub use crate::transform_cases::{Case, KINDS, Kind, Outcome, Run, Runner};

impl Runner for Device {
    fn run<S: Spec<Recipe = Recipe>>(&self, spec: &S, recipe: Option<&Recipe>, input: &[S::Input]) -> Vec<Run<S::Output>> {
        let plan = self.plan_if_fit(spec.clone(), recipe.cloned());
        let run =
            |plan: Arc<Plan<S>>| Run { on: self.name.clone(), recipe: plan.recipe().clone(), output: run_guarded(self, &plan, input) };
        plan.into_iter().map(run).collect()
    }
}

/// A device that leaves out recipes by hand whose texts take long to compile, but for thorough runs.
struct Short<'a>(&'a Device);

impl Runner for Short<'_> {
    fn run<S: Spec<Recipe = Recipe>>(&self, spec: &S, recipe: Option<&Recipe>, input: &[S::Input]) -> Vec<Run<S::Output>> {
        if let (Some(recipe), false) = (recipe, self.0.is_thorough())
            && let Ok(program) = spec.lower(recipe, self.0.gpu().profile())
            && low_level::dispatches(&program).iter().any(|dispatch| dispatch.wgsl().len() > LONG_TEXT)
        {
            println!("left out, as it takes long to compile: {}: `{spec}` by `{recipe}`", self.0.name);
            return Vec::new();
        }
        self.0.run(spec, recipe, input)
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
    of_bound: [(f64, String); 2],
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

    /// Runs a case on a device, unless its recipe does not fit.
    pub fn run(&self, device: &Device, case: &Case) {
        for outcome in case.outcomes(&Short(device)) {
            // Errors of very short transforms are a matter of chance, and a convolution that a recipe
            // asks for is less accurate.
            let is_comparable = case.n() >= 8 && !(outcome.bluestein && case.has_recipe());
            self.add(&outcome, is_comparable.then(|| case.error_of_rustfft()));
        }
    }

    /// Adds an outcome, which is compared with the error of rustfft if that is given.
    pub fn add(&self, outcome: &Outcome, theirs: Option<f64>) {
        let mut worst = self.worst.lock().unwrap();
        worst.cases += 1;
        let keep = |worst: &mut (f64, String), value: f64| {
            if value > worst.0 {
                *worst = (value, outcome.what.clone());
            }
        };
        let of_bound = outcome.error / outcome.bound;
        let ratio = theirs.map_or(0.0, |theirs| outcome.error / theirs);
        keep(&mut worst.of_bound[usize::from(outcome.bluestein)], of_bound);
        keep(&mut worst.of_rustfft, ratio);
        if of_bound > 1.0 || ratio > MAX_RATIO {
            let (what, error) = (&outcome.what, outcome.error);
            worst.failures.push(format!(
                "{what}: error {error:.2e}, {of_bound:.2} of the bound; rustfft in f32 {:.2e}, ratio {ratio:.2}",
                theirs.unwrap_or(f64::NAN)
            ));
        }
    }

    /// Prints the worst outcomes, and fails if any error was too large, or if there was no case.
    pub fn finish(self) {
        let Worst { of_bound: [smooth, bluestein], of_rustfft, cases, failures } = self.worst.into_inner().unwrap();
        println!("{}: {cases} cases in {:.1?}", self.class, self.start.elapsed());
        for (what, (value, case)) in
            [("of the bound", smooth), ("of the bound, convolutions", bluestein), ("of rustfft's in f32", of_rustfft)]
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
