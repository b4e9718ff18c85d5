//! Computes single results of a reduction from its definition, in f64 or in integers.

use half::f16;
use num_complex::Complex64;

use super::core::Core;
use super::verification;
use crate::kernels::reduce::operator::{Finish, Fold, Kind, Map, Operator};
use crate::strides::{IoDim, place};
use crate::verify::sample::{count, spread};
use crate::verify::{Format, Known, Sample, Tolerance};

/// Returns samples for sums, means, norms, extrema and counts. Products, custom operators and
/// fragments have none.
pub(super) fn samples(spec: &Core, input: &[u32]) -> Vec<Sample> {
    let Ok(geometry) = spec.geometry() else { return Vec::new() };
    let Ok(operator) = spec.arithmetic(&geometry) else { return Vec::new() };
    if operator.source.is_some() || operator.sink.is_some() {
        // What a fragment computes is unknown.
        return Vec::new();
    }
    let relative = match verification::verification(spec).output {
        Tolerance::Numbers(_, relative) => relative,
        // Only a fragment makes these of rounded numbers.
        Tolerance::Bits | Tolerance::Integers { .. } => 0.0,
    };
    let results = spread(geometry.results() as usize, count(geometry.count() as usize));
    let sample = |result: usize| {
        let first = geometry.offset() as usize + walk(&geometry.kept, result);
        let elements = (0..geometry.count() as usize).map(|j| element(spec.kind, input, first + walk(&geometry.reduced, j)));
        let value = by_definition(&operator, elements, relative)?;
        let sample = Sample { byte: 0, value };
        Some(Sample { byte: result * sample.bytes(), ..sample })
    };
    results.map_while(sample).collect()
}

/// The index of the input's element `i` along these dimensions.
fn walk(dims: &[IoDim], i: usize) -> usize {
    place(dims.iter().map(|dim| (dim.extent as usize, dim.strides[0] as usize)), i)
}

/// A number, and its bits if it is an integer.
#[derive(Clone, Copy)]
struct Number {
    value: Complex64,
    bits: u32,
}

fn element(kind: Kind, input: &[u32], i: usize) -> Number {
    let word = |i: usize| input.get(i).copied().unwrap_or_default();
    let float = |i: usize| f64::from(f32::from_bits(word(i)));
    let (value, bits) = match kind {
        Kind::F32 => (float(i).into(), 0),
        Kind::I32 => (f64::from(word(i) as i32).into(), word(i)),
        Kind::U32 => (f64::from(word(i)).into(), word(i)),
        Kind::F16 => (f16::from_bits((word(i / 2) >> (16 * (i % 2))) as u16).to_f64().into(), 0),
        Kind::Complex => (Complex64::new(float(2 * i), float(2 * i + 1)), 0),
        Kind::F64 | Kind::Pair | Kind::Quad | Kind::Doubles => {
            (f64::from_bits(u64::from(word(2 * i + 1)) << 32 | u64::from(word(2 * i))).into(), 0)
        }
    };
    Number { value, bits }
}

/// Whether a number is less than another one, as -0 is less than +0.
fn is_less(a: f64, b: f64) -> bool {
    a < b || a == b && a.is_sign_negative() && b.is_sign_positive()
}

