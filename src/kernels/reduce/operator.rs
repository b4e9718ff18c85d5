//! Twins of `shaders/reduce/operator/*.wgsl`.

use crate::kernels::{Source, sources};

/// Type of the values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// f32.
    F32,
    /// i32.
    I32,
    /// u32.
    U32,
}

/// What is done with two values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Combine {
    /// a + b; modulo 2³² for integers.
    Sum,
    /// The smaller one; for f32 the first NaN, else by the order of IEEE 754.
    Min,
    /// The larger one; for f32 the first NaN, else by the order of IEEE 754.
    Max,
}

/// An operator on values of one type, as 32-bit words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operator {
    /// What is done.
    pub combine: Combine,
    /// To what.
    pub scalar: Scalar,
}

impl Operator {
    /// The file that declares `Value` and `combine` so.
    #[must_use]
    pub fn source(self) -> &'static Source {
        match (self.combine, self.scalar) {
            (Combine::Sum, Scalar::F32) => &sources::REDUCE_SUM_F32,
            (Combine::Sum, Scalar::I32) => &sources::REDUCE_SUM_I32,
            (Combine::Sum, Scalar::U32) => &sources::REDUCE_SUM_U32,
            (Combine::Min, Scalar::F32) => &sources::REDUCE_MIN_F32,
            (Combine::Min, Scalar::I32) => &sources::REDUCE_MIN_I32,
            (Combine::Min, Scalar::U32) => &sources::REDUCE_MIN_U32,
            (Combine::Max, Scalar::F32) => &sources::REDUCE_MAX_F32,
            (Combine::Max, Scalar::I32) => &sources::REDUCE_MAX_I32,
            (Combine::Max, Scalar::U32) => &sources::REDUCE_MAX_U32,
        }
    }

    /// The operator a file declares; the inverse of [`Self::source`].
    #[must_use]
    pub fn of_source(source: &Source) -> Option<Self> {
        [Combine::Sum, Combine::Min, Combine::Max]
            .into_iter()
            .flat_map(|combine| [Scalar::F32, Scalar::I32, Scalar::U32].map(|scalar| Self { combine, scalar }))
            .find(|operator| operator.source() == source)
    }

    /// The operator on two words.
    #[must_use]
    pub fn apply(self, a: u32, b: u32) -> u32 {
        let less = |a: u32, b: u32| match self.scalar {
            Scalar::F32 => f32::from_bits(a).total_cmp(&f32::from_bits(b)).is_le(),
            Scalar::I32 => a as i32 <= b as i32,
            Scalar::U32 => a <= b,
        };
        let is_nan = |word: u32| self.scalar == Scalar::F32 && f32::from_bits(word).is_nan();
        match self.combine {
            Combine::Sum if self.scalar == Scalar::F32 => (f32::from_bits(a) + f32::from_bits(b)).to_bits(),
            Combine::Sum => a.wrapping_add(b),
            _ if is_nan(a) => a,
            _ if is_nan(b) => b,
            Combine::Min => {
                if less(a, b) {
                    a
                } else {
                    b
                }
            }
            Combine::Max => {
                if less(b, a) {
                    a
                } else {
                    b
                }
            }
        }
    }
}

/// The choices for the operator, in the order of the kernels' headers.
pub(super) const SOURCES: &[&Source] = &[
    &sources::REDUCE_SUM_F32,
    &sources::REDUCE_SUM_I32,
    &sources::REDUCE_SUM_U32,
    &sources::REDUCE_MIN_F32,
    &sources::REDUCE_MIN_I32,
    &sources::REDUCE_MIN_U32,
    &sources::REDUCE_MAX_F32,
    &sources::REDUCE_MAX_I32,
    &sources::REDUCE_MAX_U32,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_one_operator() {
        for source in SOURCES {
            let operator = Operator::of_source(source).unwrap();
            let name = format!("{:?}_{:?}", operator.combine, operator.scalar).to_lowercase();
            assert_eq!(source.path, format!("reduce/operator/{name}.wgsl"));
        }
    }

    #[test]
    fn extremes_of_floats_keep_the_first_nan_and_the_sign_of_zero() {
        let min = Operator { combine: Combine::Min, scalar: Scalar::F32 };
        let max = Operator { combine: Combine::Max, scalar: Scalar::F32 };
        let (nan, other_nan) = (0x7fc0_0001, 0xffc0_0002);
        assert_eq!(min.apply(nan, other_nan), nan);
        assert_eq!(max.apply(1f32.to_bits(), other_nan), other_nan);
        assert_eq!(min.apply(0f32.to_bits(), (-0f32).to_bits()), (-0f32).to_bits());
        assert_eq!(max.apply((-0f32).to_bits(), 0f32.to_bits()), 0f32.to_bits());
        assert_eq!(min.apply(f32::NEG_INFINITY.to_bits(), f32::MIN.to_bits()), f32::NEG_INFINITY.to_bits());
    }

    #[test]
    fn integer_sums_wrap() {
        let sum = Operator { combine: Combine::Sum, scalar: Scalar::I32 };
        assert_eq!(sum.apply(i32::MAX as u32, 1), i32::MIN as u32);
    }
}
