//! The specifications of Fourier transforms.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::str::FromStr;

use num_complex::{Complex32, Complex64};

use super::samples::{energy, samples, verification};
use crate::element::{Element, plain_data};
use crate::error::{Error, Result};
use crate::fft::choose;
use crate::fft::lower;
use crate::fft::recipe::Recipe;
use crate::fft::search::adapt;
use crate::fft::spec::elements::{ComplexElement, HalfNumbers, RealElement};
use crate::fft::spec::kind::{Direction, End, Kind, Scale};
use crate::fft::spec::number::Number;
use crate::fft::spec::real_kind::RealKind;
use crate::fft::spec::transform::Transform;
use crate::fft::spec::window::Window;
use crate::fragment::{Fragment, Readable, Writable};
use crate::gpu::DeviceProfile;
use crate::layout::Layout;
use crate::plan::{Placement, Program, Spec};
use crate::shape::{Axes, Shape};
use crate::verify::{Energy, Sample, Verification};

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

    /// Returns `recipe` with the axes that it transforms together transformed one after the other,
    /// by the same floating-point operations on every line, so that it has a part for every axis
    /// ([`Recipe::of_axes`]), and so that no row depends on another. Only rows of reals differ in
    /// the last bits: where they are [`Packed`](crate::fft::Reals::Packed), whose last pass belongs to all
    /// axes, they become [`Halves`](crate::fft::Reals::Halves), and where they are
    /// [`Pairs`](crate::fft::Reals::Pairs) they become [`Complex`](crate::fft::Reals::Complex). Another
    /// device may need it [`adapted`](Self::adapted).
    ///
    /// # Errors
    /// If the transform itself is invalid.
    fn axes_apart(&self, recipe: &Recipe) -> Result<Recipe>;
}

