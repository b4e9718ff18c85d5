//! Fourier transforms.
//!
//! | | specification | input → output |
//! |---|---|---|
//! | complex to complex | [`C2c`] | n complex → n complex |
//! | real to complex | [`R2c`] | n real → ⌊n/2⌋+1 complex |
//! | complex to real | [`C2r`] | ⌊n/2⌋+1 complex → n real |
//! | real to real: cosine, sine and Hartley transforms | [`R2r`] | n real → n real |
//!
//! All have the options `batch`, `axes`, `input_layout`, `output_layout`, `scale`, `in_place`,
//! `input_as` and `output_as`. They print as text and parse that text:
//!
//! ```
//! use wgpu_fft::Layout;
//! use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
//!
//! let planes = C2c::forward([64, 100, 120]).batch(2).axes([1, 2]);
//! assert_eq!(planes.to_string(), "c2c fwd 64x100x120 x2 axes=1,2");
//! let padded = R2c::forward([480, 640]).input_layout(Layout::strides([1024, 1]));
//! assert_eq!(padded.to_string(), "r2c fwd 480x640 in=1024,1");
//! assert_eq!("c2r inv 480x640 1/n in-place".parse(), Ok(C2r::inverse([480, 640]).scale(Scale::InvLen).in_place()));
//! ```
//!
//! # Numbers of 16 bits
//! Each side of a transform can hold f16 or bf16 in place of f32, for all shapes, layouts, parts
//! and batches, in place where both sides have the same numbers:
//!
//! ```
//! use wgpu_fft::fft::{C2c, R2c, Scale};
//! use wgpu_fft::half::f16;
//! use wgpu_fft::num_complex::Complex;
//!
//! let halves = C2c::forward([512, 512]).scale(Scale::InvSqrtLen).input_as::<Complex<f16>>().output_as::<Complex<f16>>();
//! assert_eq!(halves.to_string(), "c2c fwd 512x512 in-as=complex-f16 out-as=complex-f16 1/sqrt(n)");
//! let to_f32 = R2c::forward([480, 640]).input_as::<f16>(); // from f16 to complex f32
//! assert_eq!("r2c fwd 480x640 in-as=f16".parse(), Ok(to_f32));
//! ```
//!
//! A complex side takes complex numbers and a real side reals; anything else does not compile:
//!
//! ```compile_fail,E0277
//! # use wgpu_fft::{fft::R2c, half::f16, num_complex::Complex};
//! let wrong = R2c::forward(8).input_as::<Complex<f16>>();
//! ```
//!
//! **Definition.** With ŷ the result of the same transform of f32, of the same numbers, the output
//! is rd(ŷ), where rd rounds each number to 16 bits. Loading changes no value, and all arithmetic
//! is that of f32. So are the arrays in the midst of an axis and, unless you ask for
//! [`between_axes_as`](C2c::between_axes_as), those between two axes; so an in-place transform may
//! need a workspace. No device feature is needed: every device can unpack and pack a word of two
//! numbers. Reals that are not stored as pairs of neighbours, because rows are of odd length or a
//! layout has them apart, are stored with atomics, which leave the other number of a word alone.
//!
//! **Accuracy.** Let v be the unit roundoff: 2⁻¹¹ for f16 and 2⁻⁸ for bf16. Rounding changes a
//! number by at most v times its size, so the result's relative error in the two-norm is that of
//! the f32 transform plus at most v; 0.43·v is measured. If you have rounded the input from f32
//! before, that is another v at most, as a Fourier transform keeps relative two-norms. With 16 bits
//! between the axes too, d axes add at most d·v; 0.6·v for two and 0.74·v for three are measured.
//! On f16 numbers below 2⁻¹⁴ are subnormal: there the change is at most 2⁻²⁵ each.
//!
//! f16 is rounded to nearest, ties to even, on all adapters that we tested, with equal bits there.
//! It is the conversion of `pack2x16float`, for which WGSL allows either neighbour: a driver that
//! chooses the other one doubles v. bf16 is rounded to nearest, ties to even, in integers, so on
//! every device.
//!
//! **Range.** f16 ends at 65,504. What rounds to more has no value that WGSL promises: it becomes
//! infinite on lavapipe and NaN on SwiftShader, where the other part of a complex number changes
//! too. A sum of n numbers of size 1 may reach n, so scale the forward transform: [`Scale::InvLen`]
//! keeps every result within the largest input, and [`Scale::InvSqrtLen`] keeps the size of noise,
//! while constants grow by √n. The scale is applied in f32 before rounding; with 16 bits between
//! axes, each axis applies its share. bf16 has the range of f32.
//!
//! **Cost.** A transform whose axis takes one pass moves half the bytes. With several axes, all but
//! the first load and the last store move f32: two axes move 24 bytes for each number instead of
//! 32, or 16 with `between_axes_as`, which also needs no workspace.
//!
//! A [`Planner`](crate::Planner) turns them into plans that work on wgpu buffers, see
//! [`Plan`](crate::Plan). If you come from another library, see [`guides`](crate::guides).

mod bindings;
mod chain;
mod choose;
mod emit;
mod factors;
mod limits;
mod lower;
pub(crate) mod ops;
mod pass;
mod place;
pub(crate) mod recipe;
pub(crate) mod roots;
mod search;
pub(crate) mod spec;
mod stage;
mod steps;
mod twos;

pub(crate) use ops::any::any_spec;
pub use ops::builders::{C2c, C2r, R2c, R2r};
pub use ops::fast_len::{TransformKind, length_cost, next_fast_len, next_fast_shape};
#[cfg(feature = "signal")]
pub(crate) use ops::filter::FilterRecipe;
pub use ops::inline::{Inline, InlineText};
#[cfg(feature = "signal")]
pub(crate) use recipe::Recipe;
#[cfg(feature = "signal")]
pub(crate) use spec::kind::End;
pub use spec::kind::Scale;
pub use spec::real_kind::RealKind;
