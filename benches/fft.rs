//! Fourier transforms: batches of rows and squares, beside a copy of the same array, the plain recipe, any other, and rustfft.
//!
//! ```sh
//! cargo bench --bench fft -- --against rustfft
//! cargo bench --bench fft -- --filter "c2c fwd 1024 " \
//!     --recipe "rows: registers 16.16.4 elements=16 rows=1 exchange=whole banks=32 roots=table"
//! ```
//!
//! Each case runs by the recipe that the rules choose; rows up to 1024 also by `radix2`, the plain kernel; and by the recipes asked for where
//! they fit. `gb_per_s` counts the array read once and written once, which is the least; `passes_gb_per_s` counts it for every dispatch,
//! so that `passes_fraction` says how near the kernels are to a copy. `--against rustfft` transforms the same numbers on one thread of
//! the host, in the same rounds: rows in place; squares as rows, a blocked transpose, rows, and another. `ratio` is our median over its.
//! Accuracy is for the tests. How times are taken is described in `support/mod.rs`.

use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;

use lexopt::ValueExt;
use rustfft::{Fft, FftPlanner};
use serde_json::{Value, json};
use wgpu_fft::fft::{C2c, Recipe, RowRecipe};
use wgpu_fft::gpu::DeviceProfile;
use wgpu_fft::{Complex32, Plan};

use support::{Arrays, Bench, Candidate, Case, Column, Format, Options, Result, Samples, rounded};

#[path = "support/mod.rs"]
mod support;

const USAGE: &str = "cargo bench --bench fft -- [OPTIONS]
  --against rustfft  also rustfft on one thread of the host
";

const COLUMNS: &[Column] = &[
    Column::new("case", "case", Format::Text),
    Column::new("by", "candidate", Format::Text),
    Column::new("ms", "median_ms", Format::Digits),
    Column::new("min", "min_ms", Format::Digits),
    Column::new("spread", "spread", Format::Percent),
    Column::new("GB/s", "gb_per_s", Format::Digits),
    Column::new("passes", "dispatches", Format::Decimals(0)),
    Column::new("their GB/s", "passes_gb_per_s", Format::Digits),
    Column::new("copy", "copy_gb_per_s", Format::Digits),
    Column::new("of copy", "passes_fraction", Format::Percent),
    Column::new("rustfft ms", "host_ms", Format::Digits),
    Column::new("ratio", "ratio", Format::Digits),
    Column::new("recipe", "recipe", Format::Text),
];

fn main() -> ExitCode {
    let mut against = false;
    let options = Options::parse(USAGE, |name, parser| {
        if name != "against" {
            return Ok(false);
        }
        against = true;
        let peer = parser.value()?.string()?;
        if peer == "rustfft" { Ok(true) } else { Err(format!("the peer is rustfft, not {peer}").into()) }
    });
    support::run("fft", options, COLUMNS, |bench| {
        let points = bench.sized(1 << 25, 1 << 20, 1 << 13);
        for exponent in 1..=13 {
            contest(bench, Size::Rows { n: 1 << exponent, batch: points >> exponent }, against)?;
        }
        let squares: &[usize] = bench.sized(&[256, 512, 1024, 2048, 4096, 8192], &[256, 512, 1024, 2048], &[32, 64]);
        for &side in squares {
            contest(bench, Size::Square(side), against)?;
        }
        Ok(())
    })
}

/// What is transformed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Size {
    /// That many rows of `n`, each by itself.
    Rows { n: usize, batch: usize },
    /// A matrix, along both axes.
    Square(usize),
}

impl Size {
    fn spec(self) -> C2c {
        match self {
            Self::Rows { n, batch } => C2c::forward(n).batch(batch),
            Self::Square(side) => C2c::forward([side, side]),
        }
    }

    fn points(self) -> usize {
        match self {
            Self::Rows { n, batch } => n * batch,
            Self::Square(side) => side * side,
        }
    }

    /// The plain recipe for comparison, for rows that fit it on most devices.
    fn baseline(self, profile: &DeviceProfile) -> Option<Recipe> {
        match self {
            Self::Rows { n, .. } if n <= 1024 => Some(Recipe::Rows(radix2(n as u32, profile))),
            _ => None,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows { n, batch } => write!(f, "{n} x{batch}"),
            Self::Square(side) => write!(f, "{side}x{side}"),
        }
    }
}

/// A lane for every butterfly and 256 lanes in a workgroup, as far as the device allows.
fn radix2(n: u32, profile: &DeviceProfile) -> RowRecipe {
    let invocations = profile.invocations.min(256);
    let lanes = (n / 2).min(invocations);
    // Two copies of each row in workgroup memory.
    let by_memory = profile.workgroup_bytes / (16 * n);
    RowRecipe::Radix2 { rows: (invocations / lanes).min(by_memory).max(1), lanes }
}

