//! Power spectra by Welch's method.

mod recipe;
mod spec;

pub use recipe::Recipe;
pub use spec::PowerSpectrum;
