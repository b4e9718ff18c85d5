//! Power spectra, compared with SciPy and with their definition, under all checks of the
//! interpreter.

use wgpu_fft::elements::Number;
use wgpu_fft::low_level::recipes::signal::PowerSpectrum as Recipe;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::PowerSpectrum;
use wgpu_fft::{Complex32, DeviceProfile, Error, Spec, low_level};

use crate::frames::Welch;
use crate::reference::{ROUNDOFF, bound_of, complex_noise, noise};
use crate::sanitized::RunOnHost;
use crate::variants::profiles;

fn run<T: Number>(spec: &PowerSpectrum<T>, profile: &DeviceProfile, x: &[T]) -> Vec<f32> {
    let recipe = spec.design(profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
    assert_eq!(recipe.to_string().parse().as_ref(), Ok(&recipe));
    let program = spec.lower(&recipe, profile).unwrap_or_else(|error| panic!("{spec} by {recipe}: {error}"));
    program.check(profile).unwrap_or_else(|error| panic!("{program}: {error}"));
    let powers = program.run_on_host(x);
    assert_eq!(powers.len() % spec.frequencies(), 0);
    powers
}

/// Each within a relative error of the largest one.
fn assert_close(actual: &[f32], expected: &[f64], what: &str) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0.0, |largest: f64, power| largest.max(*power));
    for (k, (own, power)) in actual.iter().zip(expected).enumerate() {
        assert!((f64::from(*own) - power).abs() <= 2e-6 * largest, "{what}, frequency {k}: {own} {power}");
    }
}

#[test]
fn scipy_agrees() {
    let integers = |i: usize| ((i * i * 7 + 3 * i) % 17) as f32 / 8.0 - 1.0;
    let profile = &profiles()[0];
    fn scaled<T: Number>(spec: PowerSpectrum<T>, nfft: usize, scaling: &str) -> PowerSpectrum<T> {
        let spec = spec.nfft(nfft);
        if scaling == "spectrum" { spec.spectrum() } else { spec }
    }
    fn of<T: Number>(n: usize, m: usize, overlap: usize, rate: f64) -> PowerSpectrum<T> {
        if m == 0 {
            return PowerSpectrum::periodogram(n, rate);
        }
        PowerSpectrum::new(n, &crate::frames::window(m), rate).overlap(overlap)
    }
    let mut cases = 0;
    for line in include_str!("../data/welch.txt").lines().filter(|line| !line.starts_with('#')) {
        let (head, values) = line.split_once(": ").unwrap();
        let words: Vec<&str> = head.split(' ').collect();
        let [n, m, overlap, nfft] = [1, 2, 3, 4].map(|i| words[i].parse::<usize>().unwrap());
        let rate = words[5].parse().unwrap();
        let expected: Vec<f64> = values.split(' ').map(|value| value.parse().unwrap()).collect();
        let x = (0..n).map(|i| Complex32::new(integers(i), integers(i + 5)));
        let actual = if words[0] == "real" {
            run(&scaled(of::<f32>(n, m, overlap, rate), nfft, words[6]), profile, &x.map(|z| z.re).collect::<Vec<_>>())
        } else {
            run(&scaled(of::<Complex32>(n, m, overlap, rate), nfft, words[6]), profile, &x.collect::<Vec<_>>())
        };
        assert_close(&actual, &expected, head);
        cases += 1;
    }
    assert_eq!(cases, 40);
}

#[test]
fn lengths_of_all_kinds() {
    for (n, m, overlap, nfft) in [(100, 16, 8, 16), (77, 15, 3, 15), (61, 7, 6, 37), (60, 8, 0, 8), (300, 200, 100, 256), (9, 9, 4, 74)] {
        let case = Welch::new(n, m, overlap, nfft);
        let z = complex_noise(3 * n, 7);
        let x: Vec<f32> = z.iter().map(|z| z.re).collect();
        let wide: Vec<Complex64> = z.iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect();
        let reals: Vec<Complex64> = x.iter().map(|&x| Complex64::from(f64::from(x))).collect();
        for profile in profiles() {
            let spec = case.spec::<f32>().batch(3);
            assert_eq!(spec.segments().unwrap(), (n - m) / (m - overlap) + 1);
            let expected: Vec<f64> = reals.chunks(n).flat_map(|x| case.direct(x, true)).collect();
            assert_close(&run(&spec, &profile, &x), &expected, &spec.to_string());
            let spec = case.spec::<Complex32>().batch(3);
            let expected: Vec<f64> = wide.chunks(n).flat_map(|x| case.direct(x, false)).collect();
            assert_close(&run(&spec, &profile, &z), &expected, &spec.to_string());
        }
    }
}

