//! What is to be transformed: the kinds of transforms and their numbers, what arrays hold of them,
//! and the checked specification. Nothing here decides how.

pub(crate) mod elements;
pub(crate) mod framing;
pub(in crate::fft) mod geometry;
pub(in crate::fft) mod kind;
pub(crate) mod number;
pub(in crate::fft) mod real_kind;
mod text;
pub(in crate::fft) mod transform;
pub(crate) mod window;
