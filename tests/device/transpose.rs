//! Transposes, bit by bit.

use proptest::prelude::*;
use wgpu_fft::num_complex::Complex;
use wgpu_fft::transpose::{Recipe, Transpose};
use wgpu_fft::{Complex32, Element};

use crate::harness::*;
use crate::recipes_by_hand::TRANSPOSES;

fn check<T: Element>(device: &Device, rows: usize, columns: usize, batch: usize, recipe: Option<Recipe>) {
    let spec = Transpose::<T>::new([rows, columns]).batch(batch);
    let Some(plan) = device.plan_if_fit(spec, recipe) else { return };
    let words = words(rows * columns * batch * size_of::<T>() / 4, 7);
    let input: Vec<T> = bytemuck::pod_collect_to_vec(&words);
    let output = run_guarded(device, &plan, &input);
    assert_equal_bits(&output, &transposed(&input, rows, columns), &format!("{}: `{}` by `{}`", device.name, plan.spec(), plan.recipe()));
}

fn check_all_widths(device: &Device, rows: usize, columns: usize, batch: usize, recipe: Option<Recipe>) {
    check::<f32>(device, rows, columns, batch, recipe);
    check::<Complex32>(device, rows, columns, batch, recipe);
    check::<Complex<f64>>(device, rows, columns, batch, recipe);
}

pub fn every_variant_is_exact_at_every_kind_of_size(device: &Device) {
    let shapes = [(1, 1), (1, 37), (37, 1), (8, 8), (16, 16), (31, 33), (32, 64), (97, 101), (128, 5), (3, 257)];
    for (rows, columns) in shapes {
        for batch in [1, 3] {
            check_all_widths(device, rows, columns, batch, None);
            for recipe in TRANSPOSES {
                check_all_widths(device, rows, columns, batch, Some(recipe.parse().unwrap()));
            }
        }
    }
}

/// 1080 is no multiple of 16: the program that this picture comes from loses 15,360 elements.
pub fn the_full_hd_picture_is_exact_in_every_variant(device: &Device) {
    for (rows, columns) in [(1080, 1920), (1920, 1080)] {
        check_all_widths(device, rows, columns, 1, None);
        for recipe in TRANSPOSES {
            check::<u32>(device, rows, columns, 1, Some(recipe.parse().unwrap()));
        }
    }
    check_all_widths(device, 1080, 1920, 1, Some("tiled 16+1 elements=1".parse().unwrap()));
}

/// More workgroups than one axis of a grid holds.
pub fn folded_grids_reach_every_element(device: &Device) {
    for (rows, columns, batch, recipe) in [
        (2, 65_535, 1, "naive 2x1"),
        (2, 65_536, 1, "naive 1x2"),
        (2, 65_537, 1, "tiled 1+0 elements=1"),
        (4, 4, 65_537, "tiled 4+1 elements=1"),
    ] {
        check::<u32>(device, rows, columns, batch, Some(recipe.parse().unwrap()));
    }
    check::<u32>(device, 1, 256 * 65_536 + 1, 1, None);
}

pub fn the_worked_example_is_transposed(device: &Device) {
    let plan = device.planner.plan_with(Transpose::<u32>::new([8, 8]), "tiled 4+1 elements=1".parse().unwrap()).unwrap();
    let output = plan.run(&(1..=64).collect::<Vec<u32>>()).unwrap().wait().unwrap();
    assert_eq!((output[32], output[4], output[36]), (5, 33, 37));
    assert_eq!(output[..9], [1, 9, 17, 25, 33, 41, 49, 57, 2]);
}

pub fn the_comparison_can_fail() {
    assert_eq!(first_difference(&[1u32, 2, 3, 4], &transposed(&[1, 2, 3, 4], 2, 2)), Some(1));
    assert_eq!(first_difference(&[1u32, 3, 2, 4], &transposed(&[1, 2, 3, 4], 2, 2)), None);
    assert_eq!(first_difference(&[0.0f32, f32::NAN], &[-0.0, f32::NAN]), Some(0));
}

pub fn random_shapes_are_exact(device: &Device) {
    proptest!(cases(24), |(rows in 1usize..300, columns in 1usize..300, batch in 1usize..4, recipe in 0usize..=TRANSPOSES.len(), width in 0..3)| {
        let recipe: Option<Recipe> = TRANSPOSES.get(recipe).map(|text| text.parse().unwrap());
        match width {
            0 => check::<u32>(device, rows, columns, batch, recipe),
            1 => check::<[f32; 2]>(device, rows, columns, batch, recipe),
            _ => check::<[f32; 4]>(device, rows, columns, batch, recipe),
        }
    });
}
