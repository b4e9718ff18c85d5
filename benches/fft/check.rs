//! A cheap check that a plan computes its transform at all, so that no wrong kernel wins a contest.
//! The tests check thoroughly.
//!
//! A few impulses are transformed. Their exact spectrum is a sum with one term per impulse. It is
//! computed in f64 and compared with the output in some places. No large array is copied between
//! host and device.

use std::f64::consts::TAU;

use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{DeviceBuffer, Plan, Spec, View};

use super::cases::{Kind, Layout};
use crate::support::{Arrays, Bench, Result};

/// The largest error of an output that passes, relative to the two-norm of the input.
pub const TOLERANCE: f64 = 1e-5;

const IMPULSES: usize = 12;
const WINDOWS: usize = 8;
/// The number of neighbouring outputs that are checked in each place.
const WINDOW: usize = 33;

/// Transforms impulses in the first pair of arrays, which is filled with noise again afterwards.
/// Returns the largest error found, relative to the input's two-norm.
pub fn error<S: Spec>(bench: &Bench, arrays: &Arrays, plan: &Plan<S>, layout: &Layout) -> Result<f64> {
    let gpu = bench.gpu();
    let bound = arrays.bind_first(plan)?;
    let [input, output] = arrays.first();
    let source = if layout.in_place { output } else { input };
    let mut dice = Dice(0x5eed);
    let impulses = Impulses::new(layout, &mut dice);
    gpu.submit(|encoder| {
        [input, output].into_iter().for_each(|buffer| encoder.clear_buffer(buffer.buffer(), 0, None));
        Ok(())
    })?;
    for (position, value) in impulses.place(layout) {
        gpu.write(View::<f32>::new(source.buffer(), 4 * (position * layout.input_words()) as u64, layout.input_words())?, &value)?;
    }
    gpu.submit(|encoder| bound.encode(encoder))?;
    let worst = impulses.compare(layout, gpu, output, &mut dice)?;
    arrays.refill_first(bench)?;
    Ok(worst)
}

/// Impulses in the last transform of the batch.
struct Impulses {
    /// Positions along the axes of the input, and values.
    list: Vec<(Vec<usize>, Complex64)>,
}

impl Impulses {
    fn new(layout: &Layout, dice: &mut Dice) -> Self {
        let extents = layout.input_extents();
        let mut list: Vec<(Vec<usize>, Complex64)> = Vec::new();
        for _ in 0..IMPULSES {
            let mut position: Vec<usize> = extents.iter().map(|&extent| dice.below(extent)).collect();
            let mut value = Complex64::new(f64::from(dice.unit()), f64::from(dice.unit()));
            if layout.kind == Kind::R2c {
                value.im = 0.0;
            }
            if layout.kind == Kind::C2r {
                // Avoids elements that are their own mirror image or that of another: such an input
                // could not be the spectrum of a real array.
                let n = *layout.extents.last().expect("a shape has an axis");
                let inner = (n - 1) / 2;
                match position.last_mut() {
                    Some(last) if inner > 0 => *last = 1 + dice.below(inner),
                    _ => {
                        position.fill(0);
                        value.im = 0.0;
                    }
                }
            }
            if list.iter().all(|(other, _)| *other != position) {
                list.push((position, value));
            }
        }
        Self { list }
    }

    /// The offsets in the whole input, in elements, and the numbers to write there.
    fn place<'a>(&'a self, layout: &'a Layout) -> impl Iterator<Item = (usize, Vec<f32>)> + 'a {
        let extents = layout.padded(layout.input_extents(), layout.input_words());
        let first = (layout.batch - 1) * extents.iter().product::<usize>();
        self.list.iter().map(move |(position, value)| {
            let offset = position.iter().zip(&extents).fold(0, |offset, (&at, &extent)| offset * extent + at);
            (first + offset, [value.re as f32, value.im as f32][..layout.input_words()].to_vec())
        })
    }

    /// The expected value of one output of the last transform.
    fn expected(&self, layout: &Layout, frequency: &[usize]) -> Complex64 {
        let sign = if layout.inverse { 1.0 } else { -1.0 };
        let term = |(position, value): &(Vec<usize>, Complex64)| {
            let turns = position.iter().zip(frequency).zip(&layout.extents);
            let turns: f64 = turns.map(|((&j, &k), &n)| ((j as u128 * k as u128) % n as u128) as f64 / n as f64).sum();
            let term = value * Complex64::cis(sign * TAU * turns.fract());
            let alone = position.last() == Some(&0);
            if layout.kind == Kind::C2r { Complex64::new(if alone { term.re } else { 2.0 * term.re }, 0.0) } else { term }
        };
        self.list.iter().map(term).sum::<Complex64>() * layout.scale
    }

    fn compare(&self, layout: &Layout, gpu: &wgpu_fft::Gpu, output: &DeviceBuffer<u32>, dice: &mut Dice) -> Result<f64> {
        let mut extents = layout.padded(layout.output_extents(), layout.output_words());
        if layout.transposed {
            extents.reverse();
        }
        let (one, words) = (extents.iter().product::<usize>(), layout.output_words());
        let all = one * layout.batch;
        let norm = self.list.iter().map(|(_, value)| value.norm_sqr()).sum::<f64>().sqrt() * layout.scale;
        let mut worst = 0.0_f64;
        for window in 0..WINDOWS {
            let len = WINDOW.min(all);
            let start = match window {
                0 => 0,
                1 => all - one,
                2 => all - len,
                3 => dice.below(all),
                _ => all - one + dice.below(one),
            };
            let start = start.min(all - len);
            let view = View::<f32>::new(output.buffer(), 4 * (start * words) as u64, len * words)?;
            for (index, got) in (start..).zip(gpu.download(view)?.wait()?.chunks_exact(words)) {
                let mut frequency = unfold(index % one, &extents);
                if layout.transposed {
                    frequency.reverse();
                }
                if layout.kind == Kind::C2r && frequency.last() >= layout.extents.last() {
                    // Padding.
                    continue;
                }
                let expected = if index / one + 1 == layout.batch { self.expected(layout, &frequency) } else { Complex64::default() };
                let got = Complex64::new(got[0].into(), got.get(1).copied().unwrap_or_default().into());
                let error = (got - expected).norm() / norm;
                // Not `max`, which ignores NaN.
                worst = if error <= worst { worst } else { error };
            }
        }
        Ok(worst)
    }
}

/// Converts an offset to the position along each axis.
fn unfold(mut offset: usize, extents: &[usize]) -> Vec<usize> {
    let mut position = vec![0; extents.len()];
    for (at, &extent) in position.iter_mut().zip(extents).rev() {
        *at = offset % extent;
        offset /= extent;
    }
    position
}

/// A simple pseudorandom number generator.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 32
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() as usize * limit) >> 32
    }

    /// A number in -1 … 1, exact in f32.
    fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 / 8_388_608.0 - 1.0
    }
}
