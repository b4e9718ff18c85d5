//! What the specifications of transforms have in common.

use crate::error::Result;
use crate::fft::recipe::Recipe;
use crate::fft::spec::transform::Transform;
use crate::fft::{choose, lower};
use crate::gpu::DeviceProfile;
use crate::plan::{Computation, Program, Spec};

/// A transform whose recipe on one device can be adapted to others, so that devices that round
/// alike give equal bits: [`C2c`](crate::fft::C2c), [`R2c`](crate::fft::R2c) and
/// [`C2r`](crate::fft::C2r).
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
    /// ([`Recipe::of_axes`]), and so that no row depends on another. Only rows of
    /// [reals](crate::low_level::recipes::fft::Reals) differ in the last bits: where they are
    /// `Packed`, whose last pass belongs to all axes, they become `Halves`, and where they are
    /// `Pairs` they become `Complex`. Another device may need it [`adapted`](Self::adapted).
    ///
    /// # Errors
    /// If the transform itself is invalid.
    fn axes_apart(&self, recipe: &Recipe) -> Result<Recipe>;
}

impl Computation for Transform {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        choose::design(self, profile)
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        lower::lower(self, recipe, profile)
    }
}

/// Implements the builder methods, [`Spec`](crate::Spec), printing and parsing for a specification
/// that wraps a [`Transform`].
macro_rules! specification {
    ($name:ident, [$input:ident, $between:ident, $output:ident], [$input64:ty, $output64:ty], [$($kind:expr),*]) => {
        crate::plan::typed!($name<I: Element, O: Element> { transform }, I => O, Recipe);

        impl<I: Element, O: Element> $name<I, O> {
            crate::settings::settings! { own:
                /// Transforms `count` arrays. They are stored one after the other unless a layout
                /// says otherwise.
                batch(count: usize) => own.transform.batch = count;

                /// Transforms only these axes, counted from the slowest, in any order. By default
                /// all axes are transformed. The other axes behave like batches.
                axes(axes: impl Into<Axes>) => own.transform.axes = own.transform.shape.canonical_axes(axes.into().as_ref());

                /// Sets where the input's elements lie. The default is dense.
                input_layout(layout: Layout) => own.transform.input = Some(layout);

                /// Sets where the output's elements lie. The default is dense. Gaps between the
                /// elements are not written.
                output_layout(layout: Layout) => own.transform.output = Some(layout);

                /// Sets the factor on every output.
                scale(scale: Scale) => { own.transform.scale = scale; own.transform.factor = None };

                /// Sets the factor on every output to this number, instead of a
                /// [`scale`](Self::scale). It is rounded to f32, or kept as f64 by a transform in
                /// f64. The number must be finite.
                scale_by(factor: impl Into<f64>) => own.transform.set_factor(factor.into());

                /// Lets the output overwrite the input. Use
                /// [`Plan::encode_in_place`](crate::Plan::encode_in_place) with such a plan.
                in_place() => own.transform.placement = Placement::InPlace;

                /// Sets which part of each axis the input has: one range for each axis of the
                /// shape. The input array has the extents of these ranges, and all elements outside
                /// of them are zero. Nothing is stored or loaded for them, and lines that are all
                /// zeros are not transformed. A range may begin at a negative index, which counts
                /// from the end of the axis: `-8..9` are the 17 positions around position 0.
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
                /// Planning returns [`Error::Unsupported`] for ranges that are empty or reach
                /// beyond an axis, for parts of an axis that is not transformed, for the axis of
                /// n/2+1 numbers of a half-spectrum if the range does not begin at 0, in place, and
                /// together with `transposed`.
                input_part(ranges: impl IntoIterator<Item = Range<i64>>) => own.transform.set_window(End::Input, ranges);

                /// Sets which part of each axis of the output is wanted: one range for each axis of
                /// the shape, as for [`input_part`](Self::input_part). The output array has the
                /// extents of these ranges. What is not wanted is neither stored, nor transformed
                /// along the axes that follow.
                output_part(ranges: impl IntoIterator<Item = Range<i64>>) => own.transform.set_window(End::Output, ranges);
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

        impl<I: Element, O: Element> Adapt for $name<I, O> {
            fn adapted(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Recipe> {
                adapt::adapted(&self.transform, recipe, profile)
            }

            fn axes_apart(&self, recipe: &Recipe) -> Result<Recipe> {
                adapt::axes_apart(&self.transform, recipe)
            }
        }

        impl<I, O> $name<I, O> {
            /// The type need not say what the arrays hold.
            pub(in crate::fft) fn of(transform: Transform) -> Self {
                Self { transform, element: PhantomData }
            }
        }

        impl $name {
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
                $name { transform: self.transform.of_numbers(Number::F64ByF32), element: PhantomData }
            }
        }

        crate::text::parsed!(
            /// There can be no fragments, and the text must name the elements that the type has.
            $name<I, O> where I: $input, O: $output, |text| {
                Ok(Self { transform: Transform::parse_typed::<I, O>(text, &[$($kind),*])?, element: PhantomData })
            }
        );

        crate::text::parsed!(
            /// It is computed in f64 or in double-single arithmetic, as the text says.
            $name<$input64, $output64>, |text| {
                Ok(Self { transform: Transform::parse_of(text, &[$($kind),*], Number::F64)?, element: PhantomData })
            }
        );
    };
}

pub(super) use specification;
