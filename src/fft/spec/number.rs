//! The number that a transform computes with: the type of real and imaginary parts.

use crate::fragment::Form;
use crate::text::words;
use crate::wgsl::{Expr, Scalar, Type, call, two_f32, vec2, vec4};

/// The type of real and imaginary parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Number {
    /// 32-bit numbers.
    #[default]
    F32,
    /// 64-bit numbers.
    F64,
    /// 64-bit numbers, computed as sums of two f32.
    F64ByF32,
}

/// The word for f64 computed by f32.
pub(in crate::fft) const DOUBLE: &str = "f64-by-f32";

words!(Number { F32 = "f32", F64 = "f64", F64ByF32 = DOUBLE });

impl Number {
    /// The bytes of a real number in an array; a complex one has twice as many.
    #[must_use]
    pub fn bytes(self) -> usize {
        4 * self.words() as usize
    }

    pub(crate) fn scalar(self) -> Scalar {
        match self {
            Self::F32 => Scalar::F32,
            Self::F64 => Scalar::F64,
            Self::F64ByF32 => Scalar::Double,
        }
    }

    pub(crate) fn real(self) -> Type {
        Type::Scalar(self.scalar())
    }

    pub(crate) fn complex(self) -> Type {
        vec2(self.scalar())
    }

    /// How real numbers lie in arrays.
    pub(crate) fn real_form(self) -> Form {
        if self == Self::F32 { Form::REAL } else { Form::REAL_F64 }
    }

    /// How complex numbers lie in arrays.
    pub(crate) fn complex_form(self) -> Form {
        if self == Self::F32 { Form::COMPLEX } else { Form::COMPLEX_F64 }
    }

    /// What an array of real numbers holds in WGSL.
    pub(crate) fn real_element(self) -> Type {
        if self == Self::F64ByF32 { vec2(Scalar::U32) } else { self.real() }
    }

    /// What an array of complex numbers holds in WGSL.
    pub(crate) fn complex_element(self) -> Type {
        if self == Self::F64ByF32 { vec4(Scalar::U32) } else { self.complex() }
    }

    /// The value of an element of an array. Of [`F64ByF32`](Self::F64ByF32) it is the bits of f64.
    pub(crate) fn value_of(self, element: Expr) -> Expr {
        match self {
            Self::F32 | Self::F64 => element,
            Self::F64ByF32 if *element.ty() == self.complex_element() => call("complex_of_bits", [&element], self.complex()),
            Self::F64ByF32 => call("double_of_bits", [&element], self.real()),
        }
    }

    /// The element of an array with this value.
    pub(crate) fn element_of(self, value: &Expr) -> Expr {
        match self {
            Self::F32 | Self::F64 => value.clone(),
            Self::F64ByF32 if *value.ty() == self.complex() => call("bits_of_complex", [value], self.complex_element()),
            Self::F64ByF32 => call("bits_of_double", [value], self.real_element()),
        }
    }

    pub(crate) fn words(self) -> u32 {
        if self == Self::F32 { 1 } else { 2 }
    }

    pub(crate) fn complex_bytes(self) -> u64 {
        2 * self.bytes() as u64
    }

    /// The words of a complex constant.
    pub(crate) fn words_of(self, parts: [f64; 2]) -> impl Iterator<Item = u32> {
        parts.into_iter().flat_map(move |part| {
            let bits = match self {
                Self::F32 => (part as f32).to_bits().into(),
                Self::F64 => part.to_bits(),
                Self::F64ByF32 => {
                    let [high, low] = two_f32(part).map(|part| u64::from(part.to_bits()));
                    high | low << 32
                }
            };
            // The lower word comes first.
            [bits as u32, (bits >> 32) as u32].into_iter().take(self.words() as usize)
        })
    }

    /// The number that is closest to a factor.
    pub(crate) fn rounded(self, factor: f64) -> f64 {
        match self {
            Self::F32 => f64::from(factor as f32),
            Self::F64 => factor,
            Self::F64ByF32 => two_f32(factor).into_iter().map(f64::from).sum(),
        }
    }

    /// Refuses kernels that compute in f32 alone.
    pub(crate) fn check_kernel(self, kernel: &str) -> std::result::Result<(), String> {
        if self == Self::F32 { Ok(()) } else { Err(format!("{kernel} computes in f32 alone, not in {self}: stockham does")) }
    }
}
