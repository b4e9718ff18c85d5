//! What a driver's compiler makes of the kernels that the rules choose for a device: registers,
//! spills, occupancy, estimated cycles. Nothing runs, so the device need not be there: `make reach`
//! (scripts/reach.sh) compiles for chips that nobody here has.
//!
//! A Vulkan layer (scripts/reach/statistics.c) appends what the driver says of each pipeline to the
//! file that `REACH_STATISTICS` names; this program reads it from there. A line of the report is one
//! pipeline of a specification; equal pipelines of a specification are compiled once.
//!
//! With `--texts` no driver compiles anything: the lines have the WGSL that the rules choose for a
//! device of Direct3D or Metal, with what wgpu would be told besides, for the compilers of
//! scripts/hlsl.sh.
//!
//! Without `--spec`, the cases are the tests' corpus, with reach.txt, and the tables of `fft`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::low_level::{self, Access, Dispatch};
use wgpu_fft::{DeviceProfile, Gpu, Program as Dispatches};
use wgpu_fft_tests::absent;
use wgpu_fft_tests::variants::{SPECS, corpus};

use crate::fft::cases;
use crate::support::{Bench, Case, Column, Format, Program, Result, pipeline};

pub const PROGRAM: Program = Program {
    name: "reach",
    about: "what a driver's compiler makes of the kernels, without running them",
    options: "(--recipe has no effect)
  --spec TEXT     this case, such as \"c2c fwd 512x512\"; may be repeated. `SPEC | RECIPE` takes that recipe
  --table NAME    the cases of a table of `fft`, such as anchors
  --texts DEVICE  the WGSL for a device that is not opened, such as fxc-nvidia
  --with TEXT     of the cases only those that contain this, such as f64-by-f32
  --naive         double-single arithmetic with nothing hidden from the compiler, to see what it does to it
",
    columns: COLUMNS,
    work,
};

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Group),
    Column::new("step", "step", Format::Noted),
    Column::new("subgroup", "subgroup", Format::Decimals(0)),
    Column::new("workgroups", "workgroups", Format::Decimals(0)),
    Column::new("invocations", "invocations", Format::Decimals(0)),
    Column::new("statistics", "summary", Format::Text),
];

fn all_cases() -> Result<BTreeSet<String>> {
    let timed = [cases::table("anchors")?, cases::table("lengths")?].concat();
    Ok(corpus().into_iter().map(str::to_owned).chain(timed).collect())
}

fn work(bench: &mut Bench) -> Result<()> {
    let named = bench.options().all("spec").map(str::to_owned);
    let of_tables = bench.options().all("table").map(cases::table).collect::<std::result::Result<Vec<_>, _>>()?;
    let mut cases: BTreeSet<String> = named.chain(of_tables.concat()).collect();
    if cases.is_empty() {
        cases = if bench.options().smoke { SPECS[..4].iter().map(|&spec| spec.to_owned()).collect() } else { all_cases()? };
    }
    if let Some(part) = bench.options().all("with").last() {
        cases.retain(|case| case.contains(part));
    }
    let mut statistics = Statistics::open()?;
    let profile = match bench.options().all("texts").last() {
        None => None,
        Some(name) => {
            Some(absent::profile(name).ok_or_else(|| format!("{name} is none of {}", absent::names().collect::<Vec<_>>().join(", ")))?)
        }
    };
    for text in cases {
        let (spec, recipe) = match text.split_once(" | ") {
            Some((spec, recipe)) => (spec, Some(recipe)),
            None => (&*text, None),
        };
        let case = Case { title: spec.to_owned(), shape: String::new(), bytes: 0 };
        bench.attempt(&case, |bench| match &profile {
            None => compile(bench, &mut statistics, &case, recipe),
            Some(profile) => print(bench, profile, &case, recipe),
        })?;
    }
    Ok(())
}

/// The dispatches of a program, each text once.
fn unlike(program: &Dispatches) -> Vec<&Dispatch> {
    let mut known: Vec<&Dispatch> = Vec::new();
    for dispatch in low_level::dispatches(program) {
        let is_same = |other: &&Dispatch| other.wgsl() == dispatch.wgsl() && other.overrides == dispatch.overrides;
        if !known.iter().any(is_same) {
            known.push(dispatch);
        }
    }
    known
}

