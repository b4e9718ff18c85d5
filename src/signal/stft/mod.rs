//! Short-time Fourier transforms: spectrograms, and back.

pub(super) mod core;
mod inverse;
mod spec;

pub use core::Scaling;
pub use inverse::{Istft, Recipe};
pub use spec::Stft;
