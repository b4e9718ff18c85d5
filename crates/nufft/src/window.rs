//! The window by which a point is spread over the cells of the fine grid.
//!
//! φ(t) = I₀(β·√s) / I₀(β) for s = 1 - (2t/w)² > 0, and 0 elsewhere: the Kaiser-Bessel window, w
//! cells wide. I₀(β·√s) is an entire function of s, so a polynomial in s serves for all of it: no
//! pieces, no square root, no exponential. Its transform has a closed form.

use std::f64::consts::PI;

/// The smallest tolerance: then rounding errors of f32 are as large as those of the window.
pub(crate) const SMALLEST: f64 = 1e-6;
/// The largest one, which is that of the narrowest window.
pub(crate) const LARGEST: f64 = 1e-1;

/// β / w by width from 2 on. They minimize the aliasing error, on average over the modes of a grid
/// of twice as many points, with which it is 0.36, 0.37, 0.40, 0.43, 0.48 and 0.52 of the
/// tolerance.
const SHAPES: [f64; 6] = [2.12, 2.23, 2.28, 2.31, 2.31, 2.33];

/// The polynomial's error, of the tolerance.
const POLYNOMIAL: f64 = 0.1;

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Window {
    /// How many cells a point reaches along each axis.
    pub width: u32,
    beta: f64,
    /// Coefficients of the polynomial in s, the constant one first.
    pub coefficients: Vec<f64>,
}

impl Window {
    /// The narrowest one for a tolerance between [`SMALLEST`] and [`LARGEST`].
    pub fn new(tolerance: f64) -> Self {
        // The error is half of the tolerance, so a rounded logarithm does no harm.
        let digits = (-tolerance.log10() - 1e-3).ceil().max(1.0);
        let width = digits as u32 + 1;
        let beta = SHAPES[width as usize - 2] * f64::from(width);
        let exact = |s: f64| bessel_i0(beta * s.max(0.0).sqrt()) / bessel_i0(beta);
        let coefficients = (2..).map(|degree| interpolated(exact, degree));
        let is_close = |polynomial: &Vec<f64>| {
            let error = |i: i32| (value(polynomial, f64::from(i) / 500.0) - exact(f64::from(i) / 500.0)).abs();
            (0..=500).map(error).fold(0.0, f64::max) < POLYNOMIAL * tolerance
        };
        let coefficients = coefficients.into_iter().find(is_close).expect("an entire function has polynomials that are close");
        Self { width, beta, coefficients }
    }

    /// ∫ φ(t) · exp(-2πi·ft) dt: what the spreading multiplies a frequency by, of f turns for each
    /// cell.
    pub fn transform(&self, turns: f64) -> f64 {
        let width = f64::from(self.width);
        let frequency = PI * width * turns;
        // |f| ≤ 1/4, so the frequency is below 0.79 w and β above 2.1 w.
        let root = (self.beta * self.beta - frequency * frequency).sqrt();
        width * root.sinh() / (root * bessel_i0(self.beta))
    }
}

/// The modified Bessel function of order 0, by its series, whose terms are all positive.
fn bessel_i0(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1.. {
        term *= quarter / f64::from(k * k);
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    sum
}

/// Coefficients of the polynomial that equals `exact` at the Chebyshev points of [0, 1].
fn interpolated(exact: impl Fn(f64) -> f64, degree: usize) -> Vec<f64> {
    let points: Vec<f64> = (0..=degree).map(|i| 0.5 + 0.5 * ((2 * i + 1) as f64 * PI / (2 * degree + 2) as f64).cos()).collect();
    // Newton's divided differences.
    let mut differences: Vec<f64> = points.iter().map(|&s| exact(s)).collect();
    for order in 1..=degree {
        for i in (order..=degree).rev() {
            differences[i] = (differences[i] - differences[i - 1]) / (points[i] - points[i - order]);
        }
    }
    let mut polynomial = vec![0.0; degree + 1];
    for (point, difference) in points.iter().zip(&differences).rev() {
        // polynomial · (s - point) + difference
        for i in (1..=degree).rev() {
            polynomial[i] = polynomial[i - 1] - point * polynomial[i];
        }
        polynomial[0] = difference - point * polynomial[0];
    }
    polynomial
}

fn value(polynomial: &[f64], s: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, coefficient| sum * s + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_digit_takes_one_more_cell() {
        let widths: Vec<u32> = (1..=6).map(|digits| Window::new(10f64.powi(-digits)).width).collect();
        assert_eq!(widths, [2, 3, 4, 5, 6, 7]);
        assert_eq!(Window::new(f64::from(1e-6f32)).width, 7);
        assert_eq!(Window::new(0.5e-2).width, 4);
        assert!(Window::new(1e-6).coefficients.len() <= 14, "{:?}", Window::new(1e-6));
    }

    /// All coefficients are positive, so that no digits are lost where f32 adds them up.
    #[test]
    fn the_polynomial_is_the_window_in_f32() {
        for digits in 1..=6 {
            let tolerance = 10f64.powi(-digits);
            let window = Window::new(tolerance);
            let short: Vec<f32> = window.coefficients.iter().map(|&c| c as f32).collect();
            for i in 0..=1000 {
                let s = i as f32 / 1000.0;
                let found = short.iter().rev().fold(0.0, |sum, c| sum * s + c);
                let exact = bessel_i0(window.beta * f64::from(s).sqrt()) / bessel_i0(window.beta);
                assert!((f64::from(found) - exact).abs() < POLYNOMIAL * tolerance + 4e-7, "{digits} {s}: {found} {exact}");
            }
        }
    }

    #[test]
    fn the_transform_is_the_integral() {
        for digits in [1, 3, 6] {
            let window = Window::new(10f64.powi(-digits));
            let (width, steps) = (f64::from(window.width), 20_000);
            for k in [0, 3, 16] {
                let sum: f64 = (0..steps)
                    .map(|i| {
                        let z = (f64::from(i) + 0.5) * 2.0 / f64::from(steps) - 1.0;
                        let phase = PI * k as f64 * width * z / 64.0;
                        bessel_i0(window.beta * (1.0 - z * z).sqrt()) / bessel_i0(window.beta) * phase.cos()
                    })
                    .sum();
                let integral = sum * width / f64::from(steps);
                assert!((window.transform(k as f64 / 64.0) / integral - 1.0).abs() < 1e-6, "{digits} {k}: {integral}");
            }
        }
    }

    /// What the other frequencies that look like mode k on the fine grid add, on average over the
    /// modes: the reason for [`SHAPES`].
    #[test]
    fn aliases_are_half_of_the_tolerance() {
        for digits in 1..=6 {
            let tolerance = 10f64.powi(-digits);
            let window = Window::new(tolerance);
            let (n, width) = (128u32, f64::from(window.width));
            // The same beyond β, where the hyperbolic sine becomes a sine.
            let transform = |k: i64| {
                let square = window.beta.powi(2) - (PI * width * k as f64 / f64::from(n)).powi(2);
                let root = square.abs().sqrt();
                if square > 0.0 { root.sinh() / root } else { root.sin() / root }
            };
            let square = |k: i64| {
                let aliases = (1..200).flat_map(|m| [k + m * i64::from(n), k - m * i64::from(n)]);
                aliases.map(|alias| transform(alias).powi(2)).sum::<f64>() / transform(k).powi(2)
            };
            let error = ((-32..32).map(square).sum::<f64>() / 64.0).sqrt();
            assert!((0.3 * tolerance..0.6 * tolerance).contains(&error), "{digits}: {error}");
        }
    }
}
