//! The types of elements.

use half::f16;
use num_complex::Complex32;

use crate::element::Element;
use crate::kernels::reduce::operator::Kind;

/// A type whose values can be reduced: f32, i32, u32, complex f32, f16 (from the crate [`half`]) or
/// f64.
pub trait Value: Element + Kinded {
    /// The type of sums.
    type Wide: Element;
    /// The type of |x|².
    type Magnitude: Element;
    /// The type of |x - y|.
    type Distance: Element;
}

/// A private supertrait that seals [`Value`].
pub trait Kinded {
    /// The element type that kernels use for it.
    const KIND: Kind;
}

/// A type whose values are ordered.
pub trait Ordered: Value {}

/// A type whose division is rounded, unlike that of integers.
pub trait Float: Value {}

/// A type of integers.
pub trait Integer: Value {
    /// The type of sums that never overflow.
    type Long: Element;
}

macro_rules! values {
    ($($type:ty: $kind:ident, $wide:ty, $magnitude:ty, $distance:ty;)*) => { $(
        impl Kinded for $type {
            const KIND: Kind = Kind::$kind;
        }

        impl Value for $type {
            type Wide = $wide;
            type Magnitude = $magnitude;
            type Distance = $distance;
        }
    )* };
}

values! {
    f32: F32, f32, f32, f32;
    i32: I32, i32, i32, u32;
    u32: U32, u32, u32, u32;
    f16: F16, f32, f32, f32;
    f64: F64, f64, f64, f64;
    Complex32: Complex, Complex32, f32, f32;
}

impl Ordered for f32 {}
impl Ordered for i32 {}
impl Ordered for u32 {}
impl Ordered for f16 {}
impl Ordered for f64 {}
impl Integer for i32 {
    type Long = i64;
}
impl Integer for u32 {
    type Long = u64;
}
impl Float for f32 {}
impl Float for f16 {}
impl Float for f64 {}
impl Float for Complex32 {}
