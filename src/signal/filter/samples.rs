//! Single elements of a filtered array, computed from the definition in f64, and the tolerance
//! between two correct results.

use super::spec::{Core, Problem, Taps};
use crate::edge::Edge;
use crate::kernels::filter::stencil::Stored;
use crate::plan::Sealed;
use crate::verify::sample::{count, index, spread};
use crate::verify::{Format, Known, Sample, TestInput, Tolerance, Verification};

/// The unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;

/// The largest relative tolerance.
const MAX_TOLERANCE: f64 = 1e-3;

/// The number of taps that an element passes through.
fn depth(problem: &Problem) -> f64 {
    let counts = problem.taps.iter().flatten().map(|taps| f64::from(taps.count));
    if problem.joint { counts.product() } else { counts.sum() }
}

/// The index inside of an index along an axis of n elements; `None` where there is a zero.
fn inside(edge: Edge, i: i64, n: i64) -> Option<i64> {
    match edge {
        Edge::Zero => (0..n).contains(&i).then_some(i),
        Edge::Wrap => Some(i.rem_euclid(n)),
        Edge::Reflect => {
            let j = i.rem_euclid(2 * n);
            Some(j.min(2 * n - 1 - j))
        }
        Edge::Mirror | Edge::Odd => {
            let period = (2 * n - 2).max(1);
            let j = i.rem_euclid(period);
            Some(j.min(period - j))
        }
        Edge::Nearest => Some(i.clamp(0, n - 1)),
    }
}

impl Sealed for Core {
    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        let Ok(problem) = self.problem() else { return Vec::new() };
        let all: Vec<f64> = self.all_taps().into_iter().map(|bits| f32::from_bits(bits).into()).collect();
        let of_all: usize = problem.taps.iter().flatten().map(|taps| taps.count as usize).product();
        let extents = problem.output.extents();
        let results = extents.iter().product::<usize>() * self.batch;
        let error = 1.01 * U * depth(&problem);
        let sample = |result: usize| {
            let to = index(extents, result);
            let (mut value, mut size) = (0.0, 0.0);
            for tap in 0..of_all {
                let (weight, from) = term(&problem, &all, tap, &to);
                let x = from.map_or(0.0, |i| element(problem.stored, input, i));
                value += weight * x;
                size += (weight * x).abs();
            }
            Sample { byte: 4 * result, value: Known::Numbers(Format::F32, vec![value], error * size + f64::from(f32::MIN_POSITIVE)) }
        };
        spread(results, count(of_all)).map(sample).collect()
    }

    fn verification(&self) -> Verification {
        let Ok(problem) = self.problem() else { return Verification::EXACT };
        let depth = depth(&problem);
        // The products of noise without a mean hardly cancel. Those of bytes do, in a derivative.
        let (input, cancelled) = match problem.stored {
            Stored::F32 => (TestInput::Numbers(Format::F32, -1.0, 1.0), 1.0),
            Stored::U8 => (TestInput::Bits, 2.0 * depth.sqrt()),
        };
        Verification { input, output: Tolerance::Numbers(Format::F32, (4.0 * U * (depth + 4.0) * cancelled).min(MAX_TOLERANCE)) }
    }
}

/// The weight of one combination of taps along all axes, and the element of the input under it, if
/// there is one.
fn term(problem: &Problem, all: &[f64], mut tap: usize, to: &[usize]) -> (f64, Option<usize>) {
    let mut weight = if problem.joint { all[if problem.flipped { all.len() - 1 - tap } else { tap }] } else { 1.0 };
    let extents = problem.input.extents();
    let mut from = Some(0);
    let (mut stride, mut end) = (1, all.len());
    for axis in (0..extents.len()).rev() {
        let i = match problem.taps[axis] {
            None => Some(to[axis] as i64),
            Some(Taps { count, before }) => {
                let t = tap % count as usize;
                tap /= count as usize;
                if !problem.joint {
                    let own = &all[end - count as usize..end];
                    end -= count as usize;
                    weight *= own[if problem.flipped { own.len() - 1 - t } else { t }];
                }
                inside(problem.edge, to[axis] as i64 + t as i64 - i64::from(before), extents[axis] as i64)
            }
        };
        from = from.zip(i).map(|(from, i)| from + i as usize * stride);
        stride *= extents[axis];
    }
    (weight, from.map(|from| from + to[extents.len()] * stride))
}

fn element(stored: Stored, input: &[u32], i: usize) -> f64 {
    match stored {
        Stored::F32 => f32::from_bits(input.get(i).copied().unwrap_or_default()).into(),
        Stored::U8 => f64::from((input.get(i / 4).copied().unwrap_or_default() >> (8 * (i % 4))) as u8),
    }
}
