//! Cyclic shifts, compared bit by bit, and spectra of frames, compared with their definition.

use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::signal::Roll;
use wgpu_fft::signal::stft::{Padding, Scaling, Stft};
use wgpu_fft::signal::window::Window;
use wgpu_fft::{Complex32, Element, Fragment};

use crate::frames::Case;
use crate::harness::*;
use crate::reference::{complex_noise, noise, relative_error, wide};
use crate::rolls::{self, CASES, ROLLS};

fn check<T: Element>(device: &Device, case: (&[usize], usize, &[isize]), recipe: Option<&str>) {
    let Some(plan) = device.plan_if_fit(rolls::spec::<T>(case), recipe.map(|text| text.parse().unwrap())) else { return };
    let input: Vec<T> = bytemuck::pod_collect_to_vec(&words((plan.input_len() * size_of::<T>()).div_ceil(4), 7));
    let input = &input[..plan.input_len()];
    let output = run_guarded(device, &plan, input);
    let what = format!("{}: `{}` by `{}`", device.name, plan.spec(), plan.recipe());
    assert_equal_bits(&output, &rolls::expected(input, case.0, case.2), &what);
}

fn check_every_size(device: &Device, case: (&[usize], usize, &[isize]), recipe: Option<&str>) {
    check::<u8>(device, case, recipe);
    check::<u16>(device, case, recipe);
    check::<f32>(device, case, recipe);
    check::<Complex32>(device, case, recipe);
    check::<Complex<f64>>(device, case, recipe);
}

pub fn arrays_are_shifted_along_every_axis(device: &Device) {
    for case in CASES {
        check_every_size(device, case, None);
        for recipe in ROLLS {
            check_every_size(device, case, Some(recipe));
        }
    }
    let plan = device.planner.plan(Roll::<u32>::fftshift([3, 4])).unwrap();
    let output = plan.run(&(0..12).collect::<Vec<u32>>()).unwrap().wait().unwrap();
    assert_eq!(output, [10, 11, 8, 9, 2, 3, 0, 1, 6, 7, 4, 5], "numpy.fft.fftshift");
}

/// More workgroups than one axis of a grid can have.
pub fn folded_grids_of_shifts(device: &Device) {
    check::<f32>(device, (&[3, 65_537], 1, &[1, 30_000]), Some("roll 1x1 elements=1"));
    check::<u8>(device, (&[3, 65_541], 4, &[1, 30_001]), Some("roll 1x1 elements=1"));
}

pub fn shifts_in_several_bindings(device: &Device) {
    let small = device.limited(|limits| limits.max_storage_buffer_binding_size = 4096);
    for case in [CASES[5], CASES[14], (&[30, 40, 50], 2, &[15, 20, 25]), (&[100_003], 1, &[50_001])] {
        check_every_size(&small, case, None);
    }
}

/// Lengths that take one pass, several, and a convolution; signals of odd length.
pub fn spectra_of_frames_there_and_back(device: &Device) {
    let paddings = [Padding::Zeros, Padding::Edge, Padding::Even, Padding::Odd];
    for (i, (n, m, hop, mfft)) in
        [(1000, 64, 16, 64), (777, 100, 33, 128), (500, 37, 9, 37), (3001, 600, 200, 1024)].into_iter().enumerate()
    {
        let case = Case { padding: paddings[i], phase: [Some(0), None, Some(5), Some(-3)][i], ..Case::new(n, m, hop, mfft) };
        let x = complex_noise(2 * n, 8);
        let direct = |x: &[Complex64], bins| -> Vec<Complex64> {
            let range = case.spec::<f32>().frame_range().unwrap();
            x.chunks(n).flat_map(|x| case.direct(x, [range.start, range.end], bins)).collect()
        };
        let what = format!("{} {n} {m} {hop} {mfft}", device.name);

        let spec = case.spec::<Complex32>().batch(2);
        let back = device.planner.plan(spec.inverse().unwrap()).unwrap();
        let spectra = run_guarded(device, &device.planner.plan(spec).unwrap(), &x);
        let error = relative_error(&spectra, &direct(&wide(&x), mfft));
        assert!(error <= fft_budget(4 * mfft), "{what}: {error:.1e}");
        let error = relative_error(&run_guarded(device, &back, &spectra), &wide(&x));
        assert!(error <= 4.0 * fft_budget(mfft), "{what}: {error:.1e} there and back");

        let reals: Vec<f32> = x.iter().map(|z| z.re).collect();
        let seen: Vec<Complex64> = reals.iter().map(|&x| Complex64::from(f64::from(x))).collect();
        let spec = case.spec::<f32>().batch(2).frequencies_first();
        let back = device.planner.plan(spec.inverse().unwrap()).unwrap();
        let spectra = run_guarded(device, &device.planner.plan(spec).unwrap(), &reals);
        let frames = spectra.len() / 2 / (mfft / 2 + 1);
        let arrays = spectra.chunks(spectra.len() / 2);
        let by_frame: Vec<Complex32> =
            arrays.flat_map(|array| (0..frames).flat_map(|p| array.iter().skip(p).step_by(frames).copied())).collect();
        let error = relative_error(&by_frame, &direct(&seen, mfft / 2 + 1));
        assert!(error <= fft_budget(4 * mfft), "{what}: {error:.1e}");
        let returned: Vec<Complex32> = run_guarded(device, &back, &spectra).into_iter().map(Complex32::from).collect();
        let error = relative_error(&returned, &seen);
        assert!(error <= 4.0 * fft_budget(mfft), "{what}: {error:.1e} there and back");
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
