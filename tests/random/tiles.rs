//! Random filters.

use wgpu_fft::Spec;
use wgpu_fft::elements::Pixel;
use wgpu_fft::low_level::recipes::signal::Filter as Recipe;
use wgpu_fft::signal::Mode;

use crate::case::{Case, Problem, Verdict};
use crate::filters::{EDGES, Filter, RECIPES, SIZES, beyond_bound, bytes};
use crate::numbers::{of_bytes, reads};
use crate::reference::noise;
use crate::subject::Subject;

pub fn random(case: &mut Case<'_>) -> Verdict {
    if case.chance(25) { draw(case, bytes) } else { draw(case, |len| noise(len, 7)) }
}

fn draw<T: Pixel + Into<f64>>(case: &mut Case<'_>, numbers: fn(usize) -> Vec<T>) -> Verdict {
    let shape = case.shape(4);
    let filter = Filter::new(&shape, case.chance(50), case.pick(&EDGES)).batch(case.batch());
    // Long kernels of several axes take the host too long.
    let most = if filter.len() < 500 { 255 } else { 20 };
    let count = |case: &mut Case<'_>| if case.chance(20) { case.between(1, most) } else { case.between(1, 9) };
    if shape.len() > 2 || case.chance(60) {
        let all: Vec<usize> = (0..shape.len()).filter(|_| case.chance(70)).collect();
        let kernels: Vec<(usize, Vec<f32>)> = all.into_iter().map(|axis| (axis, noise(count(case), axis as u64))).collect();
        let taps = kernels.iter().map(|(_, taps)| taps.len()).sum();
        return run(case, &filter.separable::<T>(&kernels), filter.len(), numbers, taps, |x| filter.by_separable(&kernels, x));
    }
    let kernel: Vec<usize> = shape.iter().map(|_| count(case).min(40)).collect();
    let taps = noise(kernel.iter().product(), 3);
    let mut size = case.pick(&SIZES);
    if shape.iter().zip(&kernel).any(|(n, k)| n < k) {
        size = Mode::Full;
    }
    run(case, &filter.direct::<T>(&kernel, &taps, size), filter.len(), numbers, taps.len(), |x| filter.by_direct(&kernel, &taps, size, x))
}

fn run<S: Spec<Recipe = Recipe, Output = f32> + std::str::FromStr>(
    case: &mut Case<'_>,
    spec: &S,
    filter_len: usize,
    numbers: fn(usize) -> Vec<S::Input>,
    taps: usize,
    expected: impl Fn(&[f64]) -> [Vec<f64>; 2],
) -> Verdict
where
    S::Input: Into<f64>,
{
    if let Err(why) = reads(spec) {
        return Verdict::Wrong(why);
    }
    let input = |_: usize, bytes: usize| bytemuck::cast_slice(&numbers(bytes / size_of::<S::Input>())).to_vec();
    let reference = std::cell::OnceCell::new();
    let check = |output: &[u8], _: &str| {
        let output: Vec<f32> = of_bytes(output);
        let expected = reference.get_or_init(|| expected(&numbers(filter_len).iter().map(|&x| x.into()).collect::<Vec<f64>>()));
        beyond_bound(&output, expected, taps).map_or(Ok(()), Err)
    };
    let subject = Subject::new(spec.clone());
    case.judge(&Problem { subject: &subject, by_hand: &RECIPES, drawn: None, input: &input, check: &check, spoil: None })
}
