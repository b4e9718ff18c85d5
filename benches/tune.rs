//! The value of tuning: the rules' choice, the tuned choice and the best of all recipes, in the
//! same rounds.
//!
//! ```sh
//! cargo bench --bench measure -- tune                                # the usual cases for the adapter
//! cargo bench --bench measure -- tune --exhaustive 300               # compared with the best of up to 300 recipes
//! cargo bench --bench measure -- tune --table anchors --seconds 10   # the cases for which cuFFT and VkFFT were measured
//! ```
//!
//! For each case a search runs as in `Planner::plan` with `Rigor::Measure`, without a record. Then
//! four recipes run in interleaved rounds: the search's choice (`tuned`), the rules' choice
//! (`rules`), the baseline with which results are compared (`baseline`) and, with `--exhaustive N`,
//! the best of up to N recipes (`best`). To find the best, every recipe that can be reached from
//! neighbour to neighbour is run three times, and the 8 fastest take part in the rounds.
//!
//! `cut` is the fraction of the rules' time that tuning saves. `of best` is the tuned time divided
//! by the best one. `tuning s` is the duration of the search, which measured `tried` recipes.
//! `recorded` is the time for opening the record of that search, choosing by it, and compiling the
//! chosen recipe.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wgpu_fft::fft::{C2c, R2c};
use wgpu_fft::low_level::tune::{Calibration, Coefficients, End, Source, Tunable};
use wgpu_fft::reduce;
use wgpu_fft::transpose::Permute;
use wgpu_fft::tune::{Record, Rigor, Tuning};
use wgpu_fft::{Complex32, DeviceProfile, Error};

use crate::fft::cases;
use crate::paper::PaperKernel;
use crate::support::{Arrays, Bench, Candidate, Case, Column, Format, Program, Result, rounded};

pub const PROGRAM: Program = Program {
    name: "tune",
    about: "what a search finds, beside the rules' choice and the best of all recipes",
    options: "  --table NAME    a table of Fourier transforms, as of `fft`, in place of the usual cases
  --spec TEXT     this transform; may be repeated
  --calibrate     the coefficients of the device: from those of its profile, and from those of an
                  unknown one
  --patient       searches of Rigor::Patient
  --seconds S     time limit of a search
  --exhaustive N  also the best of up to N recipes
",
    columns: COLUMNS,
    work,
};

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Group),
    Column::new("by", "candidate", Format::Text),
    Column::new("ms", "ms", Format::Digits),
    Column::new("spread", "spread", Format::Percent),
    Column::new("cut", "cut", Format::Percent),
    Column::new("of best", "of_best", Format::Digits),
    Column::new("tuning s", "tuning_s", Format::Decimals(1)),
    Column::new("tried", "tried", Format::Decimals(0)),
    Column::new("end", "end", Format::Text),
    Column::new("recorded ms", "recorded_ms", Format::Digits),
    Column::new("recipe", "recipe", Format::Text),
];

fn work(bench: &mut Bench) -> Result<()> {
    let options = bench.options();
    let mut specs: Vec<String> = options.all("spec").map(str::to_owned).collect();
    for table in options.all("table") {
        specs.extend(cases::table(table)?);
    }
    let calibrate = options.has("calibrate");
    if calibrate {
        contest(bench, &Calibration::new())?;
        let unknown = Coefficients::of(&DeviceProfile::webgpu_defaults());
        contest(bench, &Calibration::starting_from(unknown))?;
    }
    if specs.is_empty() && !calibrate { usual(bench) } else { specs.iter().try_for_each(|spec| text(bench, spec)) }
}

/// The operations, and the two kernels of the paper that is the source of the rules.
fn usual(bench: &mut Bench) -> Result<()> {
    let side = bench.sized(4096, 1024, 32);
    contest(bench, &Permute::<f32>::transpose([side, side]))?;
    contest(bench, &Permute::<Complex32>::transpose([side, side]))?;
    contest(bench, &Permute::<f32>::transpose(bench.sized([1080, 1920], [1080, 1920], [27, 48])))?;
    contest(bench, &reduce::sum::<f32>(bench.sized(1 << 26, 1 << 22, 1 << 12)))?;
    contest(bench, &reduce::sum::<f32>([side, side]).axes([1]))?;
    contest(bench, &C2c::forward(1024).batch(bench.sized(65_536, 1024, 4)))?;
    let squares: &[usize] = bench.sized(&[1024, 4096], &[256, 512], &[16]);
    squares.iter().try_for_each(|&side| contest(bench, &C2c::forward([side, side])))?;
    let side = bench.sized(2048, 256, 32);
    contest(bench, &PaperKernel::matrix_product([side; 2], side))?;
    contest(bench, &PaperKernel::bilinear_resize([bench.sized(4096, 1024, 48); 2], bench.sized([1920, 1080], [480, 270], [20, 30])))
}

/// A transform given by its text.
fn text(bench: &mut Bench, text: &str) -> Result<()> {
    if text.starts_with("r2c") { contest(bench, &text.parse::<R2c>()?) } else { contest(bench, &text.parse::<C2c>()?) }
}

fn tuning(bench: &Bench) -> Result<Tuning> {
    let options = bench.options();
    let tuning = Tuning::new(if options.has("patient") { Rigor::Patient } else { Rigor::Measure });
    let seconds = if options.smoke { Some(0.2) } else { options.number("seconds")? };
    Ok(match seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        Some(limit) => tuning.time_limit(limit),
        None => tuning,
    })
}

