//! Means over rings of frequencies.

mod design;
mod emit;
mod geometry;
mod lower;
mod recipe;
mod spec;

pub use recipe::Recipe;
pub use spec::RadialAverage;
