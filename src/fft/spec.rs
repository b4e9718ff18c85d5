//! The specifications of Fourier transforms.

use std::fmt;
use std::str::FromStr;

use num_complex::Complex32;

use super::recipe::Recipe;
use super::transform::{Direction, Kind, Scale, Transform};
use super::{Parts, adapt, design, lower, neighbours, samples};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::layout::Layout;
use crate::plan::{Placement, Program, Spec};
use crate::shape::Shape;
use crate::tune::{Searchable, Verification};

/// A transform whose recipe on one device can be carried over to others, so that devices that round
/// alike give equal bits: [`C2c`], [`R2c`] and [`C2r`].
pub trait Adapt: Spec<Recipe = Recipe> {
    /// A recipe for this transform that fits a device of `profile` and does the same floating-point
    /// operations on every line as `recipe`. `recipe` may be that of another transform, which
    /// differs from this one in the number of its lines. If it has one column of several, pass what
    /// [`Recipe::for_single_column`] makes of that recipe.
    ///
    /// # Errors
    /// As [`lower`](Spec::lower) of `recipe` itself, if there is none.
    fn adapted(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Recipe>;
}

/// The builder's methods, [`Spec`](crate::Spec), printing and parsing of a specification that wraps
/// a [`Transform`].
macro_rules! specification {
    ($name:ident, $input:ty, $output:ty, [$($kind:expr),*]) => {
        impl $name {
            /// Transforms `count` arrays; unless a layout says otherwise, they follow one another.
            pub fn batch(mut self, count: usize) -> Self {
                self.0.batch = count;
                self
            }

            /// The axes to transform, counted from the slowest, in any order; all of them if this
            /// is not called. The others are like batches.
            pub fn axes(mut self, axes: impl AsRef<[usize]>) -> Self {
                self.0.axes = self.0.shape.canonical_axes(axes.as_ref());
                self
            }

            /// Where the input's elements lie; dense if this is not called.
            pub fn input_layout(mut self, layout: Layout) -> Self {
                self.0.input = Some(layout);
                self
            }

            /// Where the output's elements lie; dense if this is not called. What lies between them
            /// is not touched.
            pub fn output_layout(mut self, layout: Layout) -> Self {
                self.0.output = Some(layout);
                self
            }

            /// The factor on every output.
            pub fn scale(mut self, scale: Scale) -> Self {
                self.0.scale = scale;
                self.0.factor = None;
                self
            }

            /// This factor on every output, in place of a [`scale`](Self::scale). It is a finite
            /// number.
            pub fn scale_by(mut self, factor: f32) -> Self {
                self.0.scale = Scale::One;
                // All NaN are equally wrong, and equal specifications print equally.
                self.0.factor = Some(if factor.is_nan() { f32::NAN } else { factor }.to_bits());
                self
            }

            /// The output takes the place of the input: use
            /// [`Plan::encode_in_place`](crate::Plan::encode_in_place).
            pub fn in_place(mut self) -> Self {
                self.0.placement = Placement::InPlace;
                self
            }


            /// What it is made of.
            pub(crate) fn parts(&self) -> Result<Parts> {
                self.0.parts()
            }

            /// The multiple of rows along the last axis, counted over all other axes and the batch,
            /// that a part must begin at for its rows to have the bits that they have in the whole:
            /// 2 where two rows of reals are transformed as one, else 1. None where the pairs are
            /// none that a part would make, or the recipe does not solve the transform. The rows of
            /// a part go by this recipe's part for the last axis ([`Recipe::of_axes`]), and not by
            /// what the rules choose for rows alone.
            pub(crate) fn alignment(&self, recipe: &Recipe) -> Option<usize> {
                adapt::alignment(&self.0, recipe)
            }
        }

        impl crate::plan::Sealed for $name {}

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

            fn leaves_gaps(&self) -> bool {
                self.0.output.is_some()
            }
        }

        impl Adapt for $name {
            fn adapted(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Recipe> {
                adapt::adapted(&self.0, recipe, profile)
            }
        }

        impl Searchable for $name {
            fn baseline(&self, profile: &DeviceProfile) -> Result<Recipe> {
                neighbours::baseline(&self.0, profile).map_or_else(|| self.design(profile), Ok)
            }

            fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
                neighbours::alternatives(&self.0, profile)
            }

            fn neighbours(&self, recipe: &Recipe, profile: &DeviceProfile) -> Vec<Recipe> {
                neighbours::neighbours(&self.0, recipe, profile)
            }

            fn samples(&self, input: &[u32]) -> Vec<crate::tune::Sample> {
                samples::samples(&self.0, input)
            }

            fn verification(&self) -> Verification {
                neighbours::VERIFICATION
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        /// Reads what [`Display`](fmt::Display) prints.
        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                Transform::parse(text, &[$($kind),*]).map(Self)
            }
        }
    };
}

