//! Reductions: integers and extremes bit by bit, sums of f32 within the tree's bound.

use proptest::prelude::*;
use wgpu_fft::Spec;
use wgpu_fft::plan::Program;
use wgpu_fft::reduce::{Recipe, Reduce, Value};

use crate::harness::*;

fn reduce<T: Value>(device: &Device, spec: Reduce<T>, recipe: Option<Recipe>, input: &[T]) -> (T, Program) {
    let plan = match recipe {
        None => device.planner.plan(spec).unwrap(),
        Some(recipe) => device.planner.plan_with(spec, recipe).unwrap(),
    };
    (run_guarded(device, &plan, input)[0], plan.program().clone())
}

/// |s - ŝ| ≤ 2·u·d·Σ|x| for a tree of depth d.
fn sum_budget(program: &Program, input: &[f32]) -> f64 {
    let depth: u32 = program.dispatches.iter().map(|dispatch| dispatch.workgroup[0].ilog2()).sum();
    2.0 * U * f64::from(depth) * input.iter().map(|x| f64::from(x.abs())).sum::<f64>()
}

fn check_f32_sum(device: &Device, recipe: Option<Recipe>, input: &[f32]) {
    let (sum, program) = reduce(device, Reduce::sum(input.len()), recipe, input);
    let expected: f64 = input.iter().map(|&x| f64::from(x)).sum();
    let (error, budget) = ((f64::from(sum) - expected).abs(), sum_budget(&program, input));
    assert!(error <= budget, "{}: sum of {} is {sum}, expected {expected}: error {error:e} of {budget:e}", device.name, input.len());
}

/// Everything but f32 sums, for one array of words.
fn check_exact(device: &Device, recipe: Option<Recipe>, words: &[u32]) {
    let signed: Vec<i32> = words.iter().map(|&word| word as i32).collect();
    let n = words.len();
    let name = &device.name;
    assert_eq!(reduce(device, Reduce::sum(n), recipe, words).0, words.iter().fold(0, |a, &b| u32::wrapping_add(a, b)), "{name}: {n}");
    assert_eq!(reduce(device, Reduce::min(n), recipe, words).0, *words.iter().min().unwrap(), "{name}: {n}");
    assert_eq!(reduce(device, Reduce::max(n), recipe, words).0, *words.iter().max().unwrap(), "{name}: {n}");
    assert_eq!(reduce(device, Reduce::sum(n), recipe, &signed).0, signed.iter().fold(0, |a, &b| i32::wrapping_add(a, b)), "{name}: {n}");
    assert_eq!(reduce(device, Reduce::min(n), recipe, &signed).0, *signed.iter().min().unwrap(), "{name}: {n}");
    assert_eq!(reduce(device, Reduce::max(n), recipe, &signed).0, *signed.iter().max().unwrap(), "{name}: {n}");
    // As floats, with denormal numbers, infinities and both zeros, but without NaN: that has a test of its own.
    let floats: Vec<f32> = words.iter().map(|&word| f32::from_bits(word)).map(|x| if x.is_nan() { -0.0 } else { x }).collect();
    let by_order = |a: &&f32, b: &&f32| a.total_cmp(b);
    assert_equal_bits(&[reduce(device, Reduce::min(n), recipe, &floats).0], &[*floats.iter().min_by(by_order).unwrap()], name);
    assert_equal_bits(&[reduce(device, Reduce::max(n), recipe, &floats).0], &[*floats.iter().max_by(by_order).unwrap()], name);
}

pub fn every_length_around_the_thresholds(device: &Device) {
    for n in [1, 2, 3, 63, 64, 65, 255, 256, 257, 4095, 65_535, 65_536, 65_537, 65_536 + 256] {
        check_exact(device, None, &words(n, 3));
        check_f32_sum(device, None, &noise(n, 5));
    }
    for recipe in ["tree 2", "tree 8", "tree 64", "tree 128"] {
        let recipe = Some(recipe.parse().unwrap());
        check_exact(device, recipe, &words(1000, 11));
        check_f32_sum(device, recipe, &noise(1000, 13));
    }
}

