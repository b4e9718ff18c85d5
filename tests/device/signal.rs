//! Cyclic shifts, compared bit by bit, and filters on spectra, compared with f64.

use std::f64::consts::TAU;

use wgpu_fft::Edge;
use wgpu_fft::With;
use wgpu_fft::fft::R2c;
use wgpu_fft::num_complex::{Complex, Complex64};
use wgpu_fft::signal::{PhaseCorrelate, RadialAverage, Roll, SpectralFilter, analytic, delay};
use wgpu_fft::{Complex32, Element, Fragment, FragmentArrays};

use crate::harness::*;
use crate::reference::dft;
use crate::rings;
use crate::rolls::{self, CASES, ROLLS};
use crate::shifts::shifted;

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

/// A filter by its factors on the frequencies of two axes, in f64.
fn filtered(x: &[Complex64], shape: [usize; 2], axes: &[usize], factor: impl Fn([f64; 2]) -> Complex64) -> Vec<Complex64> {
    let mut z = x.to_vec();
    dft(&mut z, &shape, axes, false);
    let count: usize = axes.iter().map(|&axis| shape[axis]).product();
    let signed = |k: usize, n: usize| if 2 * k > n { k as f64 - n as f64 } else { k as f64 };
    for (i, z) in z.iter_mut().enumerate() {
        *z *= factor([signed(i / shape[1] % shape[0], shape[0]), signed(i % shape[1], shape[1])]) / count as f64;
    }
    dft(&mut z, &shape, axes, true);
    z
}

pub fn filters_delays_and_analytic_signals(device: &Device) {
    const BOUND: f64 = 1e-6;
    let real = |values: &[f32]| values.iter().map(|&x| Complex64::from(f64::from(x))).collect::<Vec<_>>();
    let complex = |values: &[f32]| values.iter().map(|&x| Complex32::from(x)).collect::<Vec<_>>();
    for shape in [[48, 70], [37, 50], [1, 1000]] {
        let (z, x) = (complex_noise(shape[0] * shape[1], 1), noise(shape[0] * shape[1], 2));
        let gaussian = |k: [f64; 2]| {
            let f = [k[0] / shape[0] as f64, k[1] / shape[1] as f64];
            Complex64::from((-9.0 * (f[0] * f[0] + f[1] * f[1])).exp())
        };
        let fragment = || Fragment::new("value * exp(-9.0 * (f0 * f0 + f1 * f1))");
        let plan = device.planner.plan(SpectralFilter::complex(shape, fragment()).unwrap()).unwrap();
        let expected = filtered(&wide(&z), shape, &[0, 1], gaussian);
        assert_close(&run_guarded(device, &plan, &z), &expected, BOUND, &format!("{}: {}", device.name, plan.spec()));
        let plan = device.planner.plan(SpectralFilter::real(shape, fragment()).unwrap()).unwrap();
        let expected = filtered(&real(&x), shape, &[0, 1], gaussian);
        assert_close(&complex(&run_guarded(device, &plan, &x)), &expected, BOUND, &format!("{}: {}", device.name, plan.spec()));

        let delays = [if shape[0] == 1 { 0.0 } else { 1.5 }, -200.25];
        let shift = |axis: usize, k: f64| {
            let angle = -TAU * k * delays[axis] / shape[axis] as f64;
            if 2.0 * k == shape[axis] as f64 { angle.cos().into() } else { Complex64::cis(angle) }
        };
        let plan = device.planner.plan(delay::<f32>(shape, &delays).unwrap()).unwrap();
        let expected = filtered(&real(&x), shape, &[0, 1], |k| shift(0, k[0]) * shift(1, k[1]));
        assert_close(&complex(&run_guarded(device, &plan, &x)), &expected, BOUND, &format!("{}: {}", device.name, plan.spec()));

        let plan = device.planner.plan(analytic(shape, 1).unwrap()).unwrap();
        let expected = filtered(&real(&x), shape, &[1], |k| {
            if k[1] == 0.0 || 2.0 * k[1] == shape[1] as f64 { 1.0 } else { k[1].signum() + 1.0 }.into()
        });
        assert_close(&run_guarded(device, &plan, &x), &expected, BOUND, &format!("{}: {}", device.name, plan.spec()));
    }

    // Numbers of the caller's, and a signal that is mirrored at its ends: it stays as it is.
    let fragment = Fragment::new("value * gains[i0]").array::<f32>("gains", 65);
    let spec = SpectralFilter::real(100, fragment).unwrap().lengths(128).edge(Edge::Reflect);
    let plan = device.planner.plan(spec).unwrap();
    let gpu = device.gpu();
    let x = noise(100, 3);
    let (input, output, gains) = (gpu.upload(&x).unwrap(), gpu.alloc::<f32>(100).unwrap(), gpu.upload(&[2.0f32; 65]).unwrap());
    let arrays = FragmentArrays::new().with("gains", &gains);
    gpu.submit(|encoder| plan.bind(With(&input, &arrays), &output)?.encode(encoder)).unwrap();
    let expected: Vec<Complex64> = real(&x).iter().map(|x| x * 2.0).collect();
    assert_close(&complex(&gpu.download(&output).unwrap().wait().unwrap()), &expected, BOUND, &device.name);
}