/// Signals of a batch are then divided among dispatches, each with its part of the arrays.
#[test]
fn arrays_larger_than_a_binding() {
    let profile = profiles()[0].with(|profile| (profile.binding_bytes, profile.storage_alignment) = (8192, 32));
    for (n, m, overlap, nfft) in [(376, 20, 11, 24), (376, 20, 10, 24), (376, 21, 11, 25)] {
        let case = Welch::new(n, m, overlap, nfft);
        let spec = case.spec::<f32>().batch(6);
        let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
        assert!(program.inputs()[0].bytes() > profile.binding_bytes, "{program}");
        let x = noise(6 * n, 7);
        let wide: Vec<Complex64> = x.iter().map(|&x| Complex64::from(f64::from(x))).collect();
        let expected: Vec<f64> = wide.chunks(n).flat_map(|x| case.direct(x, true)).collect();
        assert_close(&run(&spec, &profile, &x), &expected, &program.to_string());
    }
}

/// The sum of a density over all frequencies is the mean square: of even and odd lengths, and with
/// zeros after the signal.
#[test]
fn the_density_adds_up_to_the_mean_square() {
    for (n, nfft) in [(64, 64), (45, 45), (60, 81), (60, 128), (1, 1), (2, 2)] {
        let profile = &profiles()[0];
        let step = 48_000.0 / nfft as f64;
        // Of a number the square has twice the relative error.
        let bound = 2.0 * bound_of([nfft]) + 4.0 * ROUNDOFF;
        let total = |powers: Vec<f32>| powers.iter().map(|&power| f64::from(power)).sum::<f64>() * step;
        let x = noise(n, 9);
        let square = x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / n as f64;
        let own = total(run(&PowerSpectrum::<f32>::periodogram(n, 48_000.0).nfft(nfft), profile, &x));
        assert!((own - square).abs() <= bound * square, "{n}: {own} {square}");
        let z = complex_noise(n, 9);
        let square = z.iter().map(|z| f64::from(z.norm_sqr())).sum::<f64>() / n as f64;
        let own = total(run(&PowerSpectrum::<Complex32>::periodogram(n, 48_000.0).nfft(nfft), profile, &z));
        assert!((own - square).abs() <= bound * square, "{n}: {own} {square}");
    }
}

/// A single segment needs no mean and no workspace.
#[test]
fn one_segment_takes_one_pass() {
    for profile in profiles() {
        let steps = |spec: PowerSpectrum<f32>| spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap().dispatch_count();
        assert_eq!(steps(PowerSpectrum::periodogram(64, 1.0).batch(3)), 1);
        let several = Welch::new(640, 64, 32, 64).spec::<f32>();
        let program = several.lower(&several.design(&profile).unwrap(), &profile).unwrap();
        assert_eq!(low_level::workspaces(&program)[0].bytes(), 19 * 33 * 4, "{program}");
        // Recipes for one are none for the other.
        let one = PowerSpectrum::<f32>::periodogram(64, 1.0);
        let [own, other] = [&one, &several].map(|spec| spec.design(&profile).unwrap());
        assert!(matches!(several.lower(&own, &profile), Err(Error::UnfitRecipe { .. })));
        assert!(matches!(one.lower(&other, &profile), Err(Error::UnfitRecipe { .. })));
        assert!("mean".parse::<Recipe>().is_err());
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let profile = &profiles()[0];
    let plan = |spec: PowerSpectrum<f32>| spec.design(profile).map(|_| ());
    let refused = |spec: PowerSpectrum<f32>, parts: &[&str]| {
        let error = plan(spec).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        let text = error.to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    let spec = || Welch::new(30, 8, 4, 8).spec::<f32>();
    assert!(plan(spec()).is_ok());
    refused(Welch::new(7, 8, 4, 8).spec(), &["8 elements", "signal of 7"]);
    refused(spec().overlap(8), &["8 elements must overlap by less than 8"]);
    refused(spec().overlap(usize::MAX), &["less than 8"]);
    refused(spec().nfft(7), &["length 7", "window of 8"]);
    refused(PowerSpectrum::new(30, &[1.0, 2.0], 0.0), &["sampling rate of 0"]);
    refused(PowerSpectrum::new(30, &[1.0, f64::NAN], 1.0), &["element 1", "NaN"]);
    refused(PowerSpectrum::new(30, &[0.0, 0.0], 1.0), &["squares' sum 0"]);
    refused(PowerSpectrum::new(30, &[1.0, -1.0], 1.0).spectrum(), &["sum 0"]);
    assert!(matches!(plan(PowerSpectrum::new(30, &[0.0f32; 0], 1.0)), Err(Error::Empty { .. })));
    assert!(matches!(plan(PowerSpectrum::periodogram(0, 1.0)), Err(Error::Empty { .. })));
    assert!(matches!(plan(spec().batch(0)), Err(Error::Empty { .. })));
    for len in [(1 << 31) + 1, u32::MAX as usize, usize::MAX] {
        assert!(matches!(plan(PowerSpectrum::periodogram(len, 1.0)), Err(Error::LimitExceeded { .. })), "{len}");
    }
}
