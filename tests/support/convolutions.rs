//! Convolutions and correlations by their definition, in f64.

use wgpu_fft::elements::Number;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::Convolve;
use wgpu_fft::signal::Mode;
use wgpu_fft::{Edge, Shape};

pub const EDGES: [Edge; 5] = [Edge::Zero, Edge::Wrap, Edge::Reflect, Edge::Mirror, Edge::Nearest];
pub const MODES: [Mode; 3] = [Mode::Full, Mode::Same, Mode::Valid];

/// The element of a signal of length n that stands at a position, by the definition of the edges.
pub fn element(edge: Edge, n: i64, at: i64) -> Option<usize> {
    let mut at = at;
    match edge {
        Edge::Zero => {}
        Edge::Wrap => at = at.rem_euclid(n),
        Edge::Nearest => at = at.clamp(0, n - 1),
        Edge::Mirror if n == 1 => at = 0,
        Edge::Mirror => {
            while !(0..n).contains(&at) {
                at = if at < 0 { -at } else { 2 * (n - 1) - at };
            }
        }
        // Step by step, from one mirror to the other.
        _ => {
            while !(0..n).contains(&at) {
                at = if at < 0 { -1 - at } else { 2 * n - 1 - at };
            }
        }
    }
    (0..n).contains(&at).then_some(at as usize)
}

#[derive(Clone, Debug)]
pub struct Case {
    pub shape: Vec<usize>,
    pub kernel: Vec<usize>,
    pub correlate: bool,
    pub mode: Mode,
    pub edge: Edge,
}

impl Case {
    /// The first wanted element and their number, for each axis.
    pub fn wanted(&self) -> Vec<(i64, usize)> {
        let axis = |(&n, &k): (&usize, &usize)| match self.mode {
            Mode::Full => (0, n + k - 1),
            Mode::Same => ((k as i64 - 1) / 2, n),
            _ => (k as i64 - 1, n - k + 1),
        };
        self.shape.iter().zip(&self.kernel).map(axis).collect()
    }

    pub fn direct(&self, x: &[Complex64], w: &[Complex64]) -> Vec<Complex64> {
        let wanted = self.wanted();
        let rank = self.shape.len();
        let digits = |mut i: usize, extents: &[usize]| {
            let mut digits = vec![0i64; rank];
            for axis in (0..rank).rev() {
                digits[axis] = (i % extents[axis]) as i64;
                i /= extents[axis];
            }
            digits
        };
        let extents: Vec<usize> = wanted.iter().map(|&(_, len)| len).collect();
        (0..extents.iter().product())
            .map(|i| {
                let at: Vec<i64> = digits(i, &extents).iter().zip(&wanted).map(|(digit, (first, _))| digit + first).collect();
                let mut sum = Complex64::ZERO;
                for (m, &weight) in w.iter().enumerate() {
                    let m = digits(m, &self.kernel);
                    let place = (0..rank).try_fold(0usize, |place, axis| {
                        let position =
                            if self.correlate { at[axis] - (self.kernel[axis] as i64 - 1) + m[axis] } else { at[axis] - m[axis] };
                        Some(place * self.shape[axis] + element(self.edge, self.shape[axis] as i64, position)?)
                    });
                    if let Some(place) = place {
                        sum += x[place] * if self.correlate { weight.conj() } else { weight };
                    }
                }
                sum
            })
            .collect()
    }

    pub fn spec<T: Number>(&self) -> Convolve<T> {
        let (shape, kernel) = (Shape::from(self.shape.as_slice()), Shape::from(self.kernel.as_slice()));
        let spec = if self.correlate { Convolve::correlation(shape, kernel) } else { Convolve::convolution(shape, kernel) };
        spec.mode(self.mode).edge(self.edge)
    }
}
