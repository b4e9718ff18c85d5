//! Convolution and correlation by Fourier transforms.

mod lower;
mod recipe;
mod spec;

pub use recipe::Recipe;
pub use spec::{Convolve, Number};