fn contest<T: Tunable>(bench: &mut Bench, tunable: &T) -> Result<()> {
    let profile = bench.gpu().profile().clone();
    let exhaustive = bench.options().number("exhaustive")?.unwrap_or(0);
    let sizes = match tunable.arrays(&profile) {
        Ok(sizes) => sizes,
        Err(error) => {
            bench.say(|| format!("{tunable} is left out: {error}"));
            return Ok(());
        }
    };
    let case = Case { title: tunable.to_string(), shape: String::new(), bytes: sizes.moved_bytes() };
    bench.attempt(&case, |bench| {
        let start = Instant::now();
        let folder = std::env::temp_dir().join(format!("wgpu-fft-tune-{}", std::process::id()));
        let path = folder.join("record.jsonl");
        let choice = tuning(bench)?.record(Record::open(&path)).choose(bench.gpu(), tunable)?;
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let known = Tuning::recorded(Record::open(&path)).choose(bench.gpu(), tunable)?;
        drop(tunable.compile(bench.gpu(), &known.recipe)?);
        let recorded = start.elapsed().as_secs_f64();
        std::fs::remove_dir_all(&folder)?;
        let outcome = match choice.source {
            Source::Measured(outcome) => outcome,
            Source::Failed(error) => return Err(error.into()),
            other => return Err(format!("a search was asked for, and not `{other}`").into()),
        };
        // A search that had no time for any comparison is not remembered.
        let remembered = outcome.measured > 1 || outcome.end != End::Time;
        if known.recipe != choice.recipe || remembered != matches!(known.source, Source::Recorded(_)) {
            bench.fault(format!("{tunable}: the record gives `{}`: {}", known.recipe, known.source));
        }
        // If the tuned recipe is the rules' recipe, it is left out, so that noise cannot make a
        // difference between the two.
        let mut entries = vec![("rules", tunable.estimate(&profile)?), ("baseline", tunable.baseline(&profile)?)];
        let kept = choice.recipe == entries[0].1;
        entries.extend((!kept).then_some(("tuned", choice.recipe)));
        let named = entries.len();
        let arrays = Arrays::new(bench, sizes.input_bytes * sizes.inputs as u64, sizes.output_bytes)?;
        let bound = |bench: &Bench, recipe: &T::Recipe| arrays.bind_compiled(sizes, &tunable.compile(bench.gpu(), recipe)?);
        let all = everything(tunable, &profile, exhaustive);
        for recipe in fastest(bench, &all, &bound)? {
            // Each recipe once: noise would make a difference between two equal recipes.
            if entries.iter().all(|(_, known)| *known != recipe) {
                entries.push(("best", recipe));
            }
        }
        let candidates = entries.iter().map(|(_, recipe)| bound(bench, recipe)).collect::<Result<Vec<_>>>()?;
        let samples = bench.measure(candidates)?;
        let rules = samples[0].median();
        let best = (0..entries.len()).min_by(|&a, &b| samples[a].median().total_cmp(&samples[b].median()));
        let least = best.map_or(f64::NAN, |best| samples[best].median());
        for (i, (by, recipe)) in entries.iter().enumerate().filter(|(i, _)| *i < named || Some(*i) == best) {
            let of_search = if *by == if kept { "rules" } else { "tuned" } {
                [
                    rounded(seconds),
                    json!(outcome.measured),
                    json!(outcome.end.to_string()),
                    rounded(recorded * 1e3),
                    rounded(recorded / seconds),
                ]
            } else {
                let tried = if *by == "best" { json!(all.len()) } else { Value::Null };
                [Value::Null, tried, Value::Null, Value::Null, Value::Null]
            };
            let tuning = ["tuning_s", "tried", "end", "recorded_ms", "recorded_fraction"].into_iter().zip(of_search);
            let own = [
                ("candidate", json!(by)),
                ("cut", rounded(samples[i].median() / rules - 1.0)),
                ("of_best", if exhaustive > 0 { rounded(samples[i].median() / least) } else { Value::Null }),
            ];
            bench.report(&case, &recipe.to_string(), &samples[i], f64::NAN, own.into_iter().chain(tuning));
        }
        if !outcome.faults.is_empty() {
            bench.fault(format!("{tunable}: {:?}", outcome.faults));
        }
        Ok(())
    })
}

/// Every recipe that can be reached from neighbour to neighbour, up to the requested number.
fn everything<T: Tunable>(tunable: &T, profile: &DeviceProfile, most: usize) -> Vec<T::Recipe> {
    let mut queue: VecDeque<T::Recipe> = tunable.estimate(profile).into_iter().chain(tunable.alternatives(profile)).collect();
    let mut seen: HashSet<T::Recipe> = HashSet::new();
    let mut all = Vec::new();
    while let Some(recipe) = queue.pop_front() {
        if all.len() == most {
            break;
        }
        if seen.insert(recipe.clone()) && tunable.fingerprint(&recipe, profile).is_ok() {
            queue.extend(tunable.neighbours(&recipe, profile));
            all.push(recipe);
        }
    }
    all
}

/// The 8 fastest of many recipes in a quick measurement.
fn fastest<R: Clone>(bench: &Bench, all: &[R], bound: &dyn Fn(&Bench, &R) -> Result<Candidate>) -> Result<Vec<R>> {
    let mut times: Vec<(f64, &R)> = Vec::new();
    for recipe in all {
        let look = || -> Result<f64> { bench.glance(bound(bench, recipe)?) };
        match look() {
            Ok(seconds) => times.push((seconds, recipe)),
            Err(error) if matches!(error.downcast_ref(), Some(Error::DeviceLost { .. })) => return Err(error),
            Err(_) => {}
        }
    }
    times.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    Ok(times.into_iter().take(8).map(|(_, recipe)| recipe.clone()).collect())
}
