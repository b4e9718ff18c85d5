//! How to compute a power spectrum.

use std::fmt;

use crate::text::parsed;
use crate::{fft, reduce};

/// What stands between the two recipes.
const MEAN: &str = " / mean ";

/// All decisions on a power spectrum.
///
/// The text form is `axis 1: ... / mean workgroup=256 ...`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The transforms of the segments.
    pub transform: fft::Recipe,
    /// The mean over the segments, if there are several.
    pub mean: Option<reduce::Recipe>,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.transform.fmt(f)?;
        self.mean.as_ref().map_or(Ok(()), |mean| write!(f, "{MEAN}{mean}"))
    }
}

parsed!(Recipe, |whole| {
    let (transform, mean) = whole.rsplit_once(MEAN).map_or((whole, None), |(transform, mean)| (transform, Some(mean)));
    Ok(Self { transform: transform.parse()?, mean: mean.map(str::parse).transpose()? })
});
