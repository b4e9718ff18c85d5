//! Jobs on several devices: all adapters found, or two devices of a single adapter.
//!
//! Without an adapter, the tests that need one are listed as ignored, with the reason. With
//! WGPU_FFT_REQUIRE_GPU=1 that is a failure.

mod bits;
mod failures;
#[cfg(feature = "cpu")]
mod host;
mod jobs;
mod support;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use wgpu_fft_tests::{bits as compare, reference};

/// Pairs of a test's name and its function.
macro_rules! tests {
    ($($module:ident::{$($name:ident),* $(,)?})*) => {
        vec![$($((concat!(stringify!($module), "::", stringify!($name)), $module::$name as fn())),*),*]
    };
}

fn with_devices() -> Vec<(&'static str, fn())> {
    #[cfg(feature = "cpu")]
    let beside = host::beside();
    #[cfg(not(feature = "cpu"))]
    let beside: Vec<(&str, fn())> = Vec::new();
    let mut all = tests! {
        bits::{
            permutations,
            complex_transforms,
            real_transforms,
            transforms_of_f64,
            any_transform_in_little_memory,
            reductions,
            any_reduction_of_bytes,
            more_members_than_units,
            the_comparison_can_fail,
        }
        failures::{
            lost_at_every_piece,
            lost_at_every_result,
            lost_at_every_allocation,
            short_of_memory_at_every_allocation,
            really_destroyed,
            always_short_of_memory,
            all_lost,
            lost_while_devices_are_measured,
            one_never_answers,
            none_answers_in_time,
            a_panic_ends_the_job_and_hangs_nobody,
        }
        jobs::{
            reports_say_who_did_what,
            progress_reaches_the_end,
            listeners_cancel,
            wrong_lengths_carry_both_numbers,
            what_cannot_be_divided_is_an_error,
            empty_shapes_are_named_as_they_were_given,
            numbers_without_measure_are_bounded,
            little_memory_takes_small_pieces,
            in_place_of_the_input,
            planes_larger_than_the_memory,
            one_device_alone_is_a_candidate,
        }
    };
    all.extend(beside);
    all
}

fn main() -> ExitCode {
    let trial = |(name, test): (&str, fn())| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let mut trials: Vec<Trial> = Vec::new();
    match support::find_gpus() {
        Ok(_) => trials.extend(with_devices().into_iter().map(trial)),
        Err(error) => {
            eprintln!("SKIPPED: every test on a device: {error}");
            let required = std::env::var("WGPU_FFT_REQUIRE_GPU").is_ok_and(|value| value == "1");
            let missing = Trial::test("an adapter is there, as WGPU_FFT_REQUIRE_GPU=1 demands", move || Err(error.to_string().into()));
            trials.push(missing.with_ignored_flag(!required));
            trials.extend(with_devices().into_iter().map(trial).map(|trial| trial.with_ignored_flag(true)));
        }
    }
    #[cfg(feature = "cpu")]
    trials.extend(host::alone().into_iter().map(trial));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
