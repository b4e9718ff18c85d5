//! The functions of the kernels that are polynomials.

use std::f64::consts::TAU;

use crate::real::Real;
use crate::window::Window;

/// Terms of sine and cosine up to 1/8 of a turn, in f32 and f64.
const TERMS: [u32; 2] = [6, 9];

/// The nearest number in WGSL, which converts none to f64.
pub(crate) fn literal<T: Real>(number: f64) -> String {
    if T::DOUBLE { format!("{number:e}lf") } else { format!("{:e}f", number as f32) }
}

/// Lines that compute a polynomial in `x` as `sum`, by its coefficients, the constant one first.
fn polynomial<T: Real>(x: &str, kind: &str, coefficients: &[f64]) -> String {
    let mut lines = String::new();
    for (i, coefficient) in coefficients.iter().rev().enumerate() {
        let own = literal::<T>(*coefficient);
        lines += &if i == 0 { format!("    var sum = {kind}({own});\n") } else { format!("    sum = sum * {x} + {own};\n") };
    }
    lines
}

/// A function of one number, which is a polynomial.
fn function<T: Real>(name: &str, coefficients: &[f64]) -> String {
    format!("fn {name}(x: Real) -> Real {{\n{}    return sum;\n}}\n", polynomial::<T>("x", "Real", coefficients))
}

/// The window by places from -1 to 1.
pub(crate) fn window<T: Real>(window: &Window) -> String {
    format!(
        "fn window(z: vec4<Real>) -> vec4<Real> {{
    let s = ONE - z * z;
{}    return select(vec4<Real>(), sum, s > vec4<Real>());
}}
",
        polynomial::<T>("s", "vec4", &window.coefficients)
    )
}

/// What undoes the window's transform, by the square of a frequency in turns; the cosine and the sine of turns by
/// their squares, where the sine is divided by the turns; and turns as a number from -1/2 to 1/2.
pub(crate) fn waves<T: Real>(window: &Window) -> String {
    let terms = |first: u32| -> Vec<f64> {
        let power = |k: u32| (1..=2 * k + first).fold(1.0, |power, i| power * TAU / f64::from(i));
        (0..TERMS[usize::from(T::DOUBLE)]).map(|k| if k % 2 == 0 { power(k) } else { -power(k) }).collect()
    };
    let [cosine, sine] = [("cosine", 0), ("sine", 1)].map(|(name, first)| function::<T>(name, &terms(first)));
    let [high, low] = [-32, -64].map(|power| literal::<T>(2f64.powi(power)));
    // Where the low word has no digit that counts, it is left away.
    let low = if T::DOUBLE { format!(" + Real(turn.x) * {low}") } else { String::new() };
    let real_of = format!("fn real_of(turn: vec2<u32>) -> Real {{\n    return Real(i32(turn.y)) * {high}{low};\n}}\n");
    let inverse: Vec<f64> = (0..).zip(&window.inverse).map(|(k, coefficient)| coefficient * 16f64.powi(k)).collect();
    [function::<T>("inverse", &inverse), cosine, sine, real_of].concat()
}
