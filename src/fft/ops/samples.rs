//! Single elements of a transform, computed in f64 from the definition, and the tolerance between
//! two correct results.

use half::{bf16, f16};
use num_complex::Complex64;

use crate::fft::choose::designer::MAX_PRIME;
use crate::fft::factors::largest_prime;
use crate::fft::roots::root;
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::number::Number;
use crate::fft::spec::transform::Transform;
use crate::fragment::Form;
use crate::layout::Placed;
use crate::plan::Sealed;
use crate::verify::sample::{count, index, spread};
use crate::verify::{Energy, Format, Known, Sample, Verification};

/// The tolerance, relative to the two-norm of all numbers that an element is a sum of. It is ten
/// times the error of the worst element of the least accurate transform, and far below that of a
/// wrong one.
const TOLERANCE: f64 = 4e-5;
/// The part of that for f64. The definition is summed up in f64 too, with an error that grows with
/// the number of terms, up to 2²⁴.
const F64_TOLERANCE: f64 = 1.0 / 65_536.0;

/// The documented error bound is 1.5·u·√log₂n, or 3·u·√log₂m for a convolution of length m, and
/// over several axes the root of the sum of their squares. With three axes and 2³² elements that is
/// at most 3·u·√(3·32). Two correct results differ by at most twice that, 3.5·10⁻⁶.
const OF_TWO: f64 = 4e-6;

fn of_two(number: Number) -> f64 {
    match number {
        Number::F32 => OF_TWO,
        // 29 more bits.
        Number::F64 => OF_TWO / f64::from(1 << 29),
        Number::F64ByF32 => OF_TWO / f64::from(1 << 22),
    }
}

/// How often a length is halved; for one of large primes, in both transforms of its convolution.
fn stages(n: u32) -> f64 {
    if largest_prime(n) <= MAX_PRIME {
        return f64::from(n).log2();
    }
    let m = (2.0 * f64::from(n)).log2().ceil();
    2.0 * m.exp2() / f64::from(n) * m
}

impl Sealed for Transform {
    fn leaves_gaps(&self) -> bool {
        self.output.is_some()
    }

    fn has_wgsl(&self) -> bool {
        self.maps.iter().any(Option::is_some)
    }

    fn verification(&self) -> Verification {
        let form = |end| self.form_of(end);
        Verification::of_forms(form(End::Input), form(End::Output), of_two(self.number))
    }

