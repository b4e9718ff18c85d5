//! Short-time Fourier transforms, run on the host and compared with their definition in f64, and
//! with SciPy.

use wgpu_fft::elements::Number;
use wgpu_fft::fft;
use wgpu_fft::low_level::recipes;
use wgpu_fft::low_level::recipes::fft::Reals;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::window::Window;
use wgpu_fft::signal::{Scaling, Stft};
use wgpu_fft::{Complex32, DeviceProfile, Edge, Error, Fragment, Spec};

use crate::frames::{Case, EDGES};
use crate::reference::*;
use crate::sanitized::{RunOnHost, run};
use crate::variants::{profiles, profiles_of};

/// The documented bound: a transform's, of a frame whose window and products are rounded once each.
fn bound(case: &Case) -> f64 {
    bound_of([case.nfft]) + 2.0 * ROUNDOFF
}

/// That of going there and back, where the spectra were rounded once: 4·u·√log₂N for a length of
/// small prime factors, times what the windows of a place add up to at most over the least of it.
fn bound_back(case: &Case) -> f64 {
    let squares = |place: usize| case.window.iter().skip(place).step_by(case.hop).map(|w| w * w).sum::<f64>();
    let squares: Vec<f64> = (0..case.hop).map(squares).collect();
    let largest = squares.iter().copied().fold(0.0, f64::max) / squares.iter().copied().fold(f64::INFINITY, f64::min);
    bound_of([case.nfft]) * (4.0 / 1.5) * largest.sqrt() + ROUNDOFF
}

fn near(actual: &[Complex32], expected: &[Complex64], bound: f64, what: &dyn std::fmt::Display) {
    let error = relative_error(actual, expected);
    assert!(error <= bound, "error {error:.2e}, more than {bound:.2e}: {what}");
}

/// Frames × frequencies of each array as frequencies × frames.
fn turned<T: Copy>(data: &[T], batch: usize, bins: usize) -> Vec<T> {
    let arrays = data.chunks(data.len() / batch);
    arrays.flat_map(|array| (0..bins).flat_map(move |k| array.iter().skip(k).step_by(bins).copied())).collect()
}

/// The recipe of the rules, and others that take reals in another way.
fn recipes<T: Number>(spec: &Stft<T>, n: usize, profile: &DeviceProfile) -> Vec<recipes::fft::Recipe> {
    let own = spec.design(profile).unwrap_or_else(|error| panic!("{spec} on {}: {error}", profile.name));
    assert_eq!(own.to_string().parse().as_ref(), Ok(&own));
    let mut all = vec![own.clone()];
    let recipes::fft::Recipe::Axes(axes) = own else { panic!("{spec}: transposes") };
    // A transform of as many complex numbers has the passes.
    if T::NAME == "f32"
        && axes[0].reals != Reals::Complex
        && let Ok(other) = fft::C2c::forward([7, n]).axes(1).design(profile)
    {
        all.push(other);
    }
    all
}

/// Checks the transform there against its definition, and back against the signal.
fn check<T: Narrow>(case: &Case, batch: usize, profiles_taken: usize) {
    let x = complex_noise(case.n * batch, 3);
    let own: Vec<T> = x.iter().map(|&z| T::of(z)).collect();
    let seen: Vec<Complex32> = own.iter().map(|&x| x.back()).collect();
    let spec = case.spec::<T>().batch(batch);
    let range = spec.frame_range().unwrap_or_else(|error| panic!("{case:?}: {error}"));
    let bins = spec.output_shape().unwrap().extents()[1];
    assert_eq!(bins, if T::NAME == "f32" { case.nfft / 2 + 1 } else { case.nfft });
    let direct = |x: &[Complex32]| case.direct(&wide(x), [range.start, range.end], bins);
    let expected: Vec<Complex64> = seen.chunks(case.n).flat_map(direct).collect();
    for profile in if profiles_taken == 1 { profiles().into_iter().take(1).collect() } else { profiles_of(&spec) } {
        for recipe in recipes(&spec, case.nfft, &profile) {
            let program = match spec.lower(&recipe, &profile) {
                Ok(program) => program,
                // Not the rules' own.
                Err(Error::UnfitRecipe { .. }) if recipe != spec.design(&profile).unwrap() => continue,
                Err(error) => panic!("{spec} by {recipe}: {error}"),
            };
            program.check(&profile).unwrap_or_else(|error| panic!("{program}: {error}"));
            let actual: Vec<Complex32> = program.run_on_host(&own);
            near(&actual, &expected, bound(case), &format!("{recipe}\n{program}"));
        }
        let other = spec.clone().frequencies_first();
        let program = other.lower(&other.design(&profile).unwrap(), &profile).unwrap();
        near(&program.run_on_host::<T, Complex32>(&own), &turned(&expected, batch, bins), bound(case), &program);

        let Ok(back) = spec.inverse() else { continue };
        if case.frames.is_some() {
            continue;
        }
        let spectra: Vec<Complex32> = expected.iter().map(|z| Complex32::new(z.re as f32, z.im as f32)).collect();
        let recipe = back.design(&profile).unwrap();
        assert_eq!(recipe.to_string().parse().as_ref(), Ok(&recipe));
        let program = back.lower(&recipe, &profile).unwrap();
        program.check(&profile).unwrap_or_else(|error| panic!("{program}: {error}"));
        let actual: Vec<Complex32> = program.run_on_host::<Complex32, T>(&spectra).into_iter().map(T::back).collect();
        near(&actual, &wide(&seen), bound_back(case), &program);
        let other = other.inverse().unwrap();
        let turned_program = other.lower(&other.design(&profile).unwrap(), &profile).unwrap();
        let other: Vec<T> = turned_program.run_on_host(&turned(&spectra, batch, bins));
        let other: Vec<Complex32> = other.into_iter().map(T::back).collect();
        near(&other, &wide(&seen), bound_back(case), &turned_program);
    }
}

