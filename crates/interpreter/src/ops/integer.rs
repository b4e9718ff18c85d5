//! Integer functions, and the wrap-around of 32-bit integers.

use naga::MathFunction as Math;

use super::{BLOCK, Kernel, Kind, Lane, Reg, Registers, kernel};

macro_rules! of_integers {
    ($kind:expr, $I:ident, $($closure:tt)*) => {
        match $kind {
            Kind::I32 => { type $I = i32; Some(kernel!($($closure)*)) }
            Kind::U32 => { type $I = u32; Some(kernel!($($closure)*)) }
            Kind::I64 => { type $I = i64; Some(kernel!($($closure)*)) }
            Kind::U64 => { type $I = u64; Some(kernel!($($closure)*)) }
            _ => None,
        }
    };
}

/// Integer operations whose exact result may not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    ShiftLeft,
    Negate,
}

impl Arithmetic {
    /// The result among all integers. Saturates at the limits of i64.
    pub(crate) fn exact(self, a: i64, b: i64) -> i64 {
        match self {
            Arithmetic::Add => a.saturating_add(b),
            Arithmetic::Subtract => a.saturating_sub(b),
            Arithmetic::Multiply => a.saturating_mul(b),
            // WGSL defines the quotient by 0 as the dividend.
            Arithmetic::Divide => {
                if b == 0 {
                    a
                } else {
                    a.saturating_div(b)
                }
            }
            Arithmetic::ShiftLeft => a.saturating_mul(1 << (b & 31)),
            Arithmetic::Negate => a.saturating_neg(),
        }
    }
}

/// As `Kernel`, and says whether any lane's result is not the exact one.
pub(crate) type WrappingKernel = fn(&mut Registers, [Reg; 5]) -> bool;

#[inline(always)]
fn wrapping<A: Lane>(regs: &mut Registers, r: [Reg; 5], f: impl Fn(A, u32) -> (A, bool)) -> bool {
    let mut any = false;
    for at in regs.blocks() {
        let (a, b) = (A::load(regs, r[1], at), u32::load(regs, r[2], at));
        let results: [(A, bool); BLOCK] = std::array::from_fn(|i| f(a[i], b[i]));
        any |= results.iter().fold(false, |any, x| any | x.1);
        A::store(regs, r[0], at, results.map(|x| x.0));
    }
    any
}

/// An operation of 32-bit integers.
pub(crate) fn arithmetic_32(op: Arithmetic, signed: bool) -> WrappingKernel {
    use Arithmetic as Op;
    match (op, signed) {
        (Op::Add, false) => |regs, r| wrapping::<u32>(regs, r, |a, b| (a.wrapping_add(b), a.wrapping_add(b) < a)),
        (Op::Add, true) => |regs, r| {
            wrapping::<i32>(regs, r, |a, b| {
                let sum = a.wrapping_add(b as i32);
                (sum, (a ^ sum) & (b as i32 ^ sum) < 0)
            })
        },
        (Op::Subtract, false) => |regs, r| wrapping::<u32>(regs, r, |a, b| (a.wrapping_sub(b), a < b)),
        (Op::Subtract, true) => |regs, r| {
            wrapping::<i32>(regs, r, |a, b| {
                let difference = a.wrapping_sub(b as i32);
                (difference, (a ^ b as i32) & (a ^ difference) < 0)
            })
        },
        (Op::Multiply, false) => |regs, r| {
            wrapping::<u32>(regs, r, |a, b| {
                let product = a as u64 * b as u64;
                (product as u32, product >> 32 != 0)
            })
        },
        (Op::Multiply, true) => |regs, r| {
            wrapping::<i32>(regs, r, |a, b| {
                let product = a as i64 * b as i32 as i64;
                (product as i32, product != product as i32 as i64)
            })
        },
        (Op::Divide, false) => |regs, r| wrapping::<u32>(regs, r, |a, b| (a.checked_div(b).unwrap_or(a), false)),
        (Op::Divide, true) => {
            |regs, r| wrapping::<i32>(regs, r, |a, b| (if b == 0 { a } else { a.wrapping_div(b as i32) }, a == i32::MIN && b as i32 == -1))
        }
        (Op::ShiftLeft, false) => |regs, r| wrapping::<u32>(regs, r, |a, b| (a << (b & 31), a << (b & 31) >> (b & 31) != a)),
        (Op::ShiftLeft, true) => |regs, r| wrapping::<i32>(regs, r, |a, b| (a << (b & 31), a << (b & 31) >> (b & 31) != a)),
        (Op::Negate, _) => |regs, r| wrapping::<i32>(regs, r, |a, _| (a.wrapping_neg(), a == i32::MIN)),
    }
}

