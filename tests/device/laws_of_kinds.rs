//! Laws of every kind of transform, at sizes where a reference is slow: linearity, cyclic shifts,
//! Parseval's theorem, inverses and transposition.

use std::f64::consts::TAU;

use wgpu_fft::Spec;
use wgpu_fft::fft::{C2c, C2r, R2c, R2r, RealKind, Scale};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::Roll;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Element};

use crate::harness::*;

/// Rows and columns: even ones with odd factors.
fn extents(device: &Device) -> [usize; 2] {
    if device.is_thorough() { [1080, 1920] } else { [90, 480] }
}

fn run<S: Spec>(device: &Device, spec: S, input: &[S::Input]) -> Vec<S::Output> {
    let plan = device.planner.plan(spec).unwrap_or_else(|error| panic!("{}: {error}", device.name));
    plan.run(input).unwrap().wait().unwrap()
}

fn flat<T: Element>(values: &[T]) -> Vec<f64> {
    bytemuck::cast_slice::<T, f32>(values).iter().map(|&x| x.into()).collect()
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Fails if two arrays differ by more than the bound.
fn assert_near(actual: &[f64], expected: &[f64], bound: f64, what: &str) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    let difference: Vec<f64> = actual.iter().zip(expected).map(|(a, e)| a - e).collect();
    let error = norm(&difference) / norm(expected);
    assert!(error <= bound, "{what}: error {error:.2e}, more than {bound:.2e}");
}

/// T(2x - y/4) = 2·T(x) - T(y)/4.
fn is_linear<S: Spec>(device: &Device, spec: &S, len: usize, bound: f64) {
    let (x, y) = (noise(len, 1), noise(len, 2));
    let both: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.0 * x - 0.25 * y).collect();
    let [x, y, both] = [x, y, both].map(|values| flat(&run(device, spec.clone(), &bytemuck::pod_collect_to_vec::<f32, S::Input>(&values))));
    let expected: Vec<f64> = x.iter().zip(&y).map(|(x, y)| 2.0 * x - 0.25 * y).collect();
    assert_near(&both, &expected, bound, &format!("{}: `{spec}` is not linear", device.name));
}

/// exp(-2πi·(shift·k)/n) over two axes, for the first `columns` of the last one.
fn turns([rows, columns]: [usize; 2], stored: usize, by: [usize; 2]) -> Vec<Complex64> {
    let turn = |k: usize, by: usize, n: usize| Complex64::cis(-TAU * (k * by % n) as f64 / n as f64);
    (0..rows * stored).map(|i| turn(i / stored, by[0], rows) * turn(i % stored, by[1], columns)).collect()
}

pub fn complex_transforms(device: &Device) {
    let device = &device.alone();
    let [rows, columns] = extents(device);
    let n = rows * columns;
    let bound = 3.0 * fft_budget(n);
    let x = complex_noise(n, 3);
    for (name, spec, sign) in [("forward", C2c::forward([rows, columns]), 1.0), ("inverse", C2c::inverse([rows, columns]), -1.0)] {
        let what = format!("{}, {name}", device.name);
        is_linear(device, &spec, 2 * n, bound);
        let spectrum = run(device, spec.clone(), &x);
        // A cyclic shift turns the phases.
        let by = [rows / 3, columns / 5 + 1];
        let shifted = run(device, Roll::<Complex32>::new([rows, columns], by.map(|by| by as isize)), &x);
        let expected: Vec<Complex64> = wide(&spectrum)
            .iter()
            .zip(turns([rows, columns], columns, by))
            .map(|(z, turn)| if sign > 0.0 { z * turn } else { z * turn.conj() })
            .collect();
        assert_close(&run(device, spec, &shifted), &expected, bound, &format!("{what}: a shift"));
    }
    // The transform of a transposed array is the transposed transform.
    let turned = run(device, Permute::<Complex32>::transpose([rows, columns]), &x);
    let there = run(device, C2c::forward([columns, rows]), &turned);
    let expected = run(device, Permute::<Complex32>::transpose([rows, columns]), &run(device, C2c::forward([rows, columns]), &x));
    assert_close(&there, &wide(&expected), bound, &format!("{}: transposed", device.name));
}

