//! Reductions in pieces, on one adapter and spread over all of them.

use wgpu_fft::elements::Value;
use wgpu_fft::reduce::{self, Reduction};
use wgpu_fft::{Complex32, Element, Fragment, Spec};

use crate::division::{Devices, Divided, in_lines, in_parts};
use crate::harness::*;
use crate::reductions::{Case, Runner};

/// Devices that take turns.
struct Turns(Vec<Device>);

impl Devices for Turns {
    fn run<S: Spec>(&self, turn: usize, spec: S, x: &[S::Input], y: Option<&[S::Input]>) -> Vec<S::Output> {
        let device = &self.0[turn % self.0.len()];
        let recipe = spec.design(device.gpu().profile());
        let plan = recipe.and_then(|recipe| device.planner.plan_with(spec, recipe));
        let plan = plan.unwrap_or_else(|error| panic!("{}: {error}", device.name));
        run_guarded_with(device, &plan, x, y)
    }

    fn depth<T: Value, O: Element>(&self, spec: &Reduction<T, O>) -> u32 {
        spec.depth(&spec.design(self.0[0].gpu().profile()).unwrap()).unwrap()
    }

    fn names(&self) -> String {
        self.0.iter().map(|device| device.name.clone()).collect::<Vec<_>>().join(", ")
    }

    fn has_f64(&self) -> bool {
        self.0.iter().all(|device| device.gpu().profile().f64)
    }

    fn has_custom(&self) -> bool {
        true
    }
}

/// Checks a case for all types. Where compiling or running takes long, it takes only the type given
/// by `turn`.
fn check(devices: &Divided<Turns>, turn: usize, case: &Case) {
    if devices.0.0.iter().all(Device::is_thorough) {
        return case.check(devices);
    }
    match turn % 5 {
        0 => case.check_f32(devices),
        1 => case.check_integers(devices),
        2 => case.check_f16(devices),
        3 if devices.has_f64() => case.check_f64(devices),
        _ => case.check_complex(devices),
    }
}

pub fn pieces_have_the_bits_of_the_whole(device: &Device) {
    let devices = Divided(Turns(vec![device.alone()]));
    for cases in [in_parts(), in_lines()] {
        for (turn, case) in device.share(cases.iter().enumerate(), 2, 0) {
            check(&devices, turn, case);
        }
    }
}

/// Sums whose bits depend on their order.
fn check_long(devices: &Divided<Turns>) {
    let (x, y, z) = (noise(300_000, 29), noise(300_000, 31), complex_noise(60_000, 30));
    let sum = reduce::custom::<f32>(300_000, "a + b", 0.0).unwrap();
    let of_reals = [
        reduce::sum::<f32>(300_000),
        reduce::sum([3000, 100]).axes([0]),
        reduce::sum([30, 100, 100]).axes([0, 2]),
        reduce::sum_squares([3, 100_000]).axes([1]),
        reduce::product([300, 1000]).axes([0]),
        sum.map_input(Fragment::new("value * f32(i0 % 7u)")).unwrap(),
    ];
    for spec in of_reals {
        devices.run(spec, None, &x, None);
    }
    devices.run(reduce::argmax::<f32>(300_000), None, &x, None);
    devices.run(reduce::dot::<f32>(300_000), None, &x, Some(&y));
    devices.run(reduce::max_abs_diff::<f32>([300, 1000]).axes([0]), None, &x, Some(&y));
    devices.run(reduce::sum::<Complex32>(60_000), None, &z, None);
    devices.run(reduce::vdot::<Complex32>([60, 1000]).axes([1]), None, &z, Some(&z));
}

pub fn pieces_of_long_arrays_have_the_bits_of_the_whole(device: &Device) {
    check_long(&Divided(Turns(vec![device.alone()])));
}

/// The whole on one adapter, and pieces on all of them in rotation.
pub fn pieces_on_all_adapters_have_the_bits_of_the_whole() {
    check_long(&Divided(Turns(devices().iter().map(Device::alone).collect())));
}
