//! Random permutations and cyclic shifts.

use std::fmt::Debug;

use wgpu_fft::num_complex::Complex32;
use wgpu_fft::signal::Roll;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Element, Fragment};

use crate::case::{Case, MAX_ELEMENTS, Problem, Verdict, kind_of};
use crate::fft::places;
use crate::harness::UNWRITTEN;
use crate::numbers::{of_bytes, reads, reads_untyped, unwritten};
use crate::permute::{self, MAPPED, PERMUTATIONS, elements};
use crate::rolls::{self, ROLLS};
use crate::subject::Subject;

pub fn permutation(case: &mut Case<'_>) -> Verdict {
    let mut shape = case.shape(4);
    let mut order: Vec<usize> = (0..shape.len()).collect();
    case.draws.shuffle(&mut order);
    let batch = case.batch();
    let in_place = case.chance(20);
    if in_place && shape.len() > 1 && case.chance(80) {
        // Two equal axes are swapped.
        order = (0..shape.len()).collect();
        let a = case.between(0, shape.len() - 2);
        shape[a + 1] = shape[a];
        order.swap(a, a + 1);
        if shape.iter().product::<usize>() > 4 * MAX_ELEMENTS {
            shape[a] = 7;
            shape[a + 1] = 7;
        }
    }
    let mut drawn = permute::Case::new(&shape, &order).batch(batch);
    let output_shape = drawn.output_shape();
    drawn.input = case.chance(40).then(|| places(case, &shape, batch, in_place).0);
    drawn.output = case.chance(40).then(|| places(case, &output_shape, batch, true).0);
    drawn.more = if case.chance(30) { case.between(1, 40) } else { 0 };
    if in_place {
        drawn.output = drawn.input.clone();
        drawn = drawn.in_place();
    }
    match case.draws.below(7) {
        0 => run::<u32>(case, &drawn),
        1 => run::<u8>(case, &drawn),
        2 => run::<u16>(case, &drawn),
        3 => run::<[u32; 2]>(case, &drawn),
        4 => run::<[u32; 4]>(case, &drawn),
        _ => mapped(case, &drawn),
    }
}

/// The first element that differs.
fn equal<T: PartialEq + Debug>(actual: &[T], expected: &[T]) -> Result<(), String> {
    match (0..).zip(actual.iter().zip(expected)).find(|(_, (actual, expected))| actual != expected) {
        _ if actual.len() != expected.len() => Err(format!("{} elements in place of {}", actual.len(), expected.len())),
        None => Ok(()),
        Some((i, (actual, expected))) => Err(format!("element {i} is {actual:?}, expected {expected:?}")),
    }
}

fn run<T: Element + PartialEq + Debug>(case: &mut Case<'_>, drawn: &permute::Case) -> Verdict {
    let spec: Permute<T> = drawn.spec();
    let subject = Subject::new(spec.clone());
    if let Err(why) = reads(&spec).and_then(|()| reads_untyped(&subject)) {
        return Verdict::Wrong(why);
    }
    let input = |_: usize, bytes: usize| bytemuck::cast_slice(&elements::<T>(bytes / size_of::<T>())).to_vec();
    let check = |output: &[u8], _: &str| {
        let output: Vec<T> = of_bytes(output);
        let span = drawn
            .input
            .as_ref()
            .map_or(drawn.shape.iter().product::<usize>() * drawn.batch, |places| places.span(&drawn.shape, drawn.batch));
        let input = elements::<T>(span.max(output.len()));
        let unwritten: Vec<T> = of_bytes(&unwritten(output.len() * size_of::<T>()));
        let before = if drawn.in_place { &input[..output.len()] } else { &unwritten };
        equal(&output, &drawn.expected(&input, before))
    };
    case.judge(&Problem { subject: &subject, by_hand: &PERMUTATIONS, drawn: None, input: &input, check: &check, spoil: None })
}

/// Bytes become numbers on the way, and numbers pairs that say where they came from.
fn mapped(case: &mut Case<'_>, drawn: &permute::Case) -> Verdict {
    let (numbers, pairs) = (Fragment::new("f32(value) * 0.5"), Fragment::new("vec2(value, f32(i0))"));
    let spec = drawn.spec::<f32>().map_input::<u8>(numbers).and_then(|spec| spec.map_output::<Complex32>(pairs));
    let subject = match spec {
        Ok(spec) => Subject::new(spec),
        Err(error) => return Verdict::Refused(kind_of(&error)),
    };
    let input = |_: usize, bytes: usize| elements::<u8>(bytes);
    let check = |output: &[u8], _: &str| {
        let output: Vec<Complex32> = of_bytes(output);
        let span = drawn
            .input
            .as_ref()
            .map_or(drawn.shape.iter().product::<usize>() * drawn.batch, |places| places.span(&drawn.shape, drawn.batch));
        let halves: Vec<Complex32> = elements::<u8>(span).iter().map(|&x| Complex32::new(f32::from(x) * 0.5, 0.0)).collect();
        let unwritten = Complex32::new(f32::from_bits(UNWRITTEN), f32::from_bits(UNWRITTEN));
        let mut expected = drawn.expected(&halves, &vec![unwritten; output.len()]);
        // The index on axis 0 of the output.
        let shape = drawn.output_shape();
        let own = drawn.output.clone().unwrap_or_else(|| crate::reference::Places::dense(&shape)).all(&shape, drawn.batch);
        let (one, rows) = (shape.iter().product::<usize>(), shape[1..].iter().product::<usize>());
        own.iter().enumerate().for_each(|(i, &place)| expected[place].im = (i % one / rows) as f32);
        let bits = |all: &[Complex32]| all.iter().map(|z| [z.re.to_bits(), z.im.to_bits()]).collect::<Vec<_>>();
        equal(&bits(&output), &bits(&expected))
    };
    case.judge(&Problem { subject: &subject, by_hand: &MAPPED, drawn: None, input: &input, check: &check, spoil: None })
}

pub fn roll(case: &mut Case<'_>) -> Verdict {
    let (shape, batch) = (case.shape(4), case.batch());
    let shifts: Vec<isize> = shape
        .iter()
        .map(|&extent| {
            let far = case.between(0, 2 * extent) as isize;
            if case.chance(50) { -far } else { far }
        })
        .collect();
    match case.draws.below(5) {
        0 => roll_of::<u32>(case, &shape, batch, &shifts),
        1 => roll_of::<u8>(case, &shape, batch, &shifts),
        2 => roll_of::<u16>(case, &shape, batch, &shifts),
        3 => roll_of::<[u32; 2]>(case, &shape, batch, &shifts),
        _ => roll_of::<[u32; 4]>(case, &shape, batch, &shifts),
    }
}

fn roll_of<T: Element + PartialEq + Debug>(case: &mut Case<'_>, shape: &[usize], batch: usize, shifts: &[isize]) -> Verdict {
    let spec = Roll::<T>::new(shape, shifts).batch(batch);
    if let Err(why) = reads(&spec) {
        return Verdict::Wrong(why);
    }
    let subject = Subject::new(spec);
    let input = |_: usize, bytes: usize| bytemuck::cast_slice(&elements::<T>(bytes / size_of::<T>())).to_vec();
    let check = |output: &[u8], _: &str| {
        let output: Vec<T> = of_bytes(output);
        equal(&output, &rolls::expected(&elements::<T>(output.len()), shape, shifts))
    };
    case.judge(&Problem { subject: &subject, by_hand: &ROLLS, drawn: None, input: &input, check: &check, spoil: None })
}
