//! The specifications of Fourier transforms.

use std::fmt;
use std::str::FromStr;

use num_complex::Complex32;

use super::recipe::Recipe;
use super::transform::{Direction, Kind, Scale, Transform};
use super::{adapt, design, lower};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::layout::Layout;
use crate::plan::{Placement, Program, Spec};
use crate::shape::{Axes, Shape};

/// A transform whose recipe on one device can be adapted to others, so that devices that round
/// alike give equal bits: [`C2c`], [`R2c`] and [`C2r`].
pub trait Adapt: Spec<Recipe = Recipe> {
    /// Returns a recipe for this transform that fits a device of `profile` and performs the same
    /// floating-point operations on every line as `recipe`. `recipe` may belong to a transform with
    /// another number of lines. If this transform has one column where that one has several, first
    /// apply [`Recipe::for_single_column`].
    ///
    /// # Errors
    /// If there is no such recipe, the error of lowering `recipe` itself with
    /// [`lower`](Spec::lower).
    fn adapted(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Recipe>;
}

/// Implements the builder methods, [`Spec`](crate::Spec), printing and parsing for a specification
/// that wraps a [`Transform`].
macro_rules! specification {
    ($name:ident, $input:ty, $output:ty, [$($kind:expr),*]) => {
        impl $name {
            /// Transforms `count` arrays. They are stored one after the other unless a layout says
            /// otherwise.
            pub fn batch(mut self, count: usize) -> Self {
                self.0.batch = count;
                self
            }

            /// Transforms only these axes, counted from the slowest, in any order. By default all
            /// axes are transformed. The other axes behave like batches.
            pub fn axes(mut self, axes: impl Into<Axes>) -> Self {
                self.0.axes = self.0.shape.canonical_axes(axes.into().as_ref());
                self
            }

            /// Sets where the input's elements lie. The default is dense.
            pub fn input_layout(mut self, layout: Layout) -> Self {
                self.0.input = Some(layout);
                self
            }

            /// Sets where the output's elements lie. The default is dense. Gaps between the
            /// elements are not written.
            pub fn output_layout(mut self, layout: Layout) -> Self {
                self.0.output = Some(layout);
                self
            }

            /// Sets the factor on every output.
            pub fn scale(mut self, scale: Scale) -> Self {
                self.0.scale = scale;
                self.0.factor = None;
                self
            }

            /// Sets the factor on every output to this number, instead of a [`scale`](Self::scale).
            /// The number must be finite.
            pub fn scale_by(mut self, factor: f32) -> Self {
                self.0.scale = Scale::One;
                // All NaN are equally wrong; equal specifications must print equally.
                self.0.factor = Some(if factor.is_nan() { f32::NAN } else { factor }.to_bits());
                self
            }

            /// Lets the output overwrite the input. Use
            /// [`Plan::encode_in_place`](crate::Plan::encode_in_place) with such a plan.
            pub fn in_place(mut self) -> Self {
                self.0.placement = Placement::InPlace;
                self
            }
        }

        impl crate::plan::Sealed for $name {
            fn leaves_gaps(&self) -> bool {
                self.0.output.is_some()
            }
        }

        impl Spec for $name {
            type Input = $input;
            type Output = $output;
            type Recipe = Recipe;

            fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
                design::design(&self.0, profile)
            }

            fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
                lower::lower(&self.0, recipe, profile)
            }
        }

        impl Adapt for $name {
            fn adapted(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Recipe> {
                adapt::adapted(&self.0, recipe, profile)
            }
        }

        #[cfg(not(feature = "tune"))]
        impl crate::tune::Searchable for $name {}

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        /// Parses the text that [`Display`](fmt::Display) prints.
        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                Transform::parse(text, &[$($kind),*]).map(Self)
            }
        }
    };
}

