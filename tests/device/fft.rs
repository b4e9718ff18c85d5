//! Fourier transforms against rustfft in f64, and by their own laws where that is too slow.

use std::f64::consts::TAU;

use proptest::prelude::*;
use wgpu_fft::Complex32;
use wgpu_fft::fft::{C2c, Recipe, RowRecipe, Scale};
use wgpu_fft::num_complex::Complex64;

use crate::harness::*;
use crate::recipes_by_hand::row_recipes;

/// Transforms noise and compares; returns error ÷ budget.
fn check(
    device: &Device,
    [rows, columns]: [usize; 2],
    batch: usize,
    inverse: bool,
    change: impl Fn(C2c) -> C2c,
    recipe: Option<&Recipe>,
) -> f64 {
    let spec = if inverse { C2c::inverse([rows, columns]) } else { C2c::forward([rows, columns]) };
    let spec = change(spec.batch(batch));
    let Some(plan) = device.plan_if_fit(spec, recipe.cloned()) else { return 0.0 };
    let n = rows * columns;
    let input = complex_noise(n * batch, (n + batch) as u64);
    let text = plan.spec().to_string();
    let factor = match () {
        () if text.contains("1/n") => 1.0 / n as f64,
        () if text.contains("1/sqrt(n)") => 1.0 / (n as f64).sqrt(),
        () => 1.0,
    };
    let mut expected: Vec<Complex64> = reference_fft(&input, rows, columns, inverse).into_iter().map(|z| z * factor).collect();
    if text.contains("transposed") {
        expected = transposed(&expected, rows, columns);
    }
    let actual = run_guarded(device, &plan, &input);
    let context = format!("{}: `{text}` by `{}`", device.name, plan.recipe());
    assert_close(&actual, &expected, fft_budget(n), &context) / fft_budget(n)
}

pub fn every_length_in_both_directions(device: &Device) {
    let mut worst = 0f64;
    for n in (0..=13).map(|log2| 1 << log2) {
        for inverse in [false, true] {
            worst = worst.max(check(device, [1, n], 5, inverse, |spec| spec, None));
        }
    }
    println!("{}: error at most {worst:.2} of the budget", device.name);
    // A budget that nobody comes near would not notice a mistake.
    assert!(worst > 0.4, "the budget is too loose: {worst}");
}

pub fn every_row_recipe(device: &Device) {
    for n in (0..=11).map(|log2| 1 << log2) {
        for recipe in row_recipes(n) {
            check(device, [1, n], 7, false, |spec| spec, Some(&recipe));
            check(device, [1, n], 7, true, C2c::in_place, Some(&recipe));
        }
    }
}

pub fn two_axes_in_every_placement(device: &Device) {
    let shapes = [[1, 1], [1, 64], [64, 1], [2, 2], [2, 1024], [1024, 2], [16, 16], [32, 128], [256, 64], [512, 512]];
    for shape in shapes {
        for batch in [1, 3] {
            check(device, shape, batch, false, |spec| spec, None);
            check(device, shape, batch, true, |spec| spec.scale(Scale::InvLen), None);
            check(device, shape, batch, false, |spec| spec.in_place().scale(Scale::InvSqrtLen), None);
            check(device, shape, batch, false, C2c::transposed, None);
            check(device, shape, batch, true, |spec| spec.transposed().in_place(), None);
        }
    }
}

pub fn two_axes_by_recipes_by_hand(device: &Device) {
    let recipe = "rows: radix2 rows=1 lanes=64; \
                  columns: registers 8.8 elements=8 rows=4 exchange=split banks=32 roots=products; \
                  transpose: tiled 16+1 elements=1";
    for transpose in ["naive 16x16", "tiled 16+0 elements=1", "tiled 16+1 elements=4"] {
        let recipe = recipe.replace("tiled 16+1 elements=1", transpose).parse().unwrap();
        check(device, [64, 256], 2, false, |spec| spec, Some(&recipe));
        check(device, [64, 256], 2, true, |spec| spec.in_place().transposed(), Some(&recipe));
    }
}

/// Peers fail with more than 1024 rows, or past 65,535 workgroups.
pub fn many_rows(device: &Device) {
    check(device, [1, 16], 5000, false, |spec| spec, None);
    let recipe = Recipe::Rows(RowRecipe::Radix2 { rows: 1, lanes: 1 });
    check(device, [1, 2], 65_537, false, |spec| spec, Some(&recipe));
}

pub fn forward_and_inverse_lead_back(device: &Device) {
    let input = complex_noise(256 * 128, 1);
    let there = device.planner.plan(C2c::forward([256, 128]).transposed()).unwrap();
    let back = device.planner.plan(C2c::inverse([128, 256]).transposed().scale(Scale::InvLen)).unwrap();
    let spectrum = there.run(&input).unwrap().wait().unwrap();
    let output = back.run(&spectrum).unwrap().wait().unwrap();
    assert_close(&output, &to_f64(&input), 2.0 * fft_budget(input.len()), &device.name);
}

