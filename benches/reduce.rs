//! Benchmarks reductions: their bandwidth compared with a copy, and their time compared with plain
//! loops on the host.
//!
//! ```sh
//! cargo bench --bench measure -- reduce
//! cargo bench --bench measure -- reduce --adapter llvmpipe --filter "sum f32" --recipe "tree 128"
//! cargo bench --bench measure -- reduce --recipes-file variants.txt   # dozens of variants in one run
//! ```
//!
//! Bytes are those of the input, which is read once. The copy for comparison reads half as many
//! bytes and writes the same number, so that both move the same amount. The candidates are the
//! recipe that the rules choose, the one for equal bits across devices if it differs, and
//! `tree 256`, the baseline. `host_ms` is the time of a single-threaded Rust iterator over the same
//! numbers, and `rayon_ms` that of rayon on all threads, both in the same rounds. `ratio` is our
//! median divided by `host_ms`. `--recipes-file F` has a line `spec | recipe` for each candidate,
//! and comments after `#`. Only the candidates in the file are then measured. `support/mod.rs`
//! describes how times are measured.

use std::hint::black_box;
use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::{Value as Json, json};
use wgpu_fft::elements::Value;
use wgpu_fft::half::f16;
use wgpu_fft::low_level::recipes::reduce::Recipe;
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::{Complex32, Element, Layout, Plan};

use crate::support::{Arrays, Bench, Candidate, Case, Column, Format, Program, Result, rounded};

pub const PROGRAM: Program = Program {
    name: "reduce",
    about: "reductions, beside a copy and loops on the host",
    options: "  --recipes-file FILE
                  lines `spec | recipe`: only these
",
    columns: COLUMNS,
    work: cases,
};

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Text),
    Column::new("ms", "ms", Format::Digits),
    Column::new("min", "min_ms", Format::Digits),
    Column::new("spread", "spread", Format::Percent),
    Column::new("GB/s", "gb_per_s", Format::Digits),
    Column::new("copy", "copy_gb_per_s", Format::Digits),
    Column::new("of copy", "copy_fraction", Format::Percent),
    Column::new("host ms", "host_ms", Format::Digits),
    Column::new("rayon ms", "rayon_ms", Format::Digits),
    Column::new("ratio", "ratio", Format::Digits),
    Column::new("recipe", "recipe", Format::Text),
];

fn cases(bench: &mut Bench) -> Result<()> {
    let exponents: &[u32] = bench.sized(&[16, 18, 20, 22, 24, 26, 28, 29], &[16, 20, 22, 24], &[10, 12]);
    for exponent in exponents {
        let sum = [|data: &[f32]| data.iter().sum(), |data: &[f32]| data.par_iter().sum()];
        run(bench, reduce::sum(1 << exponent), Some((|x| x, sum)))?;
    }
    let n = bench.sized(1 << 24, 1 << 22, 1 << 12);
    run(bench, reduce::sum::<f32>(n + 1), None)?;
    let least = [
        |data: &[f32]| data.iter().copied().fold(f32::INFINITY, f32::min),
        |data: &[f32]| data.par_iter().copied().reduce(|| f32::INFINITY, f32::min),
    ];
    run(bench, reduce::min(n), Some((|x| x, least)))?;
    let whole = [
        |data: &[u32]| data.iter().copied().fold(0, u32::wrapping_add),
        |data: &[u32]| data.par_iter().copied().reduce(|| 0, u32::wrapping_add),
    ];
    run(bench, reduce::sum(n), Some((f32::to_bits, whole)))?;
    for exponent in bench.sized(&[24, 26, 28][..], &[22], &[12]) {
        run(bench, reduce::argmax::<f32>(1 << exponent), None)?;
    }
    run(bench, reduce::norm::<f32>(n), None)?;
    run(bench, reduce::dot::<f32>(n), None)?;
    run(bench, reduce::max_abs_diff::<f32>(n), None)?;
    run(bench, reduce::sum::<Complex32>(n), None)?;
    run(bench, reduce::sum::<f16>(n), None)?;
    if bench.gpu().profile().f64 {
        run(bench, reduce::sum::<f64>(n), None)?;
    }
    let rows: &[[usize; 2]] = bench.sized(
        &[[65_536, 1024], [1_048_576, 64], [16_777_216, 4], [1024, 65_536], [16, 4_194_304], [100_000, 1000]],
        &[[4096, 1024], [65_536, 64], [1 << 20, 4]],
        &[[32, 16]],
    );
    for &shape in rows {
        run(bench, reduce::sum::<f32>(shape).axes([1]), None)?;
        run(bench, reduce::sum::<f32>(shape).axes([0]), None)?;
    }
    // The mean of each channel of a picture: few columns and many rows.
    let pixels = bench.sized(3840 * 2160, 1080 * 1920, 1 << 10);
    for channels in [2, 3, 4, 8] {
        run(bench, reduce::mean::<f32>([pixels, channels]).axes([0]), None)?;
    }
    // One channel of three, and the variance: of an array, of rows and of columns.
    let [rows, columns] = bench.sized([2160, 3840], [1080, 1920], [32, 32]);
    for offset in [0, 1] {
        let channel = Layout::strides([3 * columns, 3]).offset(offset).within(3 * rows * columns);
        run(bench, reduce::sum::<f32>([rows, columns]).input_layout(channel), None)?;
    }
    let crop = Layout::strides([columns, 1]).offset(8 * columns + 8).within(rows * columns);
    run(bench, reduce::sum::<f32>([rows / 2, columns / 2]).input_layout(crop), None)?;
    run(bench, reduce::variance::<f32>(n), None)?;
    for axis in [1, 0] {
        run(bench, reduce::variance::<f32>([rows, columns]).axes([axis]), None)?;
    }
    let planes = bench.sized([64, 1024, 1024], [16, 256, 256], [4, 8, 8]);
    run(bench, reduce::sum::<f32>(planes).axes([1]), None)?;
    run(bench, reduce::sum::<f32>(planes).axes([0, 2]), None)
}

