//! What reductions are compared on, and how far apart two right results may be.

use super::Core;
use super::geometry::Geometry;
use crate::kernels::reduce::operator::{Fold, Kind, Map, Operator};
use crate::tune::{TestInput, Tolerance, Verification};

/// u of f32 and of f64.
const U32: f64 = 1.0 / 16_777_216.0;
const U64: f64 = f64::EPSILON / 2.0;

/// Sums of numbers between 0.5 and 1.5 change by a thousandth if that many elements are lost, and
/// norms by half of that: less than half of this again is no agreement.
const MOST: f64 = 2e-4;

/// A number whose bits as an integer are 5 modulo 8: its powers modulo 2³² repeat only after 2³⁰.
const ODD: f32 = f32::from_bits(0x3f80_0005);

pub(super) fn verification(spec: &Core) -> Verification {
    let Ok(geometry) = Geometry::of(spec) else { return Verification::EXACT };
    let Ok(operator) = spec.arithmetic(&geometry) else { return Verification::EXACT };
    let count = f64::from(geometry.count());
    let between = |low: f64, high: f64| match spec.kind {
        Kind::F64 => TestInput::F64(low, high),
        Kind::F16 => TestInput::F16(low as f32, high as f32),
        _ => TestInput::F32(low as f32, high as f32),
    };
    let u = if operator.value() == Kind::F64 { U64 } else { U32 };
    let within = |error: f64| match operator.result() {
        Kind::F64 => Tolerance::F64(error),
        _ => Tolerance::F32(error),
    };
    if operator.mapped() == Kind::I32 || operator.mapped() == Kind::U32 {
        return match operator.fold {
            // Of any bits half are even, and after 32 of those the product is 0 and stays it. The
            // rest of them is lost unseen.
            Fold::Product => Verification { input: TestInput::F32(ODD, ODD), output: Tolerance::Bits },
            _ => Verification::EXACT,
        };
    }
    if operator.is_exact() {
        // Any bits are a NaN now and then, which is then the result, whatever else there is.
        let input = between(-1.0, 1.0);
        // Of complex numbers the distance has a quotient and a root, which adapters may compute one
        // way or another.
        let same = !(operator.map == Map::Distance && spec.kind == Kind::Complex);
        return Verification { input, output: if same { Tolerance::Bits } else { within(16.0 * u) } };
    }
    match operator.fold {
        Fold::Product => {
            // Products of numbers x·(1 ± d) have logarithms that walk at random; after n of them
            // they are near 2 or -2, so they stay numbers.
            let middle = 1.0 / (scale(&operator) * if spec.kind == Kind::Complex { std::f64::consts::SQRT_2 } else { 1.0 });
            let spread = (2.0 * (3.0 / count).sqrt()).min(0.5);
            // So close to 1 f16 has few numbers, whose mean is not 1: more than 2¹⁶ of them had a
            // product of 0 or of infinity.
            let spread = if spec.kind == Kind::F16 && count > 65_536.0 { 0.0 } else { spread };
            // Every one of n roundings is in the product. They add up as a walk at random, to about
            // √n/2 each, so 8 are plenty; lost elements change it by more.
            Verification {
                input: between(middle * (1.0 - spread), middle * (1.0 + spread)),
                output: within(u * (8.0 * count.sqrt() + 16.0)),
            }
        }
        // A sum of n numbers has a depth below n, and two results differ by at most twice the bound
        // 2·u·d; a few more for what is done with an element and with the result. What a caller's
        // operator does is not known: sums and the like, and extrema, agree as well.
        _ => {
            let scale = scale(&operator);
            let error = (4.0 * u * (count + 8.0)).min(MOST);
            Verification { input: between(0.5 / scale, 1.5 / scale), output: within(error) }
        }
    }
}

/// The factor on each element, without its sign, where it is one that can be undone.
fn scale(operator: &Operator) -> f64 {
    match operator.map {
        Map::Scale(bits) => {
            let most = if operator.input == Kind::F16 { 1e4 } else { 1e30 };
            Some(f64::from(f32::from_bits(bits).abs())).filter(|scale| (1.0 / most..most).contains(scale)).unwrap_or(1.0)
        }
        _ => 1.0,
    }
}
