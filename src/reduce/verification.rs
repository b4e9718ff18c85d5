//! The test inputs with which reductions are compared, and the tolerance between two correct
//! results.

use super::core::Core;
use crate::fragment::Form;
use crate::kernels::reduce::operator::{Fold, Kind, Map, Operator};
use crate::verify::{Format, TestInput, Tolerance, Verification};

/// The unit roundoff u of f32 and of f64.
const U32: f64 = 1.0 / 16_777_216.0;
const U64: f64 = f64::EPSILON / 2.0;

/// The largest relative tolerance. If a thousandth of the elements is lost, a sum of numbers
/// between 0.5 and 1.5 changes by a thousandth, and a norm by half of that. The tolerance is less
/// than half of the latter.
const MAX_TOLERANCE: f64 = 2e-4;

/// A number whose bits, as an integer, are 5 modulo 8: its powers modulo 2³² repeat only after 2³⁰.
const ODD: f64 = f32::from_bits(0x3f80_0005) as f64;

pub(super) fn verification(spec: &Core) -> Verification {
    let Ok(geometry) = spec.geometry() else { return Verification::EXACT };
    let Ok(operator) = spec.arithmetic(&geometry) else { return Verification::EXACT };
    let own = of_results(spec, &operator, geometry.count().into());
    let Some(sink) = &operator.sink else { return own };
    // What the fragment computes is unknown, and devices may round in it as they like.
    let error = match own.output {
        Tolerance::Bits | Tolerance::Integers { .. } => 0.0,
        Tolerance::Numbers(_, error) => error,
    };
    let of_forms = Verification::of_forms(Form::REAL, sink.fragment.array, error.max(64.0 * U32));
    Verification { output: of_forms.output, ..own }
}

/// The same for the results before a fragment maps them. Each is made of `count` elements.
fn of_results(spec: &Core, operator: &Operator, count: f64) -> Verification {
    let format = match spec.kind {
        Kind::F64 => Format::F64,
        Kind::F16 => Format::F16,
        _ => Format::F32,
    };
    let between = |low: f64, high: f64| TestInput::Numbers(format, low, high);
    if let Some(source) = &operator.source {
        // What the fragment computes is unknown, and devices may round in it as they like.
        let error = (64.0 * U32 * (count + 8.0)).min(MAX_TOLERANCE);
        let output = match operator.result() {
            _ if operator.is_arg() => Tolerance::Bits,
            _ if matches!(operator.mapped(), Kind::I32 | Kind::U32) => Tolerance::Bits,
            _ => Tolerance::Numbers(Format::F32, error),
        };
        let input = Format::of(source.fragment.array).map_or(TestInput::Bits, |format| TestInput::Numbers(format, 0.5, 1.5));
        return Verification { input, output };
    }
    let u = if operator.result() == Kind::F64 { U64 } else { U32 };
    let of_result = if operator.result() == Kind::F64 { Format::F64 } else { Format::F32 };
    let within = |error: f64| Tolerance::Numbers(of_result, error);
    if operator.mapped() == Kind::I32 || operator.mapped() == Kind::U32 {
        return match operator.fold {
            // Half of all random integers are even. After 32 of those the product is 0 and stays 0,
            // so errors in the rest would go unnoticed.
            Fold::Product => Verification { input: TestInput::Numbers(Format::F32, ODD, ODD), output: Tolerance::Bits },
            _ => Verification::EXACT,
        };
    }
    if operator.is_exact() {
        // Random bits include an occasional NaN, which would be the result whatever else is wrong.
        let input = between(-1.0, 1.0);
        // The distance of complex numbers contains a root, whose rounding depends on the adapter.
        let same = !(operator.map == Map::Distance && spec.kind == Kind::Complex);
        return Verification { input, output: if same { Tolerance::Bits } else { within(16.0 * u) } };
    }
    match operator.fold {
        // Values of one result are between 0.5 and 1.5, so their mean is a few deviations. Of two
        // nearly equal ones the difference is exact.
        Fold::Moments => Verification { input: between(0.5, 1.5), output: within((64.0 * u * (count + 8.0)).min(MAX_TOLERANCE)) },
        Fold::Product => {
            // The logarithm of a product of numbers x·(1 ± d) is a random walk. After n factors it
            // is about 2 or -2, so the product neither overflows nor underflows.
            let middle = if spec.kind == Kind::Complex { std::f64::consts::FRAC_1_SQRT_2 } else { 1.0 };
            let spread = (2.0 * (3.0 / count).sqrt()).min(0.5);
            // So close to 1, f16 has few numbers, and their mean is not 1: products of more than
            // 2¹⁶ of them were 0 or infinite.
            let spread = if spec.kind == Kind::F16 && count > 65_536.0 { 0.0 } else { spread };
            // All n rounding errors are in the product. They add up like a random walk to about
            // u·√n/2, so a tolerance of 8·√n is plenty. Lost elements change the product by more.
            Verification {
                input: between(middle * (1.0 - spread), middle * (1.0 + spread)),
                output: within(u * (8.0 * count.sqrt() + 16.0)),
            }
        }
        // The depth of a sum of n numbers is below n, and two results differ by at most twice the
        // bound 2·u·d. A few more roundings are for what is done with each element and with the
        // result. The behaviour of a custom operator is unknown: sums and the like, and extrema,
        // agree within this tolerance as well.
        _ => {
            let error = (4.0 * u * (count + 8.0)).min(MAX_TOLERANCE);
            Verification { input: between(0.5, 1.5), output: within(error) }
        }
    }
}
