//! For who comes from another library: its calls one to one, and what differs. And how to find the
//! fastest recipes.

/// From rustfft, realfft and ndrustfft.
#[doc = include_str!("../docs/from_rustfft.md")]
pub mod from_rustfft {}

/// From cuFFT.
#[doc = include_str!("../docs/from_cufft.md")]
pub mod from_cufft {}

/// Rigor, records, and kernels of one's own: see also [`tune`](crate::tune).
#[doc = include_str!("../docs/tuning.md")]
pub mod tuning {}

/// Jobs that several devices share, and arrays larger than a device: see also
/// [`multi`](crate::multi).
#[doc = include_str!("../docs/several_devices.md")]
pub mod several_devices {}