/// Discrete Fourier transform of complex numbers to complex numbers, over one to three axes.
///
/// # Definition
/// For one axis of length n, and for each row of the batch, X\[k\] = s · Σⱼ x\[j\] ·
/// exp(∓2πi·jk/n), j, k = 0 … n-1, with - forward and + inverse, and s the [`Scale`]; over more
/// axes one after the other. Frequencies are in the usual order: 0, 1, …, then the negative ones.
///
/// # Shapes
/// | shape | input | output | output, [`transposed`](Self::transposed) |
/// |---|---|---|---|
/// | `n`, batch b | b × n | b × n | – |
/// | `[R, C]`, batch b | b × R × C | b × R × C | b × C × R |
/// | `[P, R, C]`, batch b | b × P × R × C | b × P × R × C | b × C × R × P |
///
/// Dense, row-major, slowest axis first, unless [`Layout`]s say otherwise. Every length from 1 on.
/// With [`axes`](Self::axes) the other axes are like batches. Out of place the input is not
/// changed; [in place](Self::in_place) the layouts of input and output, if given, are the same.
///
/// # Accuracy
/// Relative two-norm error against f64 at most 1.5·u·√log₂n, u = 2⁻²⁴, with log₂n at least 1. A
/// length with a prime factor above 31 is computed as a convolution of length m, 2n - 1 ≤ m < 3n
/// (Bluestein), and has at most 3·u·√log₂m. Over several axes the squares add up. Measured: at most
/// 0.9·u·√log₂n, 1.3·u·√log₂m, and 1.42 times the error of rustfft's f32 transform. Roots of unity
/// come from tables computed in f64, so no adapter's sine matters. NaN and infinities go through to
/// the outputs that depend on them.
///
/// # Determinism
/// Equal bits for equal plans on one adapter. Adapters differ by rounding where they fuse
/// multiplications and additions.
///
/// # Cost
/// A pass reads and writes the array once. An axis that fits a workgroup takes one pass (up to 4096
/// on common GPUs; rows up to 16,384 where a workgroup has 48 KiB), a longer one two or three. A
/// convolution takes one pass where m fits, else twice the passes of length m, on two workspaces of
/// m/n times the array. Its plan computes a spectrum on the host, which takes a second for lengths
/// of millions; designing and lowering it do not. A pass is one dispatch, or several if the array
/// is larger than one binding.
///
/// Plans whose axes take one pass each mostly need no workspace, others one as large as the array.
/// A [`Program`] prints its dispatches, and [`Program::workspace_bytes`] says what the workspaces
/// take, before anything is allocated.
///
/// # Errors
/// From planning: [`Error::Empty`]; [`Error::Unsupported`] for axes, layouts or factors that make
/// no sense; [`Error::LimitExceeded`] for 2³² elements, or for an array, a workspace or a table of
/// roots that the device cannot hold or bind; [`Error::UnfitRecipe`] for a recipe given by hand.
/// From running: see [`Plan`](crate::Plan).
///
/// # Sources
/// J. W. Cooley and J. W. Tukey, Math. Comp. 19 (1965) 297; C. Van Loan, Computational Frameworks
/// for the Fast Fourier Transform, SIAM 1992; D. H. Bailey, J. Supercomputing 4 (1990) 23; L. I.
/// Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct C2c(pub(super) Transform);

