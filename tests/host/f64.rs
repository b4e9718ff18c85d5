//! Transforms in f64, run on the host.

use std::collections::HashSet;

use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{DeviceProfile, Error, Fragment, Spec};

use crate::double::{complex_noise, noise};
use crate::lists::share;
use crate::sanitized::RunOnHost;
use crate::transform_cases::{Case, Kind, Run, Runner, U, by_hand, layouts, of_lengths, of_real_lengths, of_shapes};
use crate::variants::{one_or_all, profiles};

/// Several profiles: one of them with the rules' recipe, or all with WGPU_FFT_THOROUGH=1; or all on
/// which the recipe that is given fits.
pub struct Host {
    pub profiles: fn() -> Vec<DeviceProfile>,
}

/// Every profile as if it had f64.
const HOST: Host = Host { profiles: with_f64 };

fn with_f64() -> Vec<DeviceProfile> {
    profiles().iter().map(|profile| profile.with(|profile| profile.f64 = true)).collect()
}

impl Runner for Host {
    fn run<S: Spec<Recipe = Recipe>>(&self, spec: &S, recipe: Option<&Recipe>, input: &[S::Input]) -> Vec<Run<S::Output>> {
        let mut programs = HashSet::new();
        let mut runs = Vec::new();
        let profiles = (self.profiles)();
        for profile in if recipe.is_some() { profiles } else { one_or_all(profiles, spec) } {
            let own = recipe.cloned().map_or_else(|| spec.design(&profile), Ok);
            let own = own.unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
            let program = match spec.lower(&own, &profile) {
                Err(Error::UnfitRecipe { .. }) if recipe.is_some() => continue,
                program => program.unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name)),
            };
            program.check(&profile).unwrap_or_else(|error| panic!("{program}: {error}"));
            if programs.insert(program.clone()) {
                runs.push(Run { on: profile.name.clone(), recipe: own, output: program.run_on_host(input) });
            }
        }
        assert!(!runs.is_empty(), "{spec} by {recipe:?} fits nowhere");
        runs
    }
}

/// Checks cases and prints the largest error.
fn check(cases: impl IntoIterator<Item = Case>) {
    let largest = cases.into_iter().map(|case| case.f64().check(&HOST)).fold(0.0, f64::max);
    println!("largest error {largest:.2} of the bound");
}

#[test]
fn every_short_length() {
    let lengths = (1..=64).chain([67, 100, 127, 169, 210, 243, 256, 509, 512, 1000, 1009, 1024]);
    check(of_lengths(lengths));
}

#[test]
fn reals_of_every_short_length() {
    let lengths = (1..=40).chain([60, 64, 67, 134, 256, 509, 1000]);
    check(of_real_lengths(lengths));
}

#[test]
fn long_lengths() {
    check([4096, 4099, 1 << 15].map(|n| Case::new(Kind::Forward, &[n])));
    check([8192, 16_384].map(|n| Case::new(Kind::R2c, &[n])));
    check([Case::new(Kind::C2r, &[16_384])]);
}

#[test]
fn several_axes() {
    check(of_shapes());
}

#[test]
fn layouts_axes_and_transposes() {
    check(layouts());
}

#[test]
fn recipes_by_hand() {
    check(by_hand());
}

/// The reference knows more than f64 does: what f64 computes from the definition is far from it.
#[test]
fn the_comparison_can_fail() {
    struct Nearly;
    impl Runner for Nearly {
        fn run<S: Spec<Recipe = Recipe>>(&self, spec: &S, recipe: Option<&Recipe>, input: &[S::Input]) -> Vec<Run<S::Output>> {
            let mut runs = HOST.run(spec, recipe, input);
            let numbers: &mut [f64] = bytemuck::cast_slice_mut(&mut runs[0].output);
            numbers.iter_mut().for_each(|x| *x *= 1.0 + 16.0 * U);
            runs
        }
    }
    let case = Case::new(Kind::Forward, &[64]).f64();
    assert!(case.check(&HOST) > 0.05);
    assert!(std::panic::catch_unwind(|| case.check(&Nearly)).is_err());
}

