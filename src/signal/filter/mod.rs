//! Filters: convolution and correlation with small kernels, computed from their definition.
//!
//! [`SeparableFilter`] has a kernel of one axis for each axis: smoothing, derivatives, resampling.
//! [`DirectFilter`] has one kernel over all axes. Both have the same [edges](crate::Edge), recipes
//! and shaders. For kernels of hundreds of elements that are not separable, a convolution by
//! Fourier transforms takes less.
//!
//! ```
//! use wgpu_fft::signal::SeparableFilter;
//! use wgpu_fft::Edge;
//!
//! // A picture of bytes, smoothed along both axes. The result is f32.
//! let binomial = [0.25, 0.5, 0.25];
//! let smooth = SeparableFilter::<u8>::convolution([1080, 1920])
//!     .kernel(0, binomial)
//!     .kernel(1, binomial)
//!     .edge(Edge::Reflect);
//! let text = "separable u8 1080x1920 convolution edge=reflect taps0=0.25,0.5,0.25 taps1=0.25,0.5,0.25";
//! assert_eq!(smooth.to_string(), text);
//! // Printed specifications can be parsed.
//! assert_eq!(text.parse(), Ok(smooth));
//! ```

mod design;
mod direct;
mod emit;
mod fit;
mod given;
mod lower;
mod neighbours;
mod recipe;
mod samples;
mod separable;
pub(crate) mod spec;

pub use direct::DirectFilter;
pub use recipe::{Recipe, Step, Tile};
pub use separable::SeparableFilter;
pub(super) use spec::Problem;
