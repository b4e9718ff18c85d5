//! Window functions, and how they change amplitudes and noise.
//!
//! ```
//! use wgpu_fft::signal::window::{Window, coherent_gain, noise_bandwidth};
//!
//! let hann: Vec<f32> = Window::Hann.periodic(8)?;
//! assert_eq!(hann, [0.0, 0.14644662, 0.5, 0.8535534, 1.0, 0.8535534, 0.5, 0.14644662]);
//! // A sine of amplitude 1 on a bin has half of it left, and noise is that of 1.5 bins.
//! assert!((coherent_gain(&hann) - 0.5).abs() < 1e-6 && (noise_bandwidth(&hann) - 1.5).abs() < 1e-6);
//! # Ok::<(), wgpu_fft::Error>(())
//! ```

use std::f64::consts::PI;

use crate::element::HostReal;
use crate::error::{Error, Result, check_count};

/// A window function.
///
/// # Definition
/// The symmetric window of n ≥ 2 samples is w\[k\] for k = 0, 1, …, n − 1, with x = k/(n − 1) from
/// 0 to 1. The periodic window of n samples is the symmetric one of n + 1 without its last sample.
/// Both have no sample for n = 0 and the sample 1 for n = 1. These are the definitions of
/// `scipy.signal.windows`, where the symmetric ones are the default (`sym=True`).
///
/// Spectra and frames that overlap need periodic windows. Designs of filters need symmetric ones.
///
/// # Accuracy
/// Samples are computed in f64, with an error of a few 10⁻¹⁶ times the largest sample (for Kaiser
/// windows times 1 + |β|), and then rounded to the type of the result. Symmetric windows are
/// symmetric bit for bit.
///
/// # Sources
/// F. J. Harris, On the Use of Windows for Harmonic Analysis with the Discrete Fourier Transform,
/// Proceedings of the IEEE 66 (1978).
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Window {
    /// 1: no window.
    Boxcar,
    /// 0.5 − 0.5 cos 2πx.
    Hann,
    /// 0.54 − 0.46 cos 2πx.
    Hamming,
    /// 0.42 − 0.5 cos 2πx + 0.08 cos 4πx.
    Blackman,
    /// 0.35875 − 0.48829 cos 2πx + 0.14128 cos 4πx − 0.01168 cos 6πx.
    BlackmanHarris,
    /// I₀(β √(1 − (2x − 1)²)) / I₀(β), with the modified Bessel function I₀.
    Kaiser {
        /// Larger ones make lower side lobes and a wider main lobe; 0 is a boxcar. Any finite
        /// number.
        beta: f64,
    },
    /// 1 in the middle, and half a cosine at each end, with a length of `alpha`/2 of the window.
    Tukey {
        /// The part of the window that is not flat: a boxcar from 0 down, a Hann window from 1 up.
        /// Any finite number.
        alpha: f64,
    },
    /// exp(−((k − (n − 1)/2)/`std`)²/2).
    Gaussian {
        /// The standard deviation in samples, which must be finite and larger than 0.
        std: f64,
    },
}

impl Window {
    /// `n` samples of the periodic window, for spectra: SciPy's `sym=False`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a parameter that is not finite or, of a Gaussian, not larger than
    /// 0. [`Error::LimitExceeded`] for 2³² or more samples.
    pub fn periodic<T: HostReal>(self, n: usize) -> Result<Vec<T>> {
        self.samples(n, n)
    }

    /// `n` samples of the symmetric window, for filters: SciPy's `sym=True`.
    ///
    /// # Errors
    /// Those of [`periodic`](Self::periodic).
    pub fn symmetric<T: HostReal>(self, n: usize) -> Result<Vec<T>> {
        self.samples(n, n.saturating_sub(1))
    }

