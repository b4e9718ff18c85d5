//! Floating-point functions, rounded after each operation.
//!
//! Sums, products, quotients and square roots are correctly rounded in every type, as is `fma`.
//! Functions like `sin` or `pow` are computed in f64 by the host's library and rounded once; WGSL
//! allows them larger errors than that.

use half::f16;
use naga::MathFunction as Math;

use super::{Kernel, Kind, kernel};

/// What the three floating-point types have in common. Every f16 and f32 is an f64.
pub(crate) trait Float: super::Lane + PartialOrd {
    fn wide(self) -> f64;
    fn narrow(x: f64) -> Self;
    fn fma(self, b: Self, c: Self) -> Self;
}

impl Float for f32 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self as f64
    }
    #[inline(always)]
    fn narrow(x: f64) -> Self {
        x as f32
    }
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

impl Float for f64 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
    #[inline(always)]
    fn narrow(x: f64) -> Self {
        x
    }
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

impl Float for f16 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self.to_f32() as f64
    }
    #[inline(always)]
    fn narrow(x: f64) -> Self {
        f16::from_f32(odd_f32(x))
    }
    fn fma(self, b: Self, c: Self) -> Self {
        // The product is exact in f64. The sum is rounded to odd, which a second rounding to fewer
        // digits does not see.
        let (p, c) = (self.wide() * b.wide(), c.wide());
        let sum = p + c;
        if !sum.is_finite() || sum == 0.0 {
            return Self::narrow(sum);
        }
        let other = sum - p;
        let lost = (p - (sum - other)) + (c - other);
        if lost == 0.0 || sum.to_bits() & 1 == 1 {
            return Self::narrow(sum);
        }
        let toward_zero = (lost > 0.0) != (sum > 0.0);
        Self::narrow(f64::from_bits(if toward_zero { sum.to_bits() - 1 } else { sum.to_bits() + 1 }))
    }
}

/// `x` rounded to odd, so that another rounding to fewer digits gives what a single one gives.
fn odd_f32(x: f64) -> f32 {
    let y = x as f32;
    if y as f64 == x || !x.is_finite() {
        return y;
    }
    if y.is_infinite() {
        return y;
    }
    let bits = if (y as f64).abs() > x.abs() { y.to_bits() - 1 } else { y.to_bits() };
    f32::from_bits(bits | 1)
}

macro_rules! of_floats {
    ($kind:expr, $F:ident, $($closure:tt)*) => {
        match $kind {
            Kind::F32 => { type $F = f32; Some(kernel!($($closure)*)) }
            Kind::F16 => { type $F = f16; Some(kernel!($($closure)*)) }
            Kind::F64 => { type $F = f64; Some(kernel!($($closure)*)) }
            _ => None,
        }
    };
}

/// a function of one number, computed in f64.
macro_rules! by_f64 {
    ($kind:expr, $f:expr) => {
        of_floats!($kind, F, |a: F| -> F { F::narrow($f(a.wide())) })
    };
}

pub(crate) fn add(kind: Kind) -> Option<Kernel> {
    of_floats!(kind, F, |a: F, b: F| -> F { a + b })
}

pub(crate) fn subtract(kind: Kind) -> Option<Kernel> {
    of_floats!(kind, F, |a: F, b: F| -> F { a - b })
}

pub(crate) fn multiply(kind: Kind) -> Option<Kernel> {
    of_floats!(kind, F, |a: F, b: F| -> F { a * b })
}

pub(crate) fn divide(kind: Kind) -> Option<Kernel> {
    of_floats!(kind, F, |a: F, b: F| -> F { a / b })
}

/// `x - y * trunc(x / y)` is WGSL's definition; with its error bound the exact remainder is a right
/// answer too, and the one given here.
pub(crate) fn remainder(kind: Kind) -> Option<Kernel> {
    of_floats!(kind, F, |a: F, b: F| -> F { F::narrow(a.wide() % b.wide()) })
}

pub(crate) fn negate(kind: Kind) -> Option<Kernel> {
    match kind {
        Kind::F32 => Some(kernel!(|a: u32| -> u32 { a ^ 0x8000_0000 })),
        Kind::F16 => Some(kernel!(|a: u32| -> u32 { a ^ 0x8000 })),
        Kind::F64 => Some(kernel!(|a: u64| -> u64 { a ^ (1 << 63) })),
        _ => None,
    }
}

fn absolute(kind: Kind) -> Option<Kernel> {
    match kind {
        Kind::F32 => Some(kernel!(|a: u32| -> u32 { a & 0x7fff_ffff })),
        Kind::F16 => Some(kernel!(|a: u32| -> u32 { a & 0x7fff })),
        Kind::F64 => Some(kernel!(|a: u64| -> u64 { a & !(1 << 63) })),
        _ => None,
    }
}

/// A comparison of two numbers of any kind, as `bool`.
pub(crate) fn compare(op: naga::BinaryOperator, kind: Kind) -> Option<Kernel> {
    use naga::BinaryOperator as Op;
    macro_rules! of_all {
        ($op:tt) => {
            match kind {
                Kind::Bool | Kind::U32 => kernel!(|a: u32, b: u32| -> bool { a $op b }),
                Kind::I32 => kernel!(|a: i32, b: i32| -> bool { a $op b }),
                Kind::U64 => kernel!(|a: u64, b: u64| -> bool { a $op b }),
                Kind::I64 => kernel!(|a: i64, b: i64| -> bool { a $op b }),
                Kind::F16 => kernel!(|a: f16, b: f16| -> bool { a $op b }),
                Kind::F32 => kernel!(|a: f32, b: f32| -> bool { a $op b }),
                Kind::F64 => kernel!(|a: f64, b: f64| -> bool { a $op b }),
            }
        };
    }
    Some(match op {
        Op::Equal => of_all!(==),
        Op::NotEqual => of_all!(!=),
        Op::Less => of_all!(<),
        Op::LessEqual => of_all!(<=),
        Op::Greater => of_all!(>),
        Op::GreaterEqual => of_all!(>=),
        _ => return None,
    })
}

