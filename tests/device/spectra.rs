//! Zoomed spectra and resampled arrays, compared with their definitions.

use wgpu_fft::Complex32;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::{Frequencies, Resample, Zoom};

use crate::grids::{resample, zoom};
use crate::harness::*;

fn reals(z: &[Complex32]) -> Vec<f32> {
    z.iter().map(|z| z.re).collect()
}

fn complex(x: &[f32]) -> Vec<Complex32> {
    x.iter().map(|&x| x.into()).collect()
}

/// One pass, several, and along the first axis.
pub fn zooms_into_bands(device: &Device) {
    for (shape, axis, points) in device.share([([3, 500], 1, 200), ([1, 9000], 1, 50), ([300, 5], 0, 77)], 2, 0) {
        let x = complex_noise(shape[0] * shape[1], 5);
        let spec = Zoom::<Complex32>::new(shape, [0.2, 0.45], points).axis(axis).endpoint(true);
        let frequencies = spec.frequencies().unwrap();
        let plan = device.planner.plan(spec).unwrap();
        let what = format!("{}: {} by {}", device.name, plan.spec(), plan.recipe());
        let expected = zoom(&wide(&x), &shape, axis, &frequencies);
        assert_close(&run_guarded(device, &plan, &x), &expected, 2e-6, &what);

        let plan = device.planner.plan(Zoom::<f32>::new(shape, [0.2, 0.45], points).axis(axis).endpoint(true)).unwrap();
        let expected = zoom(&wide(&complex(&reals(&x))), &shape, axis, &frequencies);
        assert_close(&run_guarded(device, &plan, &reals(&x)), &expected, 2e-6, &what);
    }
}

/// Summed directly and picked from a transform, along the last axis and the first one.
pub fn spectra_at_frequencies(device: &Device) {
    let cases = [([3, 5000], 1, vec![7, 4999, 0]), ([70, 6], 0, (0..30).map(|k| k * 11 % 70).collect()), ([2, 300], 1, (0..200).collect())];
    for (shape, axis, bins) in device.share(cases, 1, 0) {
        let x = complex_noise(shape[0] * shape[1], 5);
        let frequencies: Vec<f64> = bins.iter().map(|&bin: &usize| bin as f64 / shape[axis] as f64).collect();
        let expected = zoom(&wide(&x), &shape, axis, &frequencies);
        let of_reals = zoom(&wide(&complex(&reals(&x))), &shape, axis, &frequencies);
        let [by_bins, by_cycles] = [Frequencies::<Complex32>::bins(shape, &bins), Frequencies::new(shape, &frequencies)];
        for spec in [by_bins, by_cycles] {
            let plan = device.planner.plan(spec.axis(axis)).unwrap();
            let what = format!("{}: {} by {}", device.name, plan.spec(), plan.recipe());
            assert_close(&run_guarded(device, &plan, &x), &expected, 1e-6, &what);
        }
        let plan = device.planner.plan(Frequencies::<f32>::bins(shape, &bins).axis(axis)).unwrap();
        let what = format!("{}: {} by {}", device.name, plan.spec(), plan.recipe());
        assert_close(&run_guarded(device, &plan, &reals(&x)), &of_reals, 1e-6, &what);
    }
}

/// Axes that become longer, shorter, and stay, even and odd.
pub fn resampled_signals_and_pictures(device: &Device) {
    let shapes = [([1, 1000], [1, 600]), ([48, 70], [32, 100]), ([75, 64], [64, 64]), ([40, 33], [50, 66]), ([24, 36], [36, 24])];
    for (from, to) in device.share(shapes, 2, 1) {
        let x = complex_noise(2 * from[0] * from[1], 6);
        let direct =
            |x: &[Complex32]| -> Vec<Complex64> { wide(x).chunks(from[0] * from[1]).flat_map(|x| resample(x, &from, &to)).collect() };
        let plan = device.planner.plan(Resample::<Complex32>::new(from, to).batch(2)).unwrap();
        let what = format!("{}: {} by {}", device.name, plan.spec(), plan.recipe());
        assert_close(&run_guarded(device, &plan, &x), &direct(&x), 1e-6, &what);

        let plan = device.planner.plan(Resample::<f32>::new(from, to).batch(2)).unwrap();
        let seen = complex(&reals(&x));
        assert_close(&complex(&run_guarded(device, &plan, &reals(&x))), &direct(&seen), 1e-6, &what);
    }
}
