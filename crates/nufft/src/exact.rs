//! Arithmetic of the host with more digits than numbers of the device have.

use std::f64::consts::PI;
use std::ops::{Add, Div, Mul, Sub};

/// f64 for numbers in f32, and [`Double`] for those in f64.
pub trait Exact: Copy + From<f64> + Into<f64> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    const PI: Self;

    /// Without what is behind the point, if it is not negative and below 2^127.
    fn whole(self) -> u128;
}

impl Exact for f64 {
    const PI: Self = PI;

    fn whole(self) -> u128 {
        self as u128
    }
}

/// The sum of two f64, of which the second is at most half a unit in the last place of the first.
/// Results are correct to about 2⁻¹⁰⁰.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Double {
    high: f64,
    low: f64,
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl From<Double> for f64 {
    fn from(number: Double) -> Self {
        number.high + number.low
    }
}

/// a + b, and what rounding took away.
fn two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let of_b = high - a;
    Double { high, low: (a - (high - of_b)) + (b - of_b) }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (sum, rest) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let sum = two_sum(sum.high, sum.low + rest.high);
        two_sum(sum.high, sum.low + rest.low)
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + Self { high: -other.high, low: -other.low }
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high);
        two_sum(high, low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, by: Self) -> Self {
        let first = self.high / by.high;
        let rest = self - Self::from(first) * by;
        two_sum(first, (rest.high + rest.low) / by.high)
    }
}

impl Exact for Double {
    const PI: Self = Self { high: PI, low: 1.224_646_799_147_353_2e-16 };

    fn whole(self) -> u128 {
        (self.high as i128 + self.low.floor() as i128) as u128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_beyond_f64_count() {
        let third = Double::from(1.0) / Double::from(3.0);
        let digits = (third * Double::from(2f64.powi(100))).whole();
        assert!(digits.abs_diff(0x5_5555_5555_5555_5555_5555_5555) <= 1, "{digits:x}");
        let rest = third * Double::from(3.0) - Double::from(1.0);
        assert!(f64::from(rest).abs() < 2f64.powi(-100), "{rest:?}");
        let small = Double::from(1.0) + Double::from(2f64.powi(-80)) - Double::from(1.0);
        assert_eq!(f64::from(small), 2f64.powi(-80));
        assert_eq!((Double::from(5.0) - Double::from(2f64.powi(-70))).whole(), 4);
    }
}