fn check_both(case: &Case, batch: usize, profiles_taken: usize) {
    check::<f32>(case, batch, profiles_taken);
    check::<Complex32>(case, batch, profiles_taken);
}

#[test]
fn every_edge_and_phase() {
    for (n, m, hop, nfft) in [(20, 8, 3, 8), (37, 10, 4, 10), (33, 7, 2, 12), (64, 16, 16, 20), (50, 9, 5, 9), (10, 4, 1, 4)] {
        for (i, edge) in EDGES.into_iter().enumerate() {
            let phase = [Some(0), None, Some(3), Some(-2)][(i + m) % 4];
            check_both(&Case { edge, phase, ..Case::new(n, m, hop, nfft) }, 1 + i % 3, 1);
        }
    }
    for phase in [Some(0), None, Some(5), Some(-7)] {
        check_both(&Case { phase, ..Case::new(21, 6, 2, 8) }, 2, 1);
    }
}

/// Convolutions, several passes, gaps between frames, and frames longer than the signal.
#[test]
fn lengths_of_all_kinds() {
    for (n, m, hop, nfft) in [(41, 6, 8, 74), (1, 1, 1, 1), (3, 8, 2, 8), (2, 1, 3, 5), (300, 200, 100, 256), (40, 8, 2, 64)] {
        check_both(&Case::new(n, m, hop, nfft), 2, usize::MAX);
    }
    check_both(&Case { edge: Edge::Odd, ..Case::new(39, 12, 4, 12) }, 3, usize::MAX);
    // Several images of the signal on both sides.
    for (n, edge) in [1, 2, 3].into_iter().flat_map(|n| [Edge::Wrap, Edge::Reflect, Edge::Mirror, Edge::Nearest].map(|edge| (n, edge))) {
        check_both(&Case { edge, ..Case::new(n, 16, 3, 16) }, 2, 1);
    }
}

#[test]
fn some_frames_and_scalings() {
    for frames in [[0, 2], [0, 1], [2, 7], [8, 9]] {
        check_both(&Case { frames: Some(frames), edge: Edge::Mirror, ..Case::new(30, 8, 4, 8) }, 2, 1);
    }
    for scaling in [Scaling::Magnitude, Scaling::Psd { sampling_rate: 48_000.0 }] {
        check_both(&Case { scaling, ..Case::new(30, 8, 4, 8) }, 1, 1);
    }
    // Frames that were left out count as zeros.
    let case = Case { frames: Some([1, 3]), ..Case::new(30, 8, 4, 8) };
    let x = noise(30, 4);
    let spec = case.spec::<f32>();
    let profile = &profiles()[0];
    let there = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
    let back = spec.inverse().unwrap();
    let dual = back.dual_window().unwrap();
    let program = back.lower(&back.design(profile).unwrap(), profile).unwrap();
    let actual: Vec<f32> = program.run_on_host(&there.run_on_host::<f32, Complex32>(&x));
    for (i, (actual, x)) in actual.into_iter().zip(x).enumerate() {
        let inside = (1..3).filter_map(|p| (i + 4).checked_sub(4 * p)).filter(|&j| j < 8);
        let expected = f64::from(x) * inside.map(|j| case.window[j] * dual[j]).sum::<f64>();
        assert!((f64::from(actual) - expected).abs() <= 1e-6, "{i}: {actual} {expected}");
    }
}

