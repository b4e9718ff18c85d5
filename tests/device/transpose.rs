//! Permutations, compared bit by bit, including the gaps between the elements of an output.

use proptest::prelude::*;
use wgpu_fft::low_level::recipes::transpose::Recipe;
use wgpu_fft::num_complex::Complex;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Element};

use crate::harness::*;
use crate::permute::{Case, PERMUTATIONS, in_layouts, orders};
use crate::recipes_by_hand::TRANSPOSES;
use crate::reference::Places;

fn check<T: Element>(device: &Device, rows: usize, columns: usize, batch: usize, recipe: Option<Recipe>) {
    let spec = Permute::<T>::transpose([rows, columns]).batch(batch);
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
            for recipe in device.share(TRANSPOSES, 3, rows + batch) {
                check_all_widths(device, rows, columns, batch, Some(recipe.parse().unwrap()));
            }
        }
    }
}

/// 1080 is not a multiple of 16. The program from which this picture comes loses 15,360 elements.
/// 120 and 192 leave the same remainders by 16 and 32.
pub fn pictures_like_full_hd_are_exact_in_every_variant(device: &Device) {
    let sizes: &[_] = if device.is_thorough() { &[(120, 192), (1080, 1920)] } else { &[(120, 192)] };
    for (rows, columns) in sizes.iter().flat_map(|&(rows, columns)| [(rows, columns), (columns, rows)]) {
        check_all_widths(device, rows, columns, 1, None);
        for recipe in TRANSPOSES {
            check::<u32>(device, rows, columns, 1, Some(recipe.parse().unwrap()));
        }
    }
    check_all_widths(device, 120, 192, 1, Some("tiled 16+1 elements=1".parse().unwrap()));
    for recipe in [None, Some("tiled 16+1 elements=1".parse().unwrap())] {
        check::<f32>(device, 1080, 1920, 1, recipe);
    }
}

/// More workgroups than one axis of a grid can have.
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
    let plan = device.planner.plan_with(Permute::<u32>::transpose([8, 8]), "tiled 4+1 elements=1".parse().unwrap()).unwrap();
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

/// Runs a case between guards and compares the whole output with the host's result. Returns false
/// if the recipe does not fit.
fn permute<T: Element>(device: &Device, case: &Case, recipe: Option<&str>) -> bool {
    let recipe = recipe.map(|text| text.parse::<Recipe>().unwrap());
    let Some(plan) = device.plan_if_fit(case.spec::<T>(), recipe) else { return false };
    let input_len = plan.input_len();
    let input: Vec<T> = bytemuck::pod_collect_to_vec(&words((input_len * size_of::<T>()).div_ceil(4), 7));
    let input = &input[..input_len];
    let unwritten: Vec<T> = bytemuck::pod_collect_to_vec(&vec![UNWRITTEN; plan.program().output().bytes().div_ceil(4) as usize]);
    let before = if case.in_place { input } else { &unwritten[..plan.output_len()] };
    let output = run_guarded(device, &plan, input);
    let what = format!("{}: `{}` by `{}`", device.name, plan.spec(), plan.recipe());
    assert_equal_bits(&output, &case.expected(input, before), &what);
    true
}

fn permute_every_size(device: &Device, case: &Case, recipe: Option<&str>) -> usize {
    let done = [
        permute::<u8>(device, case, recipe),
        permute::<u16>(device, case, recipe),
        permute::<f32>(device, case, recipe),
        permute::<Complex32>(device, case, recipe),
        permute::<Complex<f64>>(device, case, recipe),
    ];
    done.into_iter().filter(|&done| done).count()
}

pub fn every_order_of_axes(device: &Device) {
    let device = &device.alone();
    for shape in [&[34, 61][..], &[64, 80], &[9, 12, 20], &[13, 5, 7], &[4, 6, 8, 12], &[3, 5, 2, 7]] {
        for order in device.share(orders(shape.len()), 3, 0) {
            permute_every_size(device, &Case::new(shape, &order), None);
        }
    }
    permute_every_size(device, &Case::new(&[5, 6, 7, 16], &[3, 1, 0, 2]).batch(3), None);
}

