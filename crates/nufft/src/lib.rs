#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![deny(unsafe_code)]

mod device;
mod geometry;
mod kernels;
mod plan;
mod points;
mod spec;
mod window;

pub use plan::{Bound, Plan};
pub use points::Points;
pub use spec::{ModeOrder, Nufft, Sign};
pub use wgpu_fft;
