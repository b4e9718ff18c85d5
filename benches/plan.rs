//! The cost of the first use of a plan and of each call. Planning is measured cold, warm, and with
//! compiled pipelines from a file. Calls are `encode`, `bind` and `Bound::encode`.
//!
//! ```sh
//! MESA_SHADER_CACHE_DISABLE=true __GL_SHADER_DISK_CACHE=0 cargo bench --bench measure -- plan
//! ```
//!
//! Without those variables, a driver's own cache on disk hides the cost of compilation. In each
//! round every case is measured in three ways:
//! - `cold`: planned on a new device by a new planner, then run twice. Some drivers (lavapipe)
//!   compile at the first run. So `total_ms` is planning plus the first run minus the second run,
//!   and `ratio` is its median divided by that of `cold`;
//! - `file`: the same, with the pipelines that an earlier device has saved
//!   ([`GpuOptions::pipeline_cache`]);
//! - `warm`: planned again by the same planner, which already has the plan (`plan_us`).
//!
//! `--recipe` adds `request`: as `cold`, by that recipe.
//!
//! `--memory 150` plans 150 lengths from 100 on, runs each once, keeps all, and prints what each
//! pipeline takes of the host's memory (Linux), in all and for each byte of its text.
//!
//! `calls` are microseconds of host time per call, over many calls into one encoder. `finish_us` is
//! the share of each call in `finish` and `submit`. Opening a device is not timed. The first round
//! may differ from the others, because the driver starts up then too; so `totals_ms` lists all
//! rounds in order.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use wgpu_fft::Spec;
use wgpu_fft::fft::{C2c, R2c};
use wgpu_fft::{DeviceBuffer, Error, Gpu, GpuOptions, Plan, Planner, wgpu};

use crate::support::{Bench, Case, Column, Format, Program, Result, median, rounded};

pub const PROGRAM: Program = Program {
    name: "plan",
    about: "the first use of a plan, what each call costs, and memory of pipelines",
    options: "  --spec TEXT     this case, such as \"c2c fwd 512x512\"; may be repeated
  --first-use     the shapes whose first result is watched: squares, rows, primes, reals
  --memory COUNT  what so many plans take of the host's memory, instead of times
",
    columns: COLUMNS,
    work,
};

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Text),
    Column::new("by", "candidate", Format::Text),
    Column::new("dispatches", "dispatches", Format::Decimals(0)),
    Column::new("plan ms", "plan_ms", Format::Digits),
    Column::new("first run ms", "first_run_ms", Format::Digits),
    Column::new("second run ms", "run_ms", Format::Digits),
    Column::new("total ms", "total_ms", Format::Digits),
    Column::new("processor s", "processor_s", Format::Digits),
    Column::new("ratio", "ratio", Format::Digits),
    Column::new("plan us", "plan_us", Format::Digits),
    Column::new("encode us", "encode_us", Format::Digits),
    Column::new("bind us", "bind_us", Format::Digits),
    Column::new("bound us", "bound_us", Format::Digits),
    Column::new("finish us", "finish_us", Format::Digits),
    Column::new("MB each", "pipeline_mb", Format::Digits),
    Column::new("for a byte of text", "per_text_byte", Format::Digits),
];

/// The shapes of `--first-use`.
const FIRST_USE: &[&str] = &[
    "c2c fwd 64x64",
    "c2c fwd 256x256",
    "c2c fwd 512x512",
    "c2c fwd 1024x1024",
    "c2c fwd 2048x2048",
    "c2c fwd 1000x1000",
    "c2c fwd 1080x1920",
    "c2c fwd 128x128x128",
    "c2c fwd 3000x2000",
    "r2c fwd 512x512",
    "r2c fwd 1080x1920",
    "c2c fwd 97",
    "c2c fwd 6000",
    "c2c fwd 7919",
    "c2c fwd 65537",
    "c2c fwd 510510",
    "c2c fwd 10007x3",
    "c2c fwd 719x1013",
    "c2c fwd 8388593",
];