    /// The first `n` samples of a symmetric window whose last sample has the index `last`.
    fn samples<T: HostReal>(self, n: usize, last: usize) -> Result<Vec<T>> {
        check_count(|| "a window".to_owned(), n as u64)?;
        self.check()?;
        if n <= 1 {
            return Ok(vec![T::nearest(1.0); n]);
        }
        // The second half mirrors the first, so that both have the same bits.
        Ok((0..n).map(|k| T::nearest(self.sample(k.min(last - k), last))).collect())
    }

    fn check(self) -> Result<()> {
        let (valid, why) = match self {
            Self::Kaiser { beta } => (beta.is_finite(), "beta must be finite"),
            Self::Tukey { alpha } => (alpha.is_finite(), "alpha must be finite"),
            Self::Gaussian { std } => (std.is_finite() && std > 0.0, "std must be finite and larger than 0"),
            _ => return Ok(()),
        };
        if valid { Ok(()) } else { Err(Error::Unsupported { what: format!("the window {self:?}"), why: why.to_owned() }) }
    }

    /// Sample `k` of the first half of a window from 0 to `last`.
    fn sample(self, k: usize, last: usize) -> f64 {
        let x = k as f64 / last as f64;
        match self {
            Self::Boxcar => 1.0,
            Self::Hann => cosines(&[0.5, 0.5], x),
            Self::Hamming => cosines(&[0.54, 0.46], x),
            Self::Blackman => cosines(&[0.42, 0.5, 0.08], x),
            Self::BlackmanHarris => cosines(&[0.35875, 0.48829, 0.14128, 0.01168], x),
            Self::Kaiser { beta } => {
                // 1 - (2x - 1)² = 4x (1 - x)
                let (beta, own) = (beta.abs(), beta.abs() * (4.0 * x * (1.0 - x)).sqrt());
                (own - beta).exp() * scaled_bessel(own) / scaled_bessel(beta)
            }
            Self::Tukey { alpha } if alpha <= 0.0 => 1.0,
            Self::Tukey { alpha } => {
                let alpha = alpha.min(1.0);
                if k as f64 <= (alpha * last as f64 / 2.0).floor() { cosines(&[0.5, 0.5], x / alpha) } else { 1.0 }
            }
            Self::Gaussian { std } => {
                let distance = (last as f64 / 2.0 - k as f64) / std;
                (-0.5 * distance * distance).exp()
            }
        }
    }
}

/// a₀ − a₁ cos 2πx + a₂ cos 4πx − …
fn cosines(factors: &[f64], x: f64) -> f64 {
    let term = |(i, factor): (usize, &f64)| factor * (i as f64 * PI * (2.0 * x - 1.0)).cos();
    factors.iter().enumerate().map(term).sum()
}

/// e⁻ˣ I₀(x) for x ≥ 0, which does not overflow.
fn scaled_bessel(x: f64) -> f64 {
    // From here on, the smallest term of the asymptotic series is below the precision of f64.
    const LARGE: f64 = 40.0;
    // I₀(x) is the sum of (x/2)²ᵏ / k!², all of them positive, and √(2πx) e⁻ˣ I₀(x) is about the
    // sum of (1·3·…·(2k − 1))² / (k! (8x)ᵏ). From one term to the next:
    let ratio = |k: f64| if x < LARGE { (x / 2.0 / k).powi(2) } else { (2.0 * k - 1.0).powi(2) / (k * 8.0 * x) };
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1.. {
        term *= ratio(f64::from(k));
        sum += term;
        if term <= sum * f64::EPSILON / 4.0 {
            break;
        }
    }
    if x < LARGE { sum * (-x).exp() } else { sum / (2.0 * PI * x).sqrt() }
}

/// The mean of a window's samples: what remains of the amplitude of a sine on a bin. NaN for no
/// samples.
#[must_use]
pub fn coherent_gain<T: HostReal>(window: &[T]) -> f64 {
    sum(window) / window.len() as f64
}

