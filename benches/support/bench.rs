//! A run of a benchmark on one adapter.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};
use wgpu_fft::gpu::Stopwatch;
use wgpu_fft::tune::Searchable;
use wgpu_fft::{Error, Gpu, GpuOptions, Plan, Planner, wgpu};

use super::arrays::Noise;
use super::report::Report;
use super::rounds::Schedule;
use super::{Candidate, Column, Options, Result, Samples, rounded};

/// A benchmark on one adapter.
#[derive(Debug)]
pub struct Bench {
    name: &'static str,
    options: Options,
    planner: Planner,
    stopwatch: Stopwatch,
    schedule: Schedule,
    noise: Noise,
    report: Report,
    faults: Vec<String>,
}

/// The case for which a candidate was measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The specification as printed.
    pub title: String,
    /// The extents.
    pub shape: String,
    /// The minimum of bytes that one run reads and writes.
    pub bytes: u64,
}

/// Opens the adapter, runs `work` and prints the table. Fails at the end if anything went wrong.
pub fn run(name: &'static str, options: Options, columns: &[Column], work: impl FnOnce(&mut Bench) -> Result<()>) -> ExitCode {
    let start = Instant::now();
    let outcome = Bench::open(name, options).and_then(|mut bench| {
        let outcome = work(&mut bench);
        let seconds = start.elapsed().as_secs_f64();
        bench.say(|| format!("\n{}, in {seconds:.0} s\n{}", bench.headline(), bench.report.table(columns)));
        outcome?;
        if bench.faults.is_empty() { Ok(()) } else { Err(bench.faults.join("\n").into()) }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Bench {
    fn open(name: &'static str, options: Options) -> Result<Self> {
        let wanted = options.adapter.iter().fold(GpuOptions::default(), |wanted, adapter| wanted.adapter_name(adapter));
        let gpu = pollster::block_on(Gpu::request(&wanted))?;
        let bench = Self {
            name,
            stopwatch: if options.wall_clock { Stopwatch::by_wall_clock(&gpu) } else { Stopwatch::new(&gpu)? },
            schedule: Schedule::of(&options, &gpu),
            noise: Noise::new(&gpu)?,
            report: Report::default(),
            faults: Vec::new(),
            planner: Planner::new(&gpu),
            options,
        };
        bench.say(|| bench.headline());
        Ok(bench)
    }

    /// A headline: which benchmark on which adapter.
    pub fn headline(&self) -> String {
        let info = self.adapter_info();
        format!("{} on {} ({:?}, {}), by {}", self.name, info.name, info.backend, driver(&info), self.stopwatch.timer())
    }

    fn adapter_info(&self) -> wgpu::AdapterInfo {
        self.gpu().device().adapter_info()
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        self.planner.gpu()
    }

    /// The planner.
    pub fn planner(&self) -> &Planner {
        &self.planner
    }

    /// The options from the command line.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The numbers that fill inputs.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// Chooses one of three values: for a GPU, for a software adapter, or for a smoke test.
    pub fn sized<T>(&self, gpu: T, cpu: T, smoke: T) -> T {
        match (self.options.smoke, self.gpu().profile().is_cpu()) {
            (true, _) => smoke,
            (false, true) => cpu,
            (false, false) => gpu,
        }
    }

    /// The bytes that arrays should have together, to exceed a GPU's caches. A software adapter
    /// uses the host's caches, and gets only one pair, like the host's own transforms beside it.
    pub fn rotation_bytes(&self) -> u64 {
        self.sized(240 << 20, 1, 1)
    }

    /// Measures the candidates of a contest.
    pub fn measure(&self, candidates: Vec<Candidate>) -> Result<Vec<Samples>> {
        self.schedule.measure(candidates, &self.stopwatch)
    }

    /// A quick measurement of a candidate: the seconds of one run, as the least of three samples.
    pub fn glance(&self, candidate: Candidate) -> Result<f64> {
        let schedule = Schedule { rounds: 3, rehearsals: 1, warm_up: 0.0, ..self.schedule };
        Ok(schedule.measure(vec![candidate], &self.stopwatch)?[0].min())
    }

    /// Runs the contest of a case if the filters select it. If the device has too little room for a
    /// case, the case is reported and skipped.
    pub fn contest(&mut self, title: &str, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        match self.contested(title, work) {
            Err(error) if error.downcast_ref().is_some_and(is_too_large) => {
                self.say(|| format!("{title} is left out: {error}"));
                Ok(())
            }
            other => other,
        }
    }

    /// Like [`contest`](Self::contest), but any reason why a case cannot be measured is reported,
    /// and the benchmark continues.
    ///
    /// It counts as a failure unless the device or this version explains it. A lost device ends the
    /// benchmark. In a smoke test, any reason other than lack of room does so too.
    pub fn attempt(&mut self, case: &Case, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let Err(error) = self.contested(&case.title, work) else { return Ok(()) };
        let known = error.downcast_ref::<Error>();
        let no_room = known.is_some_and(is_too_large);
        if matches!(known, Some(Error::DeviceLost { .. })) || self.options.smoke && !no_room {
            return Err(error);
        }
        if !no_room && !matches!(known, Some(Error::Unsupported { .. })) {
            self.fault(format!("{}: {error}", case.title));
        }
        self.say(|| format!("{} is left out: {error}", case.title));
        self.report_unfit(case, "", &*error, []);
        Ok(())
    }

    fn contested(&mut self, title: &str, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if !self.options.wants(title) {
            return Ok(());
        }
        self.say(|| format!("{title} ..."));
        let outcome = work(self);
        // Plans hold workspaces, which would add up.
        self.planner.clear();
        outcome
    }

    /// Records a failure, which makes the benchmark fail at the end.
    pub fn fault(&mut self, what: String) {
        self.faults.push(what);
    }

    /// The plan with the recipe that the rules choose, then plans with those of `recipes` that fit,
    /// without duplicates.
    pub fn plans<S: Searchable>(&self, spec: &S, recipes: &[S::Recipe]) -> Result<Vec<Arc<Plan<S>>>> {
        let mut plans = vec![self.planner.plan(spec.clone())?];
        for recipe in recipes {
            if let Ok(plan) = self.fitting_plan(spec, recipe.clone())?
                && plans.iter().all(|known| known.recipe() != recipe)
            {
                plans.push(plan);
            }
        }
        Ok(plans)
    }

    /// The plan with a recipe, or why the recipe does not fit. Any other error stops the benchmark.
    pub fn fitting_plan<S: Searchable>(&self, spec: &S, recipe: S::Recipe) -> Result<std::result::Result<Arc<Plan<S>>, Error>> {
        match self.planner.plan_with(spec.clone(), recipe) {
            Err(error) if !matches!(error, Error::UnfitRecipe { .. } | Error::LimitExceeded { .. }) => Err(error.into()),
            fitting => Ok(fitting),
        }
    }

    /// Reports a candidate, with its fraction of the copy bandwidth measured in the same contest,
    /// and with the benchmark's own fields.
    pub fn report(
        &mut self,
        case: &Case,
        recipe: &str,
        samples: &Samples,
        copy_gb_per_s: f64,
        own: impl IntoIterator<Item = (&'static str, Value)>,
    ) {
        let gb_per_s = samples.gb_per_s(case.bytes);
        let mut line = self.line(case, recipe);
        line.extend(fields([
            ("samples", json!(samples.count())),
            ("repetitions", json!(samples.repetitions)),
            ("ms", rounded(samples.median() * 1e3)),
            ("min_ms", rounded(samples.min() * 1e3)),
            ("spread", rounded(samples.spread())),
            ("gb_per_s", rounded(gb_per_s)),
            ("copy_gb_per_s", rounded(copy_gb_per_s)),
            ("copy_fraction", rounded(gb_per_s / copy_gb_per_s)),
            ("timer", json!(samples.timer.to_string())),
        ]));
        line.extend(fields(own));
        self.report.line(line);
    }

    /// Reports a measurement that only this benchmark makes.
    pub fn report_own(&mut self, case: &Case, recipe: &str, own: impl IntoIterator<Item = (&'static str, Value)>) {
        let mut line = self.line(case, recipe);
        line.extend(fields(own));
        self.report.line(line);
    }

    /// Reports a candidate that could not be measured.
    pub fn report_unfit(
        &mut self,
        case: &Case,
        recipe: &str,
        why: &(dyn std::error::Error + 'static),
        own: impl IntoIterator<Item = (&'static str, Value)>,
    ) {
        let mut line = self.line(case, recipe);
        let why = match why.downcast_ref() {
            Some(Error::UnfitRecipe { why, .. }) => why.clone(),
            _ => why.to_string(),
        };
        line.extend(fields([("error", json!(why))]));
        line.extend(fields(own));
        self.report.line(line);
    }

    fn line(&self, case: &Case, recipe: &str) -> Map<String, Value> {
        let info = self.adapter_info();
        let common = fields([
            ("bench", json!(self.name)),
            ("spec", json!(case.title)),
            ("adapter", json!(info.name)),
            ("driver", json!(driver(&info))),
            ("recipe", json!(recipe)),
            ("shape", json!(case.shape)),
            ("bytes", json!(case.bytes)),
        ]);
        common.collect()
    }

    /// Prints a message for the user.
    pub fn say(&self, text: impl FnOnce() -> String) {
        if !self.options.json {
            eprintln!("{}", text());
        }
    }
}

fn fields(own: impl IntoIterator<Item = (&'static str, Value)>) -> impl Iterator<Item = (String, Value)> {
    own.into_iter().map(|(name, value)| (name.to_owned(), value))
}

fn driver(info: &wgpu::AdapterInfo) -> String {
    format!("{} {}", info.driver, info.driver_info).trim().to_owned()
}

/// Whether an error means that the device has too little room.
fn is_too_large(error: &Error) -> bool {
    matches!(error, Error::LimitExceeded { .. } | Error::OutOfMemory { .. })
}
