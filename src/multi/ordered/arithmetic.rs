//! The arithmetic of reductions on the host. It matches the WGSL of `src/reduce/arithmetic.rs` bit
//! by bit, wherever WGSL defines the bits.

use std::num::Wrapping;
use std::ops::{Add, Mul};

use bytemuck::{Pod, bytes_of};
use half::f16;
use num_complex::Complex32;

use super::{Inputs, Step, read};
use crate::kernels::reduce::operator::{Finish, Fold, Kind, Map, Operator};

/// The arithmetic of an operator with values of type `V`.
pub(super) struct Arithmetic<'a, V> {
    /// The value of the element at a place of the inputs, given its index among the elements
    /// reduced to one.
    pub map: &'a dyn Fn(Inputs<'_>, usize, u32) -> V,
    pub combine: &'a dyn Fn(V, V) -> V,
    pub identity: V,
    /// Writes the result for a value.
    pub finish: &'a dyn Fn(V, &mut [u8]),
}

impl<V: Pod> Arithmetic<'_, V> {
    /// Combines values as all kernels do: the first half with the second half, repeatedly. Values
    /// beyond the end are the identity element.
    pub fn halve(&self, values: impl IntoIterator<Item = V>) -> V {
        let mut values: Vec<V> = values.into_iter().collect();
        values.resize(values.len().next_power_of_two(), self.identity);
        while values.len() > 1 {
            let second = values.split_off(values.len() / 2);
            values.iter_mut().zip(second).for_each(|(a, b)| *a = (self.combine)(*a, b));
        }
        values[0]
    }
}

/// The type of elements before a map or of numbers after it.
trait Number: Pod + PartialEq + Add<Output = Self> + Mul<Output = Self> {
    /// The type of |x|² and of |x - y|.
    type Real: Number;
    const ONE: Self;

    /// |x|².
    fn norm(self) -> Self::Real;
    /// |x - y|. It is 0 for equal numbers, including infinities.
    fn distance(self, other: Self) -> Self::Real;

    fn conjugate(self) -> Self {
        self
    }

    // Specifications refuse the following functions for types that do not have them.
    fn abs(self) -> Self {
        unreachable!("no absolute value of this type")
    }
    fn scale(self, _factor: f32) -> Self {
        unreachable!("no scaled value of this type")
    }
    fn divide(self, _count: u32) -> Self {
        unreachable!("no mean of this type")
    }
    fn root(self) -> Self {
        unreachable!("no root of this type")
    }
    /// An integer in the order of the numbers, in the highest bits; `None` for a NaN.
    fn order(self) -> Option<u64> {
        unreachable!("no order of this type")
    }
    /// The number with this order. If there is none, the canonical NaN.
    fn of_order(_order: u64) -> Self {
        unreachable!("no order of this type")
    }
}

macro_rules! float {
    ($float:ident, $bits:ident, $nan:literal) => {
        impl Number for $float {
            type Real = Self;
            const ONE: Self = 1.0;

            fn norm(self) -> Self {
                self * self
            }
            fn distance(self, other: Self) -> Self {
                if self == other { 0.0 } else { (self - other).abs() }
            }
            fn abs(self) -> Self {
                $float::abs(self)
            }
            fn scale(self, factor: f32) -> Self {
                self * Self::from(factor)
            }
            fn divide(self, count: u32) -> Self {
                self / count as Self
            }
            fn root(self) -> Self {
                self.sqrt()
            }
            fn order(self) -> Option<u64> {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let bits = self.to_bits();
                let order = if bits & SIGN == 0 { bits | SIGN } else { !bits };
                (!self.is_nan()).then_some(u64::from(order) << (u64::BITS - $bits::BITS))
            }
            fn of_order(order: u64) -> Self {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let order = (order >> (u64::BITS - $bits::BITS)) as $bits;
                let number = Self::from_bits(if order & SIGN == 0 { !order } else { order & !SIGN });
                if number.is_nan() { Self::from_bits($nan) } else { number }
            }
        }
    };
}

float!(f32, u32, 0x7fc0_0000);
float!(f64, u64, 0x7ff8_0000_0000_0000);

macro_rules! integer {
    ($integer:ident, $abs:expr) => {
        impl Number for Wrapping<$integer> {
            type Real = Wrapping<u32>;
            const ONE: Self = Wrapping(1);

            fn norm(self) -> Self::Real {
                Wrapping((self * self).0 as u32)
            }
            fn distance(self, other: Self) -> Self::Real {
                Wrapping(self.0.abs_diff(other.0))
            }
            fn abs(self) -> Self {
                Wrapping($abs(self.0))
            }
            fn order(self) -> Option<u64> {
                Some(u64::from(self.0.wrapping_sub($integer::MIN) as u32) << 32)
            }
            fn of_order(order: u64) -> Self {
                Wrapping(((order >> 32) as $integer).wrapping_add($integer::MIN))
            }
        }
    };
}

