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
pub(crate) mod phase_correlate;
pub(crate) mod power;
mod resample;
pub(crate) mod rings;
pub(crate) mod roll;
mod spectral;
pub(crate) mod stft;
mod stream;
pub mod window;
mod zoom;

use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::text::{Text, Words};
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
pub use stft::{Istft, Padding, Scaling, Stft};
pub use stream::{ConvolveStream, IstftStream, StftStream, StreamConvolve};
pub use zoom::Zoom;

/// Refuses more numbers than an array on the device can have.
fn check_len(what: &str, n: usize) -> Result<()> {
    let (required, available) = (n as u64, u64::from(u32::MAX));
    if required <= available {
        return Ok(());
    }
    Err(Error::LimitExceeded { what: what.to_owned(), limit: "elements indexed by a u32", required, available })
}

/// The shape behind the first words of a specification, and the words that follow it.
fn shape_after<'a>(words: &[&str], text: Text<'a>, whole: &'a str) -> Result<(Shape, Words<'a>)> {
    let mut rest = text.words(whole);
    words.iter().try_for_each(|word| rest.skip(word))?;
    Ok((Shape::parse(text, rest.one("a shape")?)?, rest))
}

/// Refuses more axes than 3, and an axis that there is not. `what` begins the sentence.
fn check_axis(spec: &impl std::fmt::Display, what: &str, shape: Shape, axis: usize) -> Result<()> {
    let rank = shape.rank();
    if rank > 3 {
        return Err(Error::unsupported(spec, format!("{what} at most 3 axes, not {rank}")));
    }
    if axis >= rank {
        return Err(Error::unsupported(spec, format!("axis {axis}: the axes of {shape} are 0 to {}", rank - 1)));
    }
    Ok(())
}

/// Reads the batch of a specification, if there is one, and the word that comes next.
fn batch_before(word: &str, text: Text<'_>, words: &mut Words<'_>) -> Result<usize> {
    Ok(batch_and(&[word], text, words)?.0)
}

/// The same where one of several words comes next, which is returned too.
fn batch_and<'a>(choices: &[&str], text: Text<'_>, words: &mut Words<'a>) -> Result<(usize, &'a str)> {
    let expected = choices.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ");
    let mut next = words.one(&expected)?;
    let mut batch = 1;
    if let Some(count) = next.strip_prefix('x') {
        batch = text.number(count)?;
        next = words.one(&expected)?;
    }
    if choices.contains(&next) { Ok((batch, next)) } else { Err(text.wrong(next, format_args!("expected {expected}"))) }
}
