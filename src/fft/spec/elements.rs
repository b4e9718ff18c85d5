//! The numbers that the arrays of a transform can hold: f32, or numbers of 16 bits.

use half::{bf16, f16};
use num_complex::{Complex, Complex32};

use crate::fragment::{Form, Readable};

/// A real number in an array of a transform: f32, [`f16`](half::f16) or [`bf16`](half::bf16).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a real number that an FFT loads or stores",
    note = "real numbers are `f32`, `half::f16` and `half::bf16`"
)]
pub trait RealElement: Readable {}

/// A complex number in an array of a transform: its parts are f32, [`f16`](half::f16) or
/// [`bf16`](half::bf16).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a complex number that an FFT loads or stores",
    note = "complex numbers are `Complex32`, `Complex<half::f16>` and `Complex<half::bf16>`"
)]
pub trait ComplexElement: Readable {}

impl RealElement for f32 {}
impl RealElement for f16 {}
impl RealElement for bf16 {}
impl ComplexElement for Complex32 {}
impl ComplexElement for Complex<f16> {}
impl ComplexElement for Complex<bf16> {}

/// Numbers of 16 bits in an array. Arithmetic on them is that of f32.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::fft) struct HalfNumbers {
    pub form: Form,
    /// As specifications print it.
    pub name: &'static str,
}

impl HalfNumbers {
    const ALL: [Self; 4] = [
        Self { form: form::<f16>(), name: "f16" },
        Self { form: form::<bf16>(), name: "bf16" },
        Self { form: form::<Complex<f16>>(), name: "complex-f16" },
        Self { form: form::<Complex<bf16>>(), name: "complex-bf16" },
    ];

    /// Those of an array of `T`, unless its numbers are f32.
    pub fn of<T: Readable>() -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.form == T::FORM)
    }

    /// Those of this name that are complex or real; or which names there are.
    pub fn named(name: &str, complex: bool) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter().filter(|own| own.form.has(if complex { 2 } else { 1 }));
        let names = all.clone().map(|own| own.name).collect::<Vec<_>>().join(" or ");
        all.find(|own| own.name == name).ok_or(format!("expected {names}"))
    }
}

const fn form<T: Readable>() -> Form {
    T::FORM
}