/// Without guards and a dirty workspace, for sizes at which software adapters are slow.
fn reduce_large<T: Value>(device: &Device, spec: Reduce<T>, recipe: &str, input: &[T]) -> T {
    let plan = device.planner.plan_with(spec, recipe.parse().unwrap()).unwrap();
    plan.run(input).unwrap().wait().unwrap()[0]
}

pub fn four_mebi_elements_take_three_passes(device: &Device) {
    let input = noise(1 << 22, 17);
    let spec = Reduce::sum(1 << 22);
    let program = spec.lower(&"tree 256".parse().unwrap(), device.gpu().profile()).unwrap();
    assert_eq!(program.dispatches.iter().map(|dispatch| dispatch.grid.count()).collect::<Vec<_>>(), [16_384, 64, 1]);
    let sum = f64::from(reduce_large(device, spec, "tree 256", &input));
    let expected: f64 = input.iter().map(|&x| f64::from(x)).sum();
    assert!((sum - expected).abs() <= sum_budget(&program, &input), "{}: {sum}, expected {expected}", device.name);
}

/// A peer's sum of 2^24 ones gives 131070: it lost the workgroups past 65,535.
pub fn no_workgroup_is_lost_past_one_axis_of_the_grid(device: &Device) {
    assert_eq!(reduce_large(device, Reduce::sum(1 << 24), "tree 64", &vec![1u32; 1 << 24]), 1 << 24, "{}", device.name);
    let mut input = vec![7u32; 4 * 65_535 + 1];
    input[4 * 65_535] = 3;
    assert_eq!(reduce_large(device, Reduce::min(input.len()), "tree 4", &input), 3, "{}", device.name);
}

pub fn not_a_number_goes_through(device: &Device) {
    let mut input = noise(1000, 23);
    input[700] = f32::NAN;
    assert!(reduce(device, Reduce::sum(1000), None, &input).0.is_nan());
    for spec in [Reduce::min(1000), Reduce::max(1000)] {
        assert_equal_bits(&[reduce(device, spec, None, &input).0], &[f32::NAN], &device.name);
    }
    input[700] = f32::INFINITY;
    assert_eq!(reduce(device, Reduce::sum(1000), None, &input).0, f32::INFINITY);
    assert_eq!(reduce(device, Reduce::max(1000), None, &input).0, f32::INFINITY);
}

/// The order of a tree is fixed by the recipe: two adapters give the same bits.
pub fn adapters_agree_on_the_bits_of_a_sum() {
    let input = noise(100_000, 29);
    let sums: Vec<u32> = devices()
        .iter()
        .map(|device| reduce(device, Reduce::sum(input.len()), Some("tree 64".parse().unwrap()), &input).0.to_bits())
        .collect();
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]), "{sums:x?}");
}

pub fn the_bound_can_fail() {
    let profile = wgpu_fft::DeviceProfile::webgpu_defaults();
    let spec = Reduce::<f32>::sum(4096);
    let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
    let input = noise(4096, 31);
    let expected: f64 = input.iter().map(|&x| f64::from(x)).sum();
    let without_the_last: f64 = input[..4095].iter().map(|&x| f64::from(x)).sum();
    assert!((expected - without_the_last).abs() > sum_budget(&program, &input));
}

pub fn random_lengths(device: &Device) {
    proptest!(cases(16), |(n in 1usize..200_000, seed in any::<u64>(), log2 in 1u32..9)| {
        let recipe = Recipe::Tree { workgroup: 1 << log2 };
        check_f32_sum(device, Some(recipe), &noise(n, seed));
        let words = words(n, seed);
        prop_assert_eq!(reduce(device, Reduce::max(n), Some(recipe), &words).0, *words.iter().max().unwrap());
    });
}
