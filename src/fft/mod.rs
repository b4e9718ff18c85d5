//! Fourier transforms.
//!
//! | | specification | input → output |
//! |---|---|---|
//! | complex to complex | [`C2c`] | n complex → n complex |
//! | real to complex | [`R2c`] | n real → n/2+1 complex |
//! | complex to real | [`C2r`] | n/2+1 complex → n real |

mod banks;
mod bindings;
mod butterfly;
mod design;
mod design_cpu;
mod factors;
mod lanes;
mod layout;
mod lower;
mod lower_lanes;
mod passes;
mod recipe;
mod roots;
mod stages;
mod transform;

use std::fmt;
use std::str::FromStr;

use num_complex::Complex32;

pub use layout::Layout;
pub use recipe::{AxisRecipe, Exchange, PassRecipe, Reals, Recipe, Registers, Roots};

use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::plan::{Placement, Program, Spec};
use crate::shape::Shape;
use transform::{Kind, Transform, specification};

/// Sign of the exponent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// exp(-2πi·…), from positions to frequencies.
    Forward,
    /// exp(+2πi·…), from frequencies to positions.
    Inverse,
}

/// Factor on every output, with n the number of elements of one transform (of all its axes).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scale {
    /// 1, as in rustfft and FFTW: forward and inverse together multiply by n.
    #[default]
    One,
    /// 1/n, as in NumPy's inverse.
    InvLen,
    /// 1/√n, which makes the transform unitary.
    InvSqrtLen,
}

/// Discrete Fourier transform of complex numbers to complex numbers, over one to three axes.
///
/// # Definition
/// For one axis of length n, and for each row of the batch,
/// X\[k\] = s · Σⱼ x\[j\] · exp(∓2πi·jk/n), j, k = 0 … n-1, with - forward and + inverse, and s the [`Scale`]; over more axes one after the other. Frequencies are
/// in the usual order: 0, 1, …, then the negative ones.
///
/// # Shapes
/// | shape | input | output | output, [`transposed`](Self::transposed) |
/// |---|---|---|---|
/// | `n`, batch b | b × n | b × n | – |
/// | `[R, C]`, batch b | b × R × C | b × R × C | b × C × R |
/// | `[P, R, C]`, batch b | b × P × R × C | b × P × R × C | b × C × R × P |
///
/// Dense, row-major, slowest axis first, unless [`Layout`]s say otherwise. Every length from 1 on.
///
/// # Accuracy
/// Relative two-norm error against f64 at most 4·u·√log₂n, u = 2⁻²⁴, and 8·u·√log₂m for lengths with a prime factor above 64, which are computed as a
/// convolution of length m ≥ 2n - 1 (Bluestein). Measured about 0.7 and 1.0 of u·√log₂n. Roots of unity come from tables computed in f64, so no adapter's
/// sine matters. NaN and infinities go through to the outputs that depend on them.
///
/// # Determinism
/// Equal bits for equal plans on one adapter. Adapters differ by rounding where they fuse multiplications and additions.
///
/// # Cost
/// One dispatch for each axis that fits workgroup memory, two or three for longer ones, each of which reads and writes the array once. [`Program`] prints them, and
/// [`Plan::workspace_bytes`](crate::Plan::workspace_bytes) says what memory they need.
///
/// # Errors
/// From planning: [`Error::Empty`], [`Error::Unsupported`] for axes or layouts that make no sense, [`Error::LimitExceeded`] for 2³² elements or more than the device
/// can bind, [`Error::UnfitRecipe`] for a recipe given by hand.
///
/// # Sources
/// J. W. Cooley and J. W. Tukey, Math. Comp. 19 (1965) 297; C. Van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM 1992; D. H. Bailey, J.
/// Supercomputing 4 (1990) 23; L. I. Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct C2c(Transform);

impl C2c {
    /// The transform with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::C2c(Direction::Forward), shape.into()))
    }

    /// The transform with exp(+2πi·…). With the default [`Scale::One`] it undoes [`forward`](Self::forward) up to a factor n.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::C2c(Direction::Inverse), shape.into()))
    }

    /// Leaves the output with its axes in reverse order, which may save time. An inverse transform of the shape with its axes reversed, transposed as well,
    /// leads back.
    pub fn transposed(mut self) -> Self {
        self.0.transposed = true;
        self
    }
}

specification!(C2c, Complex32, Complex32, [Kind::C2c(Direction::Forward), Kind::C2c(Direction::Inverse)]);

/// Discrete Fourier transform of real numbers to complex numbers, over one to three axes.
///
/// # Definition
/// As [`C2c::forward`] of the same numbers with imaginary parts 0. Of the last axis of length n only X\[0\] … X\[⌊n/2⌋\] are stored: the others are
/// conjugates, X\[n-k\] = conj X\[k\] (with more axes also -k on those).
///
/// # Shapes
/// | shape | input (real) | output (complex) |
/// |---|---|---|
/// | `n`, batch b | b × n | b × (⌊n/2⌋+1) |
/// | `[R, C]`, batch b | b × R × C | b × R × (⌊C/2⌋+1) |
/// | `[P, R, C]`, batch b | b × P × R × C | b × P × R × (⌊C/2⌋+1) |
///
/// Dense, without hidden padding, for even and odd lengths. In place, the array is that of the output, and the rows of reals lie in it at a pitch of 2·(⌊n/2⌋+1) reals.
///
/// # Accuracy, Determinism, Errors, Sources
/// As [`C2c`].
///
/// # Cost
/// Rows are transformed two at a time, as the real and the imaginary part of one, so an axis that fits workgroup memory moves half the bytes of the complex
/// transform. The other axes have half the columns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct R2c(Transform);

impl R2c {
    /// The transform with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::R2c, shape.into()))
    }
}

specification!(R2c, f32, Complex32, [Kind::R2c]);

/// Discrete Fourier transform of complex numbers to real numbers, over one to three axes: the inverse of [`R2c`].
///
/// # Definition
/// As [`C2c::inverse`] of the numbers X\[0\] … X\[n-1\], of which X\[k\] for k ≤ n/2 are given and X\[n-k\] = conj X\[k\]. The imaginary parts of
/// X\[0\] and X\[n/2\], which would make the result complex, are taken as 0 on the last axis. With the default [`Scale::One`] it undoes [`R2c::forward`] up to a factor n.
///
/// # Shapes
/// The shape is that of the reals: input and output of [`R2c`] exchanged.
///
/// # Accuracy, Determinism, Cost, Errors, Sources
/// As [`R2c`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct C2r(Transform);

impl C2r {
    /// The transform with exp(+2πi·…). `shape` is that of the reals.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::C2r, shape.into()))
    }
}

specification!(C2r, Complex32, f32, [Kind::C2r]);