/// The longest array that is also reduced on the host.
const HOST_LEN: usize = 1 << 24;

/// A plan, and its specification as printed.
type Titled<T, O> = (Arc<Plan<Reduction<T, O>>>, String);

/// How the host makes its numbers, and how it reduces them on one thread and on all threads.
type Host<T, O> = (fn(f32) -> T, [fn(&[T]) -> O; 2]);

fn run<T: Value + 'static, O: Element + 'static>(bench: &mut Bench, spec: Reduction<T, O>, host: Option<Host<T, O>>) -> Result<()> {
    let title = spec.to_string();
    let Some(mut recipes) = bench.options().recipes_of(&title)? else { return Ok(()) };
    let by_hand = bench.options().has("recipes-file");
    recipes.extend((!by_hand).then_some(Recipe::Tree { workgroup: 256 }));
    let across = (!by_hand).then(|| spec.clone().across_devices());
    bench.contest(&title, |bench| {
        let plans = bench.plans(&spec, &recipes)?;
        let mut all: Vec<Titled<T, O>> = plans.into_iter().map(|plan| (Arc::clone(&plan), title.clone())).collect();
        if let Some(across) = across {
            let plan = bench.planner().plan(across)?;
            if *plan.recipe() != *all[0].0.recipe() {
                all.push((Arc::clone(&plan), plan.spec().to_string()));
            }
        }
        let len = all[0].0.program().inputs()[0].len;
        let hosts = host.filter(|_| len <= HOST_LEN).map(|(convert, reduce)| {
            reduce.map(|reduce| {
                let data: Vec<T> = bench.noise().take(len).map(convert).collect();
                Candidate::host(
                    (data, reduce),
                    |_| (),
                    |(data, reduce)| {
                        black_box(reduce(black_box(data)));
                    },
                )
            })
        });
        measure(bench, &all, hosts)
    })
}

fn measure<T: Value, O: Element>(bench: &mut Bench, plans: &[Titled<T, O>], hosts: Option<[Candidate; 2]>) -> Result<()> {
    let program = plans[0].0.program();
    let bytes = program.inputs()[0].bytes() * program.inputs().len() as u64;
    let arrays = Arrays::for_plan(bench, &plans[0].0)?;
    let copied = Arrays::new(bench, bytes / 2, bytes / 2)?;
    let mut candidates = vec![copied.copy(bench)?];
    for (plan, _) in plans {
        candidates.push(arrays.bind(plan)?);
    }
    candidates.extend(hosts.into_iter().flatten());
    let samples = bench.measure(candidates)?;
    let copy = samples[0].gb_per_s(copied.copy_bytes());
    let hosts = &samples[1 + plans.len()..];
    let shape = program.title().split(' ').nth(2).unwrap_or_default().to_owned();
    for ((plan, title), samples) in plans.iter().zip(&samples[1..]) {
        let case = Case { title: title.clone(), shape: shape.clone(), bytes };
        let ms = |host: usize| hosts.get(host).map_or(Json::Null, |host| rounded(host.median() * 1e3));
        let own: [(&str, Json); 4] = [
            ("dispatches", json!(plan.program().dispatch_count())),
            ("host_ms", ms(0)),
            ("rayon_ms", ms(1)),
            ("ratio", hosts.first().map_or(Json::Null, |host| rounded(samples.median() / host.median()))),
        ];
        bench.report(&case, &plan.recipe().to_string(), samples, copy, own);
    }
    Ok(())
}
