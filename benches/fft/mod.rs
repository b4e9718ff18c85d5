//! Benchmarks Fourier transforms with any recipe, and compares them with a copy of the same arrays
//! and with rustfft.
//!
//! ```sh
//! cargo bench --bench measure -- fft --table anchors --in-place         # the cases for which cuFFT and VkFFT were measured
//! cargo bench --bench measure -- fft --table lavapipe --against rustfft
//! cargo bench --bench measure -- fft --spec "c2c fwd 1024 x32768" \
//!     --recipe "rows: stockham 16.16.4 elements=16 rows=1 exchange=whole banks=32 roots=table"
//! cargo bench --bench measure -- fft --recipes-file variants.txt        # dozens of variants in one run
//! ```
//!
//! **Cases** are texts of specifications, listed in tables (`fft/cases.rs`). By default a GPU runs
//! the table `anchors`, and a software adapter runs `lavapipe`. Cases that this version cannot plan
//! are printed with the reason.
//!
//! **Candidates** are the recipe that the rules choose and the requested recipes. `--in-place` adds
//! the rules' recipe for the same transform in place (scaled by 1/√n, so that repeated transforms
//! do not grow). `--coefficients TEXT` adds the rules' recipes by these coefficients, without what was
//! measured for single lengths; `own` are those of the device. The table `lengths` adds the plain
//! kernel `radix2`. `--recipes-file F` has a line
//! `spec | recipe` for each candidate, and comments after `#`. All candidates of a specification,
//! including the rules' recipe, are measured in the same rounds. They are reported from the fastest
//! to the slowest. Recipes that do not fit come last, with the reason.
//!
//! **Check.** Before it is measured, each candidate transforms a few impulses, and some of the
//! output is compared with their exact spectrum. `check` is the largest error. From 1e-5 on, the
//! table marks the candidate as wrong, and the benchmark fails at the end. Specifications with
//! their own axes or layouts are not checked.
//!
//! **Bandwidth.** `bytes` counts the input read once and the output written once, which is the
//! minimum. `copy_fraction` compares the bandwidth for these bytes with the copy. `passes_fraction`
//! counts the bytes for every dispatch, and shows how close the kernels are to a copy.
//!
//! `--against rustfft` adds rustfft on one thread and on two, in the same rounds. It also adds our
//! own transform from slice to vector, with both transfers. The ratios are our median divided by
//! theirs.
//!
//! `support/mod.rs` describes how times are measured. `peers/` measures cuFFT and makes tables of
//! ratios.

use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Value, json};
use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::low_level::tune::Coefficients;
use wgpu_fft::{Error, Pending, Plan, Spec, bytemuck};

use crate::support::{Arrays, Bench, Candidate, Case, Column, Format, Program, Result, Samples, rounded};
use cases::{Kind, Layout};
use host::Host;

pub mod cases;
mod check;
mod host;

pub const PROGRAM: Program = Program {
    name: "fft",
    about: "Fourier transforms with any recipe, beside a copy and rustfft",
    options: "  --table NAME    the cases of a table: anchors (2d and 1d), 2d, 1d, lavapipe, lengths, smoke; repeated: all of them
  --spec TEXT     this case, such as \"c2c fwd 512x512\"; may be repeated
  --recipes-file FILE
                  the cases and recipes in FILE, each line `spec | recipe`
  --in-place      also in place, by the rules' recipe for that
  --coefficients TEXT
                  also by these, such as \"registers liked=88 most=120 workgroup=32768\" or \"own\",
                  and without what was measured for single lengths; may be repeated
  --against rustfft
                  also rustfft on one thread and two, and our transform from slice to vector
",
    columns: COLUMNS,
    work,
};

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Group),
    Column::new("by", "candidate", Format::Text),
    Column::new("ms", "ms", Format::Digits),
    Column::new("spread", "spread", Format::Percent),
    Column::new("of copy", "copy_fraction", Format::Percent),
    Column::new("passes", "dispatches", Format::Decimals(0)),
    Column::new("of copy each", "passes_fraction", Format::Percent),
    Column::new("check", "check", Format::Scientific),
    Column::new("/ rustfft x1", "ratio", Format::Digits),
    Column::new("/ rustfft x2", "ratio_two_threads", Format::Digits),
    Column::new("", "wrong", Format::Text),
    Column::new("recipe -- why it does not fit", "recipe", Format::Noted),
];

