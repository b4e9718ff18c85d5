//! Benchmarks transforms of other numbers than f32, and transforms from reals to reals.
//!
//! ```sh
//! cargo bench --bench measure -- numbers                     # all tables
//! cargo bench --bench measure -- numbers --table half --filter 4096x4096
//! ```
//!
//! Every candidate of a case has arrays of its own, and all of them are timed in turns. `ratio` is
//! the time over that of the first one.
//!
//! **`half`**: `f32`; `f16` on both sides, which is f32 between two axes; `all f16`, which has f16
//! there too; `to f32`, with f16 on the input alone; and `bf16` on both sides.
//!
//! **`f64`**: `f32` and `f64`, on devices that have it.
//!
//! **`real`**: real Fourier transforms, and cosine and sine transforms of the same shape.
//!
//! `--spec TEXT` measures this specification instead, by the rules' recipe and by each `--recipe
//! TEXT`.
//!
//! `peers/number_peers.py` measures CuPy for the same cases.

use serde_json::json;
use wgpu_fft::Plan;
use wgpu_fft::Spec;
use wgpu_fft::fft::{C2c, C2r, R2c, R2r};
use wgpu_fft::half::{bf16, f16};
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::{Complex, Complex64};

use crate::support::{Arrays, Bench, Candidate, Case, Column, Format, Program, Result, Table, rounded};

pub const PROGRAM: Program = Program {
    name: "numbers",
    about: "f16, bf16 and f64 beside f32, and transforms from reals to reals",
    options: "  --table NAME    half, f64 or real; may be repeated
  --spec TEXT     a specification instead of the tables
",
    columns: COLUMNS,
    work,
};

