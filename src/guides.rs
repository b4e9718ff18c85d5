//! For who comes from another library: its calls one to one, and what differs.

/// From rustfft, realfft and ndrustfft.
#[doc = include_str!("../docs/from_rustfft.md")]
pub mod from_rustfft {}

/// From cuFFT.
#[doc = include_str!("../docs/from_cufft.md")]
pub mod from_cufft {}
