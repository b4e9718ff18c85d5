//! Short-time Fourier transforms.

use std::ops::Range;

use wgpu_fft::Complex32;
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::signal::Stft;

/// What Python says of one.
pub(crate) struct Frames<'a> {
    pub len: usize,
    pub batch: usize,
    pub window: &'a [f64],
    pub hop: usize,
    pub mfft: usize,
    pub phase_shift: Option<i64>,
    /// Those to compute; `None` for all that reach the signal.
    pub frames: Option<Range<i64>>,
}

/// The specification, of complex or of real signals.
pub(crate) fn spec(complex: bool, frames: &Frames<'_>) -> AnySpec {
    macro_rules! of {
        ($number:ty) => {{
            let spec = Stft::<$number>::new(frames.len, frames.window, frames.hop).batch(frames.batch).nfft(frames.mfft);
            let spec = spec.phase_shift(frames.phase_shift);
            match frames.frames.clone() {
                Some(range) => AnySpec::new(spec.frames(range)),
                None => AnySpec::new(spec),
            }
        }};
    }
    if complex { of!(Complex32) } else { of!(f32) }
}
