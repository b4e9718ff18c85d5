//! Benchmarks transforms whose arrays hold numbers of 16 bits beside the same ones of f32.
//!
//! ```sh
//! cargo bench --bench halves
//! cargo bench --bench halves -- --filter 4096x4096
//! ```
//!
//! Every candidate of a case has arrays of its own, and all of them are timed in turns: `f32`; `f16`
//! on both sides, which is f32 between two axes; `all f16`, which has f16 there too; `to f32`, with
//! f16 on the input alone; and `bf16` on both sides. `ratio` is the time over that of `f32`.

use std::process::ExitCode;

use serde_json::json;
use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::half::{bf16, f16};
use wgpu_fft::num_complex::Complex;
use wgpu_fft::tune::Searchable;

use support::{Arrays, Bench, Candidate, Case, Column, Format, Options, Result, rounded};

#[path = "support/mod.rs"]
mod support;

const USAGE: &str = "cargo bench --bench halves -- [OPTIONS]
";

const COLUMNS: &[Column] = &[
    Column::new("case", "spec", Format::Group),
    Column::new("by", "candidate", Format::Text),
    Column::new("ms", "ms", Format::Digits),
    Column::new("spread", "spread", Format::Percent),
    Column::new("ratio", "ratio", Format::Digits),
    Column::new("of copy", "copy_fraction", Format::Percent),
    Column::new("passes", "dispatches", Format::Decimals(0)),
];

/// The cases on a GPU, on a software adapter, and in a smoke test.
const CASES: [&[&str]; 3] = [
    &[
        "c2c fwd 64 x1048576",
        "c2c fwd 256 x262144",
        "c2c fwd 1024 x65536",
        "c2c fwd 4096 x16384",
        "c2c fwd 1000 x65536",
        "c2c fwd 1048576 x64",
        "c2c fwd 512x512",
        "c2c fwd 1024x1024",
        "c2c fwd 2048x2048",
        "c2c fwd 4096x4096",
        "c2c fwd 128x128x128",
        "c2c fwd 256x256x256",
        "c2c fwd 512x512 x64",
        "r2c fwd 1024 x65536",
        "r2c fwd 4096x4096",
        "r2c fwd 1023 x32768",
        "c2r inv 1024 x65536",
        "c2r inv 4096x4096",
        "c2r inv 1023 x32768",
    ],
    &["c2c fwd 1024 x1024", "c2c fwd 512x512", "r2c fwd 512x512", "c2r inv 512x512"],
    &["c2c fwd 16x16", "r2c fwd 16x12", "c2r inv 16x15"],
];

fn main() -> ExitCode {
    let options = Options::parse(USAGE, |_, _| Ok(false));
    support::run("halves", options, COLUMNS, |bench| {
        let size = bench.sized(0, 1, 2);
        CASES[size].iter().try_for_each(|text| bench.contest(text, |bench| case(bench, text)))
    })
}

/// What is measured of one case.
#[derive(Default)]
struct Contest {
    names: Vec<(&'static str, usize)>,
    candidates: Vec<Candidate>,
    bytes: Vec<u64>,
}

impl Contest {
    fn add<S: Searchable>(&mut self, bench: &Bench, name: &'static str, spec: S) -> Result<()> {
        let plan = bench.planner().plan(spec)?;
        let arrays = Arrays::for_plan(bench, &plan)?;
        if self.candidates.is_empty() {
            self.candidates.push(arrays.copy(bench)?);
            self.bytes.push(arrays.copy_bytes());
        }
        self.names.push((name, plan.program().dispatch_count()));
        self.candidates.push(arrays.bind(&plan)?);
        self.bytes.push(plan.program().inputs()[0].bytes() + plan.program().output().bytes());
        Ok(())
    }
}

fn case(bench: &mut Bench, text: &str) -> Result<()> {
    type F16 = Complex<f16>;
    type Bf16 = Complex<bf16>;
    let mut all = Contest::default();
    let axes = text.split_whitespace().nth(2).map_or(1, |shape| shape.split('x').count());
    match &text[..3] {
        "c2c" => {
            let full: C2c = text.parse()?;
            let halves = full.clone().input_as::<F16>().output_as::<F16>();
            all.add(bench, "f32", full.clone())?;
            all.add(bench, "f16", halves.clone())?;
            if axes > 1 {
                all.add(bench, "all f16", halves.between_axes_as::<F16>())?;
            }
            all.add(bench, "to f32", full.clone().input_as::<F16>())?;
            all.add(bench, "bf16", full.input_as::<Bf16>().output_as::<Bf16>())?;
        }
        "r2c" => {
            let full: R2c = text.parse()?;
            let halves = full.clone().input_as::<f16>().output_as::<F16>();
            all.add(bench, "f32", full.clone())?;
            all.add(bench, "f16", halves.clone())?;
            if axes > 1 {
                all.add(bench, "all f16", halves.between_axes_as::<F16>())?;
            }
            all.add(bench, "to f32", full.clone().input_as::<f16>())?;
            all.add(bench, "bf16", full.input_as::<bf16>().output_as::<Bf16>())?;
        }
        _ => {
            let full: C2r = text.parse()?;
            let halves = full.clone().input_as::<F16>().output_as::<f16>();
            all.add(bench, "f32", full.clone())?;
            all.add(bench, "f16", halves.clone())?;
            if axes > 1 {
                all.add(bench, "all f16", halves.between_axes_as::<F16>())?;
            }
            all.add(bench, "to f32", full.clone().input_as::<F16>())?;
            all.add(bench, "bf16", full.input_as::<Bf16>().output_as::<bf16>())?;
        }
    }
    let shape = text.splitn(3, ' ').nth(2).unwrap_or(text).to_owned();
    let Contest { names, candidates, bytes } = all;
    let samples = bench.measure(candidates)?;
    let copy = samples[0].gb_per_s(bytes[0]);
    let least = samples[1].median();
    for (((name, dispatches), bytes), samples) in names.into_iter().zip(&bytes[1..]).zip(&samples[1..]) {
        let case = Case { title: text.to_owned(), shape: shape.clone(), bytes: *bytes };
        let fields = [("candidate", json!(name)), ("ratio", rounded(samples.median() / least)), ("dispatches", json!(dispatches))];
        bench.report(&case, "", samples, copy, fields);
    }
    Ok(())
}
