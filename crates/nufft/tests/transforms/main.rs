//! Transforms on non-uniform points on every adapter, compared with sums in f64.
//!
//! Without an adapter, all tests are listed as ignored, with the reason. With
//! WGPU_FFT_REQUIRE_GPU=1 that is a failure.

mod double;
mod laws;
mod mistakes;
mod places;
mod sums;
mod support;
mod type3;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use support::Device;

/// Pairs of a test's name and its function.
macro_rules! tests {
    ($($module:ident::{$($name:ident),* $(,)?})*) => {
        vec![$($((concat!(stringify!($module), "::", stringify!($name)), $module::$name as fn(&Device))),*),*]
    };
}

fn main() -> ExitCode {
    let tests = tests! {
        sums::{lines, planes, volumes, every_tolerance, drawn, batches_and_orders}
        places::{
            edges_of_the_circle,
            beyond_the_circle,
            all_in_one_place,
            none_and_one,
            not_finite_on_the_device,
            moved_points,
            more_bins_than_a_block,
        }
        laws::{adjoint, equal_bits, one_set_of_points_for_both_types}
        mistakes::{specifications, points, arrays, limits}
        type3::{
            lines,
            planes,
            volumes,
            every_tolerance,
            far_from_their_middles,
            drawn,
            no_extent,
            whole_frequencies,
            equal_bits,
            mistakes,
            points_in_f64,
        }
        double::{
            three_digits,
            six_digits,
            nine_digits,
            twelve_digits,
            drawn,
            many_modes,
            beyond_the_circle,
            batches_orders_and_crowds,
            on_the_device,
            adjoint,
            mistakes,
        }
    };
    let mut trials = Vec::new();
    match support::devices() {
        Ok(devices) => {
            println!("seed {}; PROPTEST_RNG_SEED repeats it", support::seed());
            for device in devices {
                trials.extend(tests.iter().map(|&(name, test)| {
                    Trial::test(format!("{name} on {}", device.name), move || {
                        test(device);
                        Ok(())
                    })
                }));
            }
        }
        Err(error) => {
            eprintln!("SKIPPED: every test on a device: {error}");
            let required = std::env::var("WGPU_FFT_REQUIRE_GPU").is_ok_and(|value| value == "1");
            let missing = Trial::test("an adapter is there, as WGPU_FFT_REQUIRE_GPU=1 demands", move || Err(error.to_string().into()));
            trials.push(missing.with_ignored_flag(!required));
            trials.extend(tests.iter().map(|&(name, _)| Trial::test(name, || Ok(())).with_ignored_flag(true)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
