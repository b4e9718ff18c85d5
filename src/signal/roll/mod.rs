//! Cyclic shifts of axes: `roll`, `fftshift` and `ifftshift`.
//!
//! ```
//! use wgpu_fft::Complex32;
//! use wgpu_fft::signal::Roll;
//!
//! // The zero frequency of a spectrum goes to the middle.
//! let centred = Roll::<Complex32>::fftshift([480, 640]);
//! assert_eq!(centred.to_string(), "roll complex f32 480x640 by=240,320");
//! // Only along the last axis, and back.
//! let back = Roll::<Complex32>::ifftshift([480, 641]).axes(1);
//! assert_eq!("roll complex f32 480x641 by=0,321".parse(), Ok(back));
//! ```

mod design;
mod lower;
mod problem;
mod recipe;
mod spec;

pub use recipe::Recipe;
pub use spec::Roll;
pub(crate) use spec::any_roll;