/// Implements the builder methods, [`Spec`](crate::Spec), printing and parsing for a specification
/// that wraps a [`Transform`].
macro_rules! specification {
    ($name:ident, [$input:ident, $between:ident, $output:ident], [$input64:ty, $output64:ty], [$($kind:expr),*]) => {
        plain_data!($name<I, O> { transform });

        impl<I: Element, O: Element> $name<I, O> {
            /// Transforms `count` arrays. They are stored one after the other unless a layout says
            /// otherwise.
            pub fn batch(mut self, count: usize) -> Self {
                self.transform.batch = count;
                self
            }

            /// Transforms only these axes, counted from the slowest, in any order. By default all
            /// axes are transformed. The other axes behave like batches.
            pub fn axes(mut self, axes: impl Into<Axes>) -> Self {
                self.transform.axes = self.transform.shape.canonical_axes(axes.into().as_ref());
                self
            }

            /// Sets where the input's elements lie. The default is dense.
            pub fn input_layout(mut self, layout: Layout) -> Self {
                self.transform.input = Some(layout);
                self
            }

            /// Sets where the output's elements lie. The default is dense. Gaps between the
            /// elements are not written.
            pub fn output_layout(mut self, layout: Layout) -> Self {
                self.transform.output = Some(layout);
                self
            }

            /// Sets the factor on every output.
            pub fn scale(mut self, scale: Scale) -> Self {
                self.transform.scale = scale;
                self.transform.factor = None;
                self
            }

            /// Sets the factor on every output to this number, instead of a [`scale`](Self::scale).
            /// It is rounded to f32, or kept as f64 by a transform in f64. The number must be
            /// finite.
            pub fn scale_by(mut self, factor: impl Into<f64>) -> Self {
                self.transform.set_factor(factor.into());
                self
            }

            /// Lets the output overwrite the input. Use
            /// [`Plan::encode_in_place`](crate::Plan::encode_in_place) with such a plan.
            pub fn in_place(mut self) -> Self {
                self.transform.placement = Placement::InPlace;
                self
            }

            /// Sets which part of each axis the input has: one range for each axis of the shape.
            /// The input array has the extents of these ranges, and all elements outside of them
            /// are zero. Nothing is stored or loaded for them, and lines that are all zeros are not
            /// transformed. A range may begin at a negative index, which counts from the end of the
            /// axis: `-8..9` are the 17 positions around position 0.
            ///
            /// ```
            /// # use wgpu_fft::fft::C2c;
            /// // A picture of 1080 x 1920 in a field of zeros.
            /// let padded = C2c::forward([2160, 3840]).input_part([0..1080, 0..1920]);
            /// // Its lowest frequencies alone, negative ones first.
            /// let low = padded.output_part([-128..128, -128..128]);
            /// assert_eq!(low.to_string(), "c2c fwd 2160x3840 in-part=0..1080,0..1920 out-part=-128..128,-128..128");
            /// ```
            ///
            /// Planning returns [`Error::Unsupported`] for ranges that are empty or reach beyond an
            /// axis, for parts of an axis that is not transformed, for the axis of n/2+1 numbers of
            /// a half-spectrum if the range does not begin at 0, in place, and together with
            /// `transposed`.
            pub fn input_part(mut self, ranges: impl IntoIterator<Item = Range<i64>>) -> Self {
                self.transform.windows[0] = Some(ranges.into_iter().map(Window::from).collect());
                self
            }

            /// Sets which part of each axis of the output is wanted: one range for each axis of the
            /// shape, as for [`input_part`](Self::input_part). The output array has the extents of
            /// these ranges. What is not wanted is neither stored, nor transformed along the axes
            /// that follow.
            pub fn output_part(mut self, ranges: impl IntoIterator<Item = Range<i64>>) -> Self {
                self.transform.windows[1] = Some(ranges.into_iter().map(Window::from).collect());
                self
            }

            /// Applies a fragment of WGSL to every element that is loaded. The input array has
            /// elements of type `T` then, and the fragment's result is what the transform takes: a
            /// `vec2<f32>` for a complex number, an `f32` for a real one. It costs no pass of its
            /// own.
            ///
            /// # Errors
            /// [`Error::Parse`] with the line and the column, if the fragment is not valid;
            /// [`Error::LimitExceeded`] if it is too long; [`Error::Unsupported`] for a name or a
            /// uniform that does not fit.
            pub fn map_input<T: Readable>(self, fragment: Fragment) -> Result<$name<T, O>> {
                let transform = self.transform.mapped(End::Input, fragment, T::FORM, T::NAME)?;
                Ok($name { transform, element: PhantomData })
            }

            /// Applies a fragment of WGSL to every result before it is stored. Its `value` is the
            /// scaled result, a `vec2<f32>` or an `f32`; the output array has elements of type `T`.
            /// It costs no pass of its own.
            ///
            /// # Errors
            /// The errors of [`map_input`](Self::map_input).
            pub fn map_output<T: Writable>(self, fragment: Fragment) -> Result<$name<I, T>> {
                let transform = self.transform.mapped(End::Output, fragment, T::FORM, T::NAME)?;
                Ok($name { transform, element: PhantomData })
            }
        }

        impl<I: $input, O: Element> $name<I, O> {
            /// Lets the input array have elements of type `T`: numbers of f32, f16 or bf16. They
            /// are loaded as f32, which changes no value, and all arithmetic is that of f32.
            ///
            /// With a fragment on the input, this changes the array and leaves the fragment's
            /// `value` as it is. A fragment that is given later,
            /// [`map_input::<T>`](Self::map_input), decides itself what the array holds.
            ///
            /// See [the module](crate::fft#numbers-of-16-bits) for accuracy, range and cost.
            pub fn input_as<T: $input>(self) -> $name<T, O> {
                $name { transform: self.transform.with_elements::<T>(End::Input), element: PhantomData }
            }
        }

        impl<I: Element, O: $output> $name<I, O> {
            /// Lets the output array have elements of type `T`: numbers of f32, f16 or bf16. Each
            /// result is computed and scaled in f32 and then rounded once. A fragment on the output
            /// comes before that.
            ///
            /// See [the module](crate::fft#numbers-of-16-bits) for accuracy, range and cost.
            pub fn output_as<T: $output>(self) -> $name<I, T> {
                $name { transform: self.transform.with_elements::<T>(End::Output), element: PhantomData }
            }
        }

        impl<I, O> $name<I, O> {
            /// Lets the array between two axes have elements of type `T`, numbers of f32 by
            /// default. Numbers of 16 bits save half of what it costs to store and load them, and
            /// round once more for each axis but the last. The [`scale`](Self::scale) is then
            /// applied axis by axis, so that what lies between two axes needs no larger range than
            /// the result.
            ///
            /// Arrays in the midst of one axis, where it takes several passes, always hold f32.
            pub fn between_axes_as<T: $between>(mut self) -> Self {
                self.transform.between = HalfNumbers::of::<T>();
                self
            }
        }

        impl<I, O> crate::plan::Sealed for $name<I, O> {
            fn leaves_gaps(&self) -> bool {
                self.transform.output.is_some()
            }

            fn samples(&self, input: &[u32]) -> Vec<Sample> {
                if self.transform.is_summable() { samples(&self.transform, input) } else { Vec::new() }
            }

            fn energy(&self, input: &[u32], output: &[u32]) -> Option<Energy> {
                energy(&self.transform, input, output)
            }

            fn verification(&self) -> Verification {
                verification(&self.transform)
            }
        }

        impl<I: Element, O: Element> Spec for $name<I, O> {
            type Input = I;
            type Output = O;
            type Recipe = Recipe;

            fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
                choose::design(&self.transform, profile)
            }

            fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
                lower::lower(&self.transform, recipe, profile)
            }
        }

        impl<I: Element, O: Element> Adapt for $name<I, O> {
            fn adapted(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Recipe> {
                adapt::adapted(&self.transform, recipe, profile)
            }

            fn axes_apart(&self, recipe: &Recipe) -> Result<Recipe> {
                adapt::axes_apart(&self.transform, recipe)
            }
        }

        #[cfg(not(feature = "tune"))]
        impl<I: Element, O: Element> crate::tune::Searchable for $name<I, O> {}

        impl<I, O> fmt::Display for $name<I, O> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.transform.fmt(f)
            }
        }

        impl $name {
            /// A transform whose type does not say what its arrays hold.
            pub(in crate::fft) fn untyped(transform: Transform) -> Self {
                Self { transform, element: PhantomData }
            }

            /// The same transform of f64, computed in f64. Its text has the word `f64`. Fragments
            /// see f32 alone, so there can be none. A factor of [`scale_by`](Self::scale_by) keeps
            /// the value that it has in f32: set it afterwards.
            ///
            /// ```
            /// use wgpu_fft::{DeviceProfile, Spec, fft::R2c, num_complex::Complex64};
            ///
            /// let spec: R2c<f64, Complex64> = R2c::forward([480, 640]).f64();
            /// assert_eq!(spec.to_string(), "r2c fwd 480x640 f64");
            /// // Not every device has f64.
            /// let device = DeviceProfile::webgpu_defaults();
            /// assert!(spec.design(&device).unwrap_err().to_string().contains("SHADER_F64"));
            /// println!("{}", spec.design(&device.with(|profile| profile.f64 = true))?);
            /// # Ok::<(), wgpu_fft::Error>(())
            /// ```
            ///
            /// The device must have 64-bit floats in shaders ([`DeviceProfile::f64`]), as many do
            /// with Vulkan; planning returns [`Error::Unsupported`] elsewhere. On most GPUs,
            /// arithmetic in f64 has a small fraction of the speed of f32.
            pub fn f64(self) -> $name<$input64, $output64> {
                $name { transform: self.transform.of_numbers(Number::F64), element: PhantomData }
            }

            /// The same transform of f64 on any device, with about 46 of their 53 bits: kernels
            /// compute with sums of two f32, which hold 48. Its text has the word `f64-by-f32`. As
            /// [in f64](Self::f64), there can be no fragments, and no numbers of 16 bits.
            ///
            /// ```
            /// use wgpu_fft::{DeviceProfile, Spec, fft::R2c, num_complex::Complex64};
            ///
            /// let spec: R2c<f64, Complex64> = R2c::forward([480, 640]).f64_by_f32();
            /// assert_eq!(spec.to_string(), "r2c fwd 480x640 f64-by-f32");
            /// // No feature of the device is needed.
            /// println!("{}", spec.design(&DeviceProfile::webgpu_defaults())?);
            /// # Ok::<(), wgpu_fft::Error>(())
            /// ```
            ///
            /// # Accuracy
            /// The relative two-norm error against exact arithmetic is at most 2⁻⁴⁶·√log₂n, where n
            /// is the product of the transformed lengths, with 3 times a length that has a prime
            /// factor above 13. Measured were 0.3 of that.
            ///
            /// # Range
            /// It is that of f32. Numbers of the input above 3.4·10³⁸ count as infinite, and those
            /// below 1.2·10⁻³⁸ as 0. Numbers below 10⁻³⁰ lose bits; 24 are left at the lower end.
            /// If a number of the input or on the way is infinite, or the product of one with a
            /// twiddle factor, results of its line are infinite or NaN.
            ///
            /// # Cost
            /// Memory and traffic are those of f64. A sum takes 11 operations of f32 and 7 of
            /// integers, a product 18 and 8, and a complex product 82 and 38. Those of integers
            /// hide rounding errors from compilers. Where the device has f64 at more than a
            /// twentieth of the speed of f32, [`f64`](Self::f64) is faster. Shaders are some 20
            /// times as long as in f32, and so is the time that compilers take for them.
            ///
            /// # Errors
            /// The arithmetic depends on the rounding of each operation, and WGSL lets compilers
            /// compute as if there were none. So the first such plan of a device first runs some
            /// hundred sums and products, waits for them and compares them with exact ones. If the
            /// device changes the arithmetic, that plan and all further ones are
            /// [`Error::Unsupported`]. In the browser, where nothing may wait, the first plan must
            /// come from [`Planner::plan_async`](crate::Planner::plan_async).
            pub fn f64_by_f32(self) -> $name<$input64, $output64> {
                $name { transform: self.transform.of_numbers(Number::Double), element: PhantomData }
            }
        }

        /// Parses the text that [`Display`](fmt::Display) prints for a transform without fragments.
        /// The text must name the elements that the type has.
        impl<I: $input, O: $output> FromStr for $name<I, O> {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                Ok(Self { transform: Transform::parse_typed::<I, O>(text, &[$($kind),*])?, element: PhantomData })
            }
        }

        /// Parses the text that [`Display`](fmt::Display) prints for a transform of f64, computed
        /// in f64 or by two f32 for each number.
        impl FromStr for $name<$input64, $output64> {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                Ok(Self { transform: Transform::parse_of(text, &[$($kind),*], Number::F64)?, element: PhantomData })
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
/// The relative two-norm error is at most 1.5·u·√log₂n, where log₂n counts as at least 1, and u is
/// 2⁻²⁴, or 2⁻⁵³ [in f64](Self::f64). A length with a prime factor above 31 is computed as a
/// convolution of length m, 2n - 1 ≤ m < 3n (Bluestein); its error is at most 3·u·√log₂m. With
/// several axes, the squares of these bounds add up. Measured errors are at most 0.9·u·√log₂n,
/// 1.3·u·√log₂m, and 1.42 times the error of rustfft's f32 transform; in f64, 0.7 of the bounds.
/// Twiddle factors come from tables computed in f64, so the accuracy of an adapter's sine does not
/// matter. NaN and infinities propagate to the outputs that
/// depend on them.
///
/// # Determinism
/// Equal plans on one adapter give equal bits. Adapters differ in rounding where they fuse
/// multiplications and additions.
///
/// # Cost
/// A pass reads and writes the array once. An axis that fits a workgroup takes one pass; on common
/// GPUs that is a length up to 4096, and for rows up to 16,384 where a workgroup has 48 KiB of
/// memory. On GPUs all axes of a small picture or volume take one pass together, up to 4096 elements
/// of 8 bytes, or 16,384 if there are many of them. A longer axis takes two or three passes. A
/// convolution takes one pass if m fits a workgroup. Otherwise it takes twice as many passes as a transform of length m, and two
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
#[must_use]
pub struct C2c<I = Complex32, O = Complex32> {
    pub(in crate::fft) transform: Transform,
    element: PhantomData<fn(I) -> O>,
}

impl C2c {
    /// The forward transform, with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self { transform: Transform::new(Kind::C2c(Direction::Forward), shape.into()), element: PhantomData }
    }

    /// The inverse transform, with exp(+2πi·…). With the default [`Scale::One`], it undoes
    /// [`forward`](Self::forward) up to a factor n.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self { transform: Transform::new(Kind::C2c(Direction::Inverse), shape.into()), element: PhantomData }
    }
}

