//! Coordinates of type 3 as whole numbers, of which kernels compute places and phases, and devices need
//! no f64. For transforms of f32 the unit is 2^-62 of the largest coordinate of the axis or less, and
//! 2^-126 for f64: what smaller coordinates have below it is lost.
//!
//! A kernel subtracts the middle of all coordinates of an axis, and multiplies the difference by
//! fractions of a turn, without whole turns.

use bytemuck::{Pod, Zeroable};

use crate::exact::Exact;
use crate::points::inverse_turn_word;
use crate::real::Real;

/// A part of a turn in units of 2^-256, the lowest word first.
pub(crate) type Fraction = [u32; 8];

/// What `shaders/offset.wgsl` knows of the coordinates along an axis, the lowest words first.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Axis {
    /// The exponent of the unit.
    unit: i32,
    unused: [u32; 3],
    /// The middle with the other sign, in units.
    origin: [u32; 4],
    /// What is added to places.
    begin: [u32; 4],
    /// By which a place and a phase grow with each unit.
    fractions: [Fraction; 2],
}

impl Axis {
    pub fn new<T: Real>(units: &Units, middle: i128, begin: u128, place: Fraction, phase: Fraction) -> Self {
        let words = words_of::<T>();
        let own = |fraction: Fraction| std::array::from_fn(|i| if i < 2 * words { fraction[8 - 2 * words + i] } else { 0 });
        let low = |number: u128| std::array::from_fn(|i| (number >> (32 * i)) as u32);
        let begin = begin >> (128 - 32 * words);
        let fractions = [own(place), own(phase)];
        Self { unit: units.exponent, origin: low(middle.wrapping_neg() as u128), begin: low(begin), fractions, ..Self::default() }
    }
}

/// Words of a whole number: 64 bits for transforms of f32, and 128 for those of f64.
pub(crate) fn words_of<T: Real>() -> usize {
    if T::DOUBLE { 4 } else { 2 }
}

/// Units of which whole numbers are one bit shorter than they may be, with a sign.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Units {
    pub exponent: i32,
}

impl Units {
    /// For numbers of such an absolute value at most.
    pub fn new<T: Real>(most: f64) -> Self {
        Self { exponent: parts(most).1 + 2 - 32 * words_of::<T>() as i32 }
    }

    /// The number in units, without what is behind the point.
    pub fn whole(&self, number: f64) -> i128 {
        let (mantissa, exponent) = parts(number.abs());
        let shift = exponent - 52 - self.exponent;
        let whole = (mantissa * 2f64.powi(52)) as i128;
        let whole = if shift >= 0 { whole << shift } else { whole >> (-shift).min(127) };
        if number < 0.0 { -whole } else { whole }
    }
}

/// A number that is not negative as one from 1 to 2, times 2 to a power; 0 is 0.
pub(crate) fn parts(number: f64) -> (f64, i32) {
    let (number, shift) = if number < f64::MIN_POSITIVE { (number * 2f64.powi(64), 64) } else { (number, 0) };
    let bits = number.to_bits();
    match (bits >> 52) as i32 {
        0 => (0.0, -1100),
        exponent => (f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52)), exponent - 1023 - shift),
    }
}

/// A number below 2, times 2 to a power, without whole turns.
pub(crate) fn fraction<E: Exact>(number: E, exponent: i32) -> Fraction {
    let (whole, begin) = ((number * E::from(2f64.powi(120))).whole(), exponent + 256 - 120);
    std::array::from_fn(|i| match 32 * i as i32 - begin {
        shift @ 0..128 => (whole >> shift) as u32,
        shift @ -31..0 => (whole << -shift) as u32,
        _ => 0,
    })
}

