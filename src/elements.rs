//! What operations ask of the types of their elements.
//!
//! | | types | asked by |
//! |---|---|---|
//! | [`Element`](crate::Element) | all below, your own, and bytes, integers, vectors | buffers and [`transpose`](crate::transpose) |
//! | [`Readable`], [`Writable`] | those that code of yours can load and store | [`Fragment`](crate::Fragment)s |
//! | [`RealElement`], [`ComplexElement`] | real and complex numbers of f32, f16, bf16 | [`fft`](crate::fft) |
//! | `Number` | f32, complex f32 | `signal`: whatever transforms |
//! | `Pixel` | f32, u8 | `signal`: direct and separable filters |
//! | [`Value`] | f32, i32, u32, complex f32, f16, f64 | [`reduce`](crate::reduce) |
//! | [`Ordered`] | all values but complex ones | `reduce::max`, `argmin` and others |
//! | [`Float`] | all values but integers | `reduce::mean`, `norm` and others |
//! | [`Integer`] | i32, u32 | `reduce::wide_sum` |
//! | `HostReal` | f32, f64 | windows and frequencies, which the host computes |

#[cfg(feature = "signal")]
pub use crate::element::HostReal;
pub use crate::fft::spec::elements::{ComplexElement, RealElement};
pub use crate::fragment::{Readable, Writable};
pub use crate::reduce::value::{Float, Integer, Ordered, Value};
#[cfg(feature = "signal")]
pub use crate::signal::{filter::spec::Pixel, number::Number};