fn work(bench: &mut Bench) -> Result<()> {
    let options = bench.options();
    if let Some(kept) = options.number("memory")? {
        return memory(bench, kept);
    }
    let more = if options.has("first-use") { FIRST_USE } else { &[] };
    let specs: Vec<String> = options.all("spec").chain(more.iter().copied()).map(str::to_owned).collect();
    let folder = Folder::new()?;
    for text in &specs {
        match text.parse::<C2c>() {
            Ok(spec) => contest(bench, &folder, &spec)?,
            Err(_) => contest(bench, &folder, &text.parse::<R2c>()?)?,
        }
    }
    if !specs.is_empty() {
        return Ok(());
    }
    let [n, rows] = bench.sized([1024, 64], [1024, 64], [32, 4]);
    contest(bench, &folder, &C2c::forward(n).batch(rows))?;
    bench.each([&[256, 1024], &[256, 1024], &[16]], |bench, side| contest(bench, &folder, &C2c::forward([side, side])))
}

/// The directory for saved pipelines.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("wgpu-fft-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    fn file(&self) -> PathBuf {
        self.0.join("pipelines")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Files left in the directory for temporary files do no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The milliseconds of a first use.
#[derive(Clone, Copy, Debug)]
struct FirstUse {
    plan: f64,
    first_run: f64,
    second_run: f64,
    /// Seconds of processors for planning and the first run, where the system says so.
    processor: Option<f64>,
}

/// Seconds that processors have worked for this process.
fn processor_seconds() -> Option<f64> {
    // The 14th and 15th field, in hundredths of a second; the second one is in parentheses.
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<f64> = text.rsplit_once(')')?.1.split_whitespace().skip(11).take(2).map_while(|field| field.parse().ok()).collect();
    Some(fields.iter().sum::<f64>() / 100.0)
}

impl FirstUse {
    /// The additional cost of the first use compared with the second.
    fn total(self) -> f64 {
        self.plan + self.first_run - self.second_run
    }
}

/// A plan and its arrays on a device of their own.
struct Used<S: Spec> {
    planner: Planner,
    plan: Arc<Plan<S>>,
    input: DeviceBuffer<S::Input>,
    output: DeviceBuffer<S::Output>,
}

impl<S: Spec> Used<S> {
    /// By the rules, or by a recipe.
    fn new(gpu: &Gpu, spec: &S, recipe: Option<&S::Recipe>) -> Result<(Self, FirstUse)> {
        let planner = Planner::new(gpu);
        let begin = processor_seconds();
        let make = || match recipe {
            Some(recipe) => Ok(planner.plan_with(spec.clone(), recipe.clone())?),
            None => Ok(planner.plan(spec.clone())?),
        };
        let (plan, plan_ms) = milliseconds(make)?;
        let input = gpu.alloc(plan.input_len())?;
        let used = Self { output: gpu.alloc(plan.output_len())?, input, plan, planner };
        // wgpu zeroes arrays when they are first used.
        wait(
            gpu,
            gpu.submit(|encoder| {
                encoder.clear_buffer(used.input.buffer(), 0, None);
                encoder.clear_buffer(used.output.buffer(), 0, None);
                Ok(())
            })?,
        )?;
        let ((), first_run) = milliseconds(|| used.run())?;
        let processor = begin.zip(processor_seconds()).map(|(begin, end)| end - begin);
        let ((), second_run) = milliseconds(|| used.run())?;
        Ok((used, FirstUse { plan: plan_ms, first_run, second_run, processor }))
    }

    fn run(&self) -> Result<()> {
        let gpu = self.planner.gpu();
        wait(gpu, gpu.submit(|encoder| self.plan.encode(encoder, &self.input, &self.output))?)
    }

    /// The microseconds for planning again.
    fn plan_again(&self) -> Result<f64> {
        per_call(|| Ok(self.planner.plan(self.plan.spec().clone())?))
    }