/// Sizes at which a reference would be slow: an impulse, a shift, Parseval, and some frequencies summed directly.
pub fn laws_at_a_large_size(device: &Device) {
    let (rows, columns) = (2048, 1024);
    let n = rows * columns;
    let plan = device.planner.plan(C2c::forward([rows, columns])).unwrap();
    let run = |input: &[Complex32]| plan.run(input).unwrap().wait().unwrap();

    let mut impulse = vec![Complex32::ZERO; n];
    impulse[3 * columns + 5] = Complex32::ONE;
    let turn =
        |k: usize, l: usize| Complex64::cis(-TAU * ((3 * k % rows) as f64 / rows as f64 + (5 * l % columns) as f64 / columns as f64));
    let expected: Vec<Complex64> = (0..n).map(|i| turn(i / columns, i % columns)).collect();
    assert_close(&run(&impulse), &expected, fft_budget(n), "impulse");

    let input = complex_noise(n, 2);
    let output = run(&input);
    let energy = |data: &[Complex32]| to_f64(data).iter().map(Complex64::norm_sqr).sum::<f64>();
    let ratio = energy(&output) / energy(&input) / n as f64;
    assert!((ratio - 1.0).abs() < 2.0 * fft_budget(n), "Parseval: {ratio}");

    let norm = (energy(&output) / n as f64).sqrt();
    for (k, l) in [(0, 0), (1, 0), (0, 1), (rows / 2, columns / 2), (777, 333), (rows - 1, columns - 1)] {
        let mut bin = Complex64::ZERO;
        for (i, z) in to_f64(&input).into_iter().enumerate() {
            let angle = (k * (i / columns) % rows) as f64 / rows as f64 + (l * (i % columns) % columns) as f64 / columns as f64;
            bin += z * Complex64::cis(-TAU * angle);
        }
        let actual = to_f64(&output[k * columns + l..][..1])[0];
        assert!((actual - bin).norm() < 4.0 * fft_budget(n) * norm, "bin {k}, {l}: {actual}, expected {bin}");
    }
}

/// What rustfft's own f32 transform makes of the same data, beside ours.
pub fn as_accurate_as_rustfft_in_f32(device: &Device) {
    for n in [64, 1024, 4096] {
        let input = complex_noise(16 * n, 3);
        let expected = reference_fft(&input, 1, n, false);
        let mut theirs = input.clone();
        rustfft::FftPlanner::<f32>::new().plan_fft_forward(n).process(&mut theirs);
        let ours = device.planner.plan(C2c::forward(n).batch(16)).unwrap().run(&input).unwrap().wait().unwrap();
        let (ours, theirs) = (relative_error(&ours, &expected), relative_error(&theirs, &expected));
        println!("{} {n}: ours {ours:.2e}, rustfft {theirs:.2e}", device.name);
        assert!(ours <= 1.5 * theirs, "{} {n}: ours {ours:.2e}, rustfft {theirs:.2e}", device.name);
    }
}

pub fn not_a_number_stays_in_its_row(device: &Device) {
    let plan = device.planner.plan(C2c::forward(256).batch(5)).unwrap();
    let clean = complex_noise(5 * 256, 4);
    let expected = plan.run(&clean).unwrap().wait().unwrap();
    let mut input = clean.clone();
    input[256 + 7].re = f32::NAN;
    input[3 * 256 + 9].im = f32::INFINITY;
    let output = run_guarded(device, &plan, &input);
    for row in [0, 2, 4] {
        assert_equal_bits(&output[row * 256..][..256], &expected[row * 256..][..256], &device.name);
    }
    assert!(output[256..512].iter().all(|z| z.re.is_nan() && z.im.is_nan()), "{}", device.name);
    assert!(output[768..1024].iter().all(|z| !z.re.is_finite() && !z.im.is_finite()), "{}", device.name);
}

pub fn the_comparison_can_fail() {
    let input = complex_noise(64, 5);
    let expected = reference_fft(&input, 1, 64, false);
    let right: Vec<Complex32> = expected.iter().map(|z| Complex32::new(z.re as f32, z.im as f32)).collect();
    assert!(relative_error(&right, &expected) < fft_budget(64));
    let mut wrong = right.clone();
    wrong[40].re = f32::NAN;
    assert_eq!(relative_error(&wrong, &expected), f64::INFINITY);
    wrong[40] = right[41];
    assert!(relative_error(&wrong, &expected) > fft_budget(64));
    let inverse = reference_fft(&input, 1, 64, true);
    assert!(relative_error(&right, &inverse) > fft_budget(64));
    let sloppy: Vec<Complex32> = right.iter().map(|z| z * (1.0 + 1e-6)).collect();
    assert!(relative_error(&sloppy, &expected) > fft_budget(64));
}

pub fn random_shapes(device: &Device) {
    let scales = [Scale::One, Scale::InvLen, Scale::InvSqrtLen];
    proptest!(cases(24), |(rows in 0u32..9, columns in 0u32..11, batch in 1usize..6, inverse: bool, in_place: bool, stay: bool, scale in 0usize..3)| {
        let change = |mut spec: C2c| {
            spec = if in_place { spec.in_place() } else { spec };
            spec = if stay { spec.transposed() } else { spec };
            spec.scale(scales[scale])
        };
        check(device, [1 << rows, 1 << columns], batch, inverse, change, None);
    });
}