/// An operation of 64-bit integers. They are no indices, so nobody asks whether they wrap around.
pub(crate) fn arithmetic_64(op: Arithmetic, kind: Kind) -> Option<Kernel> {
    match (op, kind) {
        (Arithmetic::Add, Kind::I64 | Kind::U64) => Some(kernel!(|a: u64, b: u64| -> u64 { a.wrapping_add(b) })),
        (Arithmetic::Subtract, Kind::I64 | Kind::U64) => Some(kernel!(|a: u64, b: u64| -> u64 { a.wrapping_sub(b) })),
        (Arithmetic::Multiply, Kind::I64 | Kind::U64) => Some(kernel!(|a: u64, b: u64| -> u64 { a.wrapping_mul(b) })),
        (Arithmetic::Divide, Kind::U64) => Some(kernel!(|a: u64, b: u64| -> u64 { a.checked_div(b).unwrap_or(a) })),
        (Arithmetic::Divide, Kind::I64) => Some(kernel!(|a: i64, b: i64| -> i64 { if b == 0 { a } else { a.wrapping_div(b) } })),
        (Arithmetic::ShiftLeft, Kind::I64 | Kind::U64) => Some(kernel!(|a: u64, b: u32| -> u64 { a << (b & 63) })),
        (Arithmetic::Negate, Kind::I64) => Some(kernel!(|a: i64| -> i64 { a.wrapping_neg() })),
        _ => None,
    }
}

/// The remainder by 0 is 0, as WGSL defines it.
pub(crate) fn remainder(kind: Kind) -> Option<Kernel> {
    of_integers!(kind, I, |a: I, b: I| -> I { if b == 0 { 0 } else { a.wrapping_rem(b) } })
}

pub(crate) fn shift_right(kind: Kind) -> Option<Kernel> {
    of_integers!(kind, I, |a: I, b: u32| -> I { a >> (b & (I::BITS - 1)) })
}

pub(crate) fn and(kind: Kind) -> Option<Kernel> {
    if kind == Kind::Bool {
        return Some(kernel!(|a: u32, b: u32| -> u32 { a & b }));
    }
    of_integers!(kind, I, |a: I, b: I| -> I { a & b })
}

pub(crate) fn or(kind: Kind) -> Option<Kernel> {
    if kind == Kind::Bool {
        return Some(kernel!(|a: u32, b: u32| -> u32 { a | b }));
    }
    of_integers!(kind, I, |a: I, b: I| -> I { a | b })
}

pub(crate) fn exclusive_or(kind: Kind) -> Option<Kernel> {
    if kind == Kind::Bool {
        return Some(kernel!(|a: u32, b: u32| -> u32 { a ^ b }));
    }
    of_integers!(kind, I, |a: I, b: I| -> I { a ^ b })
}

pub(crate) fn not(kind: Kind) -> Option<Kernel> {
    if kind == Kind::Bool {
        return Some(kernel!(|a: bool| -> bool { !a }));
    }
    of_integers!(kind, I, |a: I| -> I { !a })
}