const TABLES: &[Table] = &[
    ("half", |bench| bench.each(HALF, |bench, text| bench.contest(text, |bench| half(bench, text)))),
    ("f64", |bench| {
        let has_f64 = bench.gpu().profile().f64;
        bench.each(F64, |bench, text| if has_f64 { bench.contest(text, |bench| wide(bench, text)) } else { Ok(()) })
    }),
    ("real", |bench| bench.each(REAL, |bench, shape| bench.contest(shape, |bench| real(bench, shape)))),
];

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
const HALF: [&[&str]; 3] = [
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

const F64: [&[&str]; 3] = [
    &[
        "c2c fwd 64 x524288",
        "c2c fwd 256 x131072",
        "c2c fwd 1024 x32768",
        "c2c fwd 4096 x8192",
        "c2c fwd 1000 x32768",
        "c2c fwd 1048576 x32",
        "c2c fwd 512x512",
        "c2c fwd 1024x1024",
        "c2c fwd 2048x2048",
        "c2c fwd 4096x4096",
        "c2c fwd 128x128x128",
        "c2c fwd 256x256x256",
        "r2c fwd 1024 x32768",
        "r2c fwd 4096x4096",
        "c2r inv 4096x4096",
    ],
    &["c2c fwd 1024 x512", "c2c fwd 512x512", "r2c fwd 512x512"],
    &["c2c fwd 16x16", "r2c fwd 16x12"],
];

/// Shapes, each with its batch.
const REAL: [&[&str]; 3] = [
    &["4096x4096", "2048x2048", "1024x1024", "1080x1920", "256x256x256", "1024 x65536", "256 x262144", "1000 x65536", "1048576 x64"],
    &["512x512", "1024 x1024"],
    &["16x12"],
];

fn work(bench: &mut Bench) -> Result<()> {
    let given = bench.options().all("spec").last().map(str::to_owned);
    let recipes = bench.options().recipe_texts();
    match given {
        Some(text) => bench.contest(&text, |bench| by_recipes(bench, &text, &recipes)),
        None => bench.tables(TABLES),
    }
}

/// What is measured of one case.
#[derive(Default)]
struct Contest {
    names: Vec<(String, usize)>,
    candidates: Vec<Candidate>,
    bytes: Vec<u64>,
}

impl Contest {
    fn add<S: Spec>(&mut self, bench: &Bench, name: &str, spec: S) -> Result<()> {
        let plan = bench.planner().plan(spec)?;
        self.plan(bench, name, &plan)
    }

    fn plan<S: Spec>(&mut self, bench: &Bench, name: &str, plan: &Plan<S>) -> Result<()> {
        let arrays = Arrays::for_plan(bench, plan)?;
        if self.candidates.is_empty() {
            self.candidates.push(arrays.copy(bench)?);
            self.bytes.push(arrays.copy_bytes());
        }
        self.names.push((name.to_owned(), plan.program().dispatch_count()));
        self.candidates.push(arrays.bind(plan)?);
        self.bytes.push(plan.program().inputs()[0].bytes() + plan.program().output().bytes());
        Ok(())
    }

    fn report(self, bench: &mut Bench, text: &str) -> Result<()> {
        let shape = text.splitn(3, ' ').nth(2).unwrap_or(text).to_owned();
        let Contest { names, candidates, bytes } = self;
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
}

/// Adds what table `half` measures of a specification, whose type has these elements of 16 bits.
macro_rules! add_halves {
    ($all:ident, $bench:ident, $text:ident, $spec:ident, [$input:ty, $output:ty], [$bf16_input:ty, $bf16_output:ty]) => {{
        let full: $spec = $text.parse()?;
        let halves = full.clone().input_as::<$input>().output_as::<$output>();
        $all.add($bench, "f32", full.clone())?;
        $all.add($bench, "f16", halves.clone())?;
        // Of one axis there is no array between two.
        if rank($text) > 1 {
            $all.add($bench, "all f16", halves.between_axes_as::<Complex<f16>>())?;
        }
        $all.add($bench, "to f32", full.clone().input_as::<$input>())?;
        $all.add($bench, "bf16", full.input_as::<$bf16_input>().output_as::<$bf16_output>())?;
    }};
}

/// The number of axes of a specification's shape.
fn rank(text: &str) -> usize {
    text.split_whitespace().nth(2).map_or(1, |shape| shape.split('x').count())
}

fn half(bench: &mut Bench, text: &str) -> Result<()> {
    let mut all = Contest::default();
    match &text[..3] {
        "c2c" => add_halves!(all, bench, text, C2c, [Complex<f16>, Complex<f16>], [Complex<bf16>, Complex<bf16>]),
        "r2c" => add_halves!(all, bench, text, R2c, [f16, Complex<f16>], [bf16, Complex<bf16>]),
        _ => add_halves!(all, bench, text, C2r, [Complex<f16>, f16], [Complex<bf16>, bf16]),
    }
    all.report(bench, text)
}

/// The same transform in f32 and in f64.
fn wide(bench: &mut Bench, text: &str) -> Result<()> {
    fn add<A: Spec, B: Spec>(all: &mut Contest, bench: &Bench, spec: A, wide: B) -> Result<()> {
        all.add(bench, "f32", spec)?;
        all.add(bench, "f64", wide)
    }
    let mut all = Contest::default();
    match &text[..3] {
        "c2c" => add(&mut all, bench, text.parse::<C2c>()?, text.parse::<C2c>()?.f64())?,
        "r2c" => add(&mut all, bench, text.parse::<R2c>()?, text.parse::<R2c>()?.f64())?,
        _ => add(&mut all, bench, text.parse::<C2r>()?, text.parse::<C2r>()?.f64())?,
    }
    all.report(bench, text)
}

fn real(bench: &mut Bench, shape: &str) -> Result<()> {
    let mut all = Contest::default();
    all.add(bench, "r2c", format!("r2c fwd {shape}").parse::<R2c>()?)?;
    all.add(bench, "c2r", format!("c2r inv {shape}").parse::<C2r>()?)?;
    for kind in ["dct2", "dct3", "dct4", "dst1", "hartley"] {
        let spec: R2r = format!("r2r {kind} {shape}").parse()?;
        all.add(bench, kind, spec)?;
    }
    all.report(bench, &format!("real {shape}"))
}

/// A specification by several recipes.
fn by_recipes(bench: &mut Bench, text: &str, recipes: &[String]) -> Result<()> {
    fn of<S: Spec<Recipe = Recipe>>(bench: &mut Bench, text: &str, spec: S, recipes: &[String]) -> Result<()> {
        let mut all = Contest::default();
        all.add(bench, "rules", spec.clone())?;
        for text in recipes {
            match bench.planner().plan_with(spec.clone(), text.parse()?) {
                Ok(plan) => all.plan(bench, text, &plan)?,
                Err(error) => eprintln!("{error}"),
            }
        }
        all.report(bench, text)
    }
    let has = |word: &str| text.split(' ').any(|own| own == word);
    type F16 = Complex<f16>;
    match &text[..3] {
        "c2c" if has("f64") => of(bench, text, text.parse::<C2c<Complex64, Complex64>>()?, recipes),
        "c2c" if has("in-as=complex-f16") => of(bench, text, text.parse::<C2c<F16, F16>>()?, recipes),
        "c2c" if has("in-as=complex-bf16") => of(bench, text, text.parse::<C2c<Complex<bf16>, Complex<bf16>>>()?, recipes),
        "c2c" => of(bench, text, text.parse::<C2c>()?, recipes),
        "r2c" => of(bench, text, text.parse::<R2c>()?, recipes),
        "r2r" => of(bench, text, text.parse::<R2r>()?, recipes),
        _ => of(bench, text, text.parse::<C2r>()?, recipes),
    }
}
