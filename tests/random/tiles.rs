//! Random filters.

use std::cell::RefCell;

use wgpu_fft::signal::Mode;
use wgpu_fft::signal::filter::{Pixel, Recipe};
use wgpu_fft::tune::Searchable;

use crate::case::{Case, Verdict};
use crate::filters::{EDGES, Filter, RECIPES, SIZES, beyond_bound, bytes};
use crate::reference::noise;

pub fn random(case: &mut Case<'_>) -> Verdict {
    if case.chance(25) { draw(case, bytes) } else { draw(case, |len| noise(len, 7)) }
}

fn draw<T: Pixel + Into<f64>>(case: &mut Case<'_>, numbers: fn(usize) -> Vec<T>) -> Verdict {
    let shape = case.shape(4);
    let mut filter = Filter::new(&shape, case.rng.bool(), case.pick(&EDGES));
    if case.chance(40) {
        filter = filter.batch(case.rng.usize(1..=4));
    }
    // Long kernels of several axes take the host too long.
    let most = if filter.len() < 500 { 255 } else { 20 };
    let count = |case: &mut Case<'_>| if case.chance(80) { case.rng.usize(1..=9) } else { case.rng.usize(1..=most) };
    if shape.len() > 2 || case.chance(60) {
        let all: Vec<usize> = (0..shape.len()).filter(|_| case.chance(70)).collect();
        let kernels: Vec<(usize, Vec<f32>)> = all.into_iter().map(|axis| (axis, noise(count(case), axis as u64))).collect();
        let taps = kernels.iter().map(|(_, taps)| taps.len()).sum();
        return run(case, &filter.separable::<T>(&kernels), numbers, taps, |x| filter.by_separable(&kernels, x));
    }
    let kernel: Vec<usize> = shape.iter().map(|_| count(case).min(40)).collect();
    let taps = noise(kernel.iter().product(), 3);
    let mut size = case.pick(&SIZES);
    if shape.iter().zip(&kernel).any(|(n, k)| n < k) {
        size = Mode::Full;
    }
    run(case, &filter.direct::<T>(&kernel, &taps, size), numbers, taps.len(), |x| filter.by_direct(&kernel, &taps, size, x))
}

fn run<S: Searchable<Recipe = Recipe, Output = f32> + std::str::FromStr>(
    case: &mut Case<'_>,
    spec: &S,
    numbers: fn(usize) -> Vec<S::Input>,
    taps: usize,
    expected: impl Fn(&[f64]) -> [Vec<f64>; 2],
) -> Verdict
where
    S::Input: Into<f64>,
{
    if spec.to_string().parse().ok().as_ref() != Some(spec) {
        return Verdict::Wrong(format!("`{spec}` does not parse to what it was"));
    }
    let input = RefCell::new(Vec::new());
    let filled = |len: usize| {
        *input.borrow_mut() = numbers(len);
        input.borrow().clone()
    };
    let output = match case.output(spec, &RECIPES, &filled) {
        Ok(output) => output,
        Err(verdict) => return verdict,
    };
    let x: Vec<f64> = input.borrow().iter().map(|&x| x.into()).collect();
    match beyond_bound(&output, &expected(&x), taps) {
        None => Verdict::Right,
        Some(fault) => Verdict::Wrong(fault),
    }
}
