//! Signal processing around Fourier transforms.
//!
//! | | what it is |
//! |---|---|
//! | [`filter`] | convolution and correlation of images with small kernels, without a transform |
//!
//! Everything here follows the definitions of SciPy, so that numbers can be compared one to one.

pub mod filter;

pub use filter::{DirectFilter, SeparableFilter};
