//! Filters on every adapter, by their definition in f64.

use proptest::prelude::*;
use wgpu_fft::Edge;
use wgpu_fft::Spec;
use wgpu_fft::low_level::recipes::signal::Filter as Recipe;
use wgpu_fft::signal::Mode;

use crate::filters::{EDGES, Filter, RECIPES, assert_exact, beyond_bound, bytes, whole_numbers};
use crate::harness::*;

/// Runs a filter of whole numbers, whose result is exact. Returns whether the recipe fits.
fn check<S: Spec<Recipe = Recipe, Output = f32>>(
    device: &Device,
    spec: &S,
    recipe: Option<&str>,
    x: &[S::Input],
    expected: &[f64],
) -> bool {
    let Some(plan) = device.plan_if_fit(spec.clone(), recipe.map(|text| text.parse().unwrap())) else { return false };
    let output = run_guarded(device, &plan, x);
    assert_exact(&output, expected, &format!("{}: `{}` by `{}`", device.name, plan.spec(), plan.recipe()));
    true
}

fn wide(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| x.into()).collect()
}

pub fn every_edge_and_parity(device: &Device) {
    // Each number of taps is another text to compile.
    let counts: &[usize] = if device.is_thorough() { &[1, 2, 3, 4, 7, 40] } else { &[1, 4, 7] };
    for edge in EDGES {
        for convolution in [false, true] {
            for &k in counts {
                for n in [1, 2, 5, 8] {
                    let filter = Filter::new(&[n], convolution, edge).batch(3);
                    let kernels = [(0, whole_numbers(k, 77))];
                    let x = whole_numbers(filter.len(), 5);
                    let [expected, _] = filter.by_separable(&kernels, &wide(&x));
                    check(device, &filter.separable::<f32>(&kernels), None, &x, &expected);
                }
            }
        }
    }
}

pub fn recipes_by_hand(device: &Device) {
    let mut count = 0;
    let counts: &[[usize; 2]] = if device.is_thorough() { &[[3, 7], [4, 4], [31, 40]] } else { &[[4, 7]] };
    for (i, &[down, along]) in counts.iter().enumerate() {
        for shape in [[21, 48], [20, 33]] {
            let filter = Filter::new(&shape, i % 2 == 0, EDGES[1 + i]).batch(2);
            let kernels = [(0, whole_numbers(down, 1)), (1, whole_numbers(along, 2))];
            let x = whole_numbers(filter.len(), 5);
            let [expected, _] = filter.by_separable(&kernels, &wide(&x));
            let spec = filter.separable::<f32>(&kernels);
            let kernel = [down.min(9), along.min(9)];
            let taps = whole_numbers(kernel[0] * kernel[1], 3);
            let direct = filter.direct::<f32>(&kernel, &taps, Mode::Same);
            let [of_direct, _] = filter.by_direct(&kernel, &taps, Mode::Same, &wide(&x));
            for recipe in RECIPES {
                count += usize::from(check(device, &spec, Some(recipe), &x, &expected));
                count += usize::from(check(device, &direct, Some(recipe), &x, &of_direct));
            }
        }
    }
    assert!(count >= 12 * counts.len(), "{count}");
}

pub fn sizes_ranks_and_bytes(device: &Device) {
    for (size, edge) in [(Mode::Full, Edge::Zero), (Mode::Valid, Edge::Wrap), (Mode::Same, Edge::Mirror)] {
        let filter = Filter::new(&[10, 14], true, edge).batch(2);
        let taps = whole_numbers(12, 3);
        let x = whole_numbers(filter.len(), 5);
        let [expected, _] = filter.by_direct(&[3, 4], &taps, size, &wide(&x));
        check(device, &filter.direct::<f32>(&[3, 4], &taps, size), None, &x, &expected);
    }
    let filter = Filter::new(&[4, 5, 6], false, Edge::Reflect).batch(2);
    let kernels = [(0, whole_numbers(9, 1)), (1, whole_numbers(2, 2)), (2, whole_numbers(3, 3))];
    let x = whole_numbers(filter.len(), 5);
    let [expected, _] = filter.by_separable(&kernels, &wide(&x));
    check(device, &filter.separable::<f32>(&kernels), None, &x, &expected);
    for shape in [[9, 16], [7, 9]] {
        let filter = Filter::new(&shape, true, Edge::Nearest);
        let kernels = [(0, whole_numbers(4, 1)), (1, whole_numbers(5, 2))];
        let x = bytes(filter.len());
        let [expected, _] = filter.by_separable(&kernels, &x.iter().map(|&x| x.into()).collect::<Vec<_>>());
        check(device, &filter.separable::<u8>(&kernels), None, &x, &expected);
    }
}

/// A photograph's size, and kernels so long that they are summed in loops.
pub fn a_large_picture_keeps_the_bound(device: &Device) {
    let counts: &[usize] = if device.is_slow() { &[31] } else { &[31, 255] };
    for &k in counts {
        let filter = Filter::new(&[270, 482], false, Edge::Reflect);
        let kernels = [(0, noise(k, 1)), (1, noise(k, 2))];
        let x = noise(filter.len(), 5);
        let plan = device.planner.plan(filter.separable::<f32>(&kernels)).unwrap();
        let output = run_guarded(device, &plan, &x);
        assert_eq!(beyond_bound(&output, &filter.by_separable(&kernels, &wide(&x)), 2 * k), None, "{}", device.name);
    }
}

pub fn random_filters(device: &Device) {
    let edge = prop::sample::select(EDGES.to_vec());
    proptest!(cases(if device.is_thorough() { 100 } else { 10 }), |(
        shape in prop::collection::vec(1usize..40, 1..=3), convolution in any::<bool>(), edge in edge,
        counts in prop::collection::vec(1usize..20, 3), recipe in 0..=RECIPES.len(),
    )| {
        let filter = Filter::new(&shape, convolution, edge).batch(2);
        let kernels: Vec<_> = (0..shape.len()).map(|axis| (axis, whole_numbers(counts[axis], 9))).collect();
        let x = whole_numbers(filter.len(), 5);
        let [expected, _] = filter.by_separable(&kernels, &wide(&x));
        check(device, &filter.separable::<f32>(&kernels), RECIPES.get(recipe).copied(), &x, &expected);
        check(device, &filter.separable::<f32>(&kernels), None, &x, &expected);
    });
}