    /// The microseconds of `encode`, `bind` and `Bound::encode`, and of `finish` with `submit` per
    /// encode call.
    fn calls(&self) -> Result<[f64; 4]> {
        let gpu = self.planner.gpu();
        let new_encoder = || gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut encoder = new_encoder();
        let encode = per_call(|| Ok(self.plan.encode(&mut encoder, &self.input, &self.output)?))?;
        drop(encoder);
        let bind = per_call(|| Ok(self.plan.bind(&self.input, &self.output)?))?;
        let bound = self.plan.bind(&self.input, &self.output)?;
        let mut encoder = new_encoder();
        let bound = per_call(|| Ok(bound.encode(&mut encoder)?))?;
        let (submission, finish) = milliseconds(|| Ok(gpu.queue().submit([encoder.finish()])))?;
        wait(gpu, submission)?;
        Ok([encode, bind, bound, finish * 1e3 / f64::from(CALLS)])
    }
}

/// The number of calls that are timed together.
const CALLS: u32 = 100;

fn per_call<T>(mut call: impl FnMut() -> Result<T>) -> Result<f64> {
    let ((), time) = milliseconds(|| (0..CALLS).try_for_each(|_| call().map(drop)))?;
    Ok(time * 1e3 / f64::from(CALLS))
}

fn milliseconds<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let start = Instant::now();
    let value = work()?;
    Ok((value, start.elapsed().as_secs_f64() * 1e3))
}

fn wait(gpu: &Gpu, submission: wgpu::SubmissionIndex) -> Result<()> {
    gpu.device().poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None })?;
    Ok(())
}

fn open(bench: &Bench, file: Option<&Path>) -> Result<Gpu> {
    let options = file.iter().fold(GpuOptions::default(), |options, file| options.pipeline_cache(file));
    Ok(pollster::block_on(Gpu::from_adapter_with(bench.adapter(), &options))?)
}

/// Megabytes of memory that this process holds.
fn resident_mb() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("the system does not say what a process holds")?;
    Ok(line.split_whitespace().next().ok_or("no number")?.parse::<f64>()? * 1024.0 / 1e6)
}

/// What plans take of the host's memory that were run once and are kept.
fn memory(bench: &mut Bench, count: usize) -> Result<()> {
    const STEP: usize = 25;
    let planner = Planner::new(&open(bench, None)?).with_memory(u64::MAX);
    let begin = resident_mb()?;
    let (mut plans, mut pipelines, mut text_bytes) = (Vec::new(), 0, 0);
    for n in 100..100 + count {
        let plan = planner.plan(C2c::forward(n))?;
        pipelines += plan.program().dispatch_count();
        text_bytes += plan.program().wgsl().map(|text| text.len()).sum::<usize>();
        plan.run(&vec![wgpu_fft::Complex32::default(); n])?.wait()?;
        plans.push(plan);
        if plans.len() % STEP == 0 || plans.len() == count {
            let taken = resident_mb()? - begin;
            let case = Case { title: format!("{} lengths", plans.len()), shape: pipelines.to_string(), bytes: text_bytes as u64 };
            let own = [
                ("candidate", json!("kept")),
                ("dispatches", json!(pipelines)),
                ("text_bytes", json!(text_bytes)),
                ("taken_mb", rounded(taken)),
                ("pipeline_mb", rounded(taken / pipelines as f64)),
                ("per_text_byte", rounded(taken * 1e6 / text_bytes as f64)),
            ];
            bench.report_own(&case, "", own);
        }
    }
    Ok(())
}