pub fn shifts_between_pictures(device: &Device) {
    for (shape, by) in
        [(&[500][..], &[-100.3][..]), (&[60, 81], &[7.25, -12.6]), (&[256, 256], &[-31.1, 0.45]), (&[12, 20, 15], &[1.3, -4.4, 2.8])]
    {
        let rank = shape.len();
        let pictures: Vec<Vec<f32>> = (0..3).map(|i| shifted(&noise(shape.iter().product(), i), shape, &vec![0.0; rank])).collect();
        let moved: Vec<Vec<f32>> =
            (0..3).map(|i| shifted(&pictures[i], shape, &by.iter().map(|by| by * i as f64 / 2.0).collect::<Vec<_>>())).collect();
        for spec in [PhaseCorrelate::new(shape).batch(3), PhaseCorrelate::new(shape).batch(3).unnormalised()] {
            let plan = device.planner.plan(spec).unwrap();
            let what = format!("{}: {}", device.name, plan.spec());
            let output = plan.run((&moved.concat(), &pictures.concat())).unwrap().wait().unwrap();
            for (i, own) in output.chunks(rank + 1).enumerate() {
                for (found, by) in own.iter().zip(by) {
                    assert!((f64::from(*found) - by * i as f64 / 2.0).abs() < 1e-3, "{own:?} for {i}/2 of {by:?}: {what}");
                }
            }
        }
    }
}

/// Whole numbers, so that every device has the same sums. Only the division may be rounded.
pub fn rings_of_spectra(device: &Device) {
    for (i, shape) in [&[64usize, 64][..], &[255, 255], &[300, 512], &[1021, 63], &[24, 24, 24], &[20, 31, 12], &[5000], &[3, 70_001]]
        .into_iter()
        .enumerate()
    {
        let case = rings::Case { batch: 2, centred: i % 2 == 1, half: i % 3 == 0, corners: true, ..rings::Case::new(shape) };
        let recipes = rings::RECIPES.iter().filter(|text| !text.contains("lines=1 ") || shape[0] < 100);
        for recipe in std::iter::once(None).chain(recipes.map(|text| Some(text.parse().unwrap()))) {
            let Some(plan) = device.plan_if_fit(case.spec(), recipe) else { continue };
            let input: Vec<f32> = words(plan.input_len(), 3).iter().map(|word| (word % 64) as f32 - 20.0).collect();
            let sums = case.sums(&input.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
            let output = run_guarded(device, &plan, &input);
            assert_eq!(output.len(), sums.len());
            for (ring, (own, (sum, count))) in output.into_iter().zip(sums).enumerate() {
                let mean = sum / count as f64;
                let what = format!("{}: `{}` by `{}`", device.name, plan.spec(), plan.recipe());
                assert!((f64::from(own) - mean).abs() <= 5e-7 * mean.abs().max(0.1), "{what}: ring {ring}: {own} {mean}");
            }
        }
    }
}

/// The power of white noise is the same at all frequencies, and that of a wave is in its ring.
pub fn radial_power_of_a_picture(device: &Device) {
    let shape = [96, 96];
    let wave = |i: usize| 2.0 * (std::f32::consts::TAU * (3 * (i / 96) + 4 * (i % 96)) as f32 / 96.0).cos();
    let picture: Vec<f32> = (0..96 * 96).map(wave).collect();
    let spectrum = device.planner.plan(R2c::forward(shape)).unwrap().run(&picture).unwrap().wait().unwrap();
    let power = RadialAverage::new(shape).half().map_input::<Complex32>(Fragment::new("dot(value, value)")).unwrap();
    let rings = run_guarded(device, &device.planner.plan(power.clone()).unwrap(), &spectrum);
    let count = rings::Case { half: true, ..rings::Case::new(&shape) }
        .places()
        .iter()
        .filter(|place| place.0 == 5)
        .map(|place| place.1)
        .sum::<u64>();
    // Two frequencies with the power (96²)² each.
    let expected = 2.0 * 96f32.powi(4) / count as f32;
    assert!((rings[5] - expected).abs() <= 1e-4 * expected, "{}: {} {expected}", device.name, rings[5]);
    assert!(rings.iter().enumerate().all(|(ring, power)| ring == 5 || *power < 1e-4 * expected), "{}: {rings:?}", device.name);
}