/// A case and the recipes to measure.
#[derive(Clone, Debug)]
struct Request {
    spec: String,
    /// The recipes, and whether they are from a file.
    recipes: Vec<String>,
    from_file: bool,
}

fn work(bench: &mut Bench) -> Result<()> {
    requests(bench)?.iter().try_for_each(|request| run(bench, request))
}

/// The requested cases: those of a file, then single ones, then tables. If none are requested, the
/// table for this kind of adapter.
fn requests(bench: &Bench) -> Result<Vec<Request>> {
    let options = bench.options();
    if let Some(peer) = options.all("against").find(|peer| *peer != "rustfft") {
        return Err(format!("the peer is rustfft, not {peer}").into());
    }
    let of_file = |(spec, recipes)| Request { spec, recipes, from_file: true };
    let mut requests: Vec<Request> = options.recipes_file()?.unwrap_or_default().into_iter().map(of_file).collect();
    let mut specs: Vec<(String, Option<String>)> = options.all("spec").map(|spec| (spec.to_owned(), None)).collect();
    let mut tables: Vec<&str> = options.all("table").collect();
    if requests.is_empty() && specs.is_empty() && tables.is_empty() {
        tables.push(bench.sized("anchors", "lavapipe", "smoke"));
    }
    for name in tables {
        for spec in cases::table(name)? {
            let baseline = if name == "lengths" { radix2(&spec, bench) } else { None };
            specs.push((spec, baseline));
        }
    }
    let mut seen = HashSet::new();
    for (spec, baseline) in specs {
        if seen.insert(spec.clone()) {
            let recipes = baseline.into_iter().chain(options.recipe_texts()).collect();
            requests.push(Request { spec, recipes, from_file: false });
        }
    }
    Ok(requests)
}

/// The plain recipe for rows up to 1024: one lane for every butterfly, and 256 lanes in a workgroup
/// as far as the device allows.
fn radix2(spec: &str, bench: &Bench) -> Option<String> {
    let n = match Layout::parse(spec).ok()?.extents[..] {
        [n @ 2..=1024] => n as u32,
        _ => return None,
    };
    let profile = bench.gpu().profile();
    let invocations = profile.invocations.min(256);
    let lanes = (n / 2).min(invocations);
    // Each row has two copies in workgroup memory.
    let by_memory = profile.workgroup_bytes / (16 * n);
    Some(format!("axis 0: radix2 rows={} lanes={lanes}", (invocations / lanes).min(by_memory).max(1)))
}

/// Measures a case with the type that its text names.
fn run(bench: &mut Bench, request: &Request) -> Result<()> {
    let layout = Layout::parse(&request.spec)?;
    match layout.kind {
        Kind::C2c => contest::<C2c>(bench, request, &layout),
        Kind::R2c => contest::<R2c>(bench, request, &layout),
        Kind::C2r => contest::<C2r>(bench, request, &layout),
    }
}

fn case(title: &str, layout: &Layout) -> Case {
    Case { title: title.to_owned(), shape: layout.shape(), bytes: layout.input_bytes() + layout.output_bytes() }
}

/// One way to compute a case.
struct Entry<S: Spec> {
    /// The reasons why it is included.
    by: String,
    recipe: String,
    in_place: bool,
    plan: wgpu_fft::Result<Arc<Plan<S>>>,
    /// The error found by the check.
    error: Option<f64>,
}