fn contest<S: Spec>(bench: &mut Bench, folder: &Folder, spec: &S) -> Result<()> {
    bench.contest(&spec.to_string(), |bench| {
        let rounds = bench.sized(bench.options().rounds, bench.options().rounds.div_ceil(2), 1);
        let (mut cold, mut file, mut warm, mut calls) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut recipe = String::new();
        let profile = bench.planner().gpu().profile().clone();
        let fits = |recipe: &S::Recipe| spec.lower(recipe, &profile).is_ok();
        let asked = bench.options().recipes::<S::Recipe>()?.into_iter().filter(fits);
        let mut asked: Vec<(S::Recipe, Vec<FirstUse>)> = asked.map(|recipe| (recipe, Vec::new())).collect();
        for _ in 0..rounds {
            for (recipe, times) in &mut asked {
                times.push(Used::new(&open(bench, None)?, spec, Some(recipe))?.1);
            }
            let gpu = open(bench, None)?;
            if gpu.pipeline_cache().is_some() {
                return Err("nothing is cold where WGPU_FFT_PIPELINE_CACHE is set".into());
            }
            let (used, times) = Used::new(&gpu, spec, None)?;
            recipe = used.plan.recipe().to_string();
            cold.push(times);
            warm.push(used.plan_again()?);
            calls.push(used.calls()?);

            let gpu = open(bench, Some(&folder.file()))?;
            match gpu.pipeline_cache() {
                Some(Ok(1..)) => file.push(Used::new(&gpu, spec, None)?.1),
                Some(Err(Error::Unsupported { .. })) => {}
                _ => {
                    Used::new(&gpu, spec, None)?;
                    gpu.save_pipeline_cache()?;
                    let gpu = open(bench, Some(&folder.file()))?;
                    file.push(Used::new(&gpu, spec, None)?.1);
                }
            }
        }
        // The next case has a file of its own.
        let _ = std::fs::remove_file(folder.file());
        report(bench, spec, &recipe, [("cold", &cold), ("file", &file)], &warm, &calls)?;
        for (recipe, times) in &asked {
            report(bench, spec, &recipe.to_string(), [("request", times), ("file", &[])], &[], &[])?;
        }
        Ok(())
    })
}

fn report<S: Spec>(
    bench: &mut Bench,
    spec: &S,
    recipe: &str,
    first: [(&str, &[FirstUse]); 2],
    warm: &[f64],
    calls: &[[f64; 4]],
) -> Result<()> {
    let plan = bench.planner().plan_with(spec.clone(), recipe.parse()?)?;
    let points = plan.input_len();
    let case = Case::of(spec.to_string(), points.to_string(), &plan);
    let dispatches = json!(plan.program().dispatch_count());
    let cold = median(first[0].1.iter().map(|times| times.total()));
    for (candidate, times) in first.into_iter().filter(|(_, times)| !times.is_empty()) {
        let of = |part: fn(&FirstUse) -> f64| median(times.iter().map(part));
        let total = of(|times| times.total());
        let processor: Option<Vec<f64>> = times.iter().map(|times| times.processor).collect();
        let own: [(&str, Value); 10] = [
            ("candidate", json!(candidate)),
            ("dispatches", dispatches.clone()),
            ("samples", json!(times.len())),
            ("plan_ms", rounded(of(|times| times.plan))),
            ("first_run_ms", rounded(of(|times| times.first_run))),
            ("run_ms", rounded(of(|times| times.second_run))),
            ("total_ms", rounded(total)),
            ("ratio", rounded(total / cold)),
            ("processor_s", processor.map_or(Value::Null, |seconds| rounded(median(seconds)))),
            ("totals_ms", times.iter().map(|times| rounded(times.total())).collect()),
        ];
        bench.report_own(&case, recipe, own);
    }
    if warm.is_empty() {
        return Ok(());
    }
    let own = [("candidate", json!("warm")), ("samples", json!(warm.len())), ("plan_us", rounded(median(warm.iter().copied())))];
    bench.report_own(&case, recipe, own);
    let of = |i: usize| rounded(median(calls.iter().map(|times| times[i])));
    let own = [
        ("candidate", json!("calls")),
        ("dispatches", dispatches),
        ("samples", json!(calls.len())),
        ("encode_us", of(0)),
        ("bind_us", of(1)),
        ("bound_us", of(2)),
        ("finish_us", of(3)),
    ];
    bench.report_own(&case, recipe, own);
    Ok(())
}
