//! Transforms in f64, on adapters that have it. Others refuse them.

use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::{Error, Spec};

use crate::harness::*;
use crate::transform_cases::{Case, KINDS, Kind, SHAPES, by_hand, layouts};

/// Checks cases on devices that can run them, and prints the largest error.
fn check(device: &Device, cases: impl IntoIterator<Item = Case>) {
    if device.gpu().profile().f64 {
        let largest = cases.into_iter().map(|case| case.f64().check(device)).fold(0.0, f64::max);
        println!("{}: largest error {largest:.2} of the bound", device.name);
    }
}

pub fn lengths_in_f64(device: &Device) {
    let short = if device.is_thorough() { (1..=130).step_by(1) } else { (1..=64).step_by(3) };
    check(device, short.map(|n| Case::new(if n % 2 == 0 { Kind::Forward } else { Kind::Inverse }, &[n]).batch(3)));
    check(device, [67, 1000, 1009, 4096, 4099, 1 << 17].map(|n| Case::new(Kind::Forward, &[n])));
    check(device, [67, 1000, 4096].map(|n| Case::new(Kind::Inverse, &[n]).in_place(true)));
    let reals = [1, 2, 15, 60, 67, 1000, 16_384];
    check(device, reals.into_iter().flat_map(|n| [Kind::R2c, Kind::C2r].map(|kind| Case::new(kind, &[n]).batch(3))));
    check(device, [16, 15].into_iter().flat_map(|n| [Kind::R2c, Kind::C2r].map(|kind| Case::new(kind, &[n]).batch(2).in_place(true))));
}

pub fn several_axes_in_f64(device: &Device) {
    let shapes = SHAPES.iter().step_by(if device.is_thorough() { 1 } else { 3 });
    check(device, shapes.flat_map(|shape| KINDS.map(|kind| Case::new(kind, shape).batch(2))));
    check(device, KINDS.map(|kind| Case::new(kind, &[12, 20]).in_place(true)));
    check(device, [Case::new(Kind::Forward, &[256, 256]), Case::new(Kind::Forward, &[32, 30, 64])]);
    let step = if device.is_thorough() { 1 } else { 4 };
    check(device, layouts().into_iter().step_by(step));
}

pub fn recipes_by_hand_in_f64(device: &Device) {
    check(device, by_hand().into_iter().step_by(if device.is_thorough() { 1 } else { 5 }));
}

pub fn devices_without_f64_say_so(device: &Device) {
    fn refused<S: Spec>(device: &Device, spec: S) {
        match device.planner.plan(spec) {
            Err(Error::Unsupported { why, .. }) => assert!(why.contains("SHADER_F64") && why.contains(&device.name), "{why}"),
            other => panic!("{}: {other:?}", device.name),
        }
    }
    if !device.gpu().profile().f64 {
        refused(device, C2c::forward([8, 8]).f64());
        refused(device, R2c::forward(8).f64());
        refused(device, C2r::inverse(8).f64());
    }
}
