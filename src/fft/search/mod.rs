//! Recipes beside that of the rules: those of other devices for this one, and those that a search
//! by measurement tries.

pub(in crate::fft) mod adapt;
#[cfg(feature = "tune")]
mod neighbours;
#[cfg(feature = "tune")]
mod passes;
#[cfg(feature = "tune")]
mod space;
#[cfg(feature = "tune")]
mod transposes;