pub(crate) fn is_nan(kind: Kind) -> Option<Kernel> {
    of_floats!(kind, F, |a: F| -> bool { a.wide().is_nan() })
}

pub(crate) fn is_infinite(kind: Kind) -> Option<Kernel> {
    of_floats!(kind, F, |a: F| -> bool { a.wide().is_infinite() })
}

/// The whole exponent of `frexp`, with its fraction in `[0.5, 1)`, and its type. naga gives f16 an
/// exponent of 16 bits.
pub(crate) fn frexp_exponent(kind: Kind) -> Option<(Kernel, Kind)> {
    fn exponent(x: f64) -> i32 {
        if x.is_finite() { libm::frexp(x).1 } else { 0 }
    }
    match kind {
        Kind::F32 => Some((kernel!(|a: f32| -> i32 { exponent(a.wide()) }), Kind::I32)),
        Kind::F64 => Some((kernel!(|a: f64| -> i64 { exponent(a) as i64 }), Kind::I64)),
        _ => None,
    }
}

pub(crate) fn frexp_fraction(kind: Kind) -> Option<Kernel> {
    by_f64!(kind, |x: f64| if x.is_finite() { libm::frexp(x).0 } else { x })
}

pub(crate) fn ldexp(kind: Kind) -> Option<Kernel> {
    of_floats!(kind, F, |a: F, e: i32| -> F { F::narrow(libm::ldexp(a.wide(), e.clamp(-5000, 5000))) })
}

/// The functions that take each component for itself, and whose arguments and result have the same
/// type.
pub(crate) fn math(fun: Math, kind: Kind) -> Option<Kernel> {
    match fun {
        Math::Abs => absolute(kind),
        Math::Min => of_floats!(kind, F, |a: F, b: F| -> F { a.min(b) }),
        Math::Max => of_floats!(kind, F, |a: F, b: F| -> F { a.max(b) }),
        Math::Clamp => of_floats!(kind, F, |a: F, low: F, high: F| -> F { a.max(low).min(high) }),
        Math::Saturate => by_f64!(kind, |x: f64| if x > 0.0 { x.min(1.0) } else { 0.0 }),
        Math::Cos => by_f64!(kind, f64::cos),
        Math::Cosh => by_f64!(kind, f64::cosh),
        Math::Sin => by_f64!(kind, f64::sin),
        Math::Sinh => by_f64!(kind, f64::sinh),
        Math::Tan => by_f64!(kind, f64::tan),
        Math::Tanh => by_f64!(kind, f64::tanh),
        Math::Acos => by_f64!(kind, f64::acos),
        Math::Asin => by_f64!(kind, f64::asin),
        Math::Atan => by_f64!(kind, f64::atan),
        Math::Atan2 => of_floats!(kind, F, |a: F, b: F| -> F { F::narrow(a.wide().atan2(b.wide())) }),
        Math::Asinh => by_f64!(kind, f64::asinh),
        Math::Acosh => by_f64!(kind, f64::acosh),
        Math::Atanh => by_f64!(kind, f64::atanh),
        Math::Radians => by_f64!(kind, f64::to_radians),
        Math::Degrees => by_f64!(kind, f64::to_degrees),
        Math::Ceil => by_f64!(kind, f64::ceil),
        Math::Floor => by_f64!(kind, f64::floor),
        Math::Round => by_f64!(kind, f64::round_ties_even),
        Math::Trunc => by_f64!(kind, f64::trunc),
        Math::Fract => of_floats!(kind, F, |a: F| -> F { a - F::narrow(a.wide().floor()) }),
        Math::Exp => by_f64!(kind, f64::exp),
        Math::Exp2 => by_f64!(kind, f64::exp2),
        Math::Log => by_f64!(kind, f64::ln),
        Math::Log2 => by_f64!(kind, f64::log2),
        Math::Pow => of_floats!(kind, F, |a: F, b: F| -> F { F::narrow(a.wide().powf(b.wide())) }),
        Math::Sign => by_f64!(kind, |x: f64| if x > 0.0 {
            1.0
        } else if x < 0.0 {
            -1.0
        } else {
            0.0
        }),
        Math::Fma => of_floats!(kind, F, |a: F, b: F, c: F| -> F { a.fma(b, c) }),
        Math::Step => of_floats!(kind, F, |edge: F, x: F| -> F { F::narrow(if edge <= x { 1.0 } else { 0.0 }) }),
        Math::Sqrt => by_f64!(kind, f64::sqrt),
        Math::InverseSqrt => by_f64!(kind, |x: f64| 1.0 / x.sqrt()),
        Math::QuantizeToF16 => of_floats!(kind, F, |a: F| -> F { F::narrow(f16::narrow(a.wide()).wide()) }),
        _ => None,
    }
}

/// Replaces denormal numbers by zeros of the same sign.
pub(crate) fn flush(kind: Kind) -> Option<Kernel> {
    match kind {
        Kind::F32 => Some(kernel!(|a: u32| -> u32 { if a & 0x7f80_0000 == 0 { a & 0x8000_0000 } else { a } })),
        Kind::F16 => Some(kernel!(|a: u32| -> u32 { if a & 0x7c00 == 0 { a & 0x8000 } else { a } })),
        Kind::F64 => Some(kernel!(|a: u64| -> u64 { if a & (0x7ff << 52) == 0 { a & (1 << 63) } else { a } })),
        _ => None,
    }
}