integer!(i32, i32::wrapping_abs);
integer!(u32, std::convert::identity);

impl Number for Complex32 {
    type Real = f32;
    const ONE: Self = Self::new(1.0, 0.0);

    fn norm(self) -> f32 {
        self.norm_sqr()
    }
    fn distance(self, other: Self) -> f32 {
        let (a, b) = (Number::distance(self.re, other.re), Number::distance(self.im, other.im));
        let (large, small) = (a.max(b), a.min(b));
        let r = small / large;
        if a.is_nan() || b.is_nan() {
            f32::NAN
        } else if small == 0.0 || large.is_infinite() {
            large
        } else {
            large * (1.0 + r * r).sqrt()
        }
    }
    fn conjugate(self) -> Self {
        self.conj()
    }
    fn scale(self, factor: f32) -> Self {
        self * factor
    }
    fn divide(self, count: u32) -> Self {
        self / count as f32
    }
}

/// Runs a step with the arithmetic of its operator.
pub(super) fn run(step: &Step<'_>, output: &mut [u8]) {
    match step.stage.operator.input {
        Kind::F32 => elements::<f32, f32>(step, output),
        Kind::F16 => elements::<f16, f32>(step, output),
        Kind::I32 => elements::<Wrapping<i32>, Wrapping<i32>>(step, output),
        Kind::U32 => elements::<Wrapping<u32>, Wrapping<u32>>(step, output),
        Kind::Complex => elements::<Complex32, Complex32>(step, output),
        Kind::F64 => elements::<f64, f64>(step, output),
        kind @ (Kind::Pair | Kind::Quad) => unreachable!("{kind:?} is no kind of elements"),
    }
}

/// `E` is the type in memory, `T` the type of the number.
fn elements<E: Pod + Into<T>, T: Number>(step: &Step<'_>, output: &mut [u8]) {
    match step.stage.operator.map {
        Map::Identity => mapped::<E, T, T>(step, output, &|x, _| x),
        Map::Square => mapped::<E, T, T>(step, output, &|x, _| x * x),
        Map::Abs => mapped::<E, T, T>(step, output, &|x, _| x.abs()),
        Map::Scale(bits) => mapped::<E, T, T>(step, output, &|x, _| x.scale(f32::from_bits(bits))),
        Map::Product => mapped::<E, T, T>(step, output, &|x, y| x * y),
        Map::ConjugateProduct => mapped::<E, T, T>(step, output, &|x, y| x.conjugate() * y),
        Map::Norm => mapped::<E, T, T::Real>(step, output, &|x, _| x.norm()),
        Map::Distance => mapped::<E, T, T::Real>(step, output, &|x, y| x.distance(y)),
        Map::NonZero => mapped::<E, T, Wrapping<u32>>(step, output, &|x, _| Wrapping(u32::from(x != T::zeroed()))),
        Map::Custom(_) => unreachable!("the host does not run an operator of the caller's"),
    }
}

/// `M` is the type that the map returns.
fn mapped<E: Pod + Into<T>, T: Number, M: Number>(step: &Step<'_>, output: &mut [u8], map: &dyn Fn(T, T) -> M) {
    let operator = &step.stage.operator;
    let number = |inputs: Inputs<'_>, place| {
        let [x, y] = inputs.map(|input| read::<E>(input, place, size_of::<E>()).into());
        map(x, y)
    };
    let mut numbers = |combine: &dyn Fn(M, M) -> M, identity: M| {
        let finish = |number: M| match operator.finish {
            Finish::Identity => number,
            Finish::Mean(count) => number.divide(count),
            Finish::Root => number.root(),
        };
        let map = &|inputs: Inputs<'_>, place, _| number(inputs, place);
        let finish = &|number, result: &mut [u8]| result.copy_from_slice(bytes_of(&finish(number)));
        step.run(&Arithmetic { map, combine, identity, finish }, output);
    };
    match operator.fold {
        Fold::Sum => numbers(&|a, b| a + b, M::zeroed()),
        Fold::Product => numbers(&|a, b| a * b, M::ONE),
        // The only fold that compares numbers directly: the maximum of f64 distances.
        Fold::Max if operator.value() == Kind::F64 => {
            numbers(&|a, b| if rank(b, false) > rank(a, false) { b } else { a }, M::zeroed());
        }
        Fold::Min | Fold::Max | Fold::ArgMin | Fold::ArgMax => {
            let ranked = Ranked::of::<M>(operator);
            let map = &|inputs: Inputs<'_>, place, j| ranked.value(number(inputs, place), j);
            let finish = &|value, result: &mut [u8]| {
                if operator.is_arg() {
                    result.copy_from_slice(bytes_of(&ranked.index(value)));
                } else {
                    result.copy_from_slice(bytes_of(&ranked.number::<M>(value)));
                }
            };
            let arithmetic = Arithmetic { map, combine: &|a, b| ranked.combine(a, b), identity: ranked.identity(), finish };
            step.run(&arithmetic, output);
        }
        Fold::Custom { .. } => unreachable!("the host does not run an operator of the caller's"),
    }
}

