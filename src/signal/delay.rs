//! Delays by numbers of samples that need not be whole.

use super::number::Number;
use super::spectral::SpectralFilter;
use crate::error::Result;
use crate::shape::Shape;

/// A delay by a real number of samples along each axis, by the shift theorem.
///
/// ```no_run
/// use wgpu_fft::{Planner, signal::delay};
///
/// # fn shifted(planner: &Planner, image: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// // Half a pixel down and 2.25 pixels to the left.
/// let plan = planner.plan(delay::<f32>([1080, 1920], &[0.5, -2.25])?)?;
/// let shifted = plan.run(image)?.wait()?;
/// # Ok(shifted)
/// # }
/// ```
///
/// # Definition
/// y = IDFT(DFT(x) · Πₐ Hₐ), with Hₐ\[k\] = exp(-2πi·k·dₐ/nₐ) along axis a of length nₐ, where k is
/// the signed frequency and dₐ the delay. For whole dₐ that is y\[j\] = x\[j - dₐ\], cyclically.
/// For others it is the value at j - dₐ of the trigonometric polynomial through the samples.
///
/// The frequency n/2 of an even length is +n/2 as well as -n/2. It is taken as half of each, so
/// that H\[n/2\] = cos(π·d). So a real signal stays real, and of all such polynomials it is the
/// smoothest. A delay of half a sample removes that frequency: then a delay back does not bring it
/// again.
///
/// # Shapes, Determinism, Cost, Errors
/// Those of [`SpectralFilter`], with its options. With zeros as padding
/// ([`lengths`](SpectralFilter::lengths)), nothing enters at the other end. An axis whose delay is
/// 0 is not transformed, except for the last one of reals. Another delay is another plan.
///
/// # Accuracy
/// That of a filter with factors of magnitude at most 1. Angles are computed in integers, reduced
/// exactly, and their sines by polynomials, with an error of at most 3·10⁻⁷ for each axis: neither
/// long delays nor high frequencies lose digits, and the device's sine is not used.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported) in planning for another number of delays than
/// axes, for one that is not finite, and for one along an axis that is not transformed.
///
/// # Sources
/// T. I. Laakso et al., Splitting the Unit Delay, IEEE Signal Processing Magazine 13 (1996) 30.
pub fn delay<T: Number>(shape: impl Into<Shape>, delays: &[f64]) -> Result<SpectralFilter<T, T>> {
    Ok(SpectralFilter::delay(shape.into(), delays))
}
