//! Spectra at a list of frequencies.

mod lower;
mod recipe;
mod spec;
mod sums;

pub use recipe::Recipe;
pub use spec::Frequencies;
