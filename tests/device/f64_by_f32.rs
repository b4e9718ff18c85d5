//! Transforms of f64 in double-single arithmetic, on every adapter.

use wgpu_fft::Planner;
use wgpu_fft::fft::{C2c, R2r, RealKind};

use crate::double::{complex_noise, noise};
use crate::harness::*;
use crate::progress::less;
use crate::real_kinds_by_definition::transform;
use crate::transform_cases::{Case, KINDS, Kind, SHAPES, by_hand, layouts};

/// Checks cases and prints the largest error.
fn check(device: &Device, cases: impl IntoIterator<Item = Case>) {
    let largest = cases.into_iter().map(|case| case.by_f32().check(device)).fold(0.0, f64::max);
    println!("{}: largest error {largest:.2} of the bound", device.name);
}

/// One case of so many on software adapters, and of twice as many on a slow one: the texts are long.
fn one_of(device: &Device, many: usize) -> usize {
    match (device.is_thorough(), device.is_slow()) {
        (true, _) => 1,
        (false, false) => many,
        (false, true) => 2 * many,
    }
}

pub fn lengths_in_f64_by_f32(device: &Device) {
    const REAL: [Kind; 2] = [Kind::R2c, Kind::C2r];
    let short = (1..=64).step_by(one_of(device, 15));
    check(device, short.map(|n| Case::new(if n % 2 == 0 { Kind::Forward } else { Kind::Inverse }, &[n]).batch(3)));
    let (long, reals, in_place): (&[usize], &[usize], &[usize]) = match (device.is_thorough(), device.is_slow()) {
        (true, _) => (&[67, 1009, 4096, 1 << 15], &[1, 2, 15, 60, 67, 16_384], &[16, 15]),
        (false, false) => (&[67, 4096], &[2, 15, 1024], &[16, 15]),
        (false, true) => (&[67], &[60], &[16]),
    };
    check(device, long.iter().map(|&n| Case::new(Kind::Forward, &[n])));
    check(device, [60, 1024].map(|n| Case::new(Kind::Inverse, &[n]).in_place(true)));
    check(device, reals.iter().flat_map(|&n| REAL.map(|kind| Case::new(kind, &[n]).batch(3))));
    check(device, in_place.iter().flat_map(|&n| REAL.map(|kind| Case::new(kind, &[n]).batch(2).in_place(true))));
}

pub fn several_axes_in_f64_by_f32(device: &Device) {
    let shapes = SHAPES.iter().step_by(one_of(device, 7));
    check(device, shapes.flat_map(|shape| KINDS.map(|kind| Case::new(kind, shape).batch(2))));
    check(device, KINDS.map(|kind| Case::new(kind, &[12, 20]).in_place(true)));
    if device.is_thorough() {
        check(device, [Case::new(Kind::Forward, &[256, 256]), Case::new(Kind::Forward, &[32, 30, 64])]);
    }
    check(device, layouts().into_iter().step_by(one_of(device, 9)));
}

pub fn recipes_by_hand_in_f64_by_f32(device: &Device) {
    if device.is_slow() {
        return less(format!("{}: no recipes by hand of two f32, some of which take it minutes and which the rules avoid", device.name));
    }
    check(device, by_hand().into_iter().step_by(one_of(device, 19)));
}

pub fn real_kinds_in_f64_by_f32(device: &Device) {
    for kind in [RealKind::DctII, RealKind::DstIV] {
        for shape in [&[60][..], &[37], &[6, 10]] {
            let input = noise(shape.iter().product(), 5);
            let mut expected = input.clone();
            transform(&mut expected, shape, &(0..shape.len()).map(|axis| (axis, kind)).collect::<Vec<_>>());
            let plan = device.planner.plan(R2r::new(kind, shape).f64_by_f32()).unwrap();
            let output = plan.run(&input).unwrap().wait().unwrap();
            let (difference, norm) = output.iter().zip(&expected).fold((0.0, 0.0), |(d, n), (a, e)| (d + (a - e) * (a - e), n + e * e));
            let error = (difference / norm).sqrt();
            assert!(error < 1e-13, "{}: error {error:e} of {kind} of {shape:?}", device.name);
        }
    }
}

/// Another planner, and another handle of the same device, give the same bits.
pub fn the_probe_runs_once_for_a_device(device: &Device) {
    let spec = || C2c::forward(48).f64_by_f32().batch(2);
    let input = complex_noise(96, 11);
    let first = device.planner.plan(spec()).unwrap().run(&input).unwrap().wait().unwrap();
    let checked = Planner::new(&device.gpu().clone().with_bounds_checks(true));
    assert_eq!(checked.plan(spec()).unwrap().run(&input).unwrap().wait().unwrap(), first);
}