/// Arrays larger than a binding: in several bindings, and in several dispatches.
#[test]
fn large_signals_in_several_bindings() {
    let case = Case { edge: Edge::Nearest, ..Case::new(200, 16, 8, 16) };
    let profile = profiles()[0].with(|profile| profile.binding_bytes = 1024);
    let x = noise(200, 5);
    let spec = case.spec::<f32>();
    let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
    program.check(&profile).unwrap();
    let wide_x: Vec<Complex64> = x.iter().map(|&x| Complex64::from(f64::from(x))).collect();
    let range = spec.frame_range().unwrap();
    let expected = case.direct(&wide_x, [range.start, range.end], 9);
    assert!(expected.len() * 8 > 1024);
    near(&program.run_on_host::<f32, Complex32>(&x), &expected, bound(&case), &program);

    let case = Case { edge: Edge::Odd, ..Case::new(256, 16, 64, 16) };
    let profile = profiles()[0].with(|profile| profile.binding_bytes = 4096);
    let x = complex_noise(6 * 256, 6);
    let spec = case.spec::<Complex32>().batch(6);
    let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
    program.check(&profile).unwrap();
    assert_eq!(program.dispatch_count(), 3, "{program}");
    let expected: Vec<Complex64> = wide(&x).chunks(256).flat_map(|x| case.direct(x, [0, 5], 16)).collect();
    near(&program.run_on_host::<Complex32, Complex32>(&x), &expected, bound(&case), &program);
}

/// One dispatch, whatever is fused.
#[test]
fn spectrograms_take_one_pass() {
    let case = Case { edge: Edge::Odd, ..Case::new(100, 16, 4, 32) };
    let decibels = Fragment::new("log(dot(value, value) + 1e-6) + 100.0 * f32(i0) + 10000.0 * f32(batch) + f0 * 0.0 + f32(i1) * 0.5");
    let spec = case.spec::<f32>().batch(2).map_output::<f32>(decibels).unwrap();
    let x = noise(200, 6);
    let wide: Vec<Complex64> = x.iter().map(|&x| Complex64::from(f64::from(x))).collect();
    let range = spec.frame_range().unwrap();
    let frames = (range.end - range.start) as usize;
    for profile in profiles() {
        let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
        assert_eq!((program.dispatch_count(), program.workspace_bytes()), (1, 0), "{program}");
        let actual: Vec<f32> = run(&program, &[&x], 2, 1);
        let expected = wide.chunks(100).flat_map(|x| case.direct(x, [range.start, range.end], 17));
        for (i, (actual, z)) in actual.iter().zip(expected).enumerate() {
            let (b, p, k) = (i / 17 / frames, i / 17 % frames, i % 17);
            let expected = (z.norm_sqr() + 1e-6).ln() + 100.0 * p as f64 + 10_000.0 * b as f64 + k as f64 * 0.5;
            assert!((f64::from(*actual) - expected).abs() <= 0.02, "{i}: {actual} {expected}\n{program}");
        }
        assert_eq!(actual.len(), 2 * frames * 17);
    }
}

