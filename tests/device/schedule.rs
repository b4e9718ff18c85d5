//! Which trials a run for each change leaves to the thorough run, and in which order the others
//! start.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};

use crate::harness::Device;
use crate::progress;

/// Tests of which a run for each change has enough elsewhere, and where.
const THOROUGH: &[(&str, &str)] = &[
    ("fft_axes::random_shapes", "random cases `fft`; other tests of fft_axes and fft_real check the promised bounds"),
    ("filter::random_filters", "random cases `filter`; every_edge_and_parity and recipes_by_hand have exact sums"),
    ("paper::the_product_is_right_in_every_shape", "the tuner's tests without a device; nobody but tests has these kernels"),
    ("paper::the_resize_is_right_in_every_shape", "the same"),
    ("reduce::random_shapes", "random cases `reduce`, with the same checks"),
    ("transpose::random_permutations_are_exact", "random cases `permute`, with the same checks"),
    ("transpose::random_shapes_are_exact", "random cases `permute`; every_variant_is_exact_at_every_kind_of_size has the recipes"),
];

/// A slow adapter runs one of so many tests, always the same ones.
const SHARE: u32 = 3;

/// Modules of which it runs all: they compare its bits and its errors, and lavapipe leaves nothing
/// to wait for.
const ALWAYS: [&str; 4] = ["arithmetic", "same_bits", "unhappy", "waits"];

/// Whether a run leaves a test to the thorough run. GPUs run all of them.
pub fn is_left(device: &Device, test: &str) -> bool {
    let is_listed = THOROUGH.iter().any(|(name, _)| *name == test);
    let module = test.split("::").next().unwrap_or_default();
    let is_shared = device.is_slow() && !ALWAYS.contains(&module) && !hash(test).is_multiple_of(SHARE);
    !device.is_thorough() && (is_listed || is_shared)
}

/// FNV-1a, which stays the same in all versions of Rust.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// A name that no test has would leave nothing.
pub fn every_entry_names_a_test(tests: &[&str]) {
    for (name, _) in THOROUGH {
        assert!(tests.contains(name), "{name} is in tests/device/schedule.rs, and no test has that name");
    }
}

/// Trials of a device that a run leaves to the thorough run.
pub struct Left<'a> {
    pub device: &'a Device,
    pub trials: usize,
    pub of: usize,
}

/// Says what the run did not do.
pub fn print_left(left: &[Left<'_>]) {
    for Left { device, trials, of } in left.iter().filter(|left| left.trials > 0) {
        println!("NOT RUN: {trials} of {of} trials on {}, which WGPU_FFT_THOROUGH=1 runs", device.name);
    }
    for text in progress::all_less() {
        println!("LESS: {text}");
    }
}

/// Whether these arguments would run a trial if it were not ignored.
pub fn is_ignored(arguments: &Arguments, trial: &Trial) -> bool {
    arguments.is_ignored(trial) && !arguments.is_filtered_out(trial)
}

/// Seconds that trials took on 2 cores, where it was seconds. `WGPU_FFT_DURATIONS=1` writes those of
/// a run into this file.
const DURATIONS: &str = include_str!("durations.txt");

/// Shorter trials are not in the file.
const SHORT: Duration = Duration::from_secs(3);

/// A trial in the file: the first word of its adapter, whose version may change, and its test.
fn key(trial: &str) -> String {
    match trial.split_once(": ") {
        Some((adapter, test)) => format!("{} {test}", adapter.split(' ').next().unwrap_or_default()),
        None => trial.to_owned(),
    }
}

fn known() -> BTreeMap<String, u64> {
    let line = |line: &str| {
        let (seconds, key) = line.trim().split_once(' ').unwrap_or_else(|| panic!("durations.txt: `{line}`"));
        (key.to_owned(), seconds.parse().unwrap_or_else(|_| panic!("durations.txt: `{line}`")))
    };
    DURATIONS.lines().map(line).collect()
}

/// The longest trials first, so that none of them begins when the others are done.
pub fn sort(trials: &mut [Trial]) {
    let known = known();
    trials.sort_by_key(|trial| Reverse(known.get(&key(trial.name())).copied().unwrap_or(0)));
}

/// Writes the durations of this run. Entries of trials that did not run stay.
pub fn write_durations() {
    let mut all = known();
    for (trial, duration) in progress::durations() {
        if duration < SHORT {
            all.remove(&key(&trial));
        } else {
            all.insert(key(&trial), duration.as_secs());
        }
    }
    let mut lines: Vec<(u64, String)> = all.into_iter().map(|(key, seconds)| (seconds, key)).collect();
    lines.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let text: String = lines.iter().map(|(seconds, key)| format!("{seconds:4} {key}\n")).collect();
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/device/durations.txt"), text).unwrap();
}

/// Whether `WGPU_FFT_DURATIONS=1` asks for that.
pub fn writes_durations() -> bool {
    std::env::var("WGPU_FFT_DURATIONS").is_ok_and(|value| value == "1")
}
