//! Single elements of a transform, computed in f64 from the definition.

use num_complex::Complex64;

use super::number::Number;
use super::roots::root;
use super::transform::{Kind, Transform};
use crate::layout::Placed;
use crate::tune::sample::{count, index, spread};
use crate::tune::{Known, Sample};

/// The tolerance, relative to the two-norm of all numbers that an element is a sum of. It is ten
/// times the error of the worst element of the least accurate transform, and far below that of a
/// wrong one.
const TOLERANCE: f64 = 4e-5;
/// The part of that for f64. The definition is summed up in f64 too, with an error that grows with
/// the number of terms, up to 2²⁴.
const F64_TOLERANCE: f64 = 1.0 / 65_536.0;

pub(super) fn samples(transform: &Transform, input: &[u32]) -> Vec<Sample> {
    let (Ok(geometry), Ok((axes, factor))) = (transform.geometry(), transform.check()) else { return Vec::new() };
    let [from, to] = transform.shapes();
    let read = axes.iter().map(|&axis| from.extents()[axis]).product();
    let results: usize = to.extents().iter().product::<usize>() * transform.batch;
    let definition = Definition { transform, axes: &axes, placed: &geometry.input, input };
    // Coefficients have the factors that the kinds of axes leave to the scale.
    let extent = |axis: usize| transform.shape.extents()[axis] as u32;
    let of_kinds: f64 = axes.iter().filter_map(|&axis| Some(transform.real_kind(axis)?.factor(extent(axis)))).product();
    let factor = factor / of_kinds;
    let sample = |i: usize| {
        let index = index(to.extents(), i);
        let (value, norm) = definition.value(&index);
        let value = value * factor;
        let parts = if matches!(transform.kind, Kind::C2r | Kind::R2r) { vec![value.re] } else { vec![value.re, value.im] };
        // Coefficients of real transforms are up to 2√2 along each axis.
        let within = TOLERANCE * factor.abs() * of_kinds.max(1.0) * norm;
        let byte = geometry.output.place(&index) * 4 * transform.number.words() as usize * parts.len();
        let value = match transform.number {
            Number::F32 => Known::F32(parts, within),
            Number::F64 | Number::Double => Known::F64(parts, within * F64_TOLERANCE),
        };
        Sample { byte, value }
    };
    spread(results, count(read)).map(sample).collect()
}

struct Definition<'a> {
    transform: &'a Transform,
    axes: &'a [usize],
    placed: &'a Placed,
    input: &'a [u32],
}

impl Definition<'_> {
    fn load(&self, place: usize) -> Complex64 {
        let word = |i: usize| self.input.get(i).copied().unwrap_or_default();
        let number = |i: usize| match self.transform.number {
            Number::F32 => f64::from(f32::from_bits(word(i))),
            Number::F64 | Number::Double => f64::from_bits(u64::from(word(2 * i)) | u64::from(word(2 * i + 1)) << 32),
        };
        if matches!(self.transform.kind, Kind::R2c | Kind::R2r) {
            number(place).into()
        } else {
            Complex64::new(number(2 * place), number(2 * place + 1))
        }
    }

    /// The element at an output index without its factor, and the two-norm of all numbers that it
    /// is a sum of.
    fn value(&self, index: &[usize]) -> (Complex64, f64) {
        let last = self.transform.shape.rank() - 1;
        let extents = self.transform.shape.extents();
        // exp(-2πi·j·k/n) for every j of an axis, or what takes its place. An inverse transform
        // conjugates at the end.
        let roots: Vec<Vec<Complex64>> = self
            .axes
            .iter()
            .map(|&axis| {
                if let Some(kind) = self.transform.real_kind(axis) {
                    let coefficient = |j| kind.coefficient(extents[axis], j, index[axis], self.transform.orthogonal).into();
                    return (0..extents[axis]).map(coefficient).collect();
                }
                let (n, k) = (extents[axis] as u64, index[axis] as u64);
                (0..n).map(|j| root(j * k % n, n)).map(|w| if self.transform.is_inverse() { w.conj() } else { w }).collect()
            })
            .collect();
        let of_row = self.axes.last() == Some(&last);
        let others = &self.axes[..self.axes.len() - usize::from(of_row)];
        let combinations: usize = others.iter().map(|&axis| extents[axis]).product();
        let mut from = index.to_vec();
        let (mut sum, mut norm) = (Complex64::ZERO, 0.0);
        for combination in 0..combinations {
            let mut rest = combination;
            let mut turn = Complex64::ONE;
            for (&axis, roots) in others.iter().zip(&roots) {
                from[axis] = rest % extents[axis];
                turn *= roots[from[axis]];
                rest /= extents[axis];
            }
            let mut of_axis = |j: usize| {
                from[last] = j;
                let x = self.load(self.placed.place(&from));
                norm += x.norm_sqr();
                x * turn
            };
            match roots.last().filter(|_| of_row) {
                None => sum += of_axis(index[last]),
                Some(row) if self.transform.kind != Kind::C2r => {
                    sum += row.iter().enumerate().map(|(j, w)| of_axis(j) * w).sum::<Complex64>()
                }
                Some(row) => {
                    // x[n-j] is the conjugate of x[j], so the two together add twice the real part
                    // of one.
                    let n = row.len();
                    let half =
                        (0..=n / 2).map(|j| if j == 0 || 2 * j == n { of_axis(j).re * row[j].re } else { 2.0 * (of_axis(j) * row[j]).re });
                    sum += half.sum::<f64>();
                }
            }
        }
        (sum, norm.sqrt())
    }
}