impl<I, O> C2c<I, O> {
    /// Stores the output densely with its axes in reverse order. To get back, use an inverse
    /// transform of the reversed shape that is transposed as well. For other orders of the axes,
    /// set [`output_layout`](Self::output_layout).
    pub fn transposed(mut self) -> Self {
        self.transform.transposed = true;
        self
    }
}

specification!(
    C2c,
    [ComplexElement, ComplexElement, ComplexElement],
    [Complex64, Complex64],
    [Kind::C2c(Direction::Forward), Kind::C2c(Direction::Inverse)]
);

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
/// The bounds of [`C2c`] hold for each array of the batch, and for each row along one axis: no NaN
/// and no rounding error of one reaches another, unless [`rows_may_mix`](Self::rows_may_mix) allows
/// it.
///
/// # Determinism
/// The same as for [`C2c`].
///
/// # Cost
/// An axis of reals that fits a workgroup takes one pass, which moves half the bytes of a complex
/// transform. Rows of even length are computed as complex rows of half the length, with half the
/// arithmetic of complex rows; if they take several passes, one more combines the halves. If the
/// length is odd, or rows do not begin at even indices, rows are computed as complex rows with
/// imaginary parts 0, with all of their arithmetic: [`rows_may_mix`](Self::rows_may_mix) halves it.
/// With several axes, two rows that another axis mixes in any case may be computed as one complex
/// row. The other axes have half as many columns.
///
/// # Errors, Sources
/// The same as for [`C2c`].
#[must_use]
pub struct R2c<I = f32, O = Complex32> {
    pub(in crate::fft) transform: Transform,
    element: PhantomData<fn(I) -> O>,
}

