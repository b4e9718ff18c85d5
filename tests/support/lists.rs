//! Long lists of alike cases, of which an ordinary run takes a share.

use std::time::{SystemTime, UNIX_EPOCH};

use proptest::test_runner::{Config, RngSeed};

/// Whether WGPU_FFT_THOROUGH=1 asks for the thorough run: the long lists and the tests that a run for
/// each change leaves out, on every adapter. Releases need it.
pub fn asks_for_all() -> bool {
    std::env::var("WGPU_FFT_THOROUGH").is_ok_and(|value| value == "1")
}

/// One of every `of` cases, or all with WGPU_FFT_THOROUGH=1. Runs with other turns take other cases.
/// If the list repeats after a number of cases that has no factor in common with `of`, every kind
/// of case is taken.
pub fn share<T>(cases: impl IntoIterator<Item = T>, of: usize, turn: usize) -> impl Iterator<Item = T> {
    all_or_share(asks_for_all(), cases, of, turn)
}

/// All cases, or one of every `of`.
pub fn all_or_share<T>(all: bool, cases: impl IntoIterator<Item = T>, of: usize, turn: usize) -> impl Iterator<Item = T> {
    let (first, step) = if all { (0, 1) } else { (turn % of, of) };
    cases.into_iter().skip(first).step_by(step)
}

/// The number of this day, in UTC: where random cases begin, so that each day has others, and all
/// runs of a day have the same.
pub fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / (24 * 3600)
}

/// The seed of proptest's cases: that of `PROPTEST_RNG_SEED`, or else the day's.
pub fn seed() -> u64 {
    match Config::default().rng_seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => today(),
    }
}
