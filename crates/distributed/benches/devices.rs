//! Jobs on several devices compared with each of the devices alone, from arrays on the host to
//! arrays on the host.
//!
//! ```sh
//! cargo bench -p wgpu-fft-distributed --bench devices -- --host
//! ```
//!
//! In each round every candidate runs the job once:
//! - `plan N`: a plan on device N, as `Plan::run` does it: uploads everything, runs, reads
//!   everything back;
//! - `alone N`: the job on device N, in pieces that overlap; `alone N, depth 1` without overlap;
//! - `equal`, `measured`, `dynamic`, `auto`: the job on all devices.
//!
//! The shares are followed by the times for gathering, waiting for the device and scattering,
//! summed over the devices and phases of the last run.
//!
//! `ratio` is the median divided by that of the fastest `alone` in the same rounds. `measured` and
//! `auto` run six times beforehand, to make their choice.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use wgpu_fft::fft::{C2c, R2c};
use wgpu_fft::reduce;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Element, Gpu, Spec, gpu};
use wgpu_fft_distributed::{DeviceSet, Divide, Job, JobOptions, PhaseReport, Strategy, Work};

use support::{Bench, Case, Column, Format, Program, Result, median, rounded};

#[allow(dead_code, unused_imports, reason = "this benchmark uses a part")]
#[path = "../../../benches/support/mod.rs"]
mod support;

const PROGRAM: Program = Program {
    name: "devices",
    about: "jobs on several devices",
    options: "  --devices N     as many devices, of one adapter if there are fewer
  --host          the host's processors too (feature cpu)
  --large         arrays of gigabytes
  --threads N     copying threads of each device; may be repeated: each is a candidate alone on device 0, and equal
  --piece-mib N   pieces of at most N MiB; may be repeated: each is a candidate alone on device 0
(--recipe has no effect)
",
    columns: COLUMNS,
    work,
};

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Group),
    Column::new("by", "candidate", Format::Text),
    Column::new("ms", "ms", Format::Digits),
    Column::new("least ms", "least_ms", Format::Digits),
    Column::new("ratio", "ratio", Format::Decimals(3)),
    Column::new("least ratio", "least_ratio", Format::Decimals(3)),
    Column::new("GB/s", "gb_per_s", Format::Digits),
    Column::new("shares", "shares", Format::Text),
];

fn main() -> ExitCode {
    // Cargo passes this to every benchmark.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if PROGRAM.run("cargo bench -p wgpu-fft-distributed --bench devices --", &words) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Contest<'a> {
    bench: &'a mut Bench,
    set: DeviceSet,
    gpus: usize,
    pieces: Vec<usize>,
    threads: Vec<usize>,
    large: bool,
}

fn work(bench: &mut Bench) -> Result<()> {
    let options = bench.options();
    let adapters = pollster::block_on(gpu::adapters(&options.gpu()))?;
    let count = options.number("devices")?.unwrap_or(adapters.len()).max(1);
    let gpus: Vec<Gpu> = adapters
        .iter()
        .cycle()
        .take(count)
        .map(|adapter| pollster::block_on(Gpu::from_adapter(adapter)))
        .collect::<wgpu_fft::Result<_>>()?;
    let set = DeviceSet::of(gpus)?;
    let set = if options.has("host") { with_host(set)? } else { set };
    for (i, name) in set.names().enumerate() {
        eprintln!("device {i}: {name}");
    }
    let (pieces, threads, large) = (options.numbers("piece-mib")?, options.numbers("threads")?, options.has("large"));
    let [rows, side, edge, sum] = match (options.smoke, large) {
        (true, _) => [[16, 8], [16, 16], [4, 8], [1, 5000]],
        (_, true) => [[4096, 65536], [16384, 16384], [512, 512], [1, 1 << 29]],
        _ => [[1024, 4096], [1024, 1024], [64, 128], [1, 1 << 24]],
    };
    let mut contest = Contest { bench, set, gpus: count, pieces, threads, large };
    contest.case(C2c::forward(rows[0]).batch(rows[1]))?;
    contest.case(C2c::forward(side))?;
    contest.case(R2c::forward(side))?;
    contest.case(C2c::forward([edge[0], edge[1], edge[1]]))?;
    contest.case(Permute::<Complex32>::transpose(side))?;
    contest.case(reduce::sum::<f32>(sum[1]).across_devices())
}

#[cfg(feature = "cpu")]
fn with_host(set: DeviceSet) -> Result<DeviceSet> {
    Ok(set.with_host())
}

#[cfg(not(feature = "cpu"))]
fn with_host(_: DeviceSet) -> Result<DeviceSet> {
    Err("--host needs the feature cpu".into())
}

/// Computes the job once, and returns the share of each device as text.
type Run<'a, S> = Box<dyn Fn(&[<S as Spec>::Input], &mut [<S as Spec>::Output]) -> Result<String> + 'a>;

/// A way to compute the job.
struct Candidate<'a, S: Divide> {
    name: String,
    run: Run<'a, S>,
    seconds: Vec<f64>,
}

