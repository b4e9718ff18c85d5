//! Benchmarks filters: the bandwidth of their input and output compared with a copy.
//!
//! ```sh
//! cargo bench --bench filter
//! cargo bench --bench filter -- --adapter llvmpipe --filter 1080x1920
//! cargo bench --bench filter -- --recipes-file variants.txt        # dozens of variants in one run
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

use std::process::ExitCode;

use lexopt::ValueExt;
use serde_json::{Value as Json, json};
use wgpu_fft::Edge;
use wgpu_fft::signal::filter::Recipe;
use wgpu_fft::signal::{DirectFilter, SeparableFilter};
use wgpu_fft::tune::Searchable;

use support::{Arrays, Bench, Case, Column, Format, Options, Result, recipes_file, rounded};

#[path = "support/mod.rs"]
mod support;

const USAGE: &str = "cargo bench --bench filter -- [OPTIONS]
  --recipes-file FILE
                  lines `spec | recipe`: only these
";

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

/// Hand-written candidates: specifications as printed here, and their recipes.
type ByHand = Vec<(String, Vec<String>)>;

fn main() -> ExitCode {
    let mut file = None;
    let options = Options::parse(USAGE, |name, parser| {
        if name == "recipes-file" {
            file = Some(parser.value()?.string()?);
        }
        Ok(name == "recipes-file")
    });
    support::run("filter", options, COLUMNS, |bench| {
        let by_hand = file.as_deref().map(recipes_file).transpose()?;
        cases(bench, by_hand.as_ref())
    })
}

fn cases(bench: &mut Bench, by_hand: Option<&ByHand>) -> Result<()> {
    let shapes: &[[usize; 2]] = bench.sized(&[[1080, 1920], [4096, 4096]], &[[1080, 1920]], &[[20, 32]]);
    let counts = bench.sized(&[3, 7, 15, 31, 101, 255][..], &[3, 7, 15, 31, 101, 255], &[3, 31]);
    let squares = bench.sized(&[3, 7, 15, 31][..], &[3, 7, 15], &[3]);
    for &shape in shapes {
        let name = format!("{}x{}", shape[0], shape[1]);
        for &count in counts {
            let taps = vec![1.0 / count as f32; count];
            let spec = SeparableFilter::<f32>::correlation(shape).kernel(0, taps.clone()).kernel(1, taps).edge(Edge::Reflect);
            contest(bench, by_hand, &spec, &format!("separable f32 {name} {count} taps"), &name, 2 * count)?;
        }
        for &side in squares {
            let taps = vec![1.0 / (side * side) as f32; side * side];
            let spec = DirectFilter::<f32>::correlation(shape, [side, side], taps).edge(Edge::Reflect);
            contest(bench, by_hand, &spec, &format!("direct f32 {name} {side}x{side} taps"), &name, side * side)?;
        }
        let taps = vec![1.0 / 7.0; 7];
        let spec = SeparableFilter::<u8>::correlation(shape).kernel(0, taps.clone()).kernel(1, taps).edge(Edge::Reflect);
        contest(bench, by_hand, &spec, &format!("separable u8 {name} 7 taps"), &name, 14)?;
    }
    Ok(())
}

/// Measures one filter, which takes so many products for each output.
fn contest<S: Searchable<Recipe = Recipe>>(
    bench: &mut Bench,
    by_hand: Option<&ByHand>,
    spec: &S,
    title: &str,
    shape: &str,
    products: usize,
) -> Result<()> {
    let mut recipes = bench.options().recipes()?;
    match by_hand {
        Some(all) => {
            let Some((_, own)) = all.iter().find(|(spec, _)| spec == title) else { return Ok(()) };
            for recipe in own {
                recipes.push(recipe.parse()?);
            }
        }
        None => recipes.extend(spec.alternatives(bench.gpu().profile())),
    }
    bench.contest(title, |bench| {
        let plans = bench.plans(spec, &recipes)?;
        let program = plans[0].program();
        let (input, output) = (program.inputs()[0], program.output());
        let arrays = Arrays::for_plan(bench, &plans[0])?;
        let mut candidates = vec![arrays.copy(bench)?];
        for plan in &plans {
            candidates.push(arrays.bind(plan)?);
        }
        let samples = bench.measure(candidates)?;
        let copy = samples[0].gb_per_s(arrays.copy_bytes());
        for (plan, samples) in plans.iter().zip(&samples[1..]) {
            let case = Case { title: title.to_owned(), shape: shape.to_owned(), bytes: input.bytes() + output.bytes() };
            let rate = (output.len * products) as f64 / samples.median() / 1e9;
            let own: [(&str, Json); 2] = [("dispatches", json!(plan.program().dispatch_count())), ("giga_products_per_s", rounded(rate))];
            bench.report(&case, &plan.recipe().to_string(), samples, copy, own);
        }
        Ok(())
    })
}