/// Measures a case with every recipe, and rustfft if requested.
fn contest<S: Spec + FromStr<Err = Error>>(bench: &mut Bench, request: &Request, layout: &Layout) -> Result<()> {
    bench.attempt(&case(&request.spec, layout), |bench| {
        let spec: S = request.spec.parse()?;
        // Printed from the parsed form, so that all spellings of a case become one.
        let case = case(&spec.to_string(), layout);
        let mut entries = entries(bench, &spec, request, layout)?;
        let Some(any) = entries.iter().find_map(|entry| entry.plan.as_ref().ok().cloned()) else {
            return Err(refusal(entries).into());
        };
        let program = any.program();
        let arrays = Arrays::new(bench, program.inputs()[0].bytes(), program.output().bytes())?;
        let mut candidates = vec![arrays.copy(bench)?];
        for entry in &mut entries {
            if let Ok(plan) = &entry.plan {
                let layout = Layout::parse(&plan.spec().to_string())?;
                entry.error = if layout.special { None } else { Some(check::error(bench, &arrays, plan, &layout)?) };
                candidates.push(arrays.bind(plan)?);
            }
        }
        let hosts = if bench.options().has("against") { hosts(bench, layout, &any) } else { Vec::new() };
        let names: Vec<&str> = hosts.iter().map(|(name, _)| *name).collect();
        candidates.extend(hosts.into_iter().map(|(_, candidate)| candidate));
        let samples = bench.measure(candidates)?;
        let copy = samples[0].gb_per_s(arrays.copy_bytes());
        let (ours, hosts) = samples[1..].split_at(samples.len() - 1 - names.len());
        let hosts: Vec<(&str, &Samples)> = names.into_iter().zip(hosts).collect();
        report(bench, &case, copy, entries, ours, &hosts, request.from_file);
        Ok(())
    })
}

/// The rules' recipe, the one in place, and the requested ones, without duplicates.
fn entries<S: Spec + FromStr<Err = Error>>(bench: &Bench, spec: &S, request: &Request, layout: &Layout) -> Result<Vec<Entry<S>>> {
    let planner = bench.planner();
    let entry = |by: &str, recipe, in_place, plan| Entry { by: by.to_owned(), recipe, in_place, plan, error: None };
    let chosen = |by, plan: wgpu_fft::Result<Arc<Plan<S>>>, in_place| {
        let recipe = plan.as_ref().map_or_else(|_| String::new(), |plan| plan.recipe().to_string());
        entry(by, recipe, in_place, plan)
    };
    let mut specs = vec![("rules", spec.clone(), layout.in_place)];
    if bench.options().has("in-place") && !layout.in_place && layout.kind != Kind::C2r {
        let scale = if layout.scale == 1.0 { " 1/sqrt(n)" } else { "" };
        specs.push(("in place", format!("{spec}{scale} in-place").parse()?, true));
    }
    let mut entries: Vec<_> = specs.iter().map(|(by, spec, in_place)| chosen(*by, planner.plan(spec.clone()), *in_place)).collect();
    let profile = bench.gpu().profile();
    for text in bench.options().all("coefficients") {
        let coefficients = if text == "own" { Coefficients::of(profile) } else { text.parse()? };
        let by_rule = coefficients.on(profile).with(|profile| profile.is_measured = false);
        for (_, spec, in_place) in &specs {
            let plan = spec.design(&by_rule).and_then(|recipe| planner.plan_with(spec.clone(), recipe));
            let own = chosen(text, plan, *in_place);
            match entries.iter_mut().find(|known| (known.in_place, &known.recipe) == (own.in_place, &own.recipe)) {
                Some(known) => known.by = format!("{}, {text}", known.by),
                None => entries.push(own),
            }
        }
    }
    for text in &request.recipes {
        let recipe = text.parse::<S::Recipe>();
        let printed = recipe.as_ref().map_or_else(|_| text.clone(), S::Recipe::to_string);
        let plan = recipe.and_then(|recipe| planner.plan_with(spec.clone(), recipe));
        // A recipe for all cases need not fit each of them.
        let passed_over = !request.from_file && matches!(plan, Err(Error::UnfitRecipe { .. }));
        if !passed_over && entries.iter().all(|known| known.in_place != layout.in_place || known.recipe != printed) {
            entries.push(entry("request", printed, layout.in_place, plan));
        }
    }
    let lost = entries.iter().position(|entry| matches!(entry.plan, Err(Error::DeviceLost { .. })));
    match lost.map(|i| entries.swap_remove(i).plan) {
        Some(Err(error)) => Err(error.into()),
        _ => Ok(entries),
    }
}