    fn operations(&self) -> Option<[f64; 2]> {
        let geometry = self.geometry().ok()?;
        let numbers = self.shape.extents().iter().map(|&n| n as f64).product::<f64>() * self.batch as f64;
        let numbers = if matches!(self.kind, Kind::C2c(_)) { numbers } else { numbers / 2.0 };
        let stages: f64 = geometry.axes.iter().map(|&axis| stages(self.inner(axis).n)).sum();
        // An operation of double-single arithmetic takes some 20 of f32.
        let [host, device] = match self.number {
            Number::F32 => [1.0, 1.0],
            Number::F64 => [2.0, 2.0],
            Number::F64ByF32 => [2.0, 20.0],
        };
        Some([host, device].map(|each| each * 5.0 * numbers * stages))
    }

    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        let (Ok(geometry), Ok((axes, factor))) = (self.geometry(), self.check()) else { return Vec::new() };
        if !self.is_summable() {
            return Vec::new();
        }
        let [from, to] = self.shapes();
        let read = axes.iter().map(|&axis| from.extents()[axis]).product();
        let results: usize = to.extents().iter().product::<usize>() * self.batch;
        let definition = Definition { transform: self, axes: &axes, placed: &geometry.input, input };
        // Coefficients have the factors that the kinds of axes leave to the scale.
        let of_kinds = self.factor_of_kinds(&axes);
        let factor = factor / of_kinds;
        let sample = |i: usize| {
            let index = index(to.extents(), i);
            let (value, norm) = definition.value(&index);
            let value = value * factor;
            let parts = if matches!(self.kind, Kind::C2r | Kind::R2r) { vec![value.re] } else { vec![value.re, value.im] };
            // Coefficients of real transforms are up to 2√2 along each axis.
            let within = TOLERANCE * factor.abs() * of_kinds.max(1.0) * norm;
            let form = self.form_of(End::Output);
            let byte = geometry.output.place(&index) * bytes_of(form) * parts.len();
            // What is stored in 16 bits is rounded once more.
            let size = parts.iter().fold(0.0, |size: f64, part| size.max(part.abs()));
            let value = match form.float_bits() {
                Some((64, _)) => Known::Numbers(Format::F64, parts, within * F64_TOLERANCE),
                Some((16, false)) => Known::Numbers(Format::F16, parts, within + size / 2048.0 + F16_STEP),
                Some((16, true)) => Known::Numbers(Format::Bf16, parts, within + size / 256.0),
                _ => Known::Numbers(Format::F32, parts, within),
            };
            Sample { byte, value }
        };
        spread(results, count(read)).map(sample).collect()
    }

    /// Parseval's theorem: the sums of squares of a signal and of its spectrum. Of half a spectrum
    /// each element counts twice whose mirror image is not stored. Reals from half a spectrum along
    /// several axes are left out, since what a random half of a spectrum means then depends on the
    /// order of axes.
    fn energy(&self, input: &[u32], output: &[u32]) -> Option<Energy> {
        let (geometry, (axes, factor)) = (self.geometry().ok()?, self.check().ok()?);
        let known = match self.kind {
            Kind::C2c(_) | Kind::R2c => true,
            Kind::C2r => axes.len() == 1,
            _ => false,
        };
        if !known || !self.is_plain() || axes.iter().any(|&axis| self.real_kind(axis).is_some()) {
            return None;
        }
        let last = self.shape.rank() - 1;
        let halved = matches!(self.kind, Kind::R2c | Kind::C2r).then(|| self.shape.extents()[last]);
        let n: f64 = axes.iter().map(|&axis| self.shape.extents()[axis] as f64).product();
        let [from, to] = self.shapes();
        let square = |words: &[u32], placed: &Placed, real: bool, half: Option<usize>, index: &[usize]| {
            let z = number(self.form_of(End::Input), words, placed.place(index), real);
            match half {
                None => z.norm_sqr(),
                Some(n) if index[last] > 0 && 2 * index[last] != n => 2.0 * z.norm_sqr(),
                // The imaginary parts of what is its own mirror image do not matter.
                Some(_) if self.kind == Kind::C2r => z.re * z.re,
                Some(_) => z.norm_sqr(),
            }
        };
        let sum = |extents: &[usize], square: &dyn Fn(&[usize]) -> f64| {
            let count = extents.iter().product::<usize>() * self.batch;
            // In parts, so that rounding grows with their length alone.
            let part = |first: usize| (first..count.min(first + PART)).map(|i| square(&index(extents, i))).sum::<f64>();
            (0..count).step_by(PART).map(part).sum::<f64>()
        };
        let half = |kind: Kind| halved.filter(|_| self.kind == kind);
        let expected = sum(from.extents(), &|index| square(input, &geometry.input, self.kind == Kind::R2c, half(Kind::C2r), index));
        let actual = sum(to.extents(), &|index| square(output, &geometry.output, self.kind == Kind::C2r, half(Kind::R2c), index));
        let expected = expected * n * factor * factor;
        let relative = of_two(self.number);
        Some(Energy { expected, actual, within: (2.0 * relative + 2.0 * PART as f64 * f64::EPSILON) * expected })
    }
}

/// The distance of numbers of f16 near zero.
const F16_STEP: f64 = 1.0 / 16_777_216.0;

fn bytes_of(form: Form) -> usize {
    form.float_bits().map_or(4, |(bits, _)| bits as usize / 8)
}

/// Elements that are added up at a time.
const PART: usize = 1024;

fn number(form: Form, words: &[u32], place: usize, real: bool) -> Complex64 {
    let word = |i: usize| words.get(i).copied().unwrap_or_default();
    let half = |i: usize| (word(i / 2) >> (i % 2 * 16)) as u16;
    let number = |i: usize| match form.float_bits() {
        Some((64, _)) => f64::from_bits(u64::from(word(2 * i)) | u64::from(word(2 * i + 1)) << 32),
        Some((16, false)) => f16::from_bits(half(i)).into(),
        Some((16, true)) => bf16::from_bits(half(i)).into(),
        _ => f64::from(f32::from_bits(word(i))),
    };
    if real { number(place).into() } else { Complex64::new(number(2 * place), number(2 * place + 1)) }
}

struct Definition<'a> {
    transform: &'a Transform,
    axes: &'a [usize],
    placed: &'a Placed,
    input: &'a [u32],
}

impl Definition<'_> {
    fn load(&self, place: usize) -> Complex64 {
        number(self.transform.form_of(End::Input), self.input, place, matches!(self.transform.kind, Kind::R2c | Kind::R2r))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::{C2c, R2c};

    #[test]
    fn operations_are_those_of_the_usual_count() {
        let of = |spec: Transform| spec.operations().unwrap();
        assert_eq!(of(C2c::forward(8).transform), [5.0 * 8.0 * 3.0; 2]);
        assert_eq!(of(R2c::forward([4, 16]).batch(3).transform), [5.0 * 96.0 * 6.0; 2]);
        assert_eq!(of(C2c::forward([4, 16]).axes([1]).transform), [5.0 * 64.0 * 4.0; 2]);
        assert_eq!(of(C2c::forward(8).f64_by_f32().transform), [240.0, 2400.0]);
        // Both transforms of 128 numbers that 37 of them take.
        assert_eq!(of(C2c::forward(37).transform), [5.0 * 2.0 * 128.0 * 7.0; 2]);
        assert_eq!(C2c::forward([0, 4]).transform.operations(), None);
    }
}
