//! Convolution and correlation by Fourier transforms.

mod lower;
mod recipe;
mod spec;

pub use recipe::{By, Recipe};
pub use spec::{Convolve, Number};
