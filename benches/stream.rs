//! Convolution of a stream, block after block, from slice to slice: how long each block takes beside
//! how long it lasts.
//!
//! ```sh
//! cargo bench --bench measure -- stream --minutes 10 --json
//! ```
//!
//! Candidates: partitions by the rules, partitions of one block alone (`uniform`), and no convolution
//! (`transfer`): the same block written and read back with one submission, which no stream can
//! undercut. Samples come at 48 kHz by a simulated clock: a block begins to be computed when its last
//! sample is there and the block before is done, and takes what it took. `late_1` counts those that
//! are not done one block later, when a sound card without another buffer would play them, `late_2` to
//! `late_8` those that are not done so many blocks later.

use std::time::Instant;

use serde_json::json;
use wgpu_fft::signal::StreamConvolve;

use crate::support::{Bench, Case, Column, Format, Program, Result, rounded};

pub const PROGRAM: Program = Program {
    name: "stream",
    about: "convolution of a stream, block after block",
    options: "  --minutes T        minutes of sound for each candidate, by a simulated clock (default 1)
  --block N          only blocks of N samples; may be repeated
(--recipe and --rounds have no effect)
",
    columns: COLUMNS,
    work,
};

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Group),
    Column::new("by", "candidate", Format::Text),
    Column::new("lasts", "block_ms", Format::Digits),
    Column::new("ms", "ms", Format::Digits),
    Column::new("99%", "ms_99", Format::Digits),
    Column::new("99.9%", "ms_999", Format::Digits),
    Column::new("most", "ms_most", Format::Digits),
    Column::new("late", "late_1", Format::Decimals(0)),
    Column::new("late by 2", "late_2", Format::Decimals(0)),
    Column::new("late by 4", "late_4", Format::Decimals(0)),
    Column::new("by 8", "late_8", Format::Decimals(0)),
    Column::new("blocks", "blocks", Format::Decimals(0)),
];

/// Samples per second.
const RATE: f64 = 48_000.0;

/// Samples of a block, taps and channels.
const CASES: [&[[usize; 3]]; 3] = [
    &[[64, 144_000, 2], [128, 144_000, 2], [128, 144_000, 64], [512, 480_000, 64]],
    &[[64, 144_000, 1], [128, 144_000, 1], [128, 144_000, 2], [256, 144_000, 8], [512, 480_000, 8]],
    &[[16, 200, 2]],
];

fn work(bench: &mut Bench) -> Result<()> {
    let blocks: Vec<usize> = bench.options().numbers("block")?;
    bench.each(CASES, |bench, [block, taps, channels]| {
        if !blocks.is_empty() && !blocks.contains(&block) {
            return Ok(());
        }
        let spec = StreamConvolve::new(block, taps).channels(channels);
        bench.contest(&spec.to_string(), |bench| case(bench, &spec, [block, taps, channels]))
    })
}

fn case(bench: &mut Bench, spec: &StreamConvolve, [block, taps, channels]: [usize; 3]) -> Result<()> {
    let minutes: f64 = bench.options().number("minutes")?.unwrap_or(1.0);
    let count = if bench.options().smoke { 20 } else { (minutes * 60.0 * RATE / block as f64) as usize };
    let noise = |len: usize| (0..len as u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 8) as f32 / 16_777_216.0 - 0.5);
    let kernel: Vec<f32> = noise(taps).zip(0..).map(|(h, k)| h * (-6.9 * k as f32 / taps as f32).exp()).collect();
    let input: Vec<f32> = noise(channels * block).collect();
    let case = Case { title: spec.to_string(), shape: format!("{channels}x{block}"), bytes: 8 * (channels * block) as u64 };
    let mut output = vec![0.0; input.len()];
    let lasts = block as f64 / RATE;
    let measure = |bench: &mut Bench, name: &str, dispatches: usize, push: &mut dyn FnMut() -> Result<f32>| {
        let (mut done, mut late, mut times, mut sum) = (0.0f64, [0; 4], Vec::with_capacity(count), 0.0);
        for b in 0..count {
            let begun = Instant::now();
            sum += push()?;
            let time = begun.elapsed().as_secs_f64();
            let ends = lasts * (b + 1) as f64;
            done = done.max(ends) + time;
            for (late, blocks) in late.iter_mut().zip([1.0, 2.0, 4.0, 8.0]) {
                *late += u32::from(done > ends + blocks * lasts);
            }
            times.push(time);
        }
        if !sum.is_finite() {
            bench.fault(format!("`{spec}`, {name}: results that are no numbers"));
        }
        times.sort_by(f64::total_cmp);
        let at = |part: f64| rounded(times[((count - 1) as f64 * part) as usize] * 1e3);
        let fields = [
            ("candidate", json!(name)),
            ("dispatches", json!(dispatches)),
            ("blocks", json!(count)),
            ("block_ms", rounded(lasts * 1e3)),
            ("ms", at(0.5)),
            ("ms_99", at(0.99)),
            ("ms_999", at(0.999)),
            ("ms_most", at(1.0)),
            ("late_1", json!(late[0])),
            ("late_2", json!(late[1])),
            ("late_4", json!(late[2])),
            ("late_8", json!(late[3])),
        ];
        bench.report_own(&case, "", fields);
        Ok::<_, Box<dyn std::error::Error>>(())
    };
    for (by, spec) in [("rules", spec.clone()), ("uniform", spec.clone().larger([]))] {
        let mut stream = spec.stream(bench.planner(), &kernel)?;
        let parts: Vec<String> = stream.partitions().iter().map(|[taps, count]| format!("{count} of {taps}")).collect();
        let name = format!("{by}: {}", parts.join(", "));
        measure(bench, &name, stream.most_dispatches(), &mut || {
            stream.push_into(&input, &mut output)?;
            Ok(output[0])
        })?;
    }
    let gpu = bench.gpu().clone();
    let array = gpu.alloc::<f32>(input.len())?;
    measure(bench, "transfer", 0, &mut || {
        gpu.write(&array, &input)?;
        Ok(gpu.download(&array)?.wait()?[0])
    })
}