impl C2c {
    /// The transform with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::C2c(Direction::Forward), shape.into()))
    }

    /// The transform with exp(+2πi·…). With the default [`Scale::One`] it undoes
    /// [`forward`](Self::forward) up to a factor n.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::C2c(Direction::Inverse), shape.into()))
    }

    /// Leaves the output dense with its axes in reverse order. An inverse transform of the shape
    /// with its axes reversed, transposed as well, leads back. Of other orders of the axes
    /// [`output_layout`](Self::output_layout) makes whatever is wanted.
    pub fn transposed(mut self) -> Self {
        self.0.transposed = true;
        self
    }
}

specification!(C2c, Complex32, Complex32, [Kind::C2c(Direction::Forward), Kind::C2c(Direction::Inverse)]);

/// Discrete Fourier transform of real numbers to complex numbers, over one to three axes.
///
/// # Definition
/// As [`C2c::forward`] of the same numbers with imaginary parts 0. Of the last axis of length n
/// only X\[0\] … X\[⌊n/2⌋\] are stored: the others are conjugates, X\[n-k\] = conj X\[k\] (with
/// more axes also -k on those).
///
/// # Shapes
/// | shape | input (real) | output (complex) |
/// |---|---|---|
/// | `n`, batch b | b × n | b × (⌊n/2⌋+1) |
/// | `[R, C]`, batch b | b × R × C | b × R × (⌊C/2⌋+1) |
/// | `[P, R, C]`, batch b | b × P × R × C | b × P × R × (⌊C/2⌋+1) |
///
/// Dense, without hidden padding, for even and odd lengths; or as [`Layout`]s say, which count
/// reals in the input and complex numbers in the output. With [`axes`](Self::axes), the last one is
/// among them. [In place](Self::in_place) the array is that of the output, and the rows of reals
/// lie in it at a pitch of 2·(⌊n/2⌋+1) reals, as in FFTW and cuFFT; what follows a row's n reals is
/// not read.
///
/// # Accuracy
/// As [`C2c`]. Rows of even length are transformed each by itself. Rows of odd length, or that do
/// not begin at even places, or whose half has a prime factor above 31, are transformed two at a
/// time, as the real and the imaginary part of one: the error of a row is then relative to the
/// larger of the two, and a NaN or an infinity in one row reaches the other.
///
/// # Determinism
/// As [`C2c`].
///
/// # Cost
/// An axis of reals that fits a workgroup takes one pass, which moves half the bytes of the complex
/// transform. A longer one of even length is computed as a complex one of half the length, and one
/// pass more, which combines the halves; of odd length, or if rows do not begin at even places, as
/// a complex one. The other axes have half the columns.
///
/// # Errors, Sources
/// As [`C2c`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct R2c(pub(super) Transform);

impl R2c {
    /// The transform with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::R2c, shape.into()))
    }
}

specification!(R2c, f32, Complex32, [Kind::R2c]);

/// Discrete Fourier transform of complex numbers to real numbers, over one to three axes: the
/// inverse of [`R2c`].
///
/// # Definition
/// As [`C2c::inverse`] of the numbers X\[0\] … X\[n-1\], of which X\[k\] for k ≤ n/2 are given and
/// X\[n-k\] = conj X\[k\]. The last axis comes last, and there the imaginary parts of X\[0\] and
/// X\[n/2\], which would make the result complex, are taken as 0. With the default [`Scale::One`]
/// it undoes [`R2c::forward`] up to a factor n.
///
/// # Shapes
/// The shape is that of the reals: input and output of [`R2c`] exchanged. Out of place the input is
/// not changed. In place the array is one of reals, in rows at a pitch of 2·(⌊n/2⌋+1); what follows
/// a row's n reals may be overwritten.
///
/// # Accuracy, Determinism, Errors, Sources
/// As [`R2c`]; but with several axes rows of even length go two at a time as well, where another
/// transformed axis mixes them anyway.
///
/// # Cost
/// As [`R2c`], but halves are combined without a pass of their own; out of place, two or three axes
/// need a workspace as large as the input.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct C2r(pub(super) Transform);

impl C2r {
    /// The transform with exp(+2πi·…). `shape` is that of the reals.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self(Transform::new(Kind::C2r, shape.into()))
    }
}

specification!(C2r, Complex32, f32, [Kind::C2r]);
