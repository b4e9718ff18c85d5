//! The numbers of transforms: f32 and f64.

use std::fmt::Debug;

use wgpu_fft::elements::HostReal;
use wgpu_fft::fft::C2c;
use wgpu_fft::num_complex::{Complex32, Complex64};
use wgpu_fft::{DeviceProfile, Element, Error, Fragment, Result, Spec};

use crate::exact::{Double, Exact};
use crate::spec::Kind;
use crate::window::{LARGEST, Window};

/// The numbers of a transform: f32, or f64 where the device has it. `T::Complex` is the type of its
/// strengths, modes and values: `Complex32` or `Complex64`.
pub trait Real: Arithmetic {}

impl Real for f32 {}
impl Real for f64 {}

/// A private supertrait that seals [`Real`].
pub trait Arithmetic: HostReal + Element + Debug {
    type Complex: Element + Debug;
    /// Whether it is f64.
    const DOUBLE: bool;
    /// The smallest tolerance, at which rounding errors begin to count.
    const SMALLEST: f64;
    /// The specification of a Fourier transform.
    type Fourier: Spec<Input = Self::Complex, Output = Self::Complex>;
    /// What the host computes windows and scales with, so that no digit of theirs is lost that counts.
    type Exact: Exact;

    /// The Fourier transform whose modes this fragment multiplies, or that of f64, which takes no
    /// fragments.
    fn fourier(transform: C2c, kind: Kind, fragment: Fragment) -> Result<Self::Fourier>;
}

impl Arithmetic for f32 {
    type Complex = Complex32;
    const DOUBLE: bool = false;
    const SMALLEST: f64 = 1e-6;
    type Fourier = C2c;
    type Exact = f64;

    fn fourier(transform: C2c, kind: Kind, fragment: Fragment) -> Result<C2c> {
        match kind {
            Kind::One => transform.map_output(fragment),
            Kind::Two => transform.map_input(fragment),
        }
    }
}

impl Arithmetic for f64 {
    type Complex = Complex64;
    const DOUBLE: bool = true;
    const SMALLEST: f64 = 1e-12;
    type Fourier = C2c<Complex64, Complex64>;
    type Exact = Double;

    fn fourier(transform: C2c, _: Kind, _: Fragment) -> Result<Self::Fourier> {
        Ok(transform.f64())
    }
}

/// Refuses devices without these numbers.
pub(crate) fn check_numbers<T: Real>(profile: &DeviceProfile) -> Result<()> {
    if !T::DOUBLE || profile.f64 {
        return Ok(());
    }
    let why = format!(
        "{} has no 64-bit floats in shaders (`SHADER_F64`), which wgpu offers with Vulkan alone: compute in f32 or on the host",
        profile.name
    );
    Err(Error::Unsupported { what: "a transform on non-uniform points in f64".to_owned(), why })
}

/// The window for a tolerance, by so many of which errors add up, if it is one for these numbers.
pub(crate) fn window<T: Real>(tolerance: f64, windows: usize) -> Result<Window> {
    if (T::SMALLEST * 0.999..=LARGEST * 1.001).contains(&tolerance) {
        // Rounding errors of f32 come on top of its tolerances anyway.
        return Ok(Window::new::<T::Exact>(tolerance, if T::DOUBLE { windows } else { 1 }));
    }
    let what = format!("the tolerance {tolerance:e}");
    Err(Error::Unsupported { what, why: format!("in {} it is between {:e} and {LARGEST:e}", T::NAME, T::SMALLEST) })
}