/// The functions that take each component for itself, and whose arguments and result have the same
/// type.
pub(crate) fn math(fun: Math, kind: Kind) -> Option<Kernel> {
    match fun {
        Math::Abs => match kind {
            Kind::I32 => Some(kernel!(|a: i32| -> i32 { a.wrapping_abs() })),
            Kind::I64 => Some(kernel!(|a: i64| -> i64 { a.wrapping_abs() })),
            Kind::U32 => Some(kernel!(|a: u32| -> u32 { a })),
            Kind::U64 => Some(kernel!(|a: u64| -> u64 { a })),
            _ => None,
        },
        Math::Sign => match kind {
            Kind::I32 => Some(kernel!(|a: i32| -> i32 { a.signum() })),
            Kind::I64 => Some(kernel!(|a: i64| -> i64 { a.signum() })),
            _ => None,
        },
        Math::Min => of_integers!(kind, I, |a: I, b: I| -> I { a.min(b) }),
        Math::Max => of_integers!(kind, I, |a: I, b: I| -> I { a.max(b) }),
        Math::Clamp => of_integers!(kind, I, |a: I, low: I, high: I| -> I { a.max(low).min(high) }),
        Math::CountTrailingZeros => of_integers!(kind, I, |a: I| -> I { a.trailing_zeros() as I }),
        Math::CountLeadingZeros => of_integers!(kind, I, |a: I| -> I { a.leading_zeros() as I }),
        Math::CountOneBits => of_integers!(kind, I, |a: I| -> I { a.count_ones() as I }),
        Math::ReverseBits => of_integers!(kind, I, |a: I| -> I { a.reverse_bits() }),
        Math::FirstTrailingBit => of_integers!(kind, I, |a: I| -> I { if a == 0 { !0 } else { a.trailing_zeros() as I } }),
        Math::FirstLeadingBit => match kind {
            Kind::U32 => Some(kernel!(|a: u32| -> u32 { 31u32.wrapping_sub(a.leading_zeros()) })),
            Kind::U64 => Some(kernel!(|a: u64| -> u64 { 63u64.wrapping_sub(a.leading_zeros() as u64) })),
            Kind::I32 => Some(kernel!(|a: i32| -> i32 { 31 - (a ^ (a >> 31)).leading_zeros() as i32 })),
            Kind::I64 => Some(kernel!(|a: i64| -> i64 { 63 - (a ^ (a >> 63)).leading_zeros() as i64 })),
            _ => None,
        },
        _ => None,
    }
}

/// `extractBits(e, offset, count)`.
pub(crate) fn extract_bits(kind: Kind) -> Option<Kernel> {
    fn range(offset: u32, count: u32) -> (u32, u32) {
        let offset = offset.min(32);
        (offset, count.min(32 - offset))
    }
    match kind {
        Kind::U32 => Some(kernel!(|e: u32, offset: u32, count: u32| -> u32 {
            let (offset, count) = range(offset, count);
            if count == 0 { 0 } else { e << (32 - offset - count) >> (32 - count) }
        })),
        Kind::I32 => Some(kernel!(|e: i32, offset: u32, count: u32| -> i32 {
            let (offset, count) = range(offset, count);
            if count == 0 { 0 } else { e << (32 - offset - count) >> (32 - count) }
        })),
        _ => None,
    }
}

/// `insertBits(e, newbits, offset, count)`.
pub(crate) fn insert_bits(kind: Kind) -> Option<Kernel> {
    match kind {
        Kind::U32 | Kind::I32 => Some(|regs, r| {
            super::map4::<u32, u32>(regs, r, |e, new, offset, count| {
                let offset = offset.min(32);
                let count = count.min(32 - offset);
                let mask = (((1u64 << count) - 1) << offset) as u32;
                e & !mask | ((new as u64) << offset) as u32 & mask
            })
        }),
        _ => None,
    }
}

/// What is wrong with the divisor `b` of `a` in a lane: it is 0, or -1 beside the smallest number.
pub(crate) fn bad_divisor(regs: &Registers, kind: Kind, a: Reg, b: Reg, lane: usize) -> Option<&'static str> {
    let (low_a, low_b) = (regs[a as usize].0[lane], regs[b as usize].0[lane]);
    let (x, y) = if kind.words() == 2 {
        let high = |r: Reg| (regs[r as usize + 1].0[lane] as u64) << 32;
        ((low_a as u64 | high(a)) as i64, (low_b as u64 | high(b)) as i64)
    } else if kind == Kind::I32 {
        (low_a as i32 as i64, low_b as i32 as i64)
    } else {
        (low_a as i64, low_b as i64)
    };
    let smallest = if kind == Kind::I32 { i32::MIN as i64 } else { i64::MIN };
    if y == 0 {
        Some("by zero")
    } else if kind.is_signed() && y == -1 && x == smallest {
        Some("of the smallest integer by -1")
    } else {
        None
    }
}