fn by_definition(operator: &Operator, elements: impl Iterator<Item = Number> + Clone, relative: f64) -> Option<Known> {
    let integers = matches!(operator.input, Kind::I32 | Kind::U32);
    // Both inputs are the same array, so that a product is a square and a distance is 0.
    let mapped = |x: Number| -> Option<Complex64> {
        Some(match &operator.map {
            Map::Identity => x.value,
            Map::Product => x.value * x.value,
            Map::Abs => x.value.re.abs().into(),
            Map::NonZero => f64::from(u8::from(x.value != Complex64::ZERO)).into(),
            Map::Norm | Map::ConjugateProduct => x.value.norm_sqr().into(),
            Map::Distance => Complex64::ZERO,
        })
    };
    let extreme = |largest: bool| -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (j, x) in elements.clone().enumerate() {
            let x = mapped(x)?.re;
            // Of equal values the first counts. NaN is left to the tests of the kernels.
            if best.is_none_or(|(_, other)| if largest { is_less(other, x) } else { is_less(x, other) }) {
                best = Some((j, x));
            }
        }
        best.map(|(j, _)| j)
    };
    let word = |word: u32| Some(Known::Bytes(word.to_le_bytes().to_vec()));
    match (&operator.fold, &operator.map) {
        (Fold::Sum, Map::NonZero) => word(elements.clone().map(|x| mapped(x).map_or(0, |x| x.re as u32)).fold(0, u32::wrapping_add)),
        (Fold::WideSum, _) => {
            let sum = elements.clone().try_fold(0i64, |sum, x| Some(sum.wrapping_add(mapped(x)?.re as i64)))?;
            Some(Known::Bytes(sum.to_le_bytes().to_vec()))
        }
        (Fold::Sum, map) if integers => {
            let of = |bits: u32| match map {
                Map::Identity => Some(bits),
                Map::Product => Some(bits.wrapping_mul(bits)),
                Map::Abs if operator.input == Kind::I32 => Some((bits as i32).wrapping_abs() as u32),
                Map::Abs => Some(bits),
                _ => None,
            };
            word(elements.clone().try_fold(0u32, |sum, x| Some(sum.wrapping_add(of(x.bits)?)))?)
        }
        (Fold::Sum | Fold::Squares, _) => {
            let (mut sum, mut size) = (Complex64::ZERO, 0.0);
            for x in elements {
                let x = mapped(x)?;
                (sum, size) = (sum + x, size + x.norm());
            }
            let (sum, size) = match operator.finish {
                Finish::Identity => (sum, size),
                Finish::Mean(count) => (sum / f64::from(count), size / f64::from(count)),
                Finish::Root => (sum.re.sqrt().into(), size.sqrt()),
                Finish::Variance(_) | Finish::Deviation(_) => return None,
            };
            let parts = if operator.result() == Kind::Complex { vec![sum.re, sum.im] } else { vec![sum.re] };
            let format = if operator.result() == Kind::F64 { Format::F64 } else { Format::F32 };
            Some(Known::Numbers(format, parts, relative * size))
        }
        (Fold::Moments, _) => {
            let values = elements.map(mapped).collect::<Option<Vec<_>>>()?;
            let mean = values.iter().sum::<Complex64>() / values.len() as f64;
            let squares: f64 = values.iter().map(|x| (x - mean).norm_sqr()).sum();
            let size = values.iter().map(Complex64::norm_sqr).sum::<f64>() / values.len() as f64;
            let (value, size) = match operator.finish {
                Finish::Deviation(divisor) => ((squares / f64::from(divisor)).sqrt(), size.sqrt()),
                Finish::Variance(divisor) => (squares / f64::from(divisor), size),
                _ => return None,
            };
            let format = if operator.value() == Kind::Doubles { Format::F64 } else { Format::F32 };
            Some(Known::Numbers(format, vec![value], relative * size))
        }
        (Fold::ArgMin | Fold::ArgMax, _) if matches!(operator.map, Map::Identity | Map::Abs) => {
            word(extreme(operator.fold == Fold::ArgMax)? as u32)
        }
        (Fold::Min | Fold::Max, Map::Identity) => {
            let x = elements.clone().nth(extreme(operator.fold == Fold::Max)?)?;
            match operator.input {
                Kind::I32 | Kind::U32 => word(x.bits),
                Kind::F32 | Kind::F16 => word((x.value.re as f32).to_bits()),
                Kind::F64 => Some(Known::Bytes(x.value.re.to_le_bytes().to_vec())),
                _ => None,
            }
        }
        _ => None,
    }
}
