//! Signal processing around Fourier transforms.
//!
//! | | what it is |
//! |---|---|
//! | [`frequency`] | the frequencies that the elements of a spectrum stand for |
//! | [`window`] | window functions, and how they change amplitudes and noise |
//! | [`SeparableFilter`], [`DirectFilter`] | convolution and correlation with small kernels, without a transform |
//! | [`Convolve`] | convolution and correlation by Fourier transforms |
//! | [`StreamConvolve`] | convolution of signals that come in blocks, in real time or longer than memory |
//! | [`SpectralFilter`] | filters given by what they do to a spectrum |
//! | [`delay`] | shifts by numbers of samples that need not be whole |
//! | [`analytic`] | analytic signals: envelopes, phases, the Hilbert transform |
//! | [`Zoom`] | spectra on a fine grid in a band of frequencies: the chirp-Z transform |
//! | [`Frequencies`] | spectra at a list of frequencies, as by Goertzel's algorithm |
//! | [`Resample`] | more or fewer samples by Fourier transforms, along any axes |
//! | [`Stft`], [`Istft`] | short-time Fourier transforms, as SciPy's `ShortTimeFFT` |
//! | [`StftStream`], [`IstftStream`] | the same of signals that come in pieces |
//! | [`PowerSpectrum`] | power spectral density, as SciPy's `welch` and `periodogram` |
//! | [`RadialAverage`] | means of spectra over rings of equal frequency |
//! | [`PhaseCorrelate`] | by how much pictures are shifted, to a fraction of a pixel |
//! | [`Roll`] | cyclic shifts on the device: `roll`, `fftshift` and `ifftshift` |
//!
//! The host computes the first two. Everything here follows the definitions of SciPy, so that
//! numbers can be compared one to one.

mod analytic;
mod chirp;
pub(crate) mod convolve;
mod delay;
mod ends;
pub(crate) mod filter;
pub(crate) mod frequencies;
pub mod frequency;
mod mode;
pub(crate) mod number;
mod parse;
pub(crate) mod phase_correlate;
pub(crate) mod power;
mod resample;
pub(crate) mod rings;
pub(crate) mod roll;
mod spectral;
mod spectrum;
pub(crate) mod stft;
mod stream;
mod turned;
pub mod window;
mod zoom;

pub use analytic::analytic;
pub use convolve::Convolve;
pub use delay::delay;
pub use filter::{DirectFilter, SeparableFilter};
pub use frequencies::Frequencies;
pub use mode::Mode;
pub use phase_correlate::PhaseCorrelate;
pub use power::PowerSpectrum;
pub use resample::Resample;
pub use rings::RadialAverage;
pub use roll::Roll;
pub(crate) use roll::any_roll;
pub use spectral::SpectralFilter;
pub use stft::{Istft, Scaling, Stft};
pub use stream::{ConvolveStream, IstftStream, StftStream, StreamConvolve};
pub use zoom::Zoom;