impl R2c {
    /// The forward transform, with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self { transform: Transform::new(Kind::R2c, shape.into()), element: PhantomData }
    }
}

specification!(R2c, [RealElement, ComplexElement, ComplexElement], [f64, Complex64], [Kind::R2c]);

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
/// The same as for [`R2c`].
///
/// # Cost
/// The same as for [`R2c`], except that only processors combine halves in an additional pass. An
/// out-of-place transform along two or three axes needs a workspace as large as the input.
#[must_use]
pub struct C2r<I = Complex32, O = f32> {
    pub(in crate::fft) transform: Transform,
    element: PhantomData<fn(I) -> O>,
}

impl C2r {
    /// The inverse transform, with exp(+2πi·…). `shape` is that of the reals.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self { transform: Transform::new(Kind::C2r, shape.into()), element: PhantomData }
    }
}

specification!(C2r, [ComplexElement, ComplexElement, RealElement], [Complex64, f64], [Kind::C2r]);

/// The method for rows of reals that may mix.
macro_rules! rows_of_reals {
    ($($name:ident = $text:literal),*) => { $(
        impl<I, O> $name<I, O> {
            /// Lets two rows of reals be transformed as the real and the imaginary part of one
            /// complex row, in one pass, also where no other axis mixes them. The text has the word
            /// `rows-may-mix`.
            ///
            #[doc = concat!("```\n# use wgpu_fft::{DeviceProfile, Spec, fft::", stringify!($name), "};")]
            #[doc = concat!("let rows: ", stringify!($name), " = \"", $text, " 65 x1000 rows-may-mix\".parse()?;")]
            /// let recipe = rows.design(&DeviceProfile::webgpu_defaults())?.to_string();
            /// assert!(recipe.starts_with("axis 0 pairs: "), "{recipe}");
            /// # Ok::<(), wgpu_fft::Error>(())
            /// ```
            ///
            /// # Accuracy
            /// The error of a row is relative to the larger of the two rows. A NaN or an infinity
            /// in one row reaches the other.
            ///
            /// # Cost
            /// Rows that are not computed as halves, above all those of odd length, take half the
            /// arithmetic. What is loaded and stored stays the same.
            pub fn rows_may_mix(mut self) -> Self {
                self.transform.rows_mix = true;
                self
            }
        }
    )* };
}