/// A rank that is larger for preferred numbers. A NaN has the largest rank.
fn rank<M: Number>(number: M, least: bool) -> u64 {
    number.order().map_or(u64::MAX, |order| if least { !order } else { order })
}

/// Values of extrema in the device's format: the words of a rank, then the index if it is needed,
/// then zeros.
#[derive(Clone, Copy)]
struct Ranked {
    /// Whether the minimum is wanted.
    least: bool,
    /// Whether the index is wanted.
    is_arg: bool,
    /// The number of words of a rank.
    words: usize,
}

impl Ranked {
    fn of<M: Number>(operator: &Operator) -> Self {
        let least = matches!(operator.fold, Fold::Min | Fold::ArgMin);
        Self { least, is_arg: operator.is_arg(), words: size_of::<M>() / 4 }
    }

    fn value<M: Number>(self, number: M, j: u32) -> [u32; 4] {
        let rank = rank(number, self.least);
        self.with_index([(rank >> 32) as u32, rank as u32], j)
    }

    fn identity(self) -> [u32; 4] {
        self.with_index([0; 2], u32::MAX)
    }

    fn with_index(self, rank: [u32; 2], j: u32) -> [u32; 4] {
        let mut value = [0; 4];
        value[..self.words].copy_from_slice(&rank[..self.words]);
        if self.is_arg {
            value[self.words] = j;
        }
        value
    }

    /// The value with the larger rank. For equal ranks, the one with the smaller index.
    fn combine(self, a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
        let n = self.words;
        if (&b[..n], a[n]) > (&a[..n], b[n]) { b } else { a }
    }

    fn index(self, value: [u32; 4]) -> u32 {
        value[self.words]
    }

    fn number<M: Number>(self, value: [u32; 4]) -> M {
        let rank = u64::from(value[0]) << 32 | u64::from(value[1]);
        M::of_order(if self.least { !rank } else { rank })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that ranks have the order of the numbers and can be converted back, and that every
    /// NaN becomes the same NaN and wins.
    fn check<M: Number>(rising: &[M], nans: &[M], is_same: impl Fn(M, M) -> bool) {
        for least in [false, true] {
            let ranked = Ranked { least, is_arg: false, words: size_of::<M>() / 4 };
            let values: Vec<[u32; 4]> = rising.iter().map(|&x| ranked.value(x, 7)).collect();
            assert!(values.windows(2).all(|pair| (pair[0] < pair[1]) != least), "{values:x?}");
            for (&x, &value) in rising.iter().zip(&values) {
                assert!(is_same(ranked.number(value), x), "{value:x?}");
                assert_eq!(ranked.combine(ranked.identity(), value), value);
                for &nan in nans {
                    let nan = ranked.value(nan, 7);
                    assert_eq!([ranked.combine(nan, value), ranked.combine(value, nan)], [nan; 2]);
                    assert!(is_same(ranked.number(nan), nans[0]));
                }
            }
        }
    }

    #[test]
    fn ranks_follow_the_order_of_numbers_and_lead_back() {
        let rising = [f32::NEG_INFINITY, f32::MIN, -1.0, -1e-40, -0.0, 0.0, 1e-40, 1.0, f32::MAX, f32::INFINITY];
        let nans = [0x7fc0_0000, 0x7fc0_0001, 0xffc0_0002, 0x7f80_0001].map(f32::from_bits);
        check(&rising, &nans, |x, y| x.to_bits() == y.to_bits());
        let rising = [f64::NEG_INFINITY, -1.5, -1e-320, -0.0, 0.0, 1e-320, 1.0, 1.0 + f64::EPSILON, f64::INFINITY];
        let nans = [0x7ff8 << 48, 0xfff8 << 48 | 1].map(f64::from_bits);
        check(&rising, &nans, |x, y| x.to_bits() == y.to_bits());
        check(&[i32::MIN, -1, 0, 1, i32::MAX].map(Wrapping), &[], |x, y| x == y);
        check(&[0, 1, u32::MAX].map(Wrapping), &[], |x, y| x == y);
    }

    #[test]
    fn the_first_of_equals_is_found_in_any_order() {
        let ranked = Ranked { least: true, is_arg: true, words: 1 };
        let values: Vec<[u32; 4]> = (0..).zip([3, -7, 5, -7, -7]).map(|(j, x)| ranked.value(Wrapping::<i32>(x), j)).collect();
        let fold = |a, &b: &[u32; 4]| ranked.combine(a, b);
        assert_eq!(ranked.index(values.iter().fold(ranked.identity(), fold)), 1);
        assert_eq!(ranked.index(values.iter().rev().fold(ranked.identity(), fold)), 1);
    }
}
