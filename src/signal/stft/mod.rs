//! Short-time Fourier transforms: spectrograms, and back.

pub(super) mod core;
mod inverse;
mod recipe;
mod spec;

pub use core::Scaling;
pub use inverse::Istft;
pub use recipe::Recipe;
pub use spec::Stft;