/// An angle of so many radians, times 2 to a power, as a part of a turn without whole turns. The
/// exponent is 900 at most: there 1/2π has no digits more.
pub(crate) fn turns(radians: i128, exponent: i32) -> Fraction {
    // Those bits of 1/2π that become no whole turns, and 384 below them, the lowest word first.
    let word = |i: i32| u64::from(inverse_turn_word(i));
    let (first, shift) = (exponent.div_euclid(32), exponent.rem_euclid(32));
    let digits: [u32; 12] = std::array::from_fn(|i| {
        let own = first + 11 - i as i32;
        (((word(own) << 32) | word(own + 1)) >> (32 - shift)) as u32
    });
    let mut product = [0u32; 12];
    for i in 0..4 {
        let (own, mut carry) = (u64::from((radians.unsigned_abs() >> (32 * i)) as u32), 0);
        for j in i..12 {
            carry += own * u64::from(digits[j - i]) + u64::from(product[j]);
            product[j] = carry as u32;
            carry >>= 32;
        }
    }
    let mut carry = radians < 0;
    std::array::from_fn(|i| {
        let word = if radians < 0 { !product[4 + i] } else { product[4 + i] };
        let (word, next) = word.overflowing_add(carry.into());
        carry = next;
        word
    })
}

/// ⌊n/2⌋ of n cells, as a part of 2^128.
pub(crate) fn middle_cell(n: usize) -> u128 {
    let mut rest = (n / 2) as u128;
    (0..4).fold(0, |part, _| {
        rest <<= 32;
        let word = rest / n as u128;
        rest %= n as u128;
        (part << 32) | word
    })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    /// The highest 64 bits as a number from -1/2 to 1/2.
    fn number(fraction: Fraction) -> f64 {
        ((u64::from(fraction[7]) << 32 | u64::from(fraction[6])) as i64) as f64 / 2f64.powi(64)
    }

    #[test]
    fn whole_numbers_have_all_digits() {
        for most in [1.0, 1.75, 3e-200, 8e307, f64::MIN_POSITIVE / 8.0] {
            let units = Units::new::<f32>(most);
            let whole = units.whole(most);
            assert!((1 << 62..1 << 63).contains(&whole), "{most:e}: {whole}");
            assert_eq!((units.whole(-most), units.whole(0.0), units.whole(most / 4.0)), (-whole, 0, whole / 4));
            assert!((1 << 126..=i128::MAX).contains(&Units::new::<f64>(most).whole(most)), "{most:e}");
        }
        assert_eq!(Units::new::<f32>(1.0).whole(1e-300), 0);
        assert_eq!(Units::new::<f32>(0.0).whole(0.0), 0);
    }

    #[test]
    fn angles_become_parts_of_a_turn() {
        for (radians, exponent) in [(1, 0), (-3, 0), (12345, -10), (-1 << 100, -99), (7, -300), ((1 << 53) - 1, -50)] {
            let expected = (radians as f64 * 2f64.powi(exponent) / TAU) % 1.0;
            let found = number(turns(radians, exponent));
            let difference = expected - found;
            assert!((difference - difference.round()).abs() < 1e-15, "{radians} {exponent}: {found} and {expected}");
        }
        // Far from 0, where the host's sine reduces with as many digits as it takes.
        for exponent in [60, 500, 896] {
            let found = number(turns(3, exponent)) * TAU;
            let expected = 3.0 * 2f64.powi(exponent);
            assert!((found.sin() - expected.sin()).abs() < 1e-15 && (found.cos() - expected.cos()).abs() < 1e-15, "{exponent}");
        }
        // Products of whole numbers and powers of 2 are the same however they are written.
        assert_eq!(turns(5 << 90, 3)[1..], turns(5, 93)[1..]);
    }

    #[test]
    fn fractions_lie_where_their_power_says() {
        assert_eq!(fraction(1.5, -1), [0, 0, 0, 0, 0, 0, 0, 0xc000_0000]);
        assert_eq!(fraction(1.5, -33), [0, 0, 0, 0, 0, 0, 0xc000_0000, 0]);
        assert_eq!(fraction(1.0, -256), [1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!([fraction(1.0, -257), fraction(1.0, 900), fraction(1.0, -2000)], [[0; 8]; 3]);
        assert_eq!(number(fraction(1.0, -3)), 0.125);
        assert_eq!((middle_cell(10), middle_cell(3)), (1 << 127, u128::MAX / 3));
    }
}