/// Discrete Fourier transform from complex numbers to complex numbers, along one to three axes.
///
/// ```no_run
/// use wgpu_fft::{Complex32, Planner, fft::C2c};
///
/// # fn transform(planner: &Planner, image: &[Complex32]) -> wgpu_fft::Result<Vec<Complex32>> {
/// let plan = planner.plan(C2c::forward([512, 512]))?;
/// let spectrum = plan.run(image)?.wait()?;
/// # Ok(spectrum)
/// # }
/// ```
///
/// # Definition
/// Along one axis of length n, for each row of the batch: X\[k\] = s · Σⱼ x\[j\] · exp(∓2πi·jk/n),
/// with j, k = 0 … n-1. The sign is - for the forward and + for the inverse transform, and s is the
/// [`Scale`]. With several axes, this is applied along one after the other. Frequencies are in the
/// usual order: 0, 1, …, then the negative ones.
///
/// # Shapes
/// | shape | input | output | output, [`transposed`](Self::transposed) |
/// |---|---|---|---|
/// | `n`, batch b | b × n | b × n | – |
/// | `[R, C]`, batch b | b × R × C | b × R × C | b × C × R |
/// | `[P, R, C]`, batch b | b × P × R × C | b × P × R × C | b × C × R × P |
///
/// Arrays are dense and row-major, slowest axis first, unless [`Layout`]s say otherwise. Every
/// length from 1 on is supported. With [`axes`](Self::axes), the other axes behave like batches. An
/// out-of-place transform does not change its input. For an [in-place](Self::in_place) transform,
/// input and output layouts, if given, must be the same.
///
/// # Accuracy
/// The relative two-norm error against f64 is at most 1.5·u·√log₂n, where u = 2⁻²⁴ and log₂n counts
/// as at least 1. A length with a prime factor above 31 is computed as a convolution of length m,
/// 2n - 1 ≤ m < 3n (Bluestein); its error is at most 3·u·√log₂m. With several axes, the squares of
/// these bounds add up. Measured errors are at most 0.9·u·√log₂n, 1.3·u·√log₂m, and 1.42 times the
/// error of rustfft's f32 transform. Twiddle factors come from tables computed in f64, so the
/// accuracy of an adapter's sine does not matter. NaN and infinities propagate to the outputs that
/// depend on them.
///
/// # Determinism
/// Equal plans on one adapter give equal bits. Adapters differ in rounding where they fuse
/// multiplications and additions.
///
/// # Cost
/// A pass reads and writes the array once. An axis that fits a workgroup takes one pass; on common
/// GPUs that is a length up to 4096, and for rows up to 16,384 where a workgroup has 48 KiB of
/// memory. A longer axis takes two or three passes. A convolution takes one pass if m fits a
/// workgroup. Otherwise it takes twice as many passes as a transform of length m, and two
/// workspaces of m/n times the array. Building its plan computes a spectrum on the host, which
/// takes a second for lengths in the millions; designing and lowering do not compute it. A pass is
/// one dispatch, or several if the array is larger than one binding.
///
/// Plans whose axes take one pass each usually need no workspace. Other plans need one as large as
/// the array. You can print a [`Program`] to see its dispatches, and [`Program::workspace_bytes`]
/// tells the size of its workspaces before anything is allocated.
///
/// # Errors
/// Planning returns [`Error::Empty`]; [`Error::Unsupported`] for axes, layouts or factors that make
/// no sense; [`Error::LimitExceeded`] for 2³² or more elements, or if the device cannot hold or
/// bind an array, a workspace or a table of twiddle factors; [`Error::UnfitRecipe`] for a recipe
/// given by hand. For errors of running, see [`Plan`](crate::Plan).
///
/// # Sources
/// J. W. Cooley and J. W. Tukey, Math. Comp. 19 (1965) 297; C. Van Loan, Computational Frameworks
/// for the Fast Fourier Transform, SIAM 1992; D. H. Bailey, J. Supercomputing 4 (1990) 23; L. I.
/// Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct C2c(pub(super) Transform);

impl C2c {
    /// The forward transform, with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::C2c(Direction::Forward), shape.into()))
    }

    /// The inverse transform, with exp(+2πi·…). With the default [`Scale::One`], it undoes
    /// [`forward`](Self::forward) up to a factor n.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::C2c(Direction::Inverse), shape.into()))
    }

    /// Stores the output densely with its axes in reverse order. To get back, use an inverse
    /// transform of the reversed shape that is transposed as well. For other orders of the axes,
    /// set [`output_layout`](Self::output_layout).
    pub fn transposed(mut self) -> Self {
        self.0.transposed = true;
        self
    }
}

specification!(C2c, Complex32, Complex32, [Kind::C2c(Direction::Forward), Kind::C2c(Direction::Inverse)]);

