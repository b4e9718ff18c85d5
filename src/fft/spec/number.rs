//! The number that a transform computes with: the type of real and imaginary parts.

use crate::fragment::Form;
use crate::text::words;
use crate::wgsl::{Expr, Scalar, Type, call, two_f32, vec2, vec4};

/// The type of real and imaginary parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(in crate::fft) enum Number {
    #[default]
    F32,
    F64,
    /// Sums of two f32, in arrays of f64.
    Double,
}

/// The word for f64 computed by f32.
pub(in crate::fft) const DOUBLE: &str = "f64-by-f32";

words!(Number { F32 = "f32", F64 = "f64", Double = DOUBLE });

impl Number {
    /// The scalar type of values.
    pub fn scalar(self) -> Scalar {
        match self {
            Self::F32 => Scalar::F32,
            Self::F64 => Scalar::F64,
            Self::Double => Scalar::Double,
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
            Self::F64 | Self::Double => Form::REAL_F64,
        }
    }

    /// How complex numbers lie in arrays.
    pub fn complex_form(self) -> Form {
        match self {
            Self::F32 => Form::COMPLEX,
            Self::F64 | Self::Double => Form::COMPLEX_F64,
        }
    }

    /// What an array of real numbers holds in WGSL.
    pub fn real_element(self) -> Type {
        if self == Self::Double { vec2(Scalar::U32) } else { self.real() }
    }

    /// What an array of complex numbers holds in WGSL.
    pub fn complex_element(self) -> Type {
        if self == Self::Double { vec4(Scalar::U32) } else { self.complex() }
    }

    /// The value of an element of an array. Of [`Double`](Self::Double) it is the bits of f64.
    pub fn value_of(self, element: Expr) -> Expr {
        match self {
            Self::F32 | Self::F64 => element,
            Self::Double if *element.ty() == self.complex_element() => call("complex_of_bits", [&element], self.complex()),
            Self::Double => call("double_of_bits", [&element], self.real()),
        }
    }

    /// The element of an array with this value.
    pub fn element_of(self, value: &Expr) -> Expr {
        match self {
            Self::F32 | Self::F64 => value.clone(),
            Self::Double if *value.ty() == self.complex() => call("bits_of_complex", [value], self.complex_element()),
            Self::Double => call("bits_of_double", [value], self.real_element()),
        }
    }

    /// 32-bit words of a real number.
    pub fn words(self) -> u32 {
        match self {
            Self::F32 => 1,
            Self::F64 | Self::Double => 2,
        }
    }

    /// Bytes of a complex number.
    pub fn complex_bytes(self) -> u64 {
        8 * u64::from(self.words())
    }

    /// The words of a complex constant.
    pub fn words_of(self, parts: [f64; 2]) -> impl Iterator<Item = u32> {
        parts.into_iter().flat_map(move |part| {
            let bits = match self {
                Self::F32 => (part as f32).to_bits().into(),
                Self::F64 => part.to_bits(),
                Self::Double => {
                    let [high, low] = two_f32(part).map(|part| u64::from(part.to_bits()));
                    high | low << 32
                }
            };
            // The lower word comes first.
            [bits as u32, (bits >> 32) as u32].into_iter().take(self.words() as usize)
        })
    }

    /// The number that is closest to a factor.
    pub fn rounded(self, factor: f64) -> f64 {
        match self {
            Self::F32 => f64::from(factor as f32),
            Self::F64 => factor,
            Self::Double => two_f32(factor).into_iter().map(f64::from).sum(),
        }
    }

    /// Refuses kernels that compute in f32 alone.
    pub fn check_kernel(self, kernel: &str) -> std::result::Result<(), String> {
        if self == Self::F32 { Ok(()) } else { Err(format!("{kernel} computes in f32 alone, not in {self}: stockham does")) }
    }
}
