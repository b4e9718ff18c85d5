//! Running cases one after the other, with a report, and repeating one.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::case::{Case, Mistake, Verdict};
use crate::draws::{Choices, Draws};
use crate::lists::today;
use crate::place::Place;
use crate::shrink::shrink;
use crate::{Draw, OPERATIONS, known, progress};

/// Longer than any case may take.
const HANG: Duration = Duration::from_secs(600);

/// The most attempts to make a failing case simpler.
const TRIES: usize = 500;

/// How much to run.
pub struct Amount {
    pub cases: u64,
    pub seed: u64,
    pub limit: Duration,
    pub operations: Vec<(&'static str, Draw)>,
    /// Whether each case runs on the host and on one device, or on all devices.
    pub in_turns: bool,
}

impl Amount {
    /// The amount that `WGPU_FFT_RANDOM` asks for, or else this number of cases in a minute, those of
    /// this day.
    pub fn from_environment(cases: u64) -> Self {
        let (seed, limit) = (1000 * today(), Duration::from_secs(60));
        let mut amount = Self { cases, seed, limit, operations: OPERATIONS.to_vec(), in_turns: true };
        let text = std::env::var("WGPU_FFT_RANDOM").unwrap_or_default();
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let number = || value.parse().unwrap_or_else(|_| panic!("WGPU_FFT_RANDOM: `{word}` has no number"));
            match name {
                "cases" => {
                    amount.cases = number();
                    amount.limit = Duration::from_secs(7 * 24 * 3600);
                    amount.in_turns = false;
                }
                "seed" => amount.seed = number(),
                "minutes" => amount.limit = Duration::from_secs(60 * number()),
                "only" => amount.operations = value.split(',').map(operation).collect(),
                _ => panic!("WGPU_FFT_RANDOM: `{name}` is not cases, seed, minutes or only"),
            }
        }
        amount
    }
}

pub fn operation(name: &str) -> (&'static str, Draw) {
    let names = OPERATIONS.map(|(name, _)| name).join(", ");
    *OPERATIONS.iter().find(|(own, _)| *own == name).unwrap_or_else(|| panic!("`{name}` is none of {names}"))
}

/// The running case, for the thread that detects hangs.
static RUNNING: Mutex<Option<(Instant, String)>> = Mutex::new(None);

fn running() -> std::sync::MutexGuard<'static, Option<(Instant, String)>> {
    RUNNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The case that runs is written here before, since a driver may end the process.
fn running_file() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("random-case-{}.txt", std::process::id()))
}

thread_local! {
    /// Whether a case runs, and where it panicked.
    static CASE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics of cases off the screen: they are reported with the case.
pub fn catch_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let is_of_case = CASE.with_borrow_mut(|case| {
            let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
            case.as_mut().map(|own| *own = place.unwrap_or_default()).is_some()
        });
        if !is_of_case {
            usual(info);
        }
    }));
}

/// What `compute` returns, or the text and the place of its panic.
pub fn caught<T>(compute: impl FnOnce() -> T) -> Result<T, String> {
    let before = CASE.replace(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(compute));
    let place = CASE.replace(before).unwrap_or_default();
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        format!("{} (a panic at {place})", text.unwrap_or_else(|| "no text".to_owned()))
    })
}

/// Ends the process with the name of a case that hangs.
pub fn watch() {
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            if let Some((since, what)) = &*running()
                && since.elapsed() > HANG
            {
                eprintln!("hangs since {} s: {what}", since.elapsed().as_secs());
                std::process::exit(101);
            }
        }
    });
}

/// A case that was run: what it did last, its choices, and its verdict.
pub struct Ran {
    pub what: String,
    pub choices: Choices,
    pub verdict: Verdict,
}

