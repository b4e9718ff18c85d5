//! Cosine, sine and Hartley transforms and half-complex spectra, compared with SciPy and with their
//! definitions.

use wgpu_fft::fft::{C2c, R2r, RealKind, Scale};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Complex32, Layout, Spec};

use crate::harness::*;
use crate::real_kinds_by_definition::{Vector, transform};

fn complex(x: &[f32]) -> Vec<Complex32> {
    x.iter().map(|&x| x.into()).collect()
}

/// Of short lengths every adapter that compiles slowly gets a part.
pub fn scipys_results(device: &Device) {
    let device = &device.alone();
    for (i, vector) in Vector::all().into_iter().enumerate() {
        if !device.is_thorough() && (vector.len() > 1 << 15 || i % if vector.len() > 512 { 5 } else { 29 } != 0) {
            continue;
        }
        let input = vector.input();
        let plan = device.planner.plan(vector.spec.clone()).unwrap();
        let what = format!("{}: {} by {}", device.name, plan.spec(), plan.recipe());
        vector.check(&run_guarded(device, &plan, &input), 2.0 * U * (vector.len() as f64 * 2.0).log2().sqrt(), &what);
    }
}

/// Every kind along every axis, in place and out of place, with layouts.
pub fn several_axes_of_reals(device: &Device) {
    let device = &device.alone();
    let shape = [10, 12, 9];
    let n: usize = shape.iter().product();
    let input = noise(2 * n, 3);
    for (i, kind) in RealKind::ALL.into_iter().enumerate() {
        let kinds = [kind, RealKind::ALL[(i + 3) % 11], RealKind::ALL[(i + 7) % 11]];
        let mut expected: Vec<f64> = input.iter().map(|&x| x.into()).collect();
        expected.chunks_mut(n).for_each(|item| transform(item, &shape, &[(0, kinds[0]), (1, kinds[1]), (2, kinds[2])]));
        let expected: Vec<Complex64> = expected.into_iter().map(Complex64::from).collect();
        let spec = R2r::by_axis(kinds, shape).batch(2);
        let spec = if i % 2 == 0 { spec.in_place() } else { spec };
        let plan = device.planner.plan(spec).unwrap();
        let what = format!("{}: {} by {}", device.name, plan.spec(), plan.recipe());
        assert_close(&complex(&plan.run(&input).unwrap().wait().unwrap()), &expected, 6e-7, &what);
    }
    // Columns to rows.
    let turned = R2r::new(RealKind::DctII, [16, 24]).input_layout(Layout::strides([1, 16]));
    let input = noise(16 * 24, 4);
    let mut expected: Vec<f64> = (0..16 * 24).map(|i| f64::from(input[i % 24 * 16 + i / 24])).collect();
    transform(&mut expected, &[16, 24], &[(0, RealKind::DctII), (1, RealKind::DctII)]);
    let expected: Vec<Complex64> = expected.into_iter().map(Complex64::from).collect();
    let plan = device.planner.plan(turned).unwrap();
    assert_close(&complex(&plan.run(&input).unwrap().wait().unwrap()), &expected, 6e-7, &plan.spec().to_string());
}

/// Every kind and its inverse, at sizes of several passes; in transforms of complex numbers too.
pub fn kinds_and_their_inverses_lead_back(device: &Device) {
    let device = &device.alone();
    let sizes: &[usize] = if device.is_thorough() { &[1000, 1 << 14, 10_007, 1 << 20] } else { &[1000, 1 << 14] };
    for (turn, &n) in sizes.iter().enumerate() {
        let input = noise(n, 5);
        let expected = wide(&complex(&input));
        for kind in device.share(RealKind::ALL, 1, turn) {
            let there = R2r::new(kind, n);
            let back = there.clone().inverse().scale(Scale::InvLen);
            let what = format!("{}: {there} and {back}", device.name);
            let run = |spec: R2r, x: &[f32]| device.planner.plan(spec).unwrap().run(x).unwrap().wait().unwrap();
            let output = run(back, &run(there, &input));
            assert_close(&complex(&output), &expected, 4.0 * U * (2.0 * n as f64).log2().sqrt(), &what);
        }
    }
    let shape = [40, 30];
    let input = complex_noise(1200, 2);
    for kind in RealKind::ALL {
        let there = C2c::forward(shape).axis_kind(0, kind).scale(Scale::InvLen);
        let back = C2c::inverse(shape).axis_kind(0, kind.inverse());
        let what = format!("{}: {there} and {back}", device.name);
        let run = |spec: C2c, x: &[Complex32]| device.planner.plan(spec).unwrap().run(x).unwrap().wait().unwrap();
        assert_close(&run(back, &run(there, &input)), &wide(&input), 6e-7, &what);
    }
}

/// A search tries other recipes, and its check of results knows the definitions.
pub fn recipes_of_real_kinds_agree(device: &Device) {
    let device = &device.alone();
    let input = noise(3 * 48 * 20, 6);
    for kind in [RealKind::DctII, RealKind::DstIII, RealKind::DctIV] {
        let spec = R2r::new(kind, [48, 20]).batch(3);
        let mut expected: Vec<f64> = input.iter().map(|&x| x.into()).collect();
        expected.chunks_mut(960).for_each(|item| transform(item, &[48, 20], &[(0, kind), (1, kind)]));
        let expected: Vec<Complex64> = expected.into_iter().map(Complex64::from).collect();
        let profile = device.gpu().profile();
        let all = spec.alternatives(profile);
        assert!(all.len() > 1, "{spec}: {}", all.len());
        for recipe in all.into_iter().take(if device.is_thorough() { 20 } else { 4 }) {
            let Some(plan) = device.plan_if_fit(spec.clone(), Some(recipe)) else { continue };
            let what = format!("{}: {spec} by {}", device.name, plan.recipe());
            assert_close(&complex(&plan.run(&input).unwrap().wait().unwrap()), &expected, 6e-7, &what);
        }
        let output: Vec<f32> = device.planner.plan(spec.clone()).unwrap().run(&input).unwrap().wait().unwrap();
        let recipe = spec.design(profile).unwrap();
        assert_eq!(output.len(), spec.lower(&recipe, profile).unwrap().output().len);
    }
}
