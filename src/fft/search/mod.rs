//! Recipes beside that of the rules: those of other devices for this one, and those that a search
//! by measurement tries.

pub(in crate::fft) mod adapt;
pub mod neighbours;
mod passes;
mod space;
mod transposes;