/// Runs one case of an operation.
pub fn run((name, draw): (&str, Draw), draws: Draws, places: &[Place<'_>], mistake: Option<Mistake>) -> Ran {
    let last = Mutex::new(String::new());
    let note = |what: &str| {
        *running() = Some((Instant::now(), format!("{name}: {what}")));
        what.clone_into(&mut last.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    };
    note("drawn");
    let mut case = Case { draws, places, mistake, note: &note };
    let verdict = caught(|| draw(&mut case)).unwrap_or_else(Verdict::Wrong);
    *running() = None;
    let choices = case.draws.made();
    Ran { what: last.into_inner().unwrap_or_default(), choices, verdict }
}

/// Makes a failing case simpler: its choices, and why it fails then.
pub fn simplest(own: (&str, Draw), choices: Choices, places: &[Place<'_>], mistake: Option<Mistake>) -> Ran {
    let choices = shrink(choices, TRIES, |choices| {
        let ran = run(own, Draws::given(choices), places, mistake);
        matches!(ran.verdict, Verdict::Wrong(_)).then_some(ran.choices)
    });
    run(own, Draws::given(&choices), places, mistake)
}

/// The line that repeats a case.
pub fn line(operation: &str, choices: &Choices) -> String {
    format!("WGPU_FFT_CASE=\"{operation} {choices}\" cargo test --test random")
}

/// Runs cases of all operations in turns.
pub fn run_all(places: &[Place<'_>], amount: &Amount) {
    const MAX_FAILURES: usize = 20;
    let begin = Instant::now();
    let mut failures = Vec::new();
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let (mut ran, mut compared, mut equal, mut other) = (0, 0, 0, 0);
    // Enough cases must reach each operation, or the test would say nothing of it: the time limit
    // waits for that.
    let missing = |counts: &BTreeMap<String, u64>| -> Vec<&str> {
        let reached = |name: &str| counts.contains_key(&format!("{name} right"));
        amount.operations.iter().map(|(name, _)| *name).filter(|name| !reached(name)).collect()
    };
    for seed in amount.seed..amount.seed.saturating_add(amount.cases) {
        let own = amount.operations[(seed % amount.operations.len() as u64) as usize];
        let name = own.0;
        // A driver that ends the process leaves this behind.
        std::fs::write(running_file(), format!("seed {seed} of {name}: WGPU_FFT_RANDOM=\"cases=1 seed={seed}\"")).unwrap();
        let turn = (seed / amount.operations.len() as u64) as usize;
        let own_places = if amount.in_turns { in_turn(places, turn) } else { places.to_vec() };
        let case = run(own, Draws::seeded(seed), &own_places, None);
        ran += 1;
        let count = match case.verdict {
            Verdict::Right { places, equal_bits, other_bits } => {
                compared += places;
                equal += equal_bits;
                other += other_bits;
                format!("{name} right")
            }
            Verdict::Refused(how) => format!("{name} refused: {how}"),
            Verdict::Wrong(why) => match known::reason(&case.what, &why) {
                Some(known) => format!("{name} fails as expected: {known}"),
                None => {
                    eprintln!("{name}, seed {seed}: {}: {why}\n{}", case.what, line(name, &case.choices));
                    let simple = simplest(own, case.choices, &own_places, None);
                    let line = line(name, &simple.choices);
                    let why = if let Verdict::Wrong(why) = simple.verdict { why } else { format!("not always: {why}") };
                    eprintln!("simplest: {}: {why}\n{line}", simple.what);
                    // One fault is found again and again.
                    if !failures.iter().any(|failure: &String| failure.ends_with(&line)) {
                        failures.push(format!("{}: {why}\n{line}", simple.what));
                    }
                    format!("{name} WRONG")
                }
            },
        };
        *counts.entry(count).or_default() += 1;
        progress::within(format!("{ran} of {} cases", amount.cases));
        if begin.elapsed() > amount.limit && missing(&counts).is_empty() || failures.len() >= MAX_FAILURES {
            break;
        }
    }
    let _ = std::fs::remove_file(running_file());
    println!(
        "{ran} cases, seeds from {}, {} s: {compared} results compared with the reference; of pairs by equal texts, {equal} have equal bits and {other} have not: {counts:#?}",
        amount.seed,
        begin.elapsed().as_secs()
    );
    assert!(failures.is_empty(), "{} failures, the first: {}", failures.len(), failures[0]);
    let missing = missing(&counts);
    if amount.cases < 10 * amount.operations.len() as u64 && !missing.is_empty() {
        return progress::less(format!("nothing of {missing:?} was compared, of so few cases"));
    }
    assert!(missing.is_empty(), "nothing of {missing:?} was compared: {counts:#?}");
}

/// The host and one of the devices.
fn in_turn<'a>(places: &[Place<'a>], turn: usize) -> Vec<Place<'a>> {
    let (hosts, devices): (Vec<Place<'a>>, _) = places.iter().partition(|place| matches!(place, Place::Host));
    hosts.into_iter().chain(devices.get(turn % devices.len().max(1)).copied()).collect()
}

/// Repeats a case from its text, and says what it does.
pub fn repeat(text: &str, places: &[Place<'_>]) {
    let (name, choices) = text.split_once(' ').unwrap_or((text, ""));
    let choices: Choices = choices.parse().unwrap_or_else(|why| panic!("WGPU_FFT_CASE: {why}"));
    let own = operation(name);
    for &place in places {
        let ran = run(own, Draws::given(&choices), &[place], None);
        println!("{}: {}\n    {:?}", place.name(), ran.what, ran.verdict);
    }
    let ran = run(own, Draws::given(&choices), places, None);
    if let Verdict::Wrong(why) = ran.verdict {
        panic!("{}: {why}", ran.what);
    }
}
