//! Spectra of frames, compared with their definition.

use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::window::Window;
use wgpu_fft::signal::{Scaling, Stft};
use wgpu_fft::{Complex32, Edge, Fragment};

use crate::frames::{Case, Welch};
use crate::harness::*;
use crate::reference::{complex_noise, noise, relative_error, wide};

/// Lengths that take one pass, several, and a convolution; signals of odd length.
pub fn spectra_of_frames_there_and_back(device: &Device) {
    let edges = [Edge::Zero, Edge::Nearest, Edge::Mirror, Edge::Odd, Edge::Wrap, Edge::Reflect];
    for (i, (n, m, hop, nfft)) in
        [(1000, 64, 16, 64), (777, 100, 33, 128), (500, 37, 9, 37), (3001, 600, 200, 1024), (400, 48, 12, 48), (20, 64, 16, 64)]
            .into_iter()
            .enumerate()
    {
        let case = Case { edge: edges[i], phase: [Some(0), None, Some(5), Some(-3)][i % 4], ..Case::new(n, m, hop, nfft) };
        let x = complex_noise(2 * n, 8);
        let direct = |x: &[Complex64], bins| -> Vec<Complex64> {
            let range = case.spec::<f32>().frame_range().unwrap();
            x.chunks(n).flat_map(|x| case.direct(x, [range.start, range.end], bins)).collect()
        };
        let what = format!("{} {n} {m} {hop} {nfft}", device.name);

        let spec = case.spec::<Complex32>().batch(2);
        let back = device.planner.plan(spec.inverse().unwrap()).unwrap();
        let spectra = run_guarded(device, &device.planner.plan(spec).unwrap(), &x);
        let error = relative_error(&spectra, &direct(&wide(&x), nfft));
        assert!(error <= fft_budget(4 * nfft), "{what}: {error:.1e}");
        let error = relative_error(&run_guarded(device, &back, &spectra), &wide(&x));
        assert!(error <= 4.0 * fft_budget(nfft), "{what}: {error:.1e} there and back");

        let reals: Vec<f32> = x.iter().map(|z| z.re).collect();
        let seen: Vec<Complex64> = reals.iter().map(|&x| Complex64::from(f64::from(x))).collect();
        let spec = case.spec::<f32>().batch(2).frequencies_first();
        let back = device.planner.plan(spec.inverse().unwrap()).unwrap();
        let spectra = run_guarded(device, &device.planner.plan(spec).unwrap(), &reals);
        let frames = spectra.len() / 2 / (nfft / 2 + 1);
        let arrays = spectra.chunks(spectra.len() / 2);
        let by_frame: Vec<Complex32> =
            arrays.flat_map(|array| (0..frames).flat_map(|p| array.iter().skip(p).step_by(frames).copied())).collect();
        let error = relative_error(&by_frame, &direct(&seen, nfft / 2 + 1));
        assert!(error <= fft_budget(4 * nfft), "{what}: {error:.1e}");
        let returned: Vec<Complex32> = run_guarded(device, &back, &spectra).into_iter().map(Complex32::from).collect();
        let error = relative_error(&returned, &seen);
        assert!(error <= 4.0 * fft_budget(nfft), "{what}: {error:.1e} there and back");
    }
}

/// The loudest frequency of a tone, and its level.
pub fn spectrograms_in_decibels(device: &Device) {
    let window: Vec<f64> = Window::Hann.periodic(256).unwrap();
    let tone: Vec<f32> = (0..4096).map(|i| (std::f32::consts::TAU * 20.0 * i as f32 / 256.0).sin() + 1e-3 * noise(1, i)[0]).collect();
    let decibels = Fragment::new("10.0 * log(max(dot(value, value), 1e-20)) / log(10.0)");
    let spec = Stft::<f32>::new(tone.len(), &window, 64).scaling(Scaling::Magnitude).frames(2..62).map_output::<f32>(decibels).unwrap();
    let plan = device.planner.plan(spec).unwrap();
    let levels = run_guarded(device, &plan, &tone);
    assert_eq!(levels.len(), 60 * 129);
    for frame in levels.chunks(129) {
        let loudest = (0..129).max_by(|&a, &b| frame[a].total_cmp(&frame[b])).unwrap();
        assert_eq!(loudest, 20, "{}", device.name);
        // A half of the amplitude.
        assert!((frame[20] - 20.0 * 0.5f32.log10()).abs() < 0.05 && frame[80] < -60.0, "{}: {} {}", device.name, frame[20], frame[80]);
    }
}

/// Welch's method, for segments that take one pass, several, and a convolution.
pub fn power_spectra_of_segments(device: &Device) {
    for (n, m, overlap, nfft) in [(4000, 64, 32, 64), (777, 100, 33, 128), (500, 37, 9, 37), (3001, 600, 200, 1024), (900, 900, 0, 900)] {
        let case = Welch::new(n, m, overlap, nfft);
        let z = complex_noise(2 * n, 8);
        let x: Vec<f32> = z.iter().map(|z| z.re).collect();
        let reals: Vec<Complex64> = x.iter().map(|&x| Complex64::from(f64::from(x))).collect();
        let close = |actual: &[f32], expected: Vec<f64>, what: String| {
            let largest = expected.iter().fold(0.0, |largest: f64, power| largest.max(*power));
            assert_eq!(actual.len(), expected.len(), "{what}");
            for (own, power) in actual.iter().zip(expected) {
                assert!((f64::from(*own) - power).abs() <= 4.0 * fft_budget(nfft) * largest, "{what}: {own} {power}");
            }
        };
        let plan = device.planner.plan(case.spec::<f32>().batch(2)).unwrap();
        let expected = reals.chunks(n).flat_map(|x| case.direct(x, true)).collect();
        close(&run_guarded(device, &plan, &x), expected, format!("{}: {}", device.name, plan.spec()));
        let plan = device.planner.plan(case.spec::<Complex32>().batch(2)).unwrap();
        let expected = wide(&z).chunks(n).flat_map(|x| case.direct(x, false)).collect();
        close(&run_guarded(device, &plan, &z), expected, format!("{}: {}", device.name, plan.spec()));
    }
}
