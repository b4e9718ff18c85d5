//! Filters on spectra by their definition, in f64.

use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::SpectralFilter;
use wgpu_fft::{Edge, Element};

use crate::convolutions::element;
use crate::reference::dft;

/// What a fragment sees of an element, apart from its value.
pub struct Place<'a> {
    /// Signed frequencies.
    pub k: &'a [i64],
    pub n: &'a [usize],
    pub batch: usize,
}

impl Place<'_> {
    /// Cycles per sample.
    pub fn f(&self, axis: usize) -> f64 {
        self.k[axis] as f64 / self.n[axis] as f64
    }
}

pub type Response = fn(Complex64, &Place<'_>) -> Complex64;

#[derive(Clone, Debug)]
pub struct Case {
    pub real: bool,
    pub shape: Vec<usize>,
    pub lengths: Vec<usize>,
    pub axes: Vec<usize>,
    pub edge: Edge,
    pub batch: usize,
}

/// The digits of a number, slowest first.
fn digits(mut i: usize, extents: &[usize]) -> Vec<usize> {
    let mut digits = vec![0; extents.len()];
    for axis in (0..extents.len()).rev() {
        digits[axis] = i % extents[axis];
        i /= extents[axis];
    }
    digits
}

fn place(digits: &[usize], extents: &[usize]) -> usize {
    digits.iter().zip(extents).fold(0, |place, (digit, extent)| place * extent + digit)
}

impl Case {
    pub fn new(real: bool, shape: &[usize]) -> Self {
        let axes = (0..shape.len()).collect();
        Self { real, shape: shape.to_vec(), lengths: shape.to_vec(), axes, edge: Edge::Zero, batch: 1 }
    }

    pub fn len(&self) -> usize {
        self.shape.iter().product::<usize>() * self.batch
    }

    /// Positions of the padding before the signal.
    fn before(&self, axis: usize) -> usize {
        if self.edge == Edge::Zero { 0 } else { (self.lengths[axis] - self.shape[axis]) / 2 }
    }

    /// By the definition.
    pub fn direct(&self, x: &[Complex64], response: &dyn Fn(Complex64, &Place<'_>) -> Complex64) -> Vec<Complex64> {
        let (one, whole): (usize, usize) = (self.shape.iter().product(), self.lengths.iter().product());
        let filtered = |batch: usize| {
            let mut z: Vec<Complex64> = (0..whole)
                .map(|i| {
                    let at = digits(i, &self.lengths);
                    let from = (0..at.len()).map(|axis| {
                        let (n, length, at) = (self.shape[axis] as i64, self.lengths[axis] as i64, at[axis] as i64);
                        if n == length { Some(at as usize) } else { element(self.edge, n, at - self.before(axis) as i64) }
                    });
                    let from: Option<Vec<usize>> = from.collect();
                    from.map_or(Complex64::ZERO, |from| x[batch * one + place(&from, &self.shape)])
                })
                .collect();
            dft(&mut z, &self.lengths, &self.axes, false);
            let last = self.lengths.len() - 1;
            let half = self.lengths[last] / 2;
            let response = |at: &[usize], z: Complex64| {
                let signed = |axis: usize| {
                    let (k, n) = (at[axis], self.lengths[axis]);
                    let negative = if self.real && axis == last { false } else { 2 * k >= n && n > 1 };
                    if negative { k as i64 - n as i64 } else { k as i64 }
                };
                let k: Vec<i64> = (0..at.len()).map(signed).collect();
                response(z, &Place { k: &k, n: &self.lengths, batch })
            };
            let mirrored = |at: &[usize]| -> Vec<usize> {
                let mirrored =
                    |(axis, &k): (usize, &usize)| if self.axes.contains(&axis) { (self.lengths[axis] - k) % self.lengths[axis] } else { k };
                at.iter().enumerate().map(mirrored).collect()
            };
            let own = |at: &[usize]| response(at, z[place(at, &self.lengths)]);
            let mut y: Vec<Complex64> = (0..whole)
                .map(|i| {
                    let at = digits(i, &self.lengths);
                    let mirror = mirrored(&at);
                    match at[last] {
                        _ if !self.real => own(&at),
                        k if k > half => own(&mirror).conj(),
                        k if k == 0 || 2 * k == self.lengths[last] => (own(&at) + own(&mirror).conj()) / 2.0,
                        _ => own(&at),
                    }
                })
                .collect();
            dft(&mut y, &self.lengths, &self.axes, true);
            let count: usize = self.axes.iter().map(|&axis| self.lengths[axis]).product();
            let stored = |i: usize| {
                let at: Vec<usize> = digits(i, &self.shape).iter().enumerate().map(|(axis, at)| at + self.before(axis)).collect();
                y[place(&at, &self.lengths)] / count as f64
            };
            (0..one).map(stored).collect::<Vec<_>>()
        };
        (0..self.batch).flat_map(filtered).collect()
    }

    pub fn options<I: Element, O: Element>(&self, spec: SpectralFilter<I, O>) -> SpectralFilter<I, O> {
        let spec = spec.batch(self.batch).axes(&self.axes[..]).edge(self.edge);
        if self.lengths == self.shape { spec } else { spec.lengths(&self.lengths[..]) }
    }
}

/// Filters that differ in what they ask for and in their symmetry. All are made for the last axis,
/// whose number takes the place of `#`.
pub const RESPONSES: [(&str, Response); 5] = [
    ("value * exp(-3.0 * f# * f#)", |z, place| z * (-3.0 * place.f(place.n.len() - 1).powi(2)).exp()),
    // Not linear, so that each signal has a spectrum of its own.
    ("value * (dot(value, value) / (dot(value, value) + 1.0))", |z, _| z * (z.norm_sqr() / (z.norm_sqr() + 1.0))),
    ("vec2(-value.y, value.x) * f32(k#) + 0.5 * value", |z, place| z * Complex64::new(0.5, place.k[place.n.len() - 1] as f64)),
    // The result would be complex.
    ("vec2(0.5 * value.x - value.y + 0.25, value.y + value.x * (0.3 + f#))", |z, place| {
        Complex64::new(0.5 * z.re - z.im + 0.25, z.im + z.re * (0.3 + place.f(place.n.len() - 1)))
    }),
    ("value * f32(batch + 1u) + vec2(f32(i# % 3u), 0.01 * f32(n#))", |z, place| {
        let last = place.n.len() - 1;
        let i = place.k[last].rem_euclid(place.n[last] as i64);
        z * (place.batch + 1) as f64 + Complex64::new((i % 3) as f64, 0.01 * place.n[last] as f64)
    }),
];