#[test]
fn scipy_agrees() {
    let integers = |i: usize| ((i * i * 7 + 3 * i) % 17) as f32 / 8.0 - 1.0;
    let mut cases = 0;
    for line in include_str!("../data/stft.txt").lines().filter(|line| !line.starts_with('#')) {
        let (head, values) = line.split_once(": ").unwrap();
        let words: Vec<&str> = head.split(' ').collect();
        let number = |i: usize| words[i].parse::<i64>().unwrap();
        let (n, m) = (number(1) as usize, number(2));
        let window = if m > 0 {
            crate::frames::window(m as usize)
        } else {
            [vec![0.0; 3], crate::frames::window((-m - 4) as usize), vec![0.0]].concat()
        };
        let case = Case {
            n,
            window,
            hop: number(3) as usize,
            nfft: number(4) as usize,
            phase: words[5].parse().ok(),
            scaling: match words[6] {
                "magnitude" => Scaling::Magnitude,
                "psd" => Scaling::Psd { sampling_rate: 20.0 },
                _ => Scaling::None,
            },
            edge: EDGES[["zeros", "edge", "even", "odd"].iter().position(|name| *name == words[7]).unwrap()],
            frames: (words[8] == "some").then(|| [number(9), number(10)]),
        };
        let values: Vec<f64> = values.split(' ').map(|value| value.parse().unwrap()).collect();
        let expected: Vec<Complex64> = values.chunks(2).map(|pair| Complex64::new(pair[0], pair[1])).collect();
        let profile = &profiles()[0];
        let x = (0..n).map(|i| Complex32::new(integers(i), integers(i + 5)));
        let (range, actual) = if words[0] == "real" {
            let spec = case.spec::<f32>();
            let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
            (spec.frame_range().unwrap(), program.run_on_host::<f32, Complex32>(&x.map(|z| z.re).collect::<Vec<_>>()))
        } else {
            let spec = case.spec::<Complex32>();
            let program = spec.lower(&spec.design(profile).unwrap(), profile).unwrap();
            (spec.frame_range().unwrap(), program.run_on_host::<Complex32, Complex32>(&x.collect::<Vec<_>>()))
        };
        assert_eq!(range, number(9)..number(10), "{head}");
        near(&actual, &expected, bound(&case), &head);
        cases += 1;
    }
    assert_eq!(cases, 18);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let profile = &profiles()[0];
    let plan = |spec: Stft<f32>| spec.design(profile).map(|_| ());
    let refused = |spec: Stft<f32>, parts: &[&str]| {
        let error = plan(spec).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        let text = error.to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    let case = Case::new(30, 8, 4, 8);
    let spec = || case.spec::<f32>();
    assert!(plan(spec()).is_ok());
    refused(Stft::new(30, &case.window, 0), &["hop"]);
    refused(spec().nfft(7), &["length 7", "window of 8"]);
    refused(spec().phase_shift(Some(8)), &["phase shift 8", "-8 and 8"]);
    refused(spec().frames(3..3), &["3..3", "0..9"]);
    refused(spec().frames(-2..3), &["-2..3"]);
    refused(spec().frames(0..10), &["0..10"]);
    refused(Case { n: 4, edge: Edge::Odd, ..case.clone() }.spec(), &["4 elements before", "image has 3"]);
    refused(spec().scaling(Scaling::Psd { sampling_rate: 0.0 }), &["sampling rate of 0"]);
    refused(Stft::new(30, &[1.0, -1.0], 1).scaling(Scaling::Magnitude), &["sum 0"]);
    refused(Stft::new(30, &[1.0, f64::NAN], 1), &["element 1", "NaN"]);
    assert!(matches!(plan(Stft::new(30, &[0.0f32; 0], 1)), Err(Error::Empty { .. })));
    assert!(matches!(plan(Stft::new(0, &case.window, 1)), Err(Error::Empty { .. })));
    assert!(matches!(plan(spec().batch(0)), Err(Error::Empty { .. })));
    assert!(matches!(plan(Stft::new(1 << 31, &case.window, 1)), Err(Error::LimitExceeded { .. })));
    assert!(matches!(plan(Stft::new(usize::MAX, &case.window, 1)), Err(Error::LimitExceeded { .. })));
    assert!(matches!(plan(Stft::new(30, &case.window, usize::MAX)), Err(Error::LimitExceeded { .. })));

    let no_inverse = |spec: Stft<f32>, parts: &[&str]| {
        let text = spec.inverse().unwrap_err().to_string();
        assert!(text.contains("no inverse") && parts.iter().all(|part| text.contains(part)), "{text}");
    };
    no_inverse(Stft::new(30, &case.window, 9), &["9 apart", "windows of 8"]);
    let hann: Vec<f64> = Window::Hann.periodic(8).unwrap();
    no_inverse(Stft::new(30, &hann, 8), &["elements 0, 0 + 8", "0e0", "1e0"]);
    assert!(Stft::<f32>::new(30, &hann, 4).inverse().is_ok());
    let recipe = spec().inverse().unwrap().design(profile).unwrap();
    let wrong = recipe.to_string().replace("overlap-add 256", "overlap-add 0").parse().unwrap();
    assert!(matches!(spec().inverse().unwrap().lower(&wrong, profile), Err(Error::UnfitRecipe { .. })));
    assert!("overlap-add 256".parse::<wgpu_fft::low_level::recipes::signal::Istft>().is_err());
}

/// Frames of a long signal would have 2³⁶ elements if they were an array.
#[test]
fn long_signals_are_planned() {
    let window: Vec<f64> = Window::Hann.periodic(1024).unwrap();
    let stft = Stft::<f32>::new(1 << 26, &window, 256);
    for profile in profiles() {
        let mut large = profile;
        (large.buffer_bytes, large.binding_bytes) = (1 << 32, 1 << 32);
        for spec in [stft.clone(), stft.clone().frequencies_first()] {
            let program = spec.lower(&spec.design(&large).unwrap(), &large).unwrap();
            program.check(&large).unwrap_or_else(|error| panic!("{program}: {error}"));
            assert_eq!(program.output().len, 513 * 262_147, "{program}");
        }
        let back = stft.inverse().unwrap();
        assert!(back.lower(&back.design(&large).unwrap(), &large).is_ok());
    }
}
