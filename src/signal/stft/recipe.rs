//! How to compute an inverse short-time Fourier transform.

use std::fmt;

use crate::fft;
use crate::text::parsed;

/// All decisions on an inverse short-time Fourier transform.
///
/// The text form is `axis 1: ... / overlap-add 256`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The transforms of the spectra into frames.
    pub transform: fft::Recipe,
    /// Invocations of a workgroup that adds frames, 1 to 1024.
    pub invocations: u32,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / overlap-add {}", self.transform, self.invocations)
    }
}

parsed!(Recipe, "recipe of an inverse STFT", |text, whole| {
    let wrong = || text.wrong(whole, "expected the recipe of a transform, and ` / overlap-add 256`");
    let (transform, invocations) = whole.rsplit_once(" / overlap-add ").ok_or_else(wrong)?;
    Ok(Self { transform: transform.parse()?, invocations: text.number(invocations)? })
});
