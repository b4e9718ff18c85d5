//! A run of a benchmark on one adapter.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};
use wgpu_fft::low_level::Stopwatch;
use wgpu_fft::{Error, Gpu, Plan, Planner, Spec, gpu, wgpu};

use super::arrays::Noise;
use super::options::COMMON;
use super::report::Report;
use super::{Candidate, Column, Options, Result, Samples, Schedule, rounded};

/// A benchmark.
pub struct Program {
    pub name: &'static str,
    /// What it measures, in a few words.
    pub about: &'static str,
    /// The lines of its usage text for options that it alone has.
    pub options: &'static str,
    pub columns: &'static [Column],
    pub work: fn(&mut Bench) -> Result<()>,
}

impl Program {
    /// Opens the adapter, measures and prints the table. Returns whether all went well.
    ///
    /// Ends the process if the command line is wrong or asks for help.
    pub fn run(&self, command: &str, words: &[String]) -> bool {
        let start = Instant::now();
        let usage = format!("{command} [OPTIONS]\n{}{COMMON}", self.options);
        if words.iter().any(|word| word == "--help" || word == "-h") {
            println!("{usage}");
            std::process::exit(0);
        }
        let options = Options::parse(usage.clone(), words).unwrap_or_else(|error| {
            eprintln!("{error}\n{usage}");
            std::process::exit(2);
        });
        let outcome = Bench::open(self.name, options).and_then(|mut bench| {
            let outcome = (self.work)(&mut bench);
            let seconds = start.elapsed().as_secs_f64();
            bench.say(|| format!("\n{}, in {seconds:.0} s\n{}", bench.headline(), bench.report.table(self.columns)));
            outcome?;
            if bench.faults.is_empty() { Ok(()) } else { Err(bench.faults.join("\n").into()) }
        });
        outcome.inspect_err(|error| eprintln!("{}: {error}", self.name)).is_ok()
    }
}

/// A benchmark on one adapter.
#[derive(Debug)]
pub struct Bench {
    name: &'static str,
    options: Options,
    adapter: wgpu::Adapter,
    planner: Planner,
    stopwatch: Stopwatch,
    schedule: Schedule,
    noise: Noise,
    report: Report,
    faults: Vec<String>,
}

/// Cases that are measured together: their name, and what measures them.
pub type Table = (&'static str, fn(&mut Bench) -> Result<()>);

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

impl Case {
    /// A case of a plan.
    pub fn of<S: Spec>(title: impl Into<String>, shape: impl Into<String>, plan: &Plan<S>) -> Self {
        let program = plan.program();
        Self { title: title.into(), shape: shape.into(), bytes: program.inputs()[0].bytes() + program.output().bytes() }
    }
}

impl Bench {
    fn open(name: &'static str, options: Options) -> Result<Self> {
        let adapter = pollster::block_on(gpu::adapters(&options.gpu()))?.swap_remove(0);
        let gpu = pollster::block_on(Gpu::from_adapter(&adapter))?;
        let schedule = Schedule { rounds: options.rounds, ..Schedule::of(&gpu) };
        let bench = Self {
            name,
            adapter,
            stopwatch: Stopwatch::new(&gpu)?,
            schedule: if options.smoke { Schedule::SMOKE } else { schedule },
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

    /// The adapter, to open other devices of it.
    pub fn adapter(&self) -> &wgpu::Adapter {
        &self.adapter
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

    /// Does the same with each of the cases for this adapter. They are those for a GPU, for a software
    /// adapter, and for a smoke test.
    pub fn each<T: Copy>(&mut self, [gpu, cpu, smoke]: [&[T]; 3], mut work: impl FnMut(&mut Self, T) -> Result<()>) -> Result<()> {
        self.sized(gpu, cpu, smoke).iter().try_for_each(|&case| work(self, case))
    }

    /// Measures the tables that `--table` names, or all.
    pub fn tables(&mut self, tables: &[Table]) -> Result<()> {
        let wanted: Vec<String> = self.options.all("table").map(str::to_owned).collect();
        if let Some(other) = wanted.iter().find(|wanted| tables.iter().all(|(name, _)| wanted != name)) {
            let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
            return Err(format!("the tables are {}, not {other}", names.join(", ")).into());
        }
        let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
        tables.iter().filter(|(name, _)| is_wanted(name)).try_for_each(|(_, work)| work(self))
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
    pub fn plans<S: Spec>(&self, spec: &S, recipes: &[S::Recipe]) -> Result<Vec<Arc<Plan<S>>>> {
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
    pub fn fitting_plan<S: Spec>(&self, spec: &S, recipe: S::Recipe) -> Result<std::result::Result<Arc<Plan<S>>, Error>> {
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
        self.print(line, own);
    }

    /// Reports a measurement that only this benchmark makes.
    pub fn report_own(&mut self, case: &Case, recipe: &str, own: impl IntoIterator<Item = (&'static str, Value)>) {
        self.print(self.line(case, recipe), own);
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
        self.print(line, own);
    }

    /// Prints a line of JSON and keeps it for the table.
    fn print(&mut self, mut line: Map<String, Value>, own: impl IntoIterator<Item = (&'static str, Value)>) {
        line.extend(fields(own));
        println!("{}", Value::Object(line.clone()));
        self.report.keep(line);
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
