//! Types of values.

use crate::text::words;

use std::fmt;
use std::rc::Rc;

/// The type of one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    Bool,
    I32,
    U32,
    U64,
    F32,
    F64,
    /// A number of two f32, high + low, printed as a vector of these. A kernel that uses it has the
    /// functions of `shaders/fft/double.wgsl`.
    Double,
}

impl Scalar {
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::Double)
    }

    /// Bytes of a number that can be stored.
    fn bytes(self) -> u64 {
        match self {
            Self::Bool | Self::I32 | Self::U32 | Self::F32 => 4,
            Self::U64 | Self::F64 | Self::Double => 8,
        }
    }
}

words!(Scalar { Bool = "bool", I32 = "i32", U32 = "u32", U64 = "u64", F32 = "f32", F64 = "f64", Double = "vec2<f32>" });

/// The f32 that is nearest to a number, and the one that is nearest to the rest: together at least
/// 48 bits of it, unless the rest is below the range of f32.
pub(crate) fn two_f32(value: f64) -> [f32; 2] {
    let high = value as f32;
    // There is no rest of an infinity.
    [high, if high.is_finite() { (value - f64::from(high)) as f32 } else { 0.0 }]
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Scalar(Scalar),
    /// A vector of this many numbers.
    Vector(u32, Scalar),
    /// An array of this many elements, or of as many as its binding holds.
    Array(Rc<Type>, Option<u32>),
    Atomic(Scalar),
    /// A structure or an alias of the module.
    Named(Rc<str>),
    /// A texture, by its whole type.
    Texture(Rc<str>),
}

pub(crate) const BOOL: Type = Type::Scalar(Scalar::Bool);
pub(crate) const I32: Type = Type::Scalar(Scalar::I32);
pub(crate) const U32: Type = Type::Scalar(Scalar::U32);
pub(crate) const F32: Type = Type::Scalar(Scalar::F32);
pub(crate) const F64: Type = Type::Scalar(Scalar::F64);

/// Two numbers.
pub(crate) fn vec2(scalar: Scalar) -> Type {
    Type::Vector(2, scalar)
}

/// Four numbers.
pub(crate) fn vec4(scalar: Scalar) -> Type {
    Type::Vector(4, scalar)
}

impl Type {
    /// The array type of a binding.
    pub fn array(element: Self) -> Self {
        Self::Array(element.into(), None)
    }

    /// An array of `count` elements.
    pub fn sized(element: Self, count: u32) -> Self {
        Self::Array(element.into(), Some(count))
    }

    /// The type of a structure or an alias.
    pub fn named(name: &str) -> Self {
        Self::Named(name.into())
    }

    /// A scalar for a count of 1, else a vector.
    pub fn numbers(count: u32, scalar: Scalar) -> Self {
        if count == 1 { Self::Scalar(scalar) } else { Self::Vector(count, scalar) }
    }

    /// Bytes of a scalar, or of a vector of two or four numbers.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Scalar(scalar) => Some(scalar.bytes()),
            Self::Vector(count, scalar) => Some(u64::from(*count) * scalar.bytes()),
            _ => None,
        }
    }

    /// The type of the numbers of a scalar or a vector.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) | Self::Vector(_, scalar) => Some(*scalar),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => write!(f, "{scalar}"),
            // Real and imaginary part, one after the other.
            Self::Vector(2, Scalar::Double) => f.write_str("vec4<f32>"),
            Self::Vector(count, scalar) => write!(f, "vec{count}<{scalar}>"),
            Self::Array(element, None) => write!(f, "array<{element}>"),
            Self::Array(element, Some(count)) => write!(f, "array<{element}, {count}>"),
            Self::Atomic(scalar) => write!(f, "atomic<{scalar}>"),
            Self::Named(name) | Self::Texture(name) => f.write_str(name),
        }
    }
}
