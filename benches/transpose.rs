//! Benchmarks permutations and cyclic shifts: their bandwidth compared with a copy of the same arrays.
//!
//! ```sh
//! cargo bench --bench measure -- transpose
//! cargo bench --bench measure -- transpose --filter "complex f32 4096" --recipe "naive 32x8"
//! cargo bench --bench measure -- transpose --spec "permute u8 480x640x3 order=2,0,1" --check
//! cargo bench --bench measure -- transpose --recipes-file variants.txt   # hundreds of variants in one run
//! cargo bench --bench measure -- transpose --ladder
//! ```
//!
//! **Cases** are texts of specifications. **Candidates** are the recipe that the rules choose and
//! the requested recipes. `--recipes-file F` has a line `spec | recipe` for each candidate, and
//! comments after `#`. All candidates of a specification are measured in the same rounds, and are
//! reported from the fastest to the slowest. Bytes count reading and writing. `--check` compares
//! the result of each candidate on noise with that of the first one.
//!
//! `--ladder` compares the step-by-step variants of the literature in one table: 1 naive, 3
//! through a tile of workgroup memory, 4 the same with one element of padding per row, 5 with
//! several elements per invocation (5 with one element is 4; 2 is not described there). The rules'
//! recipe follows. The table covers elements of 4, 8 and 16 bytes, and a picture of 1920x1080. Our
//! figures are shown beside those of the sources: an NVIDIA K40, with the fraction of its peak of
//! 288 GB/s (8 bytes are f64 there; `~` marks figures derived from a ratio in the source), and GTX
//! 580 and 670. Recipes that a device cannot run are listed with the reason. `figures.py` draws it.
//! `support/mod.rs` describes how times are measured.

use std::str::FromStr;

use serde_json::{Value, json};
use wgpu_fft::Spec;
use wgpu_fft::low_level::recipes::transpose::Recipe;
use wgpu_fft::num_complex::Complex;
use wgpu_fft::signal::Roll;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Element, Error, Plan};

use crate::support::{Arrays, Bench, Case, Column, Format, Program, Result};

pub const PROGRAM: Program = Program {
    name: "transpose",
    about: "permutations and cyclic shifts, beside a copy; the textbook's ladder of transposes",
    options: "  --ladder        every variant of the literature, with its figures
  --spec TEXT     this case, such as \"transpose u8 1080x1921\"; may be repeated
  --recipes-file FILE
                  the cases and recipes in FILE, each line `spec | recipe`
  --check         compare what the candidates make of the same array
",
    columns: COLUMNS,
    work,
};

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Group),
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

/// The cases for a GPU: every element size, matrices and a picture, other orders of axes, in place.
const GPU: [&str; 44] = [
    "transpose f32 1024x1024",
    "transpose f32 2048x2048",
    "transpose f32 4096x4096",
    "transpose f32 8192x8192",
    "transpose f32 16384x16384",
    "transpose f32 1080x1920",
    "transpose f32 4097x4099",
    "transpose complex f32 1024x1024",
    "transpose complex f32 2048x2048",
    "transpose complex f32 4096x4096",
    "transpose complex f32 8192x8192",
    "transpose complex f32 1080x1920",
    "transpose complex f32 16384x16384",
    "transpose f32x4 1024x1024",
    "transpose f32x4 2048x2048",
    "transpose f32x4 4096x4096",
    "transpose f32x4 8192x8192",
    "transpose f32x4 1080x1920",
    "transpose u8 4096x4096",
    "transpose u8 8192x8192",
    "transpose u8 16384x16384",
    "transpose u8 1080x1920",
    "transpose u8 1080x1921",
    "transpose u8 16383x16381",
    "transpose f16 4096x4096",
    "transpose f16 8192x8192",
    "transpose f16 1080x1920",
    "transpose f32 4096x4096 in-place",
    "transpose complex f32 4096x4096 in-place",
    "transpose u8 16384x16384 in-place",
    "permute f32 256x256x256 order=2,0,1",
    "permute f32 256x256x256 order=1,0,2",
    "permute f32 256x256x256 order=2,1,0",
    "permute complex f32 256x256x256 order=2,1,0",
    "permute f32 64x64x64x64 order=3,2,1,0",
    "permute f32 64x64x64x64 order=0,2,1,3",
    "permute u8 4096x4096x3 order=2,0,1",
    "roll complex f32 4096x4096 by=2048,2048",
    "roll complex f32 4095x4095 by=2047,2047",
    "roll f32 8192x8192 by=4096,4096",
    "roll f32 8191x8191 by=4095,4095",
    "roll f32 256x256x256 by=128,128,128",
    "roll u8 16384x16384 by=8192,8192",
    "roll u8 16383x16381 by=8191,8190",
];

