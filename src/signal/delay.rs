//! Delays by numbers of samples that need not be whole.

use super::convolve::Number;
use super::spectral::SpectralFilter;
use crate::error::Result;
use crate::fragment::Fragment;
use crate::kernels::sources;
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
    Ok(SpectralFilter::delay(T::REAL, shape.into(), delays))
}

const TURNED: &str = "
// z * exp(-2πi·k·d/n), where d/n is `whole` + `rest` parts of 2^32.
fn turned(z: vec2<f32>, k: i32, n: u32, whole: u32, rest: f32) -> vec2<f32> {
    let root = root_at(angle_of(k, whole, rest));
    // The frequency n/2 is both n/2 and -n/2: the mean of both.
    let y = select(root.y, 0.0, 2u * bitcast<u32>(abs(k)) == n);
    return vec2(z.x * root.x + z.y * y, z.y * root.x - z.x * y);
}";

/// The fragment that delays, or why there is none. Lengths are those of the transforms.
pub(super) fn fragment(delays: &[f64], lengths: &[u32], axes: &[usize]) -> std::result::Result<Fragment, String> {
    if delays.len() != lengths.len() {
        return Err(format!("{} delays were given for {} axes", delays.len(), lengths.len()));
    }
    let mut expression = "value".to_owned();
    for (axis, (&delay, &n)) in delays.iter().zip(lengths).enumerate() {
        if !delay.is_finite() {
            return Err(format!("the delay along axis {axis} is {delay}, which is not finite"));
        }
        if delay == 0.0 {
            continue;
        }
        if !axes.contains(&axis) {
            return Err(format!("axis {axis} is not transformed, so nothing is delayed along it"));
        }
        let turns = delay.rem_euclid(n.into()) / f64::from(n) * 2f64.powi(32);
        // Of a tiny negative delay, the remainder is rounded to n.
        let whole = turns.floor() as u64 as u32;
        let rest = (turns - turns.floor()) as f32;
        expression = format!("turned({expression}, k{axis}, n{axis}, {whole}u, {rest:?})");
    }
    Ok(Fragment::new(expression).functions(format!("{}{TURNED}", sources::SIGNAL_TURNED.text)))
}