#[test]
fn every_choice_fits_its_profile() {
    fn check<S: Spec<Recipe = Recipe>>(spec: &S, profile: &DeviceProfile) {
        let recipe = spec.design(profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
        let program = spec.lower(&recipe, profile).and_then(|program| program.check(profile).map(|()| program));
        let program = program.unwrap_or_else(|error| panic!("{spec} on {}: {error}\n{recipe}", profile.name));
        assert!(!program.to_string().contains("fft/lanes") && program.to_string().contains("fft/pass_f64"), "{program}");
        assert_eq!(recipe.to_string().parse(), Ok(recipe));
    }
    for (p, profile) in with_f64().into_iter().enumerate() {
        for n in share((1..=200).chain([256, 1000, 1009, 2048, 4096, 8192, 10_007, 1 << 14, 1 << 17, 100_003, 1 << 20]), 4, p) {
            check(&C2c::forward(n).f64().batch(3), &profile);
            check(&C2c::inverse([n, 12]).f64().in_place(), &profile);
            check(&R2c::forward(n).f64().batch(3), &profile);
            check(&C2r::inverse([12, n]).f64(), &profile);
        }
        for shape in [[512, 512], [4096, 4096], [1080, 1920], [1000, 1009]] {
            check(&C2c::forward(shape).f64(), &profile);
            check(&R2c::forward(shape).f64(), &profile);
        }
    }
}

/// A recipe for another device that rounds alike gives equal bits.
#[test]
fn adapted_recipes_give_equal_bits() {
    let profiles = with_f64();
    for spec in [C2c::forward(4096).f64(), C2c::forward([48, 64]).f64(), C2c::inverse(509).f64().in_place()] {
        let recipe = spec.design(&profiles[0]).unwrap();
        let input = complex_noise(spec.lower(&recipe, &profiles[0]).unwrap().inputs()[0].len, 5);
        let outputs: Vec<Vec<Complex64>> = profiles
            .iter()
            .map(|profile| {
                let own = spec.adapted(&recipe, profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
                spec.lower(&own, profile).unwrap().run_on_host(&input)
            })
            .collect();
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{spec}");
    }
}

/// Single elements by the definition, which a search compares its recipes with.
#[test]
fn samples_are_what_transforms_compute() {
    fn check<S: Spec<Recipe = Recipe>>(spec: &S, input: &[S::Input]) {
        let samples = spec.samples(bytemuck::cast_slice(input));
        assert!(samples.len() > 2, "{spec}");
        for Run { mut output, .. } in HOST.run(spec, None, input) {
            let faults = |output: &[S::Output]| samples.iter().filter_map(|sample| sample.fault(bytemuck::cast_slice(output))).count();
            assert_eq!(faults(&output), 0, "{spec}");
            // What f32 would have left.
            bytemuck::cast_slice_mut::<_, f64>(&mut output).iter_mut().for_each(|x| *x = f64::from(*x as f32));
            assert!(faults(&output) > 0, "{spec}");
        }
    }
    check(&C2c::forward([6, 10]).f64().batch(2).scale_by(0.1), &complex_noise(120, 1));
    check(&C2c::inverse(1000).f64(), &complex_noise(1000, 2));
    check(&R2c::forward([6, 10]).f64(), &noise(60, 3));
    check(&C2r::inverse([4, 6, 10]).f64(), &complex_noise(144, 4));
}

#[test]
fn factors_keep_their_bits() {
    let factor = 1.0 / 3.0;
    let spec = C2c::forward(1).f64().scale_by(factor);
    assert_eq!(spec.to_string(), "c2c fwd 1 f64 *0.3333333333333333");
    assert_eq!(spec.to_string().parse(), Ok(spec.clone()));
    let profile = &with_f64()[0];
    let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
    let input = [Complex64::new(0.1, -0.7)];
    let output: Vec<Complex64> = program.run_on_host(&input);
    assert_eq!(output, [Complex64::new(0.1 * factor, -0.7 * factor)]);
    // In f32 it is rounded, and stays so.
    assert_eq!(C2c::forward(1).scale_by(factor).to_string(), "c2c fwd 1 *0.33333334");
    assert_eq!(C2c::forward(1).scale_by(factor).f64().to_string(), "c2c fwd 1 f64 *0.3333333432674408");
    assert!(matches!(C2c::forward(4).scale_by(1e39).design(profile), Err(Error::Unsupported { .. })));
    assert!(C2c::forward(4).f64().scale_by(1e39).design(profile).is_ok());
}

#[test]
fn texts_tell_the_number() {
    let profile = &with_f64()[0];
    let spec = R2c::forward([6, 10]).f64().batch(3);
    assert_eq!(spec.to_string(), "r2c fwd 6x10 x3 f64");
    assert_eq!("r2c fwd 6x10 x3 f64".parse(), Ok(spec.clone()));
    let error = "r2c fwd 6x10 x3 f64".parse::<R2c>().unwrap_err().to_string();
    assert!(error.contains("a transform of f64, not of f32"), "{error}");
    let error = "c2r inv 6x10".parse::<C2r<Complex64, f64>>().unwrap_err().to_string();
    assert!(error.contains("a transform of f32, not of f64"), "{error}");
    let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
    assert_eq!((program.inputs()[0].bytes(), program.output().bytes()), (3 * 60 * 8, 3 * 36 * 16));
}

#[test]
fn devices_without_f64_are_refused_and_so_are_fragments() {
    let [with, without] = [true, false].map(|f64| DeviceProfile::webgpu_defaults().with(|profile| profile.f64 = f64));
    let spec = C2c::forward(64).f64();
    let recipe = spec.design(&with).unwrap();
    for error in [spec.design(&without).unwrap_err(), spec.lower(&recipe, &without).unwrap_err()] {
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("SHADER_F64"), "{error}");
    }
    let mapped = C2c::forward(64).map_input(Fragment::new("2.0 * value")).unwrap().f64();
    let mapped_too = C2c::forward(64).f64().map_output::<f32>(Fragment::new("length(value)"));
    for error in [mapped.design(&with).unwrap_err(), mapped_too.unwrap_err()] {
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("fragment"), "{error}");
    }
    for recipe in ["axis 0: radix2 rows=2 lanes=5", "axis 0: lanes 8.8 lanes=2 width=1 invocations=64"] {
        let error = spec.lower(&recipe.parse().unwrap(), &with).unwrap_err();
        assert!(matches!(error, Error::UnfitRecipe { .. }) && error.to_string().contains("f32 alone"), "{error}");
    }
}