/// The cases for a processor.
const CPU: [&str; 20] = [
    "transpose f32 64x64",
    "transpose f32 256x256",
    "transpose f32 1024x1024",
    "transpose f32 2048x2048",
    "transpose f32 1080x1920",
    "transpose complex f32 64x64",
    "transpose complex f32 256x256",
    "transpose complex f32 1024x1024",
    "transpose complex f32 2048x2048",
    "transpose complex f32 1080x1920",
    "transpose f32x4 1024x1024",
    "transpose u8 1080x1920",
    "transpose u8 1080x1921",
    "transpose f16 1080x1920",
    "transpose complex f32 1024x1024 in-place",
    "permute f32 64x128x96 order=2,0,1",
    "permute f32 64x128x96 order=1,0,2",
    "permute f32 16x24x32x40 order=3,2,1,0",
    "roll complex f32 1024x1024 by=512,512",
    "roll f32 1023x1023 by=511,511",
];

const SMOKE: [&str; 11] = [
    "transpose f32 64x64",
    "transpose complex f32 54x96",
    "transpose f32x4 54x96",
    "transpose u8 54x97",
    "transpose f16 54x96",
    "transpose complex f64 10x12",
    "transpose f32 64x64 in-place",
    "permute f32 6x8x10 order=1,0,2",
    "permute f32 2x4x6x8 order=3,2,1,0",
    "roll complex f32 12x9 by=6,4",
    "roll u8 54x97 by=27,48",
];

fn work(bench: &mut Bench) -> Result<()> {
    if bench.options().has("ladder") {
        return climb(bench);
    }
    for (spec, recipes) in requests(bench)? {
        let element = spec.split_once(' ').map_or("", |(_, rest)| rest);
        let name = ["complex f32", "complex f64", "f32x4", "f32x2", "f32", "f16", "u8x4", "u8", "u16", "u32"];
        match name.into_iter().find(|name| element.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '))) {
            Some("complex f32") => contest::<Complex32>(bench, &spec, &recipes)?,
            Some("complex f64") => contest::<Complex<f64>>(bench, &spec, &recipes)?,
            Some("f32x4") => contest::<[f32; 4]>(bench, &spec, &recipes)?,
            Some("f32x2") => contest::<[f32; 2]>(bench, &spec, &recipes)?,
            Some("f32") => contest::<f32>(bench, &spec, &recipes)?,
            Some("f16") => contest::<half::f16>(bench, &spec, &recipes)?,
            Some("u8x4") => contest::<[u8; 4]>(bench, &spec, &recipes)?,
            Some("u8") => contest::<u8>(bench, &spec, &recipes)?,
            Some("u16") => contest::<u16>(bench, &spec, &recipes)?,
            Some("u32") => contest::<u32>(bench, &spec, &recipes)?,
            _ => return Err(format!("`{spec}`: elements are one of {name:?}").into()),
        }
    }
    Ok(())
}