/// Discrete Fourier transform from real numbers to complex numbers, along one to three axes.
///
/// ```no_run
/// use wgpu_fft::{Complex32, Planner, fft::R2c};
///
/// # fn transform(planner: &Planner, image: &[f32]) -> wgpu_fft::Result<Vec<Complex32>> {
/// let plan = planner.plan(R2c::forward([480, 640]))?;
/// let half_spectrum = plan.run(image)?.wait()?; // 480 x 321 complex numbers
/// # Ok(half_spectrum)
/// # }
/// ```
///
/// # Definition
/// The result is that of [`C2c::forward`] for the same numbers with imaginary parts 0. Along the
/// last axis of length n only X\[0\] … X\[⌊n/2⌋\] are stored. The others are conjugates, X\[n-k\] =
/// conj X\[k\]; with several axes, the indices along the other axes are negated too.
///
/// # Shapes
/// | shape | input (real) | output (complex) |
/// |---|---|---|
/// | `n`, batch b | b × n | b × (⌊n/2⌋+1) |
/// | `[R, C]`, batch b | b × R × C | b × R × (⌊C/2⌋+1) |
/// | `[P, R, C]`, batch b | b × P × R × C | b × P × R × (⌊C/2⌋+1) |
///
/// Arrays are dense, without hidden padding, for even and odd lengths. Alternatively [`Layout`]s
/// describe them; these count reals in the input and complex numbers in the output. With
/// [`axes`](Self::axes), the last axis must be among them. An [in-place](Self::in_place) transform
/// works on the output array. Its rows of reals lie in that array at a pitch of 2·(⌊n/2⌋+1) reals,
/// as in FFTW and cuFFT, and the padding after a row's n reals is not read.
///
/// # Accuracy
/// The bounds of [`C2c`] hold. Rows of even length are transformed separately. Some rows are
/// transformed two at a time, as the real and the imaginary part of one complex row: rows of odd
/// length, rows that do not begin at even indices, and rows whose half has a prime factor above 31.
/// The error of such a row is relative to the larger of the two rows, and a NaN or an infinity in
/// one row reaches the other.
///
/// # Determinism
/// The same as for [`C2c`].
///
/// # Cost
/// An axis of reals that fits a workgroup takes one pass, which moves half the bytes of a complex
/// transform. A longer axis of even length is computed as a complex transform of half the length,
/// plus one pass that combines the halves. If the length is odd, or rows do not begin at even
/// indices, it is computed as a complex transform. The other axes have half as many columns.
///
/// # Errors, Sources
/// The same as for [`C2c`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct R2c(pub(super) Transform);

impl R2c {
    /// The forward transform, with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::R2c, shape.into()))
    }
}

specification!(R2c, f32, Complex32, [Kind::R2c]);

/// Discrete Fourier transform from complex numbers to real numbers, along one to three axes: the
/// inverse of [`R2c`].
///
/// ```no_run
/// use wgpu_fft::{Complex32, Planner, fft::{C2r, Scale}};
///
/// # fn transform(planner: &Planner, half_spectrum: &[Complex32]) -> wgpu_fft::Result<Vec<f32>> {
/// let plan = planner.plan(C2r::inverse([480, 640]).scale(Scale::InvLen))?;
/// let image = plan.run(half_spectrum)?.wait()?; // from 480 x 321 complex numbers
/// # Ok(image)
/// # }
/// ```
///
/// # Definition
/// The result is that of [`C2c::inverse`] for X\[0\] … X\[n-1\]. Only X\[k\] for k ≤ n/2 are given,
/// and X\[n-k\] = conj X\[k\]. The last axis is transformed last. There the imaginary parts of
/// X\[0\] and X\[n/2\], which would make the result complex, are taken as 0. With the default
/// [`Scale::One`], the transform undoes [`R2c::forward`] up to a factor n.
///
/// # Shapes
/// The shape is that of the reals, and input and output are those of [`R2c`] exchanged. An
/// out-of-place transform does not change its input. An in-place transform works on an array of
/// reals with rows at a pitch of 2·(⌊n/2⌋+1), and may overwrite the padding after a row's n reals.
///
/// # Accuracy, Determinism, Errors, Sources
/// The same as for [`R2c`], with one exception: with several axes, rows of even length are also
/// transformed two at a time if another transformed axis mixes them in any case.
///
/// # Cost
/// The same as for [`R2c`], except that halves are combined without an additional pass. An
/// out-of-place transform along two or three axes needs a workspace as large as the input.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct C2r(pub(super) Transform);

impl C2r {
    /// The inverse transform, with exp(+2πi·…). `shape` is that of the reals.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::C2r, shape.into()))
    }
}

specification!(C2r, Complex32, f32, [Kind::C2r]);