rows_of_reals!(R2c = "r2c fwd", C2r = "c2r inv", R2r = "r2r dct2");

/// The methods for axes of a transform of complex numbers that are transformed from reals to reals.
macro_rules! mixed {
    ($($name:ident),*) => { $(
        impl<I, O> $name<I, O> {
            /// Transforms an axis from reals to reals, real and imaginary parts each by themselves,
            /// instead of by a Fourier transform: for example complex fields between two walls. In
            /// a real transform this cannot be the last axis.
            ///
            /// ```
            /// # use wgpu_fft::fft::{C2c, RealKind};
            /// let channel = C2c::forward([256, 256]).axis_kind(0, RealKind::DctI);
            /// assert_eq!(channel.to_string(), "c2c fwd 256x256 kinds=dct1,-");
            /// ```
            ///
            /// For the inverse transform, give the kind's [inverse](RealKind::inverse). Planning
            /// returns [`Error::Unsupported`] for such a transform with parts, fragments or numbers
            /// of 16 bits.
            pub fn axis_kind(mut self, axis: usize, kind: RealKind) -> Self {
                let kinds = &mut self.transform.kinds;
                // Planning refuses an axis that the shape does not have.
                kinds.resize(self.transform.shape.rank().max(axis + 1), None);
                kinds[axis] = Some(kind);
                self
            }
        }
    )* };
}