/// The requested cases and recipes: those of a file, then single ones. If none are requested, the
/// cases for this kind of adapter.
fn requests(bench: &Bench) -> Result<Vec<(String, Vec<String>)>> {
    let options = bench.options();
    let mut requests = options.recipes_file()?.unwrap_or_default();
    let mut specs: Vec<&str> = options.all("spec").collect();
    if specs.is_empty() && requests.is_empty() {
        specs.extend(bench.sized(&GPU[..], &CPU, &SMOKE));
    }
    requests.extend(specs.into_iter().map(|spec| (spec.to_owned(), options.recipe_texts())));
    Ok(requests)
}

/// Measures the recipe that the rules choose and the requested ones.
fn contest<T: Element>(bench: &mut Bench, text: &str, recipes: &[String]) -> Result<()> {
    if text.starts_with("roll ") { contest_of::<Roll<T>>(bench, text, recipes) } else { contest_of::<Permute<T>>(bench, text, recipes) }
}

fn contest_of<S: Spec + FromStr<Err = Error>>(bench: &mut Bench, text: &str, recipes: &[String]) -> Result<()> {
    let spec: S = text.parse()?;
    bench.contest(text, |bench| {
        let rules = bench.planner().plan(spec.clone())?.recipe().clone();
        let mut rungs = vec![Rung { fields: Vec::new(), recipe: rules }];
        for recipe in recipes {
            let recipe: S::Recipe = recipe.parse()?;
            if rungs.iter().all(|rung| rung.recipe != recipe) {
                rungs.push(Rung { fields: Vec::new(), recipe });
            }
        }
        if bench.options().has("check") {
            check(bench, &spec, &rungs)?;
        }
        measure(bench, &spec, None, &rungs)
    })
}

/// Compares the results of the recipes on the same noise.
fn check<S: Spec>(bench: &mut Bench, spec: &S, rungs: &[Rung<S::Recipe>]) -> Result<()> {
    let mut first: Option<(&S::Recipe, Vec<u32>)> = None;
    for Rung { recipe: own, .. } in rungs {
        let Ok(plan) = bench.fitting_plan(spec, own.clone())? else { continue };
        let made = once(bench, &plan)?;
        match &first {
            None => first = Some((own, made)),
            Some((recipe, expected)) if *expected != made => bench.fault(format!("{spec}: `{own}` and `{recipe}` differ")),
            Some(_) => {}
        }
    }
    Ok(())
}

/// The words of a plan's result on noise.
fn once<S: Spec>(bench: &Bench, plan: &Plan<S>) -> Result<Vec<u32>> {
    let arrays = Arrays::for_plan(bench, plan)?;
    arrays.refill_first(bench)?;
    let bound = arrays.bind_first(plan)?;
    bench.gpu().submit(|encoder| bound.encode(encoder))?;
    Ok(bench.gpu().download(&arrays.first()[1])?.wait()?)
}

fn climb(bench: &mut Bench) -> Result<()> {
    let square = bench.sized([4096; 2], [1024; 2], [64; 2]);
    let picture = bench.sized([1080, 1920], [1080, 1920], [54, 96]);
    climb_with::<f32>(bench, square)?;
    climb_with::<Complex32>(bench, square)?;
    climb_with::<[f32; 4]>(bench, square)?;
    climb_with::<u32>(bench, picture)?;
    climb_with::<u8>(bench, picture)
}

/// Measures the ladder, followed by the recipe that the rules choose.
fn climb_with<T: Element>(bench: &mut Bench, shape: [usize; 2]) -> Result<()> {
    let spec = Permute::<T>::transpose(shape);
    bench.contest(&spec.to_string(), |bench| {
        // The ladder's kernels move whole words. For bytes, the only rung before the rules' recipe
        // is the gathering kernel.
        let words = size_of::<T>() >= 4;
        let gather = Rung { fields: Vec::new(), recipe: Recipe::Gather { workgroup: [8, 32] } };
        let mut rungs = if words { ladder(shape, size_of::<T>()) } else { vec![gather] };
        rungs.push(Rung { fields: Vec::new(), recipe: *bench.planner().plan(spec.clone())?.recipe() });
        measure(bench, &spec, Some(shape), &rungs)
    })
}

