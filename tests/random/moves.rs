//! Random permutations.

use std::cell::RefCell;
use std::fmt::Debug;

use wgpu_fft::Element;
use wgpu_fft::transpose::Permute;

use crate::case::{Case, UNWRITTEN, Verdict};
use crate::fft::places;
use crate::permute::{self, PERMUTATIONS, elements};

pub fn random(case: &mut Case<'_>) -> Verdict {
    let mut shape = case.shape(4);
    let mut order: Vec<usize> = (0..shape.len()).collect();
    case.rng.shuffle(&mut order);
    let batch = if case.chance(60) { 1 } else { case.rng.usize(1..=4) };
    let in_place = case.chance(20);
    if in_place && shape.len() > 1 && case.chance(80) {
        // Two equal axes are swapped.
        order = (0..shape.len()).collect();
        let a = case.rng.usize(0..shape.len() - 1);
        shape[a + 1] = shape[a];
        order.swap(a, a + 1);
        if shape.iter().product::<usize>() > 4 * case.most_elements() {
            shape[a] = 7;
            shape[a + 1] = 7;
        }
    }
    let mut drawn = permute::Case::new(&shape, &order).batch(batch);
    let output_shape = drawn.output_shape();
    drawn.input = case.chance(40).then(|| places(case, &shape, batch, in_place).0);
    drawn.output = case.chance(40).then(|| places(case, &output_shape, batch, true).0);
    drawn.more = if case.chance(70) { 0 } else { case.rng.usize(1..=40) };
    if in_place {
        drawn.output = drawn.input.clone();
        drawn = drawn.in_place();
    }
    match case.rng.u32(0..5) {
        0 => run::<u8>(case, &drawn),
        1 => run::<u16>(case, &drawn),
        2 => run::<u32>(case, &drawn),
        3 => run::<[u32; 2]>(case, &drawn),
        _ => run::<[u32; 4]>(case, &drawn),
    }
}

fn run<T: Element + PartialEq + Debug>(case: &mut Case<'_>, drawn: &permute::Case) -> Verdict {
    let spec: Permute<T> = drawn.spec();
    if spec.to_string().parse().ok().as_ref() != Some(&spec) {
        return Verdict::Wrong(format!("`{spec}` does not parse to what it was"));
    }
    let input = RefCell::new(Vec::new());
    let filled = |len: usize| {
        *input.borrow_mut() = elements::<T>(len);
        input.borrow().clone()
    };
    let output = match case.output(&spec, &PERMUTATIONS, &filled) {
        Ok(output) => output,
        Err(verdict) => return verdict,
    };
    let input = input.into_inner();
    let unwritten: Vec<T> = bytemuck::pod_collect_to_vec(&vec![UNWRITTEN; (output.len() * size_of::<T>()).div_ceil(4)]);
    let before = if drawn.in_place { &input } else { &unwritten[..output.len()] };
    match (0..).zip(output.iter().zip(drawn.expected(&input, before))).find(|(_, (actual, expected))| *actual != expected) {
        None => Verdict::Right,
        Some((i, (actual, expected))) => Verdict::Wrong(format!("element {i} is {actual:?}, expected {expected:?}")),
    }
}
