//! Numbers of two f64, and Fourier transforms of them: the reference for transforms in f64.

use wgpu_fft::num_complex::Complex64;

/// The sum of two f64, of which the second is at most half a unit in the last place of the first.
/// Sums and products are correct to about 2⁻¹⁰⁰.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Double {
    pub high: f64,
    pub low: f64,
}

/// a + b, and what rounding took away.
fn two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let of_b = high - a;
    Double { high, low: (a - (high - of_b)) + (b - of_b) }
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl std::ops::Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl std::ops::Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (sum, rest) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let sum = two_sum(sum.high, sum.low + rest.high);
        two_sum(sum.high, sum.low + rest.low)
    }
}

impl std::ops::Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl std::ops::Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high);
        two_sum(high, low + (self.high * other.low + self.low * other.high))
    }
}

impl std::ops::Div<f64> for Double {
    type Output = Self;
    fn div(self, by: f64) -> Self {
        let first = self.high / by;
        let rest = self - Self::from(first) * by.into();
        two_sum(first, (rest.high + rest.low) / by)
    }
}

/// A complex number.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Complex {
    pub re: Double,
    pub im: Double,
}

impl From<Complex64> for Complex {
    fn from(z: Complex64) -> Self {
        Self { re: z.re.into(), im: z.im.into() }
    }
}

impl Complex {
    pub fn conj(self) -> Self {
        Self { im: -self.im, ..self }
    }

    pub fn scaled(self, by: Double) -> Self {
        Self { re: self.re * by, im: self.im * by }
    }

    fn plus(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }

    fn times(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }

    /// exp(-2πi·k/n).
    pub fn root(k: usize, n: usize) -> Self {
        const TAU: Double = Double { high: std::f64::consts::TAU, low: 2.449_293_598_294_706_4e-16 };
        // k/n = q/4 + rest/(4n), with the rest of at most an eighth of a turn in either direction.
        let quarters = ((4 * k + n / 2) / n) as i64;
        let rest = 4 * k as i64 - quarters * n as i64;
        let angle = TAU * Double::from(rest as f64) / (4 * n) as f64;
        // The series of cosine and sine.
        let (mut cos, mut sin, mut term) = (Double::default(), Double::default(), Double::from(1.0));
        for i in 0..34 {
            match i % 4 {
                0 => cos = cos + term,
                1 => sin = sin + term,
                2 => cos = cos - term,
                _ => sin = sin - term,
            }
            term = term * angle / f64::from(i + 1);
        }
        let (re, im) = match quarters % 4 {
            0 => (cos, -sin),
            1 => (-sin, -cos),
            2 => (-cos, sin),
            _ => (sin, cos),
        };
        Self { re, im }
    }
}

/// The DFT of a line of which these are every `step`-th element from `first` on.
fn line(x: &[Complex], first: usize, step: usize, roots: &[Complex]) -> Vec<Complex> {
    let n = x.len() / step;
    let Some(p) = (2..=n).find(|p| n.is_multiple_of(*p)) else { return vec![x[first]] };
    let parts: Vec<Vec<Complex>> = (0..p).map(|j| line(x, first + j * step, step * p, roots)).collect();
    let value = |k: usize| {
        let of_part = |(j, part): (usize, &Vec<Complex>)| part[k % part.len()].times(roots[j * k % n * step]);
        parts.iter().enumerate().map(of_part).fold(Complex::default(), Complex::plus)
    };
    (0..n).map(value).collect()
}

/// Transforms dense arrays along some axes, without a scale factor.
pub fn dft(data: &mut [Complex], shape: &[usize], axes: &[usize], inverse: bool) {
    for &axis in axes {
        let n = shape[axis];
        let stride: usize = shape[axis + 1..].iter().product();
        let roots: Vec<Complex> = (0..n).map(|k| Complex::root(k, n)).map(|root| if inverse { root.conj() } else { root }).collect();
        for outer in (0..data.len()).step_by(n * stride) {
            for first in outer..outer + stride {
                let own: Vec<Complex> = (0..n).map(|i| data[first + i * stride]).collect();
                line(&own, 0, 1, &roots).into_iter().enumerate().for_each(|(i, z)| data[first + i * stride] = z);
            }
        }
    }
}

/// The relative error in the two-norm; infinite if there is a NaN.
pub fn relative_error(actual: &[Complex64], expected: &[Complex]) -> f64 {
    assert_eq!(actual.len(), expected.len());
    let square = |x: Double| (x.high + x.low).powi(2);
    let (mut difference, mut norm) = (0.0, 0.0);
    for (a, e) in actual.iter().map(|&z| Complex::from(z)).zip(expected) {
        difference += square(a.re - e.re) + square(a.im - e.im);
        norm += square(e.re) + square(e.im);
    }
    let error = (difference / norm).sqrt();
    if error.is_nan() { f64::INFINITY } else { error }
}

/// Numbers in -1 … 1 with all bits of f64, without a pattern that a transform could share.
pub fn noise(len: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

pub fn complex_noise(len: usize, seed: u64) -> Vec<Complex64> {
    noise(2 * len, seed).chunks_exact(2).map(|pair| Complex64::new(pair[0], pair[1])).collect()
}