fn print(bench: &mut Bench, profile: &DeviceProfile, case: &Case, recipe: Option<&str>) -> Result<()> {
    let spec: AnySpec = case.title.parse()?;
    let program = spec.lower(recipe, profile)?;
    program.check(profile)?;
    for dispatch in unlike(&program) {
        let overrides = dispatch.overrides.iter().map(|&(name, value)| (name.to_owned(), json!(value.as_f64()))).collect();
        let binds: Vec<Value> = dispatch.binds.iter().map(|bind| json!([bind.binding, access(bind.access)])).collect();
        let own = [
            ("step", json!(dispatch.to_string())),
            ("wgsl", json!(dispatch.wgsl())),
            ("overrides", Value::Object(overrides)),
            ("binds", json!(binds)),
            ("proven", json!(dispatch.proven)),
        ];
        bench.report_own(case, recipe.unwrap_or_default(), own);
    }
    Ok(())
}

fn access(access: Access) -> &'static str {
    match access {
        Access::Uniform => "uniform",
        Access::Read => "read",
        Access::ReadWrite | Access::Arrivals => "write",
        Access::Texture(_) | Access::StorageTexture(_) => "texture",
    }
}

fn compile(bench: &mut Bench, statistics: &mut Statistics, case: &Case, recipe: Option<&str>) -> Result<()> {
    let spec: AnySpec = case.title.parse()?;
    let recipe = match recipe {
        Some(recipe) => recipe.to_owned(),
        None => spec.choose(bench.planner())?.recipe,
    };
    let program = spec.lower(Some(&recipe), bench.gpu().profile())?;
    program.check(bench.gpu().profile())?;
    for dispatch in unlike(&program) {
        let compiled = if bench.options().has("naive") {
            compile_naive(bench.gpu(), dispatch)
        } else {
            low_level::compile(bench.gpu(), dispatch).map(drop).map_err(Into::into)
        };
        let said = statistics.next()?;
        let step = dispatch.to_string();
        let error = match &compiled {
            Err(error) => Some(error.to_string()),
            Ok(_) => said["error"].as_i64().map(|code| format!("the driver refuses the pipeline: VkResult {code}")),
        };
        let summary = said["statistics"].as_object().map(|all| {
            let all: Vec<String> = all.iter().map(|(name, value)| format!("{name}={value}")).collect();
            all.join(" ")
        });
        if let Some(error) = &error {
            bench.fault(format!("`{}`, {step}: {error}", case.title));
        }
        let own = [
            ("step", json!(step)),
            ("workgroups", json!(u64::from(dispatch.grid.x) * u64::from(dispatch.grid.y))),
            ("invocations", json!(dispatch.invocations())),
            ("pipeline", said["pipeline"].clone()),
            ("subgroup", said["subgroup"].clone()),
            ("statistics", said["statistics"].clone()),
            ("summary", json!(summary)),
            ("error", json!(error)),
        ];
        bench.report_own(case, &recipe, own);
    }
    Ok(())
}

/// Compiles a text of double-single arithmetic without what hides its steps (shaders/fft/double.wgsl).
fn compile_naive(gpu: &Gpu, dispatch: &Dispatch) -> Result<()> {
    let hidden = "return bitcast<vec2<f32>>(bitcast<vec2<u32>>(x) + vec2<u32>(params.lines >> 31u));";
    let wgsl = dispatch.wgsl();
    if !wgsl.contains(hidden) {
        return Err("a text that hides nothing".into());
    }
    let constants: Vec<(&str, f64)> = dispatch.overrides.iter().map(|&(name, value)| (name, value.as_f64())).collect();
    pipeline(gpu, dispatch.kernel.name, &wgsl.replace(hidden, "return x;"), &constants);
    Ok(())
}

/// What the layer has written, if it is there.
struct Statistics {
    path: Option<PathBuf>,
    read: usize,
}

impl Statistics {
    /// What was compiled before is none of the cases.
    fn open() -> Result<Self> {
        let path = std::env::var_os("REACH_STATISTICS").map(PathBuf::from);
        let read = path.as_ref().map_or(Ok(0), |path| std::fs::read_to_string(path).map(|text| text.lines().count()))?;
        Ok(Self { path, read })
    }

    /// What the driver says of the pipeline that was compiled last; null without the layer.
    fn next(&mut self) -> Result<Value> {
        let Some(path) = &self.path else { return Ok(Value::Null) };
        let text = std::fs::read_to_string(path)?;
        let new: Vec<&str> = text.lines().skip(self.read).collect();
        self.read += new.len();
        match &new[..] {
            [] => Ok(Value::Null),
            [one] => Ok(serde_json::from_str(one)?),
            more => Err(format!("one pipeline was compiled, and the layer tells of {}", more.len()).into()),
        }
    }
}
