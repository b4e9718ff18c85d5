//! Convolution and correlation by Fourier transforms.

mod lower;
mod recipe;
pub(crate) mod spec;

pub use recipe::{By, Recipe};
pub use spec::Convolve;