pub fn tiny_and_narrow_shapes(device: &Device) {
    let device = &device.alone();
    for shape in [[1, 1], [1, 5], [5, 1], [3, 1000], [1000, 3], [2, 7], [1, 4097], [4, 1024], [1024, 4], [8, 3]] {
        for batch in [1, 3] {
            permute_every_size(device, &Case::transpose(&shape).batch(batch), None);
        }
    }
}

pub fn layouts_and_what_lies_between(device: &Device) {
    let device = &device.alone();
    for case in in_layouts(3) {
        permute_every_size(device, &case, None);
    }
}

pub fn square_matrices_in_place(device: &Device) {
    let device = &device.alone();
    for (n, batch) in [(1, 1), (2, 3), (7, 2), (32, 1), (48, 3), (65, 1), (130, 2)] {
        permute_every_size(device, &Case::transpose(&[n, n]).batch(batch).in_place(), None);
        let pitched = Places { strides: vec![n + 16, 1], distance: n * (n + 16) + 32, offset: 16 };
        let case = Case::transpose(&[n, n]).batch(batch).in_place().layouts(Some(pitched.clone()), Some(pitched));
        permute_every_size(device, &case.more(5), None);
    }
    permute_every_size(device, &Case::new(&[9, 5, 9], &[2, 1, 0]).in_place(), None);
    permute::<u8>(device, &Case::new(&[9, 9, 16], &[1, 0, 2]).in_place(), None);
}

pub fn recipes_by_hand(device: &Device) {
    let device = &device.alone();
    let pitched = |extra: usize, [rows, columns]: [usize; 2]| {
        Some(Places { strides: vec![columns + extra, 1], distance: rows * (columns + extra), offset: extra })
    };
    let cases = [
        Case::transpose(&[128, 256]),
        Case::transpose(&[80, 144]).batch(2),
        Case::transpose(&[77, 133]),
        Case::transpose(&[40, 72]).layouts(pitched(16, [40, 72]), pitched(1, [72, 40])),
        Case::transpose(&[40, 72]).layouts(pitched(3, [40, 72]), pitched(32, [72, 40])),
        Case::transpose(&[96, 96]).batch(2).in_place(),
        Case::transpose(&[50, 50]).in_place(),
        Case::new(&[3, 48, 5, 64], &[3, 2, 1, 0]),
        Case::new(&[12, 34, 80], &[1, 0, 2]),
    ];
    let mut done = [0; PERMUTATIONS.len()];
    for (i, (recipe, done)) in PERMUTATIONS.into_iter().zip(&mut done).enumerate() {
        // Where a text takes half a second to compile, each recipe gets only some of the cases, and
        // more of them if it fits none of those.
        let is_taken = |j: usize| device.is_thorough() || (i + j).is_multiple_of(3);
        let (some, others): (Vec<_>, Vec<_>) = cases.iter().enumerate().partition(|(j, _)| is_taken(*j));
        some.iter().for_each(|(_, case)| *done += permute_every_size(device, case, Some(recipe)));
        others.iter().for_each(|(_, case)| *done += if *done == 0 { permute_every_size(device, case, Some(recipe)) } else { 0 });
    }
    println!("{}: {done:?}", device.name);
    // WebGPU's minimum is enough for each, but for accesses of 32 bytes.
    let profile = device.gpu().profile();
    let is_small = profile.invocations < 256 || profile.workgroup_bytes < 16 << 10;
    let must_fit = |recipe: &str| !is_small && (profile.int64 || !recipe.contains("=32 "));
    let missing = PERMUTATIONS.into_iter().zip(done).filter(|(recipe, done)| *done == 0 && must_fit(recipe));
    let missing: Vec<&str> = missing.map(|(recipe, _)| recipe).collect();
    assert!(missing.is_empty(), "{}: no case ran by {missing:?}", device.name);
}

