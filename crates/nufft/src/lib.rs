#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![deny(unsafe_code)]

mod device;
mod digits;
mod exact;
mod functions;
mod geometry;
mod kernels;
mod offset;
mod plan;
mod points;
mod real;
mod spec;
mod steps;
mod type3;
mod window;

pub use plan::Plan;
pub use points::Points;
pub use real::Real;
pub use spec::{ModeOrder, Nufft, Sign};
pub use steps::Bound;
pub use type3::{Type3, Type3Plan};
pub use wgpu_fft;