mixed!(C2c, R2c, C2r);

/// Transforms from real numbers to real numbers, along one to three axes: discrete cosine and sine
/// transforms of types I to IV, Hartley's transform, and spectra in half-complex form.
///
/// ```no_run
/// use wgpu_fft::{Planner, fft::{R2r, RealKind}};
///
/// # fn transform(planner: &Planner, image: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// // The cosine transform of JPEG, orthonormal, of blocks of 8 x 8.
/// let spec = R2r::new(RealKind::DctII, [8, 8]).batch(4096).orthonormal();
/// let plan = planner.plan(spec.clone())?;
/// let coefficients = plan.run(image)?.wait()?;
/// let back = planner.plan(spec.inverse())?.run(&coefficients)?.wait()?;
/// # Ok(back)
/// # }
/// ```
///
/// # Definition
/// [`RealKind`] defines each kind along one axis. With several axes, they are applied along one
/// after the other. All results have the factor s of the [`Scale`], in which n is the product of
/// the [logical lengths](RealKind::logical_length).
///
/// | SciPy | here |
/// |---|---|
/// | `dct(x, type=2)` | `R2r::new(RealKind::DctII, n)` |
/// | `idct(x, type=2)` | `R2r::new(RealKind::DctIII, n).scale(Scale::InvLen)` |
/// | `dct(x, type=2, norm="ortho")` | `R2r::new(RealKind::DctII, n).orthonormal()` |
/// | `dct(x, type=2, norm="forward")` | `R2r::new(RealKind::DctII, n).scale(Scale::InvLen)` |
/// | `dctn(x, axes=[0, 2])` | `R2r::new(RealKind::DctII, shape).axes([0, 2])` |
///
/// # Shapes
/// Input and output have the shape of the transform, b × n, b × R × C or b × P × R × C. Arrays are
/// dense unless [`Layout`]s say otherwise. Every length from 1 on is supported, for [`DctI`] from 2
/// on. [In place](Self::in_place), input and output are the same array.
///
/// # Accuracy
/// The relative two-norm error against f64 is at most 2·u·√log₂n, where u = 2⁻²⁴ and n is the
/// length of the Fourier transform that is used: the logical length for type I, else the length of
/// the axis. As for [`R2c`], rows stay apart unless they [may mix](Self::rows_may_mix).
///
/// # Cost
/// Each is a real Fourier transform, with one more step in its loads and in its stores. Types II
/// and III, Hartley's transform and half-complex spectra take the passes of [`R2c`] of the same
/// length, and type I those of its logical length. Type IV of an even length takes those of a
/// complex transform of half the length.
///
/// # Errors
/// Those of [`C2c`]; also [`Error::Unsupported`] for [`DctI`] of length 1, for several kinds that
/// are not one for each axis, and for parts.
///
/// # Sources
/// J. Makhoul, IEEE Trans. Acoust. Speech Signal Process. 28 (1980) 27; S. C. Chan and K. L. Ho,
/// IEEE Trans. Circuits Syst. II 39 (1992) 185; V. Britanak, P. C. Yip and K. R. Rao, Discrete
/// Cosine and Sine Transforms, Academic Press 2007; R. N. Bracewell, The Hartley Transform, Oxford
/// 1986.
///
/// [`DctI`]: RealKind::DctI
#[must_use]
pub struct R2r<I = f32, O = f32> {
    pub(in crate::fft) transform: Transform,
    element: PhantomData<fn(I) -> O>,
}

