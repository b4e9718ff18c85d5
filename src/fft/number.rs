//! The number that a transform computes with: the type of real and imaginary parts.

use crate::fragment::Form;
use crate::wgsl::{Scalar, Type, vec2};

/// The type of real and imaginary parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum Number {
    #[default]
    F32,
}

impl Number {
    /// The scalar type of values.
    pub fn scalar(self) -> Scalar {
        match self {
            Self::F32 => Scalar::F32,
        }
    }

    /// The type of real numbers.
    pub fn real(self) -> Type {
        Type::Scalar(self.scalar())
    }

    /// The type of complex numbers.
    pub fn complex(self) -> Type {
        vec2(self.scalar())
    }

    /// How real numbers lie in arrays.
    pub fn real_form(self) -> Form {
        match self {
            Self::F32 => Form::REAL,
        }
    }

    /// How complex numbers lie in arrays.
    pub fn complex_form(self) -> Form {
        match self {
            Self::F32 => Form::COMPLEX,
        }
    }

    /// 32-bit words of a real number.
    pub fn words(self) -> u32 {
        match self {
            Self::F32 => 1,
        }
    }

    /// Bytes of a complex number.
    pub fn complex_bytes(self) -> u64 {
        8 * u64::from(self.words())
    }

    /// The words of a complex constant.
    pub fn words_of(self, parts: [f64; 2]) -> impl Iterator<Item = u32> {
        match self {
            Self::F32 => parts.into_iter().map(|part| (part as f32).to_bits()),
        }
    }

    /// The number that is closest to a factor.
    pub fn rounded(self, factor: f64) -> f64 {
        match self {
            Self::F32 => f64::from(factor as f32),
        }
    }
}