/// A recipe, and what a report says about it besides.
#[derive(Clone, Debug)]
struct Rung<R> {
    fields: Vec<(&'static str, Value)>,
    recipe: R,
}

/// The variants of the literature, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variant {
    Naive,
    Tile,
    PaddedTile,
    SeveralElements,
}

/// Every variant, with tiles of 16 and 32.
fn ladder(shape: [usize; 2], element_bytes: usize) -> Vec<Rung<Recipe>> {
    let with = |tile: u32| {
        let tiled = |padding, elements| Recipe::Tiled { tile, padding, elements };
        let several = [2, 4, 8, 16].map(|elements| (Variant::SeveralElements, tiled(1, elements)));
        let plain =
            [(Variant::Naive, Recipe::Naive { workgroup: [tile, tile] }), (Variant::Tile, tiled(0, 1)), (Variant::PaddedTile, tiled(1, 1))];
        plain.into_iter().chain(several).map(move |(variant, recipe)| {
            let source = variant.source(tile, shape, element_bytes).map_or(Value::Null, Value::from);
            let fields = vec![("variant", json!(variant.number())), ("element_bytes", json!(element_bytes)), ("source", source)];
            Rung { fields, recipe }
        })
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

    /// The source's best figure for a square matrix of elements with this size.
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

    /// The source's times for the picture, with tiles of 16.
    fn source_of_picture(self) -> Option<&'static str> {
        match self {
            Self::Naive => Some("GTX 580 0.228 ms, GTX 670 0.257 ms"),
            Self::Tile => Some("GTX 580 0.183 ms, GTX 670 0.236 ms"),
            Self::PaddedTile => Some("GTX 580 0.147 ms, GTX 670 0.216 ms"),
            Self::SeveralElements => None,
        }
    }

    /// The source's figure with tiles of this size.
    fn source(self, tile: u32, shape: [usize; 2], element_bytes: usize) -> Option<&'static str> {
        match shape {
            [1080, 1920] if tile != 32 => self.source_of_picture(),
            [rows, columns] if rows == columns => self.source_of_square(element_bytes),
            _ => None,
        }
    }
}

/// Measures the recipes that fit in one contest, and reports them: those of a ladder (of matrices of
/// this shape) in its order, others from the fastest to the slowest.
fn measure<S: Spec>(bench: &mut Bench, spec: &S, ladder: Option<[usize; 2]>, rungs: &[Rung<S::Recipe>]) -> Result<()> {
    let own = bench.planner().plan(spec.clone())?;
    let arrays = Arrays::for_plan(bench, &own)?;
    let bytes = own.program().inputs()[0].bytes().min(own.program().output().bytes());
    let mut candidates = vec![arrays.copy(bench)?];
    let (mut fitting, mut errors) = (Vec::new(), Vec::new());
    for rung in rungs {
        match bench.fitting_plan(spec, rung.recipe.clone())? {
            Ok(plan) => {
                candidates.push(arrays.bind(&plan)?);
                fitting.push(rung);
            }
            Err(why) => errors.push((rung, why)),
        }
    }
    let samples = bench.measure(candidates)?;
    let copy = samples[0].gb_per_s(arrays.copy_bytes());
    let mut results: Vec<_> = fitting.into_iter().zip(&samples[1..]).collect();
    if ladder.is_none() {
        results.sort_by(|(_, a), (_, b)| a.median().total_cmp(&b.median()));
    }
    let shape = ladder.map_or_else(String::new, |[rows, columns]| format!("{rows}x{columns}"));
    let case = Case { title: spec.to_string(), shape, bytes: 2 * bytes };
    for (rung, samples) in results {
        bench.report(&case, &rung.recipe.to_string(), samples, copy, rung.fields.clone());
    }
    for (rung, why) in errors {
        bench.report_unfit(&case, &rung.recipe.to_string(), &why, rung.fields.clone());
    }
    Ok(())
}
