//! Transforms by the rules' recipes in the interpreter, compared with FFTW's in long double.

use wgpu_fft::Spec;
use wgpu_fft::{DeviceProfile, Error};

use crate::oracles_by_fftw::{Number, Oracle, Runner};
use crate::sanitized::RunOnHost;
use crate::variants::profiles;

struct OnHost(DeviceProfile);

impl Runner for OnHost {
    fn run<S: Spec<Input: Number, Output: Number>>(&self, spec: S, input: &[S::Input]) -> Option<Vec<S::Output>> {
        let recipe = match spec.design(&self.0) {
            Err(Error::Unsupported { .. }) => return None,
            recipe => recipe.unwrap_or_else(|error| panic!("{spec}: {error}")),
        };
        let program = spec.lower(&recipe, &self.0).unwrap_or_else(|error| panic!("{spec}: {error}"));
        Some(program.run_on_host(input))
    }
}

/// The largest error in parts of the bound, and the number of transforms.
fn check(numbers: &str, most: usize, step: usize) -> (f64, usize) {
    let profiles: Vec<OnHost> = profiles().into_iter().map(OnHost).collect();
    let (mut worst, mut count) = (0.0_f64, 0);
    for (i, oracle) in Oracle::all().iter().filter(|oracle| oracle.len() <= most).enumerate().filter(|(i, _)| i % step == 0) {
        // Devices in turns; if one has no f64, the next.
        let errors = (0..profiles.len()).filter_map(|turn| oracle.check(&profiles[(i / step + turn) % profiles.len()], numbers));
        let error = errors.into_iter().next().unwrap_or_else(|| panic!("{}{numbers} runs nowhere", oracle.text));
        worst = worst.max(error);
        count += 1;
    }
    println!("{count} transforms{numbers}: at most {worst:.2} of the bound");
    (worst, count)
}

#[test]
fn fftws_results_in_f32() {
    let (worst, count) = check("", 3000, 1);
    assert!(worst > 0.05 && count > 800, "{worst} {count}");
}

#[test]
fn fftws_results_in_f64() {
    let (worst, count) = check(" f64", 1000, 1);
    assert!(worst > 0.05 && count > 800, "{worst} {count}");
}

#[test]
fn fftws_results_in_f64_by_f32() {
    let (worst, count) = check(" f64-by-f32", 500, 3);
    assert!(worst > 0.01 && count > 200, "{worst} {count}");
}

/// A transform that is slightly wrong is found.
#[test]
fn fftws_results_differ_from_wrong_ones() {
    struct Wrong(OnHost);
    impl Runner for Wrong {
        fn run<S: Spec<Input: Number, Output: Number>>(&self, spec: S, input: &[S::Input]) -> Option<Vec<S::Output>> {
            let mut output = self.0.run(spec, input)?;
            let first = output[0].wide();
            output[0] = S::Output::of(first * 1.0001);
            Some(output)
        }
    }
    let oracle = Oracle::all().into_iter().find(|oracle| oracle.text == "c2c fwd 7").unwrap();
    let host = || OnHost(profiles().swap_remove(0));
    oracle.check(&host(), "").unwrap();
    std::panic::catch_unwind(|| oracle.check(&Wrong(host()), "")).unwrap_err();
}
