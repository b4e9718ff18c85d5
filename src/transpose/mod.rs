//! Permutations of axes: matrix transposes, and every other order of up to 4 axes.
//!
//! ```
//! use wgpu_fft::Layout;
//! use wgpu_fft::transpose::Permute;
//!
//! // Four pictures, transposed.
//! let turned = Permute::<[u8; 4]>::transpose([1080, 1920]).batch(4);
//! assert_eq!(turned.to_string(), "transpose u8x4 1080x1920 x4");
//! // Interleaved channels become planes, as with NumPy's `transpose(picture, (2, 0, 1))`.
//! let planes = Permute::<u8>::new([480, 640, 3], [2, 0, 1]);
//! assert_eq!(planes.to_string(), "permute u8 480x640x3 order=2,0,1");
//! // A part of a larger picture, transposed into padded rows. Printed specifications can be parsed.
//! let part = Permute::<f32>::transpose([100, 200])
//!     .input_layout(Layout::strides([1024, 1]).offset(8 * 1024 + 16).within(768 * 1024))
//!     .output_layout(Layout::strides([128, 1]));
//! assert_eq!("transpose f32 100x200 in=1024,1@8208:786432 out=128,1".parse(), Ok(part));
//! ```

#[cfg(feature = "ndarray")]
mod arrays;
mod core;
mod design;
pub(crate) mod divide;
mod emit;
mod fit;
mod geometry;
mod lower;
mod mapped;
mod neighbours;
pub(crate) mod recipe;
mod samples;
mod spec;
mod strides;

#[cfg(feature = "signal")]
pub(crate) use design::design;
pub(crate) use fit::OnDevice;
pub(crate) use neighbours::{choices, neighbours as around};
pub(crate) use recipe::Recipe;
pub use spec::Permute;
pub(crate) use spec::any_spec;
pub(crate) use strides::Problem;
