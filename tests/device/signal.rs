//! Cyclic shifts, compared bit by bit.

use wgpu_fft::num_complex::Complex;
use wgpu_fft::signal::Roll;
use wgpu_fft::{Complex32, Element};

use crate::harness::*;
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
