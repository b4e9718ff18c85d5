//! The window by which a point is spread over the cells of the fine grid.
//!
//! φ(t) = I₀(β·√s) / I₀(β) for s = 1 - (2t/w)² > 0, and 0 elsewhere: the Kaiser-Bessel window, w
//! cells wide. I₀(β·√s) is an entire function of s, so a polynomial in s serves for all of it: no
//! pieces, no square root, no exponential. Its transform has a closed form.

use std::f64::consts::PI;

use crate::exact::Exact;

/// The largest tolerance, which is that of the narrowest window.
pub(crate) const LARGEST: f64 = 1e-1;

/// β / w by width from 2 on, and the aliasing error, on average over the modes of a grid of twice as
/// many points, which they minimize, in parts of 10^(1 - w).
const SHAPES: [(f64, f64); 13] = [
    (2.12, 0.36),
    (2.23, 0.37),
    (2.28, 0.40),
    (2.31, 0.43),
    (2.31, 0.48),
    (2.33, 0.51),
    (2.33, 0.54),
    (2.33, 0.60),
    (2.34, 0.65),
    (2.34, 0.67),
    (2.34, 0.69),
    (2.34, 0.73),
    (2.34, 0.84),
];

/// The polynomials' errors, of the tolerance.
const POLYNOMIAL: f64 = 0.1;
const INVERSE: f64 = 0.01;

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Window {
    /// How many cells a point reaches along each axis.
    pub width: u32,
    beta: f64,
    /// Coefficients of the polynomial in s, the constant one first.
    pub coefficients: Vec<f64>,
    /// The same of one in (4f)², for frequencies f of up to 1/4 turn for each cell: what undoes the
    /// window's transform there. That has no zeros near them.
    pub inverse: Vec<f64>,
}

impl Window {
    /// The narrowest one for a tolerance between 1e-12 and [`LARGEST`], where the errors of so many
    /// windows add up, as those of different axes do. Below 1e-6, f64 has too few digits for
    /// the polynomial's coefficients.
    pub fn new<E: Exact>(tolerance: f64, windows: usize) -> Self {
        // The error is half of the tolerance, so a rounded logarithm does no harm.
        let digits = (-tolerance.log10() - 1e-3).ceil().max(1.0);
        let error = |width: u32| SHAPES[width as usize - 2].1 * 10f64.powi(1 - width as i32) * (windows as f64).sqrt();
        let mut width = digits as u32 + 1;
        if error(width) > 0.95 * tolerance {
            width += 1;
        }
        let beta = SHAPES[width as usize - 2].0 * f64::from(width);
        let quarter = E::from(beta) * E::from(beta) / E::from(4.0);
        let at_1 = bessel_i0(quarter);
        let exact = |s: f64| bessel_i0(quarter * E::from(s)) / at_1;
        let coefficients = polynomial(exact, POLYNOMIAL * tolerance);
        let inverse = polynomial(|square| E::from(1.0) / transform(width, beta, E::from(square)), INVERSE * tolerance);
        Self { width, beta, coefficients, inverse }
    }

    /// What a mode k of n is multiplied by, where the fine grid has `fine` cells.
    pub fn factor(&self, k: i64, fine: usize) -> f64 {
        value(&self.inverse, (4.0 * k as f64 / fine as f64).powi(2))
    }
}

/// ∫ φ(t) · exp(-2πi·ft) dt by (4f)²: what the spreading multiplies a frequency by, of f turns for each
/// cell.
fn transform<E: Exact>(width: u32, beta: f64, square: E) -> E {
    let (width, beta) = (E::from(width.into()), E::from(beta));
    let highest = E::PI * width / E::from(4.0);
    // |f| ≤ 1/4, so the frequency is below 0.79 w and β above 2.1 w: no term is negative.
    let root = beta * beta - highest * highest * square;
    width * series(root, |k| f64::from(2 * k * (2 * k + 1))) / bessel_i0(beta * beta / E::from(4.0))
}

/// The modified Bessel function of order 0 by x²/4.
fn bessel_i0<E: Exact>(quarter: E) -> E {
    series(quarter, |k| f64::from(k * k))
}

/// 1 + x/d(1) + x²/(d(1)·d(2)) + …, of positive terms.
fn series<E: Exact>(x: E, divisor: impl Fn(u32) -> f64) -> E {
    let (mut sum, mut term) = (E::from(1.0), E::from(1.0));
    for k in 1.. {
        term = term * (x / E::from(divisor(k)));
        sum = sum + term;
        if term.into() < sum.into() * 1e-33 {
            break;
        }
    }
    sum
}

/// Coefficients of the shortest polynomial that is as close as that on [0, 1].
fn polynomial<E: Exact>(exact: impl Fn(f64) -> E, error: f64) -> Vec<f64> {
    let samples: Vec<(f64, f64)> = (0..=500).map(|i| f64::from(i) / 500.0).map(|s| (s, exact(s).into())).collect();
    let is_close = |polynomial: &Vec<f64>| samples.iter().all(|&(s, exact)| (value(polynomial, s) - exact).abs() < error);
    (2..).map(|degree| interpolated(&exact, degree)).find(is_close).expect("an analytic function has polynomials that are close")
}

