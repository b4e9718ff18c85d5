//! Reductions: bandwidth, and the ratio to a plain iterator on one thread of the host.
//!
//! ```sh
//! cargo bench --bench reduce
//! cargo bench --bench reduce -- --adapter llvmpipe --filter "sum f32" --recipe "tree 128"
//! ```
//!
//! Bytes are those of the input, which is read once; the copy beside it reads half as many and writes as many again, so that both move the
//! same. `host_ms` is the time of Rust's iterator over the same numbers, in the same rounds, and `ratio` our median over its.
//! How times are taken is described in `support/mod.rs`.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use wgpu_fft::Plan;
use wgpu_fft::reduce::{Reduce, Value};

use support::{Arrays, Bench, Candidate, Case, Column, Format, Options, Result, rounded};

#[path = "support/mod.rs"]
mod support;

const USAGE: &str = "cargo bench --bench reduce -- [OPTIONS]\n";

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Text),
    Column::new("ms", "ms", Format::Digits),
    Column::new("min", "min_ms", Format::Digits),
    Column::new("spread", "spread", Format::Percent),
    Column::new("GB/s", "gb_per_s", Format::Digits),
    Column::new("copy", "copy_gb_per_s", Format::Digits),
    Column::new("of copy", "copy_fraction", Format::Percent),
    Column::new("host ms", "host_ms", Format::Digits),
    Column::new("ratio", "ratio", Format::Digits),
    Column::new("recipe", "recipe", Format::Text),
];

fn main() -> ExitCode {
    let options = Options::parse(USAGE, |_, _| Ok(false));
    support::run("reduce", options, COLUMNS, |bench| {
        let exponents: &[u32] = bench.sized(&[20, 22, 24, 26, 28], &[20, 22, 24], &[10, 12]);
        for exponent in exponents {
            contest(bench, Reduce::<f32>::sum(1 << exponent), 1 << exponent, |value| value, |data| data.iter().sum())?;
        }
        let len = bench.sized(1 << 24, 1 << 24, 1 << 12);
        contest(bench, Reduce::<f32>::min(len), len, |value| value, |data| data.iter().copied().fold(f32::INFINITY, f32::min))?;
        contest(bench, Reduce::<u32>::sum(len), len, f32::to_bits, |data| data.iter().copied().fold(0, u32::wrapping_add))
    })
}

/// Longest array that the host reduces as well.
const HOST_LEN: usize = 1 << 24;

/// Measures a reduction by every recipe, and `host`, which reduces the same `len` values made by `convert`.
fn contest<T: Value>(bench: &mut Bench, spec: Reduce<T>, len: usize, convert: fn(f32) -> T, host: fn(&[T]) -> T) -> Result<()> {
    bench.contest(&spec.to_string(), |bench| {
        let plans = bench.plans(&spec, &bench.options().recipes()?)?;
        let host = (len <= HOST_LEN).then(|| {
            let data: Vec<T> = bench.noise().take(len).map(convert).collect();
            Candidate::host(
                (data, host),
                |_| (),
                |(data, host)| {
                    black_box(host(black_box(data)));
                },
            )
        });
        measure(bench, &spec, len, &plans, host)
    })
}

fn measure<T: Value>(
    bench: &mut Bench,
    spec: &Reduce<T>,
    len: usize,
    plans: &[Arc<Plan<Reduce<T>>>],
    host: Option<Candidate>,
) -> Result<()> {
    let bytes = plans[0].program().input.bytes();
    let arrays = Arrays::for_plan(bench, &plans[0])?;
    let copied = Arrays::new(bench, bytes / 2, bytes / 2)?;
    let mut candidates = vec![copied.copy(bench)?];
    for plan in plans {
        candidates.push(arrays.bind(plan)?);
    }
    candidates.extend(host);
    let samples = bench.measure(candidates)?;
    let copy = samples[0].gb_per_s(copied.copy_bytes());
    let host = samples.get(1 + plans.len());
    let case = Case { title: spec.to_string(), shape: len.to_string(), bytes };
    for (plan, samples) in plans.iter().zip(&samples[1..]) {
        let own: [(&str, Json); 3] = [
            ("dispatches", json!(plan.program().dispatches.len())),
            ("host_ms", host.map_or(Json::Null, |host| rounded(host.median() * 1e3))),
            ("ratio", host.map_or(Json::Null, |host| rounded(samples.median() / host.median()))),
        ];
        bench.report(&case, &plan.recipe().to_string(), samples, copy, own);
    }
    Ok(())
}
