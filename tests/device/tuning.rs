//! The tuner on devices: what it finds, what it refuses, and what it remembers.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wgpu_fft::fft::C2c;
use wgpu_fft::low_level::tune::record::{Entry, Items as _};
use wgpu_fft::low_level::tune::{Calibration, Coefficients, DeviceIdentity, End, Outcome, Source, Stage, Tunable};
use wgpu_fft::reduce;
use wgpu_fft::transpose::Permute;
use wgpu_fft::tune::{Choice, Record, Rigor, Tuning};
use wgpu_fft::{Gpu, Planner, Spec, wgpu};

use crate::harness::*;
use crate::progress::less;
use crate::suspect::{Fault, Recipe, Suspect};

/// Long enough that no trial counts as hung because the machine is busy.
const PATIENCE: Duration = Duration::from_secs(8);
const PLENTY: Duration = Duration::from_secs(120);

fn recipe(rounds: u32, fault: Fault) -> Recipe {
    Recipe { rounds, fault }
}

fn outcome<R>(choice: Choice<R>) -> Outcome<String> {
    match choice.source {
        Source::Measured(outcome) => *outcome,
        other => panic!("{other}"),
    }
}

/// A directory that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(device: &Device, test: &str) -> Self {
        let name: String = device.name.chars().filter(char::is_ascii_alphanumeric).collect();
        let path = std::env::temp_dir().join(format!("wgpu-fft-{test}-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn record(&self) -> PathBuf {
        self.0.join("record.jsonl")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The fastest recipe without a fault wins. All others are reported with their faults, marked, and
/// not tried again.
pub fn recipes_at_fault_never_win(device: &Device) {
    let _clock = clock();
    let faults = [
        Fault::WrongElement,
        Fault::StoresPastTheEnd,
        Fault::StoresToTheInput,
        Fault::LosesTheDevice,
        Fault::Panics,
        Fault::Hangs,
        Fault::DoesNotFit,
    ];
    let good = recipe(50, Fault::None);
    let others = faults.iter().map(|&fault| recipe(10, fault)).chain([good]).collect();
    let suspect = Suspect::new(recipe(5000, Fault::None), others);
    let folder = Folder::new(device, "faults");
    let record = Record::open(folder.record());
    let tuning = Tuning::measure().record(record.clone()).time_limit(PLENTY).patience(PATIENCE);
    let found = outcome(tuning.choose(device.gpu(), &suspect).unwrap());
    assert_eq!(found.recipe, good.to_string(), "{}: {found}", device.name);
    assert_eq!((found.end, found.estimate), (End::Optimum, suspect.estimate.to_string()));
    assert!(found.time < found.estimate_time);
    for (fault, why) in faults.iter().zip([
        "1 of 16384 words are wrong",
        "writes past the output",
        "writes to input 0",
        "lost",
        "panic",
        "did not end within 8 s",
    ]) {
        let text = recipe(10, *fault).to_string();
        let known = found.faults.iter().find(|(recipe, _)| *recipe == text).unwrap_or_else(|| panic!("{text}: {:?}", found.faults));
        assert!(known.1.contains(why), "{}: {known:?}", device.name);
        let mark = record.marked(&suspect.to_string(), &text, &DeviceIdentity::of(device.gpu())).unwrap();
        assert!(mark.why.contains(why), "{}: {mark:?}", device.name);
    }
    assert_eq!(found.faults.len(), 6, "what does not fit is passed over: {:?}", found.faults);
    assert!(!suspect.take_compiled().contains(&recipe(10, Fault::DoesNotFit)), "it is not even compiled");

    // The same from the file, as after a restart. A longer search does not rely on the result of a
    // shorter one, but it respects the marks.
    let tuning = Tuning::patient().record(Record::open(folder.record())).time_limit(PLENTY).patience(PATIENCE);
    let found = outcome(tuning.choose(device.gpu(), &suspect).unwrap());
    assert_eq!((found.recipe, found.faults), (good.to_string(), Vec::new()), "{}", device.name);
    let compiled = suspect.take_compiled();
    assert!(compiled.contains(&good) && compiled.iter().all(|recipe| recipe.fault == Fault::None), "{}: {compiled:?}", device.name);
}

/// A load that comes while a recipe runs for the first time does not hide that it is the fastest.
pub fn one_slow_run_dismisses_no_recipe(device: &Device) {
    let _clock = clock();
    let good = recipe(50, Fault::StallsOnce);
    let suspect = Suspect::new(recipe(1000, Fault::None), vec![good]);
    let tuning = Tuning::measure().record(Record::in_memory()).time_limit(PLENTY).patience(PATIENCE);
    let found = outcome(tuning.choose(device.gpu(), &suspect).unwrap());
    assert_eq!(found.recipe, good.to_string(), "{}: {found}", device.name);
}

/// One wrong baseline must not decide which results are right.
pub fn a_wrong_baseline_decides_nothing(device: &Device) {
    let _clock = clock();
    let (good, bad) = (recipe(50, Fault::None), recipe(10, Fault::WrongElement));
    let mut suspect = Suspect::new(recipe(5000, Fault::None), vec![bad, good]);
    suspect.baseline = recipe(1, Fault::WrongElement);
    let choose = |suspect: &Suspect| {
        let tuning = Tuning::measure().record(Record::in_memory()).time_limit(PLENTY).patience(PATIENCE);
        outcome(tuning.choose(device.gpu(), suspect).unwrap())
    };
    // This shows that the test can fail: without a reference, the wrong recipes are in the
    // majority.
    assert_eq!(choose(&suspect).recipe, bad.to_string());
    suspect.has_sample = true;
    let found = choose(&suspect);
    assert_eq!(found.recipe, good.to_string(), "{}: {found}", device.name);
    let (wrong, why) = &found.faults[0];
    assert!(*wrong == bad.to_string() && why.contains("the element at byte 32768"), "{wrong}: {why}");
    assert_eq!(found.faults.len(), 1);
}

/// A process killed by a recipe leaves a mark, and the next process does not try that recipe.
pub fn a_recipe_that_kills_the_process_is_not_tried_again(device: &Device) {
    let folder = Folder::new(device, "crash");
    let died =
        Command::new(std::env::current_exe().unwrap()).env(CHILD, folder.record()).env("WGPU_ADAPTER_NAME", &device.name).output().unwrap();
    assert!(!died.status.success() && String::from_utf8_lossy(&died.stdout).contains("dying"), "{}: {died:?}", device.name);
    let record = Record::open(folder.record());
    let mark = record.marked(&killer().to_string(), &KILLER.to_string(), &DeviceIdentity::of(device.gpu()));
    assert!(mark.as_ref().is_some_and(|mark| mark.why.contains("process ended")), "{}: {mark:?}", device.name);
    let suspect = killer();
    let found = outcome(Tuning::measure().record(record).time_limit(PLENTY).choose(device.gpu(), &suspect).unwrap());
    assert_eq!(found.recipe, recipe(60, Fault::None).to_string());
    assert!(!suspect.take_compiled().contains(&KILLER), "{}", device.name);
}

/// Set in a process that must die in the middle of a search: the path of the record.
pub const CHILD: &str = "WGPU_FFT_TEST_DYING_CHILD";
const KILLER: Recipe = Recipe { rounds: 40, fault: Fault::None };

fn killer() -> Suspect {
    Suspect::new(recipe(5000, Fault::None), vec![KILLER, recipe(60, Fault::None)])
}

/// Searches until one recipe is about to be tried, then dies as if the driver had crashed.
pub fn die(record: &Path) {
    let gpu = pollster::block_on(Gpu::request(&options())).unwrap();
    let tuning = Tuning::measure().record(Record::open(record)).time_limit(PLENTY).on_progress(|progress| {
        if progress.recipe == Some(KILLER.to_string().as_str()) {
            println!("dying");
            std::process::abort();
        }
    });
    println!("survived: {}", tuning.choose(&gpu, &killer()).unwrap().source);
}

/// The chosen recipe computes the same result, is remembered, and is found later without measuring.
pub fn what_was_measured_is_right_and_remembered(device: &Device) {
    fn check<S: Spec>(device: &Device, spec: &S, expected: impl Fn(&S::Recipe) -> bool) {
        let record = Record::in_memory();
        let tuning = Tuning::measure().record(record.clone()).time_limit(Duration::from_secs(1));
        let planner = Planner::new(device.gpu()).with_tuning(tuning);
        let chosen = planner.choose(spec).unwrap();
        let found = match &chosen.source {
            Source::Measured(found) => found,
            other => panic!("{}: {spec}: {other}", device.name),
        };
        assert_eq!(found.recipe, chosen.recipe.to_string());
        assert!(found.measured >= 1 && found.faults.is_empty(), "{}: {spec}: {found:?}", device.name);
        assert!(found.recipe == found.estimate || found.time.as_secs_f64() <= 0.97 * found.estimate_time.as_secs_f64(), "{found}");
        assert!(expected(&chosen.recipe), "{}: {spec} by {}", device.name, chosen.recipe);
        let Some(entry) = record.find(&spec.to_string(), &DeviceIdentity::of(device.gpu()), Rigor::Measure) else {
            // On a busy machine there may have been no time for any comparison, and then nothing is
            // remembered.
            assert_eq!((found.measured, found.end), (1, End::Time), "{}: {spec}: {found}", device.name);
            return less(format!("{}: there was no time to compare recipes of {spec}", device.name));
        };
        assert_eq!((entry.recipe.as_str(), entry.rigor), (found.recipe.as_str(), Rigor::Measure));

        let again = Planner::new(device.gpu()).with_tuning(Tuning::recorded(record)).choose(spec).unwrap();
        assert!(matches!(&again.source, Source::Recorded(known) if **known == entry), "{}", again.source);
        assert_eq!(again.recipe, chosen.recipe);
    }
    let device = &device.alone();
    let right = |recipe: &_| {
        let (plan, data) = (device.planner.plan_with(C2c::forward([32, 48]), Clone::clone(recipe)).unwrap(), complex_noise(32 * 48, 3));
        assert_close(&run_guarded(device, &plan, &data), &reference_fft(&data, 32, 48, false), 2.0 * fft_budget(32 * 48), &device.name);
        true
    };
    check(device, &C2c::forward([32, 48]), right);
    let data = words(37 * 61, 5);
    check(device, &Permute::<u32>::transpose([37, 61]), |recipe| {
        let plan = device.planner.plan_with(Permute::<u32>::transpose([37, 61]), *recipe).unwrap();
        run_guarded(device, &plan, &data) == transposed(&data, 37, 61)
    });
    check(device, &reduce::sum::<u32>(2_373), |recipe| {
        let plan = device.planner.plan_with(reduce::sum::<u32>(2_373), recipe.clone()).unwrap();
        let data = words(2_373, 6);
        run_guarded(device, &plan, &data) == [data.iter().fold(0, |sum: u32, &word| sum.wrapping_add(word))]
    });
}

/// Without time there is nothing to compare, and the estimate stays. Measurements so far are still
/// valid and are remembered.
pub fn without_time_the_estimate_stays(device: &Device) {
    let spec = C2c::forward(64);
    let stages = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&stages);
    let tuning = Tuning::measure().time_limit(Duration::ZERO).on_progress(move |progress| {
        assert_eq!(progress.spec, "c2c fwd 64");
        assert!(progress.best <= 1.0);
        seen.lock().unwrap().push(progress.stage);
    });
    let found = outcome(tuning.choose(device.gpu(), &spec).unwrap());
    assert_eq!((&found.recipe, found.end, found.measured), (&found.estimate, End::Time, 1), "{}", device.name);
    assert_eq!(found.estimate, spec.design(device.gpu().profile()).unwrap().to_string());
    assert_eq!(*stages.lock().unwrap(), [Stage::Opening, Stage::Final, Stage::Done]);
}

/// The best so far is taken, and not remembered.
pub fn cancelled_searches_end(device: &Device) {
    let suspect = || Suspect::new(recipe(500, Fault::None), vec![KILLER, recipe(60, Fault::None)]);
    let (flag, record) = (Arc::new(AtomicBool::new(false)), Record::in_memory());
    let own = Arc::clone(&flag);
    let tuning = Tuning::measure().record(record.clone()).time_limit(PLENTY).cancelled_by(Arc::clone(&flag));
    let watched = tuning.clone().on_progress(move |progress| {
        if progress.recipe.is_some() {
            own.store(true, Ordering::Relaxed);
        }
    });
    let found = outcome(watched.choose(device.gpu(), &suspect()).unwrap());
    assert_eq!((found.end, found.measured), (End::Cancelled, 2), "{}", device.name);
    assert!(record.entries().is_empty());
    // Before it has begun.
    flag.store(true, Ordering::Relaxed);
    let found = outcome(tuning.choose(device.gpu(), &suspect()).unwrap());
    assert_eq!((&found.recipe, found.end, found.measured), (&found.estimate, End::Cancelled, 1), "{}", device.name);
}

/// A borrowed device may have lower limits than its adapter. Recipes are measured within its
/// limits.
pub fn guests_are_measured_within_their_limits(device: &Device) {
    let opened = pollster::block_on(device.adapter.request_device(&wgpu::DeviceDescriptor::default())).unwrap();
    let gpu = Gpu::from_wgpu(opened.0, opened.1);
    assert_eq!(gpu.profile().invocations, 256);
    let record = Record::in_memory();
    let tuning = Tuning::measure().record(record.clone()).time_limit(Duration::from_secs(1));
    let planner = Planner::new(&gpu).with_tuning(tuning);
    let plan = planner.plan(C2c::forward(128)).unwrap();
    let data = complex_noise(128, 9);
    let output = plan.run(&data).unwrap().wait().unwrap();
    assert_close(&output, &reference_fft(&data, 1, 128, false), 2.0 * fft_budget(128), &device.name);
    plan.program().check(gpu.profile()).unwrap();
    // Empty on a busy machine without time for a comparison.
    for entry in record.entries() {
        assert_eq!(*entry.device, DeviceIdentity::of(&gpu));
        assert!(gpu.profile() == device.gpu().profile() || *entry.device != DeviceIdentity::of(device.gpu()));
    }
}

/// The entry that a search on a device would have recorded if it had found this recipe.
fn entry<S: Spec>(gpu: &Gpu, spec: &S, recipe: &S::Recipe) -> Entry {
    Entry {
        spec: spec.to_string(),
        recipe: recipe.to_string(),
        wgsl: spec.fingerprint(recipe, gpu.profile()).unwrap(),
        device: Arc::new(DeviceIdentity::of(gpu)),
        seconds: 1e-3,
        rules_seconds: 2e-3,
        timer: wgpu_fft::low_level::Timer::WallClock,
        rigor: Rigor::Patient,
        version: "0.1.0".to_owned(),
        time: 1,
    }
}

/// An entry is not used if its recipe is not the one that was measured, is too large, or cannot be
/// parsed.
pub fn entries_that_do_not_hold_are_not_used(device: &Device) {
    let (gpu, spec) = (device.gpu(), C2c::forward(256).batch(8));
    let recipe = wgpu_fft::low_level::recipes::fft::Recipe::from_str("axis 0: stockham 16.16 lanes=16 lines=2").unwrap();
    let honest = entry(gpu, &spec, &recipe);
    let source = |entry: Entry| {
        let record = Record::in_memory();
        record.add(entry).unwrap();
        Tuning::recorded(record).choose(gpu, &spec).unwrap()
    };
    let used = source(honest.clone());
    assert!(matches!(used.source, Source::Recorded(_)) && used.recipe == recipe, "{}", used.source);
    let estimate = spec.design(gpu.profile()).unwrap();
    let mut foreign = DeviceIdentity::of(gpu);
    foreign.driver_info.push('x');
    let backwards = "axes 5 to 4: stockham 8 lanes=1; axis 0: stockham 16.16 lanes=16";
    for (what, entry) in [
        ("other text", Entry { wgsl: honest.wgsl ^ 1, ..honest.clone() }),
        ("other recipe", Entry { recipe: "axis 0: stockham 4.4.16 lanes=16".to_owned(), ..honest.clone() }),
        ("too large", Entry { recipe: "axis 0: stockham 2.128 lanes=4096 lines=4096".to_owned(), ..honest.clone() }),
        ("no solution", Entry { recipe: "axis 0: stockham 16.8 lanes=16".to_owned(), ..honest.clone() }),
        ("axes that run backwards", Entry { recipe: backwards.to_owned(), ..honest.clone() }),
        ("no recipe", Entry { recipe: "faster, please".to_owned(), ..honest.clone() }),
        ("other driver", Entry { device: Arc::new(foreign.clone()), ..honest.clone() }),
        ("other specification", Entry { spec: C2c::forward(256).batch(9).to_string(), ..honest.clone() }),
    ] {
        let choice = source(entry);
        assert!(matches!(choice.source, Source::Rules | Source::BuiltIn { .. }), "{}: {what}: {}", device.name, choice.source);
        assert!(what == "too large" || choice.recipe == estimate || matches!(choice.source, Source::BuiltIn { .. }), "{what}");
    }
    // Nor does a search begin with what cannot run, though another device has it.
    let record = Record::in_memory();
    record.add(Entry { recipe: backwards.to_owned(), device: Arc::new(foreign), ..honest }).unwrap();
    let tuning = Tuning::measure().record(record).time_limit(Duration::from_millis(100)).patience(PLENTY);
    let choice = tuning.choose(gpu, &spec).unwrap();
    assert!(matches!(choice.source, Source::Measured(_)), "{}: {}", device.name, choice.source);
}

/// A search that is asked for measures what the record has already, and begins with it. Without one,
/// the record answers.
pub fn again_measures_what_is_recorded(device: &Device) {
    let (gpu, spec) = (device.gpu(), C2c::forward(256).batch(8));
    let recipe = wgpu_fft::low_level::recipes::fft::Recipe::from_str("axis 0: stockham 16.16 lanes=16 lines=2").unwrap();
    let record = Record::in_memory();
    record.add(entry(gpu, &spec, &recipe)).unwrap();
    let choose = |tuning: Tuning| tuning.record(record.clone()).again().patience(PLENTY).choose(gpu, &spec).unwrap();
    assert!(matches!(choose(Tuning::new(Rigor::Recorded)).source, Source::Recorded(_)), "{}", device.name);
    assert!(matches!(Tuning::measure().record(record.clone()).choose(gpu, &spec).unwrap().source, Source::Recorded(_)));
    let found = outcome(choose(Tuning::measure().time_limit(Duration::from_secs(1))));
    assert!(found.faults.is_empty(), "{}: {:?}", device.name, found.faults);
    // A busy machine may have had no time for a comparison; else the newer entry counts.
    let newest = record.find(&spec.to_string(), &DeviceIdentity::of(gpu), Rigor::Measure).unwrap();
    assert!(newest.recipe == found.recipe || newest.time == 1, "{}: {}", device.name, newest.recipe);
}

/// The rules go by the coefficients that a record has for the device, if they can be read.
pub fn coefficients_of_a_record_are_what_the_rules_go_by(device: &Device) {
    let (gpu, profile) = (device.gpu(), device.gpu().profile());
    let calibration = Calibration::new();
    let own = Coefficients::of(profile);
    let other: Coefficients = "registers liked=56 most=64 workgroup=16384".parse().unwrap();
    let other = if own.one_lane { other } else { format!("{other} one-lane").parse().unwrap() };
    let tuning = |coefficients: &str| {
        let record = Record::in_memory();
        let spec = C2c::forward(8);
        let recorded = entry(gpu, &spec, &spec.design(profile).unwrap());
        record.add(Entry { spec: calibration.to_string(), recipe: coefficients.to_owned(), ..recorded }).unwrap();
        Tuning::recorded(record)
    };
    let mut differ = 0;
    for n in [1000, 1024, 1155, 4096] {
        let spec = C2c::forward(n);
        let [by_own, by_other] = [own, other].map(|coefficients| spec.design(&coefficients.on(profile)).unwrap());
        for (text, expected) in [(other.to_string(), &by_other), (own.to_string(), &by_own), ("registers liked=0".to_owned(), &by_own)] {
            assert_eq!(tuning(&text).choose(gpu, &spec).unwrap().recipe, *expected, "{}: {n}: {text}", device.name);
        }
        if by_own != by_other {
            differ += 1;
            let planner = Planner::new(gpu).with_tuning(tuning(&other.to_string()));
            let data = complex_noise(n, 9);
            let output = planner.plan(spec).unwrap().run(&data).unwrap().wait().unwrap();
            assert_close(&output, &reference_fft(&data, 1, n, false), 2.0 * fft_budget(n), &device.name);
        }
    }
    // Where lines are in the registers of a subgroup, no barrier is in question.
    let in_lanes = profile.is_cpu() && profile.subgroups && profile.subgroup_sizes == [8, 8];
    assert!(differ > 0 || in_lanes, "{}", device.name);
}

/// Coefficients are measured like any recipe, and the record has them then.
pub fn coefficients_are_measured(device: &Device) {
    let (gpu, record) = (device.gpu(), Record::in_memory());
    let tuning = Tuning::measure().record(record.clone()).time_limit(Duration::from_secs(2)).patience(PLENTY);
    let outcome = outcome(tuning.choose(gpu, &Calibration::new()).unwrap());
    assert!(outcome.faults.is_empty(), "{}: {:?}", device.name, outcome.faults);
    // A busy machine may have had no time for a comparison.
    for entry in record.entries() {
        assert_eq!((entry.spec, &entry.recipe), (Calibration::new().to_string(), &outcome.recipe), "{}", device.name);
    }
    assert!(outcome.recipe.parse::<Coefficients>().is_ok());
}

/// What one adapter measured is refused on every other. If an entry claims to be another adapter's
/// own, its recipe is either right and within the limits, or refused.
pub fn records_of_other_adapters_are_refused() {
    let specs = [C2c::forward(1024).batch(4), C2c::forward([32, 32]), C2c::forward(97)];
    let found = devices();
    let record = Record::in_memory();
    for gpu in found.iter().map(Device::gpu) {
        let best = |spec: &C2c| entry(gpu, spec, &spec.design(gpu.profile()).unwrap());
        specs.iter().for_each(|spec| record.add(best(spec)).unwrap());
    }
    for device in found {
        let own = DeviceIdentity::of(device.gpu());
        let foreign: Vec<Entry> = record.entries().into_iter().filter(|entry| *entry.device != own).collect();
        assert_eq!(foreign.len(), specs.len() * (found.len() - 1));
        let others = Record::in_memory();
        foreign.iter().for_each(|entry| others.add(entry.clone()).unwrap());
        for spec in &specs {
            let choice = Tuning::recorded(others.clone()).choose(device.gpu(), spec).unwrap();
            assert!(!matches!(choice.source, Source::Recorded(_)), "{}: {}", device.name, choice.source);
            let forced = Record::in_memory();
            let claims = foreign.iter().filter(|entry| entry.spec == spec.to_string());
            claims.for_each(|entry| forced.add(Entry { device: Arc::new(own.clone()), ..entry.clone() }).unwrap());
            let plan = Planner::new(device.gpu()).with_tuning(Tuning::recorded(forced)).plan(spec.clone()).unwrap();
            let data = complex_noise(plan.input_len(), 4);
            let output = plan.run(&data).unwrap().wait().unwrap();
            let (rows, columns) = if *spec == C2c::forward([32, 32]) { (32, 32) } else { (1, spec_len(spec)) };
            assert_close(&output, &reference_fft(&data, rows, columns, false), 1e-6, &format!("{}: {spec}", device.name));
        }
    }
}

/// The length of a row.
fn spec_len(spec: &C2c) -> usize {
    spec.to_string().split_whitespace().nth(2).unwrap().parse().unwrap()
}