/// If no recipe fits, the reason for the first one.
fn refusal<S: Spec>(entries: Vec<Entry<S>>) -> Error {
    let error = entries.into_iter().find_map(|entry| entry.plan.err());
    error.expect("there is a recipe, and none fits")
}

/// rustfft on one thread and on two, and the complete run from slice to vector.
fn hosts<S: Spec>(bench: &Bench, layout: &Layout, plan: &Arc<Plan<S>>) -> Vec<(&'static str, Candidate)> {
    let host = |threads| Host::new(layout, bench.noise().take(usize::MAX), threads);
    let (Some(mut one), Some(mut two)) = (host(1), host(2)) else {
        return Vec::new();
    };
    if bench.options().smoke {
        [&mut one, &mut two].into_iter().for_each(|host| {
            host.restore();
            host.transform();
        });
        assert!(one.output() == two.output(), "rustfft on two threads gives something else");
    }
    let rustfft = |host| Candidate::host(host, Host::restore, Host::transform);
    let numbers: Vec<f32> = bench.noise().take(layout.input_bytes() as usize / 4).collect();
    let input: Vec<S::Input> = bytemuck::pod_collect_to_vec(&numbers);
    let ours = Candidate::host(
        (Arc::clone(plan), input),
        |_| (),
        |(plan, input)| {
            plan.run(&*input).and_then(Pending::wait).expect("what ran before runs again");
        },
    );
    vec![("rustfft x1", rustfft(one)), ("rustfft x2", rustfft(two)), ("slice to vector", ours)]
}

fn report<S: Spec>(
    bench: &mut Bench,
    case: &Case,
    copy: f64,
    entries: Vec<Entry<S>>,
    ours: &[Samples],
    hosts: &[(&str, &Samples)],
    sorted: bool,
) {
    let ratios = |samples: &Samples| {
        let ratio = |name: &str| {
            let host = hosts.iter().find(|(host, _)| *host == name);
            host.map_or(Value::Null, |(_, host)| rounded(samples.median() / host.median()))
        };
        [("ratio", ratio("rustfft x1")), ("ratio_two_threads", ratio("rustfft x2"))]
    };
    let (measured, unfit): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.plan.is_ok());
    let mut measured: Vec<_> = measured.into_iter().zip(ours).collect();
    if sorted {
        measured.sort_by(|(_, a), (_, b)| a.median().total_cmp(&b.median()));
    }
    for (entry, samples) in measured {
        let dispatches = entry.plan.map_or(0, |plan| plan.program().dispatch_count());
        let passes = samples.gb_per_s(case.bytes * dispatches as u64);
        let wrong = entry.error.is_some_and(|error| error.is_nan() || error >= check::TOLERANCE);
        let own: [(&str, Value); 7] = [
            ("candidate", json!(entry.by)),
            ("in_place", json!(entry.in_place)),
            ("dispatches", json!(dispatches)),
            ("passes_gb_per_s", rounded(passes)),
            ("passes_fraction", rounded(passes / copy)),
            ("check", entry.error.map_or(Value::Null, rounded)),
            ("wrong", if wrong { json!("WRONG") } else { Value::Null }),
        ];
        if wrong {
            bench.fault(format!("{}: wrong by `{}`, error {:.1e}", case.title, entry.recipe, entry.error.unwrap_or_default()));
        }
        bench.report(case, &entry.recipe, samples, copy, own.into_iter().chain(ratios(samples)));
    }
    for entry in unfit {
        if let Err(why) = &entry.plan {
            bench.report_unfit(case, &entry.recipe, why, [("candidate", json!(entry.by))]);
        }
    }
    for (name, samples) in hosts {
        bench.report(case, "", samples, copy, [("candidate", json!(name))].into_iter().chain(ratios(samples)));
    }
}
