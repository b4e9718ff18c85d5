//! Conversions between scalar types.

use half::f16;

use super::float::Float;
use super::{Kernel, Kind, kernel};

/// The smallest and largest numbers of a floating-point type that are numbers of an integer type.
/// WGSL clamps to them.
pub(crate) fn limits(from: Kind, to: Kind) -> (f64, f64) {
    let digits = match from {
        Kind::F16 => 11,
        Kind::F32 => 24,
        _ => 53,
    };
    let largest = |bits: i32| (2f64.powi(bits) - if bits > digits { 2f64.powi(bits - digits) } else { 1.0 }).min(wide_max(from));
    match to {
        Kind::I32 => ((-(2f64.powi(31))).max(-wide_max(from)), largest(31)),
        Kind::U32 => (0.0, largest(32)),
        Kind::I64 => ((-(2f64.powi(63))).max(-wide_max(from)), largest(63)),
        _ => (0.0, largest(64)),
    }
}

fn wide_max(from: Kind) -> f64 {
    match from {
        Kind::F16 => 65504.0,
        Kind::F32 => f32::MAX as f64,
        _ => f64::MAX,
    }
}

/// A conversion of values, as in `u32(x)`.
pub(crate) fn convert(from: Kind, to: Kind) -> Option<Kernel> {
    macro_rules! to_integer {
        ($F:ty, $kind:expr) => {
            match to {
                Kind::I32 => kernel!(|a: $F| -> i32 { clamped(a.wide(), $kind, Kind::I32) as i32 }),
                Kind::U32 => kernel!(|a: $F| -> u32 { clamped(a.wide(), $kind, Kind::U32) as u32 }),
                Kind::I64 => kernel!(|a: $F| -> i64 { clamped(a.wide(), $kind, Kind::I64) as i64 }),
                Kind::U64 => kernel!(|a: $F| -> u64 { clamped(a.wide(), $kind, Kind::U64) as u64 }),
                Kind::F16 => kernel!(|a: $F| -> f16 { f16::narrow(a.wide()) }),
                Kind::F32 => kernel!(|a: $F| -> f32 { f32::narrow(a.wide()) }),
                Kind::F64 => kernel!(|a: $F| -> f64 { a.wide() }),
                Kind::Bool => kernel!(|a: $F| -> bool { a.wide() != 0.0 }),
            }
        };
    }
    macro_rules! of_integer {
        ($I:ty) => {
            match to {
                Kind::I32 => kernel!(|a: $I| -> i32 { a as i32 }),
                Kind::U32 => kernel!(|a: $I| -> u32 { a as u32 }),
                Kind::I64 => kernel!(|a: $I| -> i64 { a as i64 }),
                Kind::U64 => kernel!(|a: $I| -> u64 { a as u64 }),
                // Whatever f64 cannot hold is beyond f16.
                Kind::F16 => kernel!(|a: $I| -> f16 { f16::narrow(a as f64) }),
                Kind::F32 => kernel!(|a: $I| -> f32 { a as f32 }),
                Kind::F64 => kernel!(|a: $I| -> f64 { a as f64 }),
                Kind::Bool => kernel!(|a: $I| -> bool { a != 0 }),
            }
        };
    }
    Some(match from {
        // A bool is 0 or 1 in its register.
        Kind::Bool | Kind::U32 => of_integer!(u32),
        Kind::I32 => of_integer!(i32),
        Kind::U64 => of_integer!(u64),
        Kind::I64 => of_integer!(i64),
        Kind::F16 => to_integer!(f16, Kind::F16),
        Kind::F32 => to_integer!(f32, Kind::F32),
        Kind::F64 => to_integer!(f64, Kind::F64),
    })
}

#[inline(always)]
fn clamped(x: f64, from: Kind, to: Kind) -> f64 {
    let (low, high) = limits(from, to);
    // NaN becomes 0 in the cast that follows.
    if x.is_nan() { x } else { x.clamp(low, high) }
}

/// The value in lane `lane` of a register, for reports.
pub(crate) fn as_f64(regs: &super::Registers, kind: Kind, r: super::Reg, lane: usize) -> f64 {
    let low = regs[r as usize].0[lane];
    match kind {
        Kind::F16 => f16::from_bits(low as u16).wide(),
        Kind::F32 => f32::from_bits(low) as f64,
        Kind::F64 => f64::from_bits(low as u64 | (regs[r as usize + 1].0[lane] as u64) << 32),
        Kind::I32 => low as i32 as f64,
        _ => low as f64,
    }
}

/// Whether `x` has no counterpart in the integer type `to` once its fraction is cut off.
pub(crate) fn out_of_range(x: f64, to: Kind) -> bool {
    let x = x.trunc();
    !match to {
        Kind::I32 => (-(2f64.powi(31))..2f64.powi(31)).contains(&x),
        Kind::U32 => (0.0..2f64.powi(32)).contains(&x),
        Kind::I64 => (-(2f64.powi(63))..2f64.powi(63)).contains(&x),
        _ => (0.0..2f64.powi(64)).contains(&x),
    }
}
