//! The types of numbers in signals.

use num_complex::Complex32;

use crate::element::Element;
use crate::fragment::Form;

/// A number that can be convolved: f32 or complex f32.
pub trait Number: Element + Kinded {}

/// A private supertrait that seals [`Number`].
pub trait Kinded {
    /// Whether numbers are real.
    const REAL: bool;
    const FORM: Form = if Self::REAL { Form::REAL } else { Form::COMPLEX };
}

impl Kinded for f32 {
    const REAL: bool = true;
}

impl Kinded for Complex32 {
    const REAL: bool = false;
}

impl Number for f32 {}
impl Number for Complex32 {}