/// Measures a transform by every recipe, and rustfft if it is `against`.
fn contest(bench: &mut Bench, size: Size, against: bool) -> Result<()> {
    bench.contest(&size.spec().to_string(), |bench| {
        let mut recipes: Vec<Recipe> = size.baseline(bench.gpu().profile()).into_iter().collect();
        recipes.extend(bench.options().recipes::<Recipe>()?);
        let plans = bench.plans(&size.spec(), &recipes)?;
        let arrays = Arrays::for_plan(bench, &plans[0])?;
        let mut candidates = vec![arrays.copy(bench)?];
        for plan in &plans {
            candidates.push(arrays.bind(plan)?);
        }
        candidates.extend(against.then(|| Candidate::host(Host::new(bench, size), Host::restore, Host::transform)));
        let samples = bench.measure(candidates)?;
        let copy = samples[0].gb_per_s(arrays.copy_bytes());
        let (ours, host) = samples[1..].split_at(plans.len());
        report(bench, size, copy, &plans, ours, host.first());
        Ok(())
    })
}

fn report(bench: &mut Bench, size: Size, copy: f64, plans: &[Arc<Plan<C2c>>], ours: &[Samples], host: Option<&Samples>) {
    let case = Case { title: size.spec().to_string(), shape: size.to_string(), bytes: 16 * size.points() as u64 };
    let baseline = size.baseline(bench.gpu().profile());
    for (i, (plan, samples)) in plans.iter().zip(ours).enumerate() {
        let dispatches = plan.program().dispatches.len();
        let passes = samples.gb_per_s(case.bytes * dispatches as u64);
        let own: [(&str, Value); 6] = [
            ("candidate", json!(candidate(i, baseline.as_ref() == Some(plan.recipe())))),
            ("dispatches", json!(dispatches)),
            ("passes_gb_per_s", rounded(passes)),
            ("passes_fraction", rounded(passes / copy)),
            ("host_ms", host.map_or(Value::Null, |host| rounded(host.median() * 1e3))),
            ("ratio", host.map_or(Value::Null, |host| rounded(samples.median() / host.median()))),
        ];
        bench.report(&case, &plan.recipe().to_string(), samples, copy, own);
    }
    if let Some(host) = host {
        bench.report(&case, "one thread of the host", host, copy, [("candidate", json!("rustfft"))]);
    }
}

/// Why the `i`-th recipe is there.
fn candidate(i: usize, is_baseline: bool) -> &'static str {
    match (i, is_baseline) {
        (0, _) => "rules",
        (_, true) => "radix2",
        (_, false) => "request",
    }
}

/// rustfft on one thread.
struct Host {
    size: Size,
    fft: Arc<dyn Fft<f32>>,
    input: Vec<Complex32>,
    data: Vec<Complex32>,
    transposed: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

impl Host {
    fn new(bench: &Bench, size: Size) -> Self {
        let n = match size {
            Size::Rows { n, .. } | Size::Square(n) => n,
        };
        let fft = FftPlanner::new().plan_fft_forward(n);
        let numbers: Vec<f32> = bench.noise().take(2 * size.points()).collect();
        let input: Vec<Complex32> = numbers.chunks_exact(2).map(|parts| Complex32::new(parts[0], parts[1])).collect();
        let transposed = match size {
            Size::Rows { .. } => Vec::new(),
            Size::Square(_) => input.clone(),
        };
        let scratch = vec![Complex32::default(); fft.get_inplace_scratch_len()];
        Self { size, fft, data: input.clone(), input, transposed, scratch }
    }

    /// Undoes the last transform, since repeated ones would grow to infinity.
    fn restore(&mut self) {
        self.data.copy_from_slice(&self.input);
    }

    fn transform(&mut self) {
        self.fft.process_with_scratch(&mut self.data, &mut self.scratch);
        if let Size::Square(side) = self.size {
            transpose_square(&self.data, &mut self.transposed, side);
            self.fft.process_with_scratch(&mut self.transposed, &mut self.scratch);
            transpose_square(&self.transposed, &mut self.data, side);
        }
    }
}

/// Transposes a matrix in blocks. Of blocks of 4 to 32 in both orders of the loops, this was the fastest at 512² to 2048².
fn transpose_square(input: &[Complex32], output: &mut [Complex32], side: usize) {
    const BLOCK: usize = 32;
    let blocks = || (0..side).step_by(BLOCK);
    for (r0, c0) in blocks().flat_map(|r0| blocks().map(move |c0| (r0, c0))) {
        for c in c0..c0 + BLOCK {
            for r in r0..r0 + BLOCK {
                output[c * side + r] = input[r * side + c];
            }
        }
    }
}