/// The equivalent noise bandwidth of a window, n Σw² / (Σw)², in bins: the width of a rectangular
/// filter that lets as much white noise pass as a bin does. NaN for no samples.
#[must_use]
pub fn noise_bandwidth<T: HostReal>(window: &[T]) -> f64 {
    let sum = sum(window);
    sum_of_squares(window) * window.len() as f64 / (sum * sum)
}

/// Σw, by which an amplitude spectrum is divided.
#[must_use]
pub fn sum<T: HostReal>(window: &[T]) -> f64 {
    window.iter().map(|&sample| sample.into()).sum()
}

/// Σw², by which a power spectral density is divided, with the rate of sampling.
#[must_use]
pub fn sum_of_squares<T: HostReal>(window: &[T]) -> f64 {
    let square = |&sample: &T| {
        let sample: f64 = sample.into();
        sample * sample
    };
    window.iter().map(square).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Window; 9] = [
        Window::Boxcar,
        Window::Hann,
        Window::Hamming,
        Window::Blackman,
        Window::BlackmanHarris,
        Window::Kaiser { beta: 8.6 },
        Window::Tukey { alpha: 0.5 },
        Window::Tukey { alpha: 2.0 },
        Window::Gaussian { std: 3.0 },
    ];

    #[test]
    fn symmetric_windows_are_symmetric_and_periodic_ones_are_their_beginning() {
        for window in ALL {
            for n in [2, 3, 8, 9, 100, 1001] {
                let all: Vec<f64> = window.symmetric(n).unwrap();
                assert!(all.iter().eq(all.iter().rev()), "{window:?} {n}");
                assert_eq!(
                    window.periodic::<f64>(n - 1).unwrap()[..],
                    if n == 2 { &[1.0][..] } else { &all[..n - 1] }[..],
                    "{window:?} {n}"
                );
                let rounded: Vec<f32> = window.symmetric(n).unwrap();
                assert!(rounded.iter().zip(&all).all(|(own, exact)| *own == *exact as f32), "{window:?} {n}");
            }
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let windows =
            bad.into_iter().flat_map(|bad| [Window::Kaiser { beta: bad }, Window::Tukey { alpha: bad }, Window::Gaussian { std: bad }]);
        for window in windows.chain([Window::Gaussian { std: 0.0 }, Window::Gaussian { std: -1.0 }]) {
            for n in [0, 1, 8] {
                assert!(matches!(window.periodic::<f32>(n), Err(Error::Unsupported { .. })), "{window:?}");
            }
        }
        #[cfg(target_pointer_width = "64")]
        assert!(matches!(Window::Hann.symmetric::<f32>(1 << 32), Err(Error::LimitExceeded { required: 0x1_0000_0000, .. })));
    }

    /// Both series of the Bessel function agree where they meet, and nothing overflows far beyond.
    #[test]
    fn the_bessel_function_is_continuous() {
        let (below, above) = (scaled_bessel(40.0_f64.next_down()), scaled_bessel(40.0));
        assert!((below / above - 1.0).abs() < 1e-14, "{below} {above}");
        let kaiser: Vec<f64> = Window::Kaiser { beta: 1e6 }.symmetric(9).unwrap();
        assert!(kaiser.iter().all(|sample| (0.0..=1.0).contains(sample)) && kaiser[4] == 1.0, "{kaiser:?}");
    }

    #[test]
    fn sums_of_windows() {
        let hann: Vec<f64> = Window::Hann.periodic(64).unwrap();
        assert!((sum(&hann) - 32.0).abs() < 1e-12 && (sum_of_squares(&hann) - 24.0).abs() < 1e-12);
        assert!((coherent_gain(&hann) - 0.5).abs() < 1e-14 && (noise_bandwidth(&hann) - 1.5).abs() < 1e-14);
        assert_eq!((coherent_gain(&[1.0f32; 5]), noise_bandwidth(&[1.0f32; 5])), (1.0, 1.0));
        assert!(coherent_gain::<f32>(&[]).is_nan() && noise_bandwidth::<f32>(&[]).is_nan());
    }
}
