//! Transposes: bandwidth beside that of a copy of the same arrays.
//!
//! ```sh
//! cargo bench --bench transpose
//! cargo bench --bench transpose -- --filter "complex f32 4096" --recipe "tiled 32+1 elements=8" --recipe "naive 32x8"
//! cargo bench --bench transpose -- --ladder
//! ```
//!
//! Each case runs by the recipe that the rules choose, and by the recipes asked for. Bytes count reading and writing.
//!
//! `--ladder` climbs the ladder of the literature in one table: 1 naive, 3 through a tile of workgroup memory, 4 the same with a spare element
//! per row, 5 with several elements per invocation (5 with one is 4; 2 is not described there); for elements of 4, 8 and 16 bytes, and for a
//! picture of 1920x1080. Beside our figures stand those of the sources: NVIDIA K40, with the share of its peak of 288 GB/s (8 bytes are f64
//! there; `~` follows from a ratio they give), and GTX 580 and 670. Recipes that a device cannot run are listed with the reason.
//! How times are taken is described in `support/mod.rs`.

use std::process::ExitCode;

use serde_json::{Value, json};
use wgpu_fft::transpose::{Recipe, Permute};
use wgpu_fft::{Complex32, Element};

use support::{Arrays, Bench, Case, Column, Format, Options, Result};

#[path = "support/mod.rs"]
mod support;

const USAGE: &str = "cargo bench --bench transpose -- [OPTIONS]
  --ladder        every variant of the literature, with its figures
";

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Text),
    Column::new("variant", "variant", Format::Text),
    Column::new("ms", "ms", Format::Digits),
    Column::new("min", "min_ms", Format::Digits),
    Column::new("spread", "spread", Format::Percent),
    Column::new("GB/s", "gb_per_s", Format::Digits),
    Column::new("copy", "copy_gb_per_s", Format::Digits),
    Column::new("of copy", "copy_fraction", Format::Percent),
    Column::new("recipe", "recipe", Format::Text),
    Column::new("the source has", "source", Format::Text),
    Column::new("does not fit", "error", Format::Text),
];

fn main() -> ExitCode {
    let mut ladder = false;
    let options = Options::parse(USAGE, |name, _| {
        ladder |= name == "ladder";
        Ok(name == "ladder")
    });
    support::run("transpose", options, COLUMNS, |bench| if ladder { climb(bench) } else { defaults(bench) })
}

fn defaults(bench: &mut Bench) -> Result<()> {
    let shapes: &[[usize; 2]] = bench.sized(
        &[[1024; 2], [2048; 2], [4096; 2], [8192; 2], [1080, 1920]],
        &[[1024; 2], [2048; 2], [1080, 1920]],
        &[[64; 2], [54, 96]],
    );
    for &shape in shapes {
        contest::<f32>(bench, shape)?;
    }
    for &shape in shapes {
        contest::<Complex32>(bench, shape)?;
    }
    for &shape in shapes {
        contest::<[f32; 4]>(bench, shape)?;
    }
    Ok(())
}

/// Measures the recipe of the rules and those that were asked for.
fn contest<T: Element>(bench: &mut Bench, shape: [usize; 2]) -> Result<()> {
    let spec = Permute::<T>::transpose(shape);
    bench.contest(&spec.to_string(), |bench| {
        let plans = bench.plans(&spec, &bench.options().recipes()?)?;
        let rungs: Vec<Rung> = plans.iter().map(|plan| Rung { variant: None, recipe: *plan.recipe() }).collect();
        measure(bench, &spec, shape, &rungs)
    })
}

fn climb(bench: &mut Bench) -> Result<()> {
    let square = bench.sized([4096; 2], [1024; 2], [64; 2]);
    let picture = bench.sized([1080, 1920], [1080, 1920], [54, 96]);
    climb_with::<f32>(bench, square)?;
    climb_with::<Complex32>(bench, square)?;
    climb_with::<[f32; 4]>(bench, square)?;
    climb_with::<u32>(bench, picture)
}

/// Measures the ladder.
fn climb_with<T: Element>(bench: &mut Bench, shape: [usize; 2]) -> Result<()> {
    let spec = Permute::<T>::transpose(shape);
    bench.contest(&spec.to_string(), |bench| measure(bench, &spec, shape, &ladder()))
}

/// A recipe, and its place in the ladder if it is there for that.
#[derive(Clone, Copy, Debug)]
struct Rung {
    variant: Option<Variant>,
    recipe: Recipe,
}

/// The variants of the literature, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variant {
    Naive,
    Tile,
    PaddedTile,
    SeveralElements,
}

