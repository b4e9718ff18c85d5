//! Random specifications with random recipes, on the host with random device profiles, and on every
//! adapter found.
//!
//! Each case is determined by its seed. Either it is refused with an error, or its result is
//! compared with a reference in f64. Failures are: a panic, a wrong result, a hang, a write outside
//! the output, a specification that changes when it is printed and parsed, and a default recipe
//! that does not fit its own specification. A plain `cargo test` runs few cases. To run more, or to
//! repeat one:
//!
//! ```text
//! WGPU_FFT_RANDOM="cases=50000 seed=7" cargo test --test random host
//! WGPU_FFT_RANDOM="cases=1 seed=1234567" cargo test --test random -- --nocapture
//! ```
//!
//! `cases` is the number of cases for each kind of operation, `seed` is the first seed, and
//! `minutes` limits the time of each test.

#[path = "../support/bits.rs"]
mod bits;
mod case;
mod fft;
#[path = "../support/filters.rs"]
mod filters;
#[path = "../device/harness.rs"]
#[allow(dead_code, unused_imports, reason = "the tests on devices use more of it")]
mod harness;
mod moves;
#[path = "../support/permute.rs"]
mod permute;
mod profiles;
#[path = "../support/recipes.rs"]
#[allow(dead_code, reason = "recipes by hand for given shapes are for other tests")]
mod recipes_by_hand;
#[path = "../support/reductions.rs"]
mod reductions;
#[path = "../support/reference.rs"]
mod reference;
#[path = "../support/sanitized.rs"]
mod sanitized;
mod sums;
mod tiles;

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use fastrand::Rng;
use libtest_mimic::{Arguments, Trial};

use crate::case::{Case, Place, Verdict};

/// Draws a case and runs it.
type Draw = fn(&mut Case<'_>) -> Verdict;

/// What is tested.
const KINDS: [(&str, Draw); 4] = [("fft", fft::random), ("permute", moves::random), ("reduce", sums::random), ("filter", tiles::random)];

/// Longer than any case may take.
const HANG: Duration = Duration::from_secs(120);

/// How much to run.
#[derive(Clone, Copy)]
struct Amount {
    cases: u64,
    seed: u64,
    limit: Duration,
}

impl Amount {
    /// The amount set by `WGPU_FFT_RANDOM`, or else this number of cases.
    fn of(cases: u64) -> Self {
        let mut amount = Self { cases, seed: 1, limit: Duration::from_secs(3600) };
        for word in std::env::var("WGPU_FFT_RANDOM").unwrap_or_default().split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let value: u64 = value.parse().unwrap_or_else(|_| panic!("WGPU_FFT_RANDOM: `{word}` has no number"));
            match name {
                "cases" => amount.cases = value,
                "seed" => amount.seed = value,
                "minutes" => amount.limit = Duration::from_secs(60 * value),
                _ => panic!("WGPU_FFT_RANDOM: `{name}` is not cases, seed or minutes"),
            }
        }
        amount
    }
}

/// The running cases, for the thread that detects hangs and for reports of panics.
static RUNNING: Mutex<BTreeMap<String, (Instant, String)>> = Mutex::new(BTreeMap::new());

fn running() -> std::sync::MutexGuard<'static, BTreeMap<String, (Instant, String)>> {
    RUNNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Ends the process with the name of a case that hangs.
fn watch() {
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            for (place, (since, what)) in running().iter() {
                if since.elapsed() > HANG {
                    eprintln!("{place}: hangs since {} s: {what}", since.elapsed().as_secs());
                    std::process::exit(101);
                }
            }
        }
    });
}

/// Runs one case of a kind, and returns its description and verdict.
fn run(name: &str, place: Place<'_>, kind: Draw, seed: u64) -> (String, Verdict) {
    let note = |what: &str| {
        running().insert(name.to_owned(), (Instant::now(), what.to_owned()));
    };
    note(&format!("seed {seed}"));
    let mut case =
        Case { rng: Rng::with_seed(seed), seed, subgroups: 1 << (seed % 3), place, note: &|what| note(&format!("seed {seed}: {what}")) };
    let verdict = panic::catch_unwind(AssertUnwindSafe(|| kind(&mut case))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Verdict::Wrong(format!("it panicked: {}", text.unwrap_or_default()))
    });
    let what = running().remove(name).map(|(_, what)| what).unwrap_or_default();
    (what, verdict)
}

/// Runs the cases of every kind in one place.
fn run_all(name: &str, place: Place<'_>, amount: Amount) {
    const MOST_FAILURES: usize = 20;
    let begin = Instant::now();
    let mut failures = Vec::new();
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for seed in amount.seed..amount.seed.saturating_add(amount.cases) {
        for (kind, random) in KINDS {
            let (what, verdict) = run(name, place, random, seed);
            let count = match verdict {
                Verdict::Right => format!("{kind} right"),
                Verdict::Refused(how) => format!("{kind} refused: {how}"),
                Verdict::Wrong(why) => {
                    eprintln!("{name}: {kind} {what}: {why}");
                    failures.push(format!("{kind} {what}: {why}"));
                    format!("{kind} WRONG")
                }
            };
            *counts.entry(count).or_default() += 1;
        }
        if begin.elapsed() > amount.limit || failures.len() >= MOST_FAILURES {
            break;
        }
    }
    println!("{name}, seeds from {}, {} s: {counts:#?}", amount.seed, begin.elapsed().as_secs());
    assert!(failures.is_empty(), "{} failures, the first: {}", failures.len(), failures[0]);
    assert!(KINDS.iter().all(|(kind, _)| counts.contains_key(&format!("{kind} right"))), "nothing was compared: {counts:#?}");
}

fn main() -> ExitCode {
    watch();
    let mut trials = vec![Trial::test("host", || {
        run_all("host", Place::Host, Amount::of(300));
        Ok(())
    })];
    match harness::find_devices() {
        Ok(devices) => trials.extend(devices.iter().map(|device| {
            Trial::test(format!("device {}", device.name), || {
                run_all(&device.name, Place::Device(device), Amount::of(if device.is_thorough() { 300 } else { 12 }));
                Ok(())
            })
        })),
        Err(error) if std::env::var("WGPU_FFT_REQUIRE_GPU").is_ok_and(|value| value == "1") => {
            eprintln!("WGPU_FFT_REQUIRE_GPU=1, and {error}");
            return ExitCode::FAILURE;
        }
        Err(error) => println!("SKIPPED: random cases on devices: {error}"),
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
