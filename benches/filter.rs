//! Benchmarks filters: the bandwidth of their input and output compared with a copy.
//!
//! ```sh
//! cargo bench --bench measure -- filter
//! cargo bench --bench measure -- filter --adapter llvmpipe --filter 1080x1920
//! cargo bench --bench measure -- filter --recipes-file variants.txt   # dozens of variants in one run
//! ```
//!
//! Kernels have the same taps along both axes, by default 3, 7, 15, 31, 101 and 255, with reflection at
//! the edges; direct kernels are squares. Specifications are printed without their taps, as
//! `separable f32 1080x1920 31 taps` and `direct f32 1080x1920 7x7 taps`. Bytes are those of the
//! input and of the output. The candidates are the recipe that the rules choose and the starting
//! points of a search: both axes in one dispatch, one after the other, and with transposes, for
//! GPUs and for processors. `products` are those of a separable filter along both axes, or of a
//! direct one, in 10⁹ per second. `--recipes-file F` has a line `spec | recipe` for each candidate,
//! and comments after `#`. Only the candidates in the file are then measured. `support/mod.rs`
//! describes how times are measured.

use serde_json::{Value as Json, json};
use wgpu_fft::Edge;
use wgpu_fft::Spec;
use wgpu_fft::low_level::recipes::signal::Filter as Recipe;
use wgpu_fft::signal::{DirectFilter, SeparableFilter};

use crate::support::{Arrays, Bench, Case, Column, Format, Program, Result, rounded};

pub const PROGRAM: Program = Program {
    name: "filter",
    about: "filters, beside a copy",
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
    Column::new("products", "giga_products_per_s", Format::Digits),
    Column::new("recipe", "recipe", Format::Text),
];

fn cases(bench: &mut Bench) -> Result<()> {
    let shapes: &[[usize; 2]] = bench.sized(&[[1080, 1920], [4096, 4096]], &[[1080, 1920]], &[[20, 32]]);
    let counts = bench.sized(&[3, 7, 15, 31, 101, 255][..], &[3, 7, 15, 31, 101, 255], &[3, 31]);
    let squares = bench.sized(&[3, 7, 15, 31][..], &[3, 7, 15], &[3]);
    for &shape in shapes {
        let name = format!("{}x{}", shape[0], shape[1]);
        for &count in counts {
            let taps = vec![1.0 / count as f32; count];
            let spec = SeparableFilter::<f32>::correlation(shape).kernel(0, taps.clone()).kernel(1, taps).edge(Edge::Reflect);
            contest(bench, &spec, &format!("separable f32 {name} {count} taps"), &name, 2 * count)?;
        }
        for &side in squares {
            let taps = vec![1.0 / (side * side) as f32; side * side];
            let spec = DirectFilter::<f32>::correlation(shape, [side, side], taps).edge(Edge::Reflect);
            contest(bench, &spec, &format!("direct f32 {name} {side}x{side} taps"), &name, side * side)?;
        }
        let taps = vec![1.0 / 7.0; 7];
        let spec = SeparableFilter::<u8>::correlation(shape).kernel(0, taps.clone()).kernel(1, taps).edge(Edge::Reflect);
        contest(bench, &spec, &format!("separable u8 {name} 7 taps"), &name, 14)?;
    }
    Ok(())
}

/// Measures one filter, which takes so many products for each output.
fn contest<S: Spec<Recipe = Recipe>>(bench: &mut Bench, spec: &S, title: &str, shape: &str, products: usize) -> Result<()> {
    let Some(mut recipes) = bench.options().recipes_of(title)? else { return Ok(()) };
    if !bench.options().has("recipes-file") {
        recipes.extend(spec.alternatives(bench.gpu().profile()));
    }
    bench.contest(title, |bench| {
        let plans = bench.plans(spec, &recipes)?;
        let case = Case::of(title, shape, &plans[0]);
        let arrays = Arrays::for_plan(bench, &plans[0])?;
        let mut candidates = vec![arrays.copy(bench)?];
        for plan in &plans {
            candidates.push(arrays.bind(plan)?);
        }
        let samples = bench.measure(candidates)?;
        let copy = samples[0].gb_per_s(arrays.copy_bytes());
        for (plan, samples) in plans.iter().zip(&samples[1..]) {
            let rate = (plan.output_len() * products) as f64 / samples.median() / 1e9;
            let own: [(&str, Json); 2] = [("dispatches", json!(plan.program().dispatch_count())), ("giga_products_per_s", rounded(rate))];
            bench.report(&case, &plan.recipe().to_string(), samples, copy, own);
        }
        Ok(())
    })
}