/// Every variant with tiles of 16 and 32.
fn ladder() -> Vec<Rung> {
    let with = |tile: u32| {
        let tiled = |padding, elements| Recipe::Tiled { tile, padding, elements };
        let several = [2, 4, 8, 16].map(|elements| (Variant::SeveralElements, tiled(1, elements)));
        let plain =
            [(Variant::Naive, Recipe::Naive { workgroup: [tile, tile] }), (Variant::Tile, tiled(0, 1)), (Variant::PaddedTile, tiled(1, 1))];
        plain.into_iter().chain(several).map(|(variant, recipe)| Rung { variant: Some(variant), recipe })
    };
    with(16).chain(with(32)).collect()
}

impl Variant {
    fn number(self) -> &'static str {
        match self {
            Self::Naive => "1",
            Self::Tile => "3",
            Self::PaddedTile => "4",
            Self::SeveralElements => "5",
        }
    }

    /// The source's best figure for a square matrix of elements of so many bytes.
    fn source_of_square(self, element_bytes: usize) -> Option<&'static str> {
        Some(match (self, element_bytes) {
            (Self::Naive, 4) => "K40 ~17.0 GB/s (~6%)",
            (Self::Tile, 4) => "K40 ~101 GB/s (~35%)",
            (Self::PaddedTile, 4) => "K40 171.82 GB/s (60%)",
            (Self::SeveralElements, 4) => "K40 239.93 GB/s (83%)",
            (Self::Naive, 8) => "K40 ~33.9 GB/s (~12%)",
            (Self::Tile, 8) => "K40 ~128 GB/s (~45%)",
            (Self::PaddedTile, 8) => "K40 225.68 GB/s (78%)",
            (Self::SeveralElements, 8) => "K40 246.65 GB/s (85.6%)",
            _ => return None,
        })
    }

    /// The source's times for the picture; it has tiles of 16.
    fn source_of_picture(self) -> Option<&'static str> {
        match self {
            Self::Naive => Some("GTX 580 0.228 ms, GTX 670 0.257 ms"),
            Self::Tile => Some("GTX 580 0.183 ms, GTX 670 0.236 ms"),
            Self::PaddedTile => Some("GTX 580 0.147 ms, GTX 670 0.216 ms"),
            Self::SeveralElements => None,
        }
    }
}

impl Rung {
    fn source(&self, shape: [usize; 2], element_bytes: usize) -> Option<&'static str> {
        let wide = matches!(self.recipe, Recipe::Naive { workgroup: [32, _] } | Recipe::Tiled { tile: 32, .. });
        match (self.variant, shape) {
            (Some(variant), [1080, 1920]) if !wide => variant.source_of_picture(),
            (Some(variant), [rows, columns]) if rows == columns => variant.source_of_square(element_bytes),
            _ => None,
        }
    }

    fn fields(&self, shape: [usize; 2], element_bytes: usize) -> Vec<(&'static str, Value)> {
        let Some(variant) = self.variant else { return Vec::new() };
        vec![
            ("variant", json!(variant.number())),
            ("element_bytes", json!(element_bytes)),
            ("source", self.source(shape, element_bytes).map_or(Value::Null, Value::from)),
        ]
    }
}

/// Measures the recipes that fit in one contest, and reports all of them in their order.
fn measure<T: Element>(bench: &mut Bench, spec: &Permute<T>, shape: [usize; 2], rungs: &[Rung]) -> Result<()> {
    let [rows, columns] = shape;
    let bytes = (rows * columns * size_of::<T>()) as u64;
    let arrays = Arrays::new(bench, bytes, bytes)?;
    let mut candidates = vec![arrays.copy(bench)?];
    let mut errors = Vec::new();
    for rung in rungs {
        let plan = bench.fitting_plan(spec, rung.recipe)?;
        if let Ok(plan) = &plan {
            candidates.push(arrays.bind(plan)?);
        }
        errors.push(plan.err());
    }
    let samples = bench.measure(candidates)?;
    let copy = samples[0].gb_per_s(arrays.copy_bytes());
    let mut samples = samples[1..].iter();
    let case = Case { title: spec.to_string(), shape: format!("{rows}x{columns}"), bytes: 2 * bytes };
    for (rung, error) in rungs.iter().zip(errors) {
        let (recipe, own) = (rung.recipe.to_string(), rung.fields(shape, size_of::<T>()));
        match error {
            None => bench.report(&case, &recipe, samples.next().expect("who fits was measured"), copy, own),
            Some(why) => bench.report_unfit(&case, &recipe, &why, own),
        }
    }
    Ok(())
}
