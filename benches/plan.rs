//! The cost of the first use of a plan and of each call. Planning is measured cold, warm, and with
//! compiled pipelines from a file. Calls are `encode`, `bind` and `Bound::encode`.
//!
//! ```sh
//! MESA_SHADER_CACHE_DISABLE=true __GL_SHADER_DISK_CACHE=0 cargo bench --bench plan
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
//! `calls` are microseconds of host time per call, over many calls into one encoder. `finish_us` is
//! the share of each call in `finish` and `submit`. Opening a device is not timed. The first round
//! may differ from the others, because the driver starts up then too; so `totals_ms` lists all
//! rounds in order.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use wgpu_fft::fft::C2c;
use wgpu_fft::gpu::PipelineCacheStatus;
use wgpu_fft::{Complex32, DeviceBuffer, Gpu, GpuOptions, Plan, Planner, gpu, wgpu};

use support::{Bench, Case, Column, Format, Options, Result, rounded};

#[path = "support/mod.rs"]
mod support;

const USAGE: &str = "cargo bench --bench plan -- [OPTIONS]
(--recipe and --wall-clock have no effect)
";

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Text),
    Column::new("by", "candidate", Format::Text),
    Column::new("dispatches", "dispatches", Format::Decimals(0)),
    Column::new("plan ms", "plan_ms", Format::Digits),
    Column::new("first run ms", "first_run_ms", Format::Digits),
    Column::new("second run ms", "run_ms", Format::Digits),
    Column::new("total ms", "total_ms", Format::Digits),
    Column::new("ratio", "ratio", Format::Digits),
    Column::new("plan us", "plan_us", Format::Digits),
    Column::new("encode us", "encode_us", Format::Digits),
    Column::new("bind us", "bind_us", Format::Digits),
    Column::new("bound us", "bound_us", Format::Digits),
    Column::new("finish us", "finish_us", Format::Digits),
];

fn main() -> ExitCode {
    let options = Options::parse(USAGE, |_, _| Ok(false));
    support::run("plan", options, COLUMNS, |bench| {
        let wanted = bench.options().adapter.iter().fold(GpuOptions::default(), |wanted, adapter| wanted.adapter_name(adapter));
        let adapter = pollster::block_on(gpu::adapters(&wanted))?.swap_remove(0);
        let (rows, squares): (_, &[usize]) = (bench.sized([1024, 64], [1024, 64], [32, 4]), bench.sized(&[256, 1024], &[256, 1024], &[16]));
        let folder = Folder::new()?;
        contest(bench, &adapter, &folder, &C2c::forward(rows[0]).batch(rows[1]))?;
        for &side in squares {
            contest(bench, &adapter, &folder, &C2c::forward([side, side]))?;
        }
        Ok(())
    })
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
}

impl FirstUse {
    /// The additional cost of the first use compared with the second.
    fn total(self) -> f64 {
        self.plan + self.first_run - self.second_run
    }
}

/// A plan and its arrays on a device of their own.
struct Used {
    planner: Planner,
    plan: Arc<Plan<C2c>>,
    input: DeviceBuffer<Complex32>,
    output: DeviceBuffer<Complex32>,
}

impl Used {
    fn new(gpu: &Gpu, spec: &C2c) -> Result<(Self, FirstUse)> {
        let planner = Planner::new(gpu);
        let (plan, plan_ms) = milliseconds(|| Ok(planner.plan(spec.clone())?))?;
        let input = gpu.alloc(plan.program().inputs[0].len)?;
        let used = Self { output: gpu.alloc(plan.program().output.len)?, input, plan, planner };
        // wgpu zeroes arrays when they are first used.
        wait(
            gpu,
            gpu.submit(|encoder| {
                encoder.clear_buffer(used.input.wgpu(), 0, None);
                encoder.clear_buffer(used.output.wgpu(), 0, None);
                Ok(())
            })?,
        )?;
        let ((), first_run) = milliseconds(|| used.run())?;
        let ((), second_run) = milliseconds(|| used.run())?;
        Ok((used, FirstUse { plan: plan_ms, first_run, second_run }))
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

fn open(adapter: &wgpu::Adapter, file: Option<&Path>) -> Result<Gpu> {
    let options = file.iter().fold(GpuOptions::default(), |options, file| options.pipeline_cache(file));
    Ok(pollster::block_on(Gpu::from_adapter_with(adapter, &options))?)
}

fn contest(bench: &mut Bench, adapter: &wgpu::Adapter, folder: &Folder, spec: &C2c) -> Result<()> {
    bench.contest(&spec.to_string(), |bench| {
        let rounds = bench.sized(bench.options().rounds, bench.options().rounds.div_ceil(2), 1);
        let (mut cold, mut file, mut warm, mut calls) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut recipe = String::new();
        for _ in 0..rounds {
            let gpu = open(adapter, None)?;
            if *gpu.pipeline_cache() != PipelineCacheStatus::Off {
                return Err("nothing is cold where WGPU_FFT_PIPELINE_CACHE is set".into());
            }
            let (used, times) = Used::new(&gpu, spec)?;
            recipe = used.plan.recipe().to_string();
            cold.push(times);
            warm.push(used.plan_again()?);
            calls.push(used.calls()?);

            let gpu = open(adapter, Some(&folder.file()))?;
            match gpu.pipeline_cache() {
                PipelineCacheStatus::Loaded { .. } => file.push(Used::new(&gpu, spec)?.1),
                PipelineCacheStatus::Unsupported { .. } => {}
                _ => {
                    Used::new(&gpu, spec)?;
                    gpu.save_pipeline_cache()?;
                    let gpu = open(adapter, Some(&folder.file()))?;
                    file.push(Used::new(&gpu, spec)?.1);
                }
            }
        }
        // The next case has a file of its own.
        let _ = std::fs::remove_file(folder.file());
        report(bench, spec, &recipe, [("cold", &cold), ("file", &file)], &warm, &calls)
    })
}

fn report(bench: &mut Bench, spec: &C2c, recipe: &str, first: [(&str, &[FirstUse]); 2], warm: &[f64], calls: &[[f64; 4]]) -> Result<()> {
    let plan = bench.planner().plan(spec.clone())?;
    let points = plan.program().inputs[0].len;
    let case = Case { title: spec.to_string(), shape: points.to_string(), bytes: 16 * points as u64 };
    let dispatches = json!(plan.program().dispatches.len());
    let cold = median(first[0].1.iter().map(|times| times.total()));
    for (candidate, times) in first.into_iter().filter(|(_, times)| !times.is_empty()) {
        let of = |part: fn(&FirstUse) -> f64| median(times.iter().map(part));
        let total = of(|times| times.total());
        let own: [(&str, Value); 9] = [
            ("candidate", json!(candidate)),
            ("dispatches", dispatches.clone()),
            ("samples", json!(times.len())),
            ("plan_ms", rounded(of(|times| times.plan))),
            ("first_run_ms", rounded(of(|times| times.first_run))),
            ("run_ms", rounded(of(|times| times.second_run))),
            ("total_ms", rounded(total)),
            ("ratio", rounded(total / cold)),
            ("totals_ms", times.iter().map(|times| rounded(times.total())).collect()),
        ];
        bench.report_own(&case, recipe, own);
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

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
