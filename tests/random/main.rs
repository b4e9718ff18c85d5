//! Random specifications of every operation with random recipes: in the interpreter, with random
//! device profiles, and on every adapter found.
//!
//! A case is refused with an error everywhere, or its results are compared with a reference in f64
//! and with each other. Failures are: a panic, a wrong result, a hang, a write outside of the output,
//! a specification that changes when it is printed and parsed, and a default recipe that does not
//! fit its own specification. A failing case is made simpler as long as it fails, and printed as one
//! line that repeats it:
//!
//! ```text
//! WGPU_FFT_CASE="fft 1.0.3.5" cargo test --test random
//! ```
//!
//! A plain `cargo test` runs 300 cases of this day in about a minute, each in the interpreter and on
//! one of the adapters in turns. It prints the first seed, which repeats them:
//! `WGPU_FFT_RANDOM="seed=20786000"`. With a number of cases, each runs on all adapters:
//!
//! ```text
//! WGPU_FFT_RANDOM="cases=10000 seed=7 minutes=90" cargo test --release --test random
//! WGPU_FFT_RANDOM="cases=500 only=stft,power" cargo test --test random
//! ```
//!
//! `cases` is the number of all cases, which operations take in turns; `seed` is the first seed, and
//! `minutes` limits the time. `WGPU_FFT_BITS=1` prints where equal texts gave other bits.

mod case;
mod draws;
mod fft;
#[path = "../device/harness.rs"]
#[allow(dead_code, unused_imports, reason = "the tests on devices use more of it")]
mod harness;
mod known;
mod moves;
mod numbers;
mod place;
mod profiles;
mod reals;
mod recipes;
mod runner;
mod shrink;
mod signals;
mod sums;
mod tiles;
mod trials;

use std::process::ExitCode;
use wgpu_fft_tests::{
    bits, convolutions, filters, frames, grids, lists, mutated, permute, progress, real_kinds as real_kinds_by_definition,
    recipes as recipes_by_hand, reductions, reference, responses, rings, rolls, sanitized, shifts, subject, transforms as transform_cases,
};

use libtest_mimic::Arguments;

use crate::case::{Case, Verdict};
use crate::place::Place;
use crate::progress::trial;
use crate::runner::Amount;

/// Draws a case and runs it.
type Draw = fn(&mut Case<'_>) -> Verdict;

/// What is tested, by the names that begin the text of a case.
const OPERATIONS: [(&str, Draw); 15] = [
    ("fft", fft::random),
    ("reals", reals::random),
    ("permute", moves::permutation),
    ("reduce", sums::random),
    ("filter", tiles::random),
    ("convolve", signals::convolution),
    ("spectral", signals::spectral_filter),
    ("resample", signals::resampling),
    ("zoom", signals::zoom),
    ("frequencies", signals::frequencies),
    ("stft", signals::frames),
    ("power", signals::power),
    ("roll", moves::roll),
    ("rings", signals::ring_means),
    ("phase", signals::phase),
];

fn main() -> ExitCode {
    runner::watch();
    runner::catch_panics();
    let mut places = vec![Place::Host];
    let mut names = "the host".to_owned();
    match harness::find_devices() {
        Ok(devices) => places.extend(devices.iter().map(|device| {
            names += &format!(", {}", device.name);
            Place::Device(device)
        })),
        Err(error) if std::env::var("WGPU_FFT_REQUIRE_GPU").is_ok_and(|value| value == "1") => {
            eprintln!("WGPU_FFT_REQUIRE_GPU=1, and {error}");
            return ExitCode::FAILURE;
        }
        Err(error) => println!("SKIPPED: random cases on devices: {error}"),
    }
    let places: &'static [Place<'static>] = places.leak();
    let arguments = Arguments::from_args();
    let tests = if let Ok(text) = std::env::var("WGPU_FFT_CASE") {
        vec![trial("the case of WGPU_FFT_CASE", move || runner::repeat(&text, places))]
    } else {
        let amount = Amount::from_environment(300);
        if !arguments.list {
            println!("random cases from WGPU_FFT_RANDOM=\"seed={}\" on, which repeats them", amount.seed);
        }
        // It takes longest, so it starts first.
        let mut tests = vec![trial(format!("on {names}"), move || runner::run_all(places, &amount))];
        tests.extend(trials::all(places));
        tests
    };
    let conclusion = progress::run(&arguments, tests);
    progress::all_less().iter().for_each(|text| println!("LESS: {text}"));
    conclusion.exit_code()
}