impl Contest<'_> {
    fn case<S: Divide>(&mut self, spec: S) -> Result<()> {
        let text = spec.to_string();
        if !self.bench.options().wants(&text) {
            return Ok(());
        }
        let by = |strategy: Strategy| JobOptions::default().strategy(strategy);
        let job = |options: JobOptions| -> Result<Job<S>> { Ok(Job::new(&self.set, spec.clone(), &options)?) };
        let mut candidates: Vec<Candidate<'_, S>> = Vec::new();
        let mut add = |name: String, job: Job<S>| {
            let run = move |input: &[S::Input], output: &mut [S::Output]| {
                let report = job.run(input, output)?;
                let shares = |phase: &PhaseReport| {
                    let parts: Vec<String> = (0..8)
                        .map(|member| phase.share(member))
                        .filter(|share| *share > 0.0)
                        .map(|share| format!("{:.0}", 100.0 * share))
                        .collect();
                    parts.join(":")
                };
                if report.failures().count() > 0 {
                    return Err(report.to_string().into());
                }
                let works = || report.phases.iter().flat_map(|phase| &phase.workers).map(|device| &device.work);
                let ms = |time: fn(&Work) -> std::time::Duration| works().map(time).sum::<std::time::Duration>().as_secs_f64() * 1e3;
                let parts = [ms(|work| work.gather), ms(|work| work.wait), ms(|work| work.scatter)].map(|part| format!("{part:.1}"));
                Ok(format!("{} ({} ms)", report.phases.iter().map(shares).collect::<Vec<_>>().join(" "), parts.join(" + ")))
            };
            candidates.push(Candidate { name, run: Box::new(run), seconds: Vec::new() });
        };
        for member in 0..self.set.len() {
            add(format!("alone {member}"), job(by(Strategy::Single(member)))?);
        }
        add("alone 0, depth 1".to_owned(), job(by(Strategy::Single(0)).in_flight(1))?);
        for mib in &self.pieces {
            add(format!("alone 0, {mib} MiB"), job(by(Strategy::Single(0)).piece_bytes(mib << 20))?);
        }
        for &threads in &self.threads {
            add(format!("alone 0, {threads} threads"), job(by(Strategy::Single(0)).copy_threads(threads))?);
            add(format!("equal, {threads} threads"), job(by(Strategy::Equal).copy_threads(threads))?);
        }
        for strategy in [Strategy::Equal, Strategy::Measured, Strategy::Dynamic, Strategy::Auto] {
            add(strategy.to_string(), job(by(strategy))?);
        }
        let sizes = job(by(Strategy::Equal))?;
        for member in 0..self.gpus {
            let Some(planner) = self.set.planner(member) else { continue };
            // An array larger than a binding or buffer has no plan. For large arrays, a run of a
            // plan takes several times as long as the job.
            if self.large && member > 0 {
                continue;
            }
            let Ok(plan) = planner.plan(spec.clone()) else { continue };
            let run = move |input: &[S::Input], output: &mut [S::Output]| {
                output.copy_from_slice(&plan.run(input)?.wait()?);
                Ok(String::new())
            };
            candidates.push(Candidate { name: format!("plan {member}"), run: Box::new(run), seconds: Vec::new() });
        }
        let input: Vec<S::Input> = filled(sizes.input_len());
        let mut output: Vec<S::Output> = filled(sizes.output_len());
        let mut shares = vec![String::new(); candidates.len()];
        // These rounds compile, measure devices, settle on a choice, and warm up idle devices.
        let options = self.bench.options();
        let (before, rounds) = if options.smoke { (1, 1) } else { (6, options.rounds) };
        for round in 0..before + rounds {
            for (candidate, shares) in candidates.iter_mut().zip(&mut shares) {
                let begin = Instant::now();
                *shares = (candidate.run)(&input, &mut output).map_err(|error| format!("`{text}`, {}: {error}", candidate.name))?;
                if round >= before {
                    candidate.seconds.push(begin.elapsed().as_secs_f64());
                }
            }
        }
        let of = |candidate: &Candidate<'_, S>| {
            [median(candidate.seconds.iter().copied()), candidate.seconds.iter().copied().fold(f64::INFINITY, f64::min)]
        };
        let alone = candidates.iter().filter(|candidate| candidate.name.starts_with("alone") && !candidate.name.contains(','));
        let best = alone.map(of).fold([f64::INFINITY; 2], |best, own| [best[0].min(own[0]), best[1].min(own[1])]);
        let bytes = (size_of_val(&input[..]) + size_of_val(&output[..])) as u64;
        let case = Case { title: text, shape: String::new(), bytes };
        for (candidate, shares) in candidates.iter().zip(&shares) {
            let [median, least] = of(candidate);
            let own = [
                ("candidate", json!(candidate.name)),
                ("devices", json!(self.set.names().collect::<Vec<_>>())),
                ("ms", rounded(median * 1e3)),
                ("least_ms", rounded(least * 1e3)),
                ("ratio", rounded(median / best[0])),
                ("least_ratio", rounded(least / best[1])),
                ("gb_per_s", rounded(bytes as f64 / median / 1e9)),
                ("shares", json!(shares)),
                ("rounds", json!(rounds)),
            ];
            self.bench.report_own(&case, "", own);
        }
        Ok(())
    }
}

/// Numbers between -1 and 1, as f32.
fn filled<T: Element>(len: usize) -> Vec<T> {
    let words = (len * size_of::<T>()).div_ceil(4);
    let numbers: Vec<f32> = (0..words as u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 8) as f32 / (1 << 23) as f32 - 1.0).collect();
    let mut elements: Vec<T> = bytemuck::pod_collect_to_vec(&numbers);
    elements.truncate(len);
    elements
}
