//! The frequencies that the elements of a spectrum stand for.
//!
//! A transform of n samples that are `d` apart has, at index k, the frequency k/(n·d), and
//! (k − n)/(n·d) in the second half. The unit is cycles per unit of `d`: with `d` in seconds, Hz.
//!
//! ```
//! use wgpu_fft::signal::frequency::{fftfreq, rfftfreq};
//!
//! // 8 samples, 0.1 s apart.
//! assert_eq!(fftfreq::<f32>(8, 0.1)?, [0.0, 1.25, 2.5, 3.75, -5.0, -3.75, -2.5, -1.25]);
//! assert_eq!(rfftfreq::<f32>(8, 0.1)?, [0.0, 1.25, 2.5, 3.75, 5.0]);
//! # Ok::<(), wgpu_fft::Error>(())
//! ```

use crate::element::HostReal;
use crate::error::{Error, Result, check_count};

/// The frequencies of a complex transform of `n` samples at distance `d`, as
/// `scipy.fft.fftfreq`: 0, 1, …, ⌈n/2⌉ − 1, −⌊n/2⌋, …, −1, each divided by n·d.
///
/// # Errors
/// [`Error::Unsupported`] if `n` is 0, or if `d` is 0 or not finite. [`Error::LimitExceeded`] for
/// 2³² or more samples.
pub fn fftfreq<T: HostReal>(n: usize, d: f64) -> Result<Vec<T>> {
    let span = span(n, d)?;
    let first = n.div_ceil(2);
    let index = |k: usize| if k < first { k as f64 } else { -((n - k) as f64) };
    Ok((0..n).map(|k| T::nearest(index(k) / span)).collect())
}

/// The frequencies of a half-spectrum of `n` real samples at distance `d`, as
/// `scipy.fft.rfftfreq`: 0, 1, …, ⌊n/2⌋, each divided by n·d. The last one of an even `n` is
/// positive.
///
/// # Errors
/// Those of [`fftfreq`].
pub fn rfftfreq<T: HostReal>(n: usize, d: f64) -> Result<Vec<T>> {
    let span = span(n, d)?;
    Ok((0..=n / 2).map(|k| T::nearest(k as f64 / span)).collect())
}

/// The time that the samples take, n·d.
fn span(n: usize, d: f64) -> Result<f64> {
    check_count(|| "frequencies".to_owned(), n as u64)?;
    let span = n as f64 * d;
    if n > 0 && span != 0.0 && span.is_finite() {
        return Ok(span);
    }
    let what = format!("frequencies of {n} samples at distance {d}");
    Err(Error::Unsupported { what, why: "there must be at least one sample, and the distance must be finite and not 0".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_alone_is_constant() {
        assert_eq!(fftfreq::<f64>(1, -2.0), Ok(vec![0.0]));
        assert_eq!(rfftfreq::<f64>(1, 2.0), Ok(vec![0.0]));
    }

    #[test]
    fn what_has_no_frequencies_is_refused() {
        for (n, d) in [(0, 1.0), (4, 0.0), (4, f64::NAN), (4, f64::INFINITY), (4, f64::MAX)] {
            assert!(matches!(fftfreq::<f32>(n, d), Err(Error::Unsupported { .. })), "{n} {d}");
            assert!(matches!(rfftfreq::<f32>(n, d), Err(Error::Unsupported { .. })), "{n} {d}");
        }
        #[cfg(target_pointer_width = "64")]
        assert!(matches!(fftfreq::<f32>(1 << 32, 1.0), Err(Error::LimitExceeded { required: 0x1_0000_0000, .. })));
    }
}
