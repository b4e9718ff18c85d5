//! Analytic signals: envelopes, phases, and the Hilbert transform.

use num_complex::Complex32;

use super::spectral::SpectralFilter;
use crate::error::{Error, Result};
use crate::fragment::Fragment;
use crate::shape::Shape;

/// The analytic signal along one axis of a real one, as `scipy.signal.hilbert`.
///
/// ```no_run
/// use wgpu_fft::{Fragment, Planner, signal::analytic};
///
/// # fn envelopes(planner: &Planner, channels: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// // The envelope of each of 64 channels.
/// let spec = analytic([64, 4096], 1)?.map_output::<f32>(Fragment::new("length(value)"))?;
/// let envelopes = planner.plan(spec)?.run(channels)?.wait()?;
/// # Ok(envelopes)
/// # }
/// ```
///
/// # Definition
/// y = IDFT(H · DFT(x)) along the axis, of length n, with H\[k\] = 1 for k = 0, and for k = n/2 if
/// n is even; 2 for the other positive frequencies; and 0 for the negative ones. The real part of y
/// is x, its imaginary part is the Hilbert transform of x, |y| is the envelope, and arg y the
/// phase.
///
/// # Shapes
/// Input and output have the same shape: f32 in, complex f32 out. The other axes behave like
/// batches. The options are those of [`SpectralFilter`]: with longer
/// [`lengths`](SpectralFilter::lengths), the signal is padded.
///
/// # Accuracy, Determinism
/// Those of [`SpectralFilter`], where the factors have magnitudes of at most 2.
///
/// # Cost
/// One pass if the axis fits a workgroup.
///
/// # Errors
/// [`Error::Unsupported`] for an axis that the shape does not have.
///
/// # Sources
/// S. L. Marple, IEEE Trans. Signal Processing 47 (1999) 2600.
pub fn analytic(shape: impl Into<Shape>, axis: usize) -> Result<SpectralFilter<f32, Complex32>> {
    let shape = shape.into();
    if axis >= shape.rank() {
        let why = format!("the axes of {shape} are 0 to {}", shape.rank() - 1);
        return Err(Error::Unsupported { what: format!("an analytic signal along axis {axis}"), why });
    }
    let factor = format!("value * select(select(0.0, 2.0, k{axis} > 0), 1.0, k{axis} == 0 || 2u * bitcast<u32>(abs(k{axis})) == n{axis})");
    SpectralFilter::complex(shape, Fragment::new(factor))?.axes(axis).map_input(Fragment::new("vec2(value, 0.0)"))
}