/// Coefficients of the polynomial that equals `exact` at the Chebyshev points of [0, 1]. They take
/// many more digits than the polynomial itself: those of the values cancel.
fn interpolated<E: Exact>(exact: impl Fn(f64) -> E, degree: usize) -> Vec<f64> {
    let points: Vec<f64> = (0..=degree).map(|i| 0.5 + 0.5 * ((2 * i + 1) as f64 * PI / (2 * degree + 2) as f64).cos()).collect();
    // Newton's divided differences.
    let mut differences: Vec<E> = points.iter().map(|&s| exact(s)).collect();
    let points: Vec<E> = points.into_iter().map(E::from).collect();
    for order in 1..=degree {
        for i in (order..=degree).rev() {
            differences[i] = (differences[i] - differences[i - 1]) / (points[i] - points[i - order]);
        }
    }
    let mut polynomial = vec![E::from(0.0); degree + 1];
    for (&point, &difference) in points.iter().zip(&differences).rev() {
        // polynomial · (s - point) + difference
        for i in (1..=degree).rev() {
            polynomial[i] = polynomial[i - 1] - point * polynomial[i];
        }
        polynomial[0] = difference - point * polynomial[0];
    }
    polynomial.into_iter().map(E::into).collect()
}

fn value(polynomial: &[f64], s: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, coefficient| sum * s + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Double;

    #[test]
    fn one_more_digit_takes_one_more_cell() {
        let single = |tolerance: f64| Window::new::<f64>(tolerance, 1);
        let widths: Vec<u32> = (1..=6).map(|digits| single(10f64.powi(-digits)).width).collect();
        assert_eq!(widths, [2, 3, 4, 5, 6, 7]);
        assert_eq!(single(f64::from(1e-6f32)).width, 7);
        assert_eq!(single(0.5e-2).width, 4);
        assert!(single(1e-6).coefficients.len() <= 14, "{:?}", single(1e-6));
        // Errors of several axes add up.
        let widths = |windows: usize| (6..=12).map(|digits| Window::new::<Double>(10f64.powi(-digits), windows).width).collect::<Vec<_>>();
        assert_eq!(widths(1), [7, 8, 9, 10, 11, 12, 13]);
        assert_eq!(widths(2), [7, 8, 9, 10, 11, 13, 14]);
        assert_eq!(widths(3), [7, 8, 10, 11, 12, 13, 14]);
        assert!(Window::new::<Double>(1e-12, 6).coefficients.len() <= 25);
    }

    /// So few digits are lost that f32 adds coefficients up.
    #[test]
    fn the_polynomial_is_the_window_in_f32() {
        for digits in 1..=6 {
            let tolerance = 10f64.powi(-digits);
            let window = Window::new::<f64>(tolerance, 1);
            let short: Vec<f32> = window.coefficients.iter().map(|&c| c as f32).collect();
            for i in 0..=1000 {
                let s = i as f32 / 1000.0;
                let found = short.iter().rev().fold(0.0, |sum, c| sum * s + c);
                let exact = window.exact(s.into());
                assert!((f64::from(found) - exact).abs() < POLYNOMIAL * tolerance + 4e-7, "{digits} {s}: {found} {exact}");
            }
        }
    }

    #[test]
    fn the_polynomial_is_the_window_in_f64() {
        for (digits, windows) in (1..=12).flat_map(|digits| [(digits, 1), (digits, 6)]) {
            let tolerance = 10f64.powi(-digits);
            let window = Window::new::<Double>(tolerance, windows);
            for i in 0..=3000 {
                let s = f64::from(i) / 3000.0;
                let (found, exact) = (value(&window.coefficients, s), window.exact(s));
                assert!((found - exact).abs() < 1.2 * POLYNOMIAL * tolerance, "{digits} {s}: {found} {exact}");
            }
        }
    }

    impl Window {
        fn exact(&self, s: f64) -> f64 {
            bessel_i0(self.beta * self.beta / 4.0 * s) / bessel_i0(self.beta * self.beta / 4.0)
        }

        fn transform(&self, turns: f64) -> f64 {
            transform(self.width, self.beta, 16.0 * turns * turns)
        }
    }

    #[test]
    fn the_transform_is_the_integral() {
        for digits in [1, 3, 6, 12] {
            let window = Window::new::<Double>(10f64.powi(-digits), 1);
            let (width, steps) = (f64::from(window.width), 20_000);
            for k in [0, 3, 16] {
                let sum: f64 = (0..steps)
                    .map(|i| {
                        let z = (f64::from(i) + 0.5) * 2.0 / f64::from(steps) - 1.0;
                        let phase = PI * k as f64 * width * z / 64.0;
                        window.exact(1.0 - z * z) * phase.cos()
                    })
                    .sum();
                let integral = sum * width / f64::from(steps);
                assert!((window.transform(k as f64 / 64.0) / integral - 1.0).abs() < 1e-6, "{digits} {k}: {integral}");
                let undone = window.factor(k, 64) * window.transform(k as f64 / 64.0);
                assert!((undone - 1.0).abs() < 0.2 * 10f64.powi(-digits) + 1e-15, "{digits} {k}: {undone}");
            }
        }
    }

    /// What the other frequencies that look like mode k on the fine grid add, on average over the
    /// modes: the reason for [`SHAPES`].
    #[test]
    fn aliases_are_those_of_the_table() {
        for (width, (_, expected)) in (2..).zip(SHAPES) {
            let tolerance = 10f64.powi(1 - width);
            // The widest one is for no tolerance of a single axis.
            let window = Window::new::<Double>(tolerance.max(1e-12), if width > 13 { 2 } else { 1 });
            assert_eq!(window.width as i32, width);
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
            assert!((error / tolerance - expected).abs() < 0.01, "{width}: {error}");
        }
    }
}