pub fn real_transforms(device: &Device) {
    let device = &device.alone();
    // Even and odd lengths take different ways.
    let [rows, columns] = extents(device);
    for columns in [columns, columns - 1] {
        let (n, half) = (rows * columns, columns / 2 + 1);
        let bound = 3.0 * fft_budget(3 * n);
        let forward = R2c::forward([rows, columns]);
        let what = format!("{}: `{forward}`", device.name);
        let x = noise(n, 4);
        let spectrum = run(device, forward.clone(), &x);
        is_linear(device, &forward, n, bound);
        is_linear(device, &C2r::inverse([rows, columns]), 2 * rows * half, bound);
        // Frequencies between the first and the middle one stand for two.
        let times = |k: usize| if k == 0 || 2 * k == columns { 1.0 } else { 2.0 };
        let energy: f64 = wide(&spectrum).iter().enumerate().map(|(i, z)| times(i % half) * z.norm_sqr()).sum();
        let ratio = energy / (norm(&flat(&x)).powi(2) * n as f64);
        assert!((ratio - 1.0).abs() < bound, "{what}: Parseval {ratio}");
        let by = [rows / 3, columns / 5 + 1];
        let shifted = run(device, Roll::<f32>::new([rows, columns], by.map(|by| by as isize)), &x);
        let expected: Vec<Complex64> = wide(&spectrum).iter().zip(turns([rows, columns], half, by)).map(|(z, turn)| z * turn).collect();
        assert_close(&run(device, forward, &shifted), &expected, bound, &format!("{what}: a shift"));
        let back = run(device, C2r::inverse([rows, columns]).scale(Scale::InvLen), &spectrum);
        assert_near(&flat(&back), &flat(&x), bound, &format!("{what}: there and back"));
    }
}

/// Kinds from reals to reals: every adapter that compiles slowly gets some of them.
pub fn reals_to_reals(device: &Device) {
    let device = &device.alone();
    let [rows, columns] = extents(device);
    let n = rows * columns;
    let bound = 4.0 * fft_budget(4 * n);
    let x = noise(n, 5);
    for (i, kind) in RealKind::ALL.into_iter().enumerate() {
        if !device.is_thorough() && i % 3 != 0 {
            continue;
        }
        let spec = R2r::new(kind, [rows, columns]);
        let what = format!("{}: `{spec}`", device.name);
        is_linear(device, &spec, n, bound);
        // With the scale 1/√n of the logical length and an orthogonal form, lengths are kept.
        let orthonormal = spec.clone().orthonormal();
        let result = run(device, orthonormal.clone(), &x);
        if !matches!(kind, RealKind::ToHalfComplex | RealKind::OfHalfComplex) {
            let ratio = norm(&flat(&result)) / norm(&flat(&x));
            assert!((ratio - 1.0).abs() < bound, "{what}: Parseval {ratio}");
        }
        let back = run(device, orthonormal.inverse(), &result);
        assert_near(&flat(&back), &flat(&x), bound, &format!("{what}: there and back"));
        if i % 4 == 0 {
            let turned = run(device, Permute::<f32>::transpose([rows, columns]), &x);
            let there = run(device, R2r::new(kind, [columns, rows]), &turned);
            let expected = run(device, Permute::<f32>::transpose([rows, columns]), &run(device, spec, &x));
            assert_near(&flat(&there), &flat(&expected), bound, &format!("{what}: transposed"));
        }
    }
}

/// A law that every result keeps would say nothing.
pub fn wrong_results_break_the_laws() {
    let right: Vec<f64> = (0..64).map(|i| f64::from(i) - 31.5).collect();
    let mut wrong = right.clone();
    wrong[9] += 1e-3;
    assert_near(&right, &right, 1e-7, "equal");
    assert!(std::panic::catch_unwind(|| assert_near(&wrong, &right, 1e-7, "not equal")).is_err());
    wrong[9] = f64::NAN;
    assert!(std::panic::catch_unwind(|| assert_near(&wrong, &right, 1e-7, "no number")).is_err());
}
