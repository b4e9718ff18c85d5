//! Guides: a tour, fragments, speed, tuning, and migration from other libraries.
//!
//! They are pages of the repository as well. Their links to each other are defined twice, at the
//! end of a page and here: Markdown takes the first definition.

/// A tour of every feature, with limits and accuracy.
///
/// [tuning]: tuning
/// [fragments]: fragments
/// [from_scipy]: from_scipy
///
#[doc = include_str!("../docs/tour.md")]
pub mod tour {}

/// Where the time goes, and how to measure it.
///
/// [tuning]: tuning
///
#[doc = include_str!("../docs/speed.md")]
pub mod speed {}

/// Code of yours inside transforms and permutations: windows, filters, conversions.
///
/// [Tuning]: tuning
///
#[doc = include_str!("../docs/fragments.md")]
pub mod fragments {}

/// Migration from rustfft, realfft and ndrustfft.
///
/// [speed]: speed
///
#[doc = include_str!("../docs/from_rustfft.md")]
pub mod from_rustfft {}

/// Migration from cuFFT.
#[doc = include_str!("../docs/from_cufft.md")]
pub mod from_cufft {}

/// Migration from FFTW.
#[doc = include_str!("../docs/from_fftw.md")]
pub mod from_fftw {}

/// Migration from NumPy and SciPy.
#[doc = include_str!("../docs/from_scipy.md")]
pub mod from_scipy {}

/// Rigor, records, and kernels of your own: see also [`tune`](crate::tune).
#[cfg_attr(feature = "tune", doc = include_str!("../docs/tuning.md"))]
pub mod tuning {}