/// 1921 is odd, so rows of bytes begin anywhere in a word.
pub fn pictures_of_bytes_are_exact(device: &Device) {
    let device = &device.alone();
    for shape in [[1080, 1920], [1080, 1921], [1921, 1080], [1079, 1921]] {
        permute::<u8>(device, &Case::transpose(&shape), None);
        permute::<u16>(device, &Case::transpose(&shape), None);
        for recipe in ["tiles 64x64 width=4 blocks=1 swizzle walk=rows", "gather 8x32"] {
            permute::<u8>(device, &Case::transpose(&shape), Some(recipe));
        }
    }
    permute::<u8>(device, &Case::new(&[270, 481, 3], &[2, 0, 1]), None);
    permute::<u8>(device, &Case::new(&[3, 270, 481], &[1, 2, 0]), None);
}

/// More workgroups than one axis of a grid can have, for each kernel.
pub fn folded_grids_of_permutations(device: &Device) {
    for (shape, order, recipe) in [
        (&[1030, 1030][..], &[1, 0][..], "tiles 4x4 width=4 blocks=1 swizzle walk=rows"),
        (&[1030, 1030], &[1, 0], "blocks 4x4 width=4 blocks=4 along=rows walk=columns"),
        (&[512, 2, 300], &[1, 0, 2], "strided 4x1 elements=1"),
    ] {
        permute::<f32>(device, &Case::new(shape, order), Some(recipe));
    }
    permute::<f32>(device, &Case::transpose(&[4, 4]).batch(66_000).in_place(), Some("blocks 4x4 width=4 blocks=4"));
    permute::<u8>(device, &Case::transpose(&[260, 300]), Some("gather 1x1"));
    permute::<u8>(device, &Case::transpose(&[270, 270]).in_place(), Some("swap 1x1"));
}

/// Arrays larger than one binding take several dispatches.
pub fn arrays_larger_than_a_binding(device: &Device) {
    let device = &device.limited(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
    for case in [Case::transpose(&[200, 300]), Case::new(&[30, 40, 50], &[2, 0, 1]), Case::new(&[30, 40, 50], &[1, 0, 2])] {
        let plan = device.planner.plan(case.spec::<f32>()).unwrap();
        assert!(plan.program().dispatch_count() > 1, "{}", plan.program());
        permute_every_size(device, &case, None);
    }
    permute_every_size(device, &Case::transpose(&[60, 60]).batch(9).in_place(), None);
}

pub fn random_permutations_are_exact(device: &Device) {
    let device = &device.alone();
    let cases_of = if device.is_thorough() { 60 } else { 30 };
    let extents = proptest::collection::vec(1usize..40, 1..=4);
    proptest!(cases(cases_of), |(shape in extents, order in 0usize..24, batch in 1usize..4, pads in [0usize..6, 0..6], offsets in [0usize..9, 0..9], size in 0..5)| {
        let orders = orders(shape.len());
        let case = Case::new(&shape, &orders[order % orders.len()]).batch(batch);
        let places = |shape: &[usize], pad: usize, offset: usize| {
            let mut strides = vec![1; shape.len()];
            for axis in (0..shape.len() - 1).rev() {
                strides[axis] = strides[axis + 1] * shape[axis + 1] + pad;
            }
            Some(Places { distance: strides[0] * shape[0] + pad, strides, offset })
        };
        let (input, output) = (places(&shape, pads[0], offsets[0]), places(&case.output_shape(), pads[1], offsets[1]));
        let case = case.layouts(input, output);
        match size {
            0 => permute::<u8>(device, &case, None),
            1 => permute::<u16>(device, &case, None),
            2 => permute::<f32>(device, &case, None),
            3 => permute::<Complex32>(device, &case, None),
            _ => permute::<[f32; 4]>(device, &case, None),
        };
    });
}
