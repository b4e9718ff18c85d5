//! Fast Fourier transforms, transposes and reductions on any GPU, through wgpu and WGSL.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod element;
pub mod error;
pub mod fft;
pub mod gpu;
pub mod kernels;
pub mod plan;
pub mod reduce;
pub mod shape;
pub mod transpose;

pub use element::Element;
pub use error::{Error, Result};
pub use gpu::{DeviceBuffer, DeviceProfile, Gpu, GpuOptions, Pending, View};
pub use num_complex::{self, Complex32};
pub use plan::{Bound, Plan, Planner, Program, Spec};
pub use shape::Shape;
pub use wgpu;
