//! The transforms that a program plans, and those that are parts of larger operations.

mod adjoint;
pub(in crate::fft) mod any;
#[cfg(feature = "ndarray")]
mod arrays;
pub(in crate::fft) mod builders;
pub(in crate::fft) mod fast_len;
#[cfg(feature = "signal")]
pub(crate) mod filter;
#[cfg(feature = "signal")]
pub(crate) mod framed;
pub(in crate::fft) mod inline;
pub(crate) mod parts;
mod samples;
pub(crate) mod specification;
#[cfg(feature = "signal")]
pub(crate) mod step;