impl R2r {
    /// Transforms all axes by the same kind.
    pub fn new(kind: RealKind, shape: impl Into<Shape>) -> Self {
        let shape = shape.into();
        Self::by_axis(vec![kind; shape.rank()], shape)
    }

    /// Transforms each axis by a kind of its own, slowest axis first.
    ///
    /// ```
    /// # use wgpu_fft::fft::{R2r, RealKind};
    /// let walls = R2r::by_axis([RealKind::DstI, RealKind::Hartley], [255, 256]);
    /// assert_eq!(walls.to_string(), "r2r dst1,hartley 255x256");
    /// ```
    pub fn by_axis(kinds: impl IntoIterator<Item = RealKind>, shape: impl Into<Shape>) -> Self {
        let kinds = kinds.into_iter().map(Some).collect();
        Self { transform: Transform { kinds, ..Transform::new(Kind::R2r, shape.into()) }, element: PhantomData }
    }
}

impl<I, O> R2r<I, O> {
    /// Multiplies first or last elements by √2 before and by 1/√2 after the transform, where that
    /// makes the matrix of the transform a multiple of an orthogonal one. This is the argument
    /// `orthogonalize` of SciPy.
    pub fn orthogonalize(mut self) -> Self {
        self.transform.orthogonal = true;
        self
    }

    /// [`orthogonalize`](Self::orthogonalize) with [`Scale::InvSqrtLen`]: the matrix of the
    /// transform is orthogonal, and that of the inverse is its transpose. This is `norm="ortho"` of
    /// SciPy.
    pub fn orthonormal(self) -> Self
    where
        I: Element,
        O: Element,
    {
        self.orthogonalize().scale(Scale::InvSqrtLen)
    }

    /// The transform with the [inverse](RealKind::inverse) kinds, and everything else as it is.
    /// With scale 1 on one side and 1/n on the other, or 1/√n on both, the two undo one another.
    pub fn inverse(mut self) -> Self {
        self.transform.kinds.iter_mut().flatten().for_each(|kind| *kind = kind.inverse());
        self
    }
}

specification!(R2r, [RealElement, RealElement, RealElement], [f64, f64], [Kind::R2r]);
