//! How to compute a spectrum at a list of frequencies.

use std::fmt;

use crate::text::{Text, parsed};
use crate::{fft, reduce};

const PICK: &str = " / pick ";

/// All decisions on a spectrum at a list of frequencies.
///
/// The text form is `sums workgroup=256 ...`, or `axis 0: ... / pick workgroup=256 ...`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The transform from whose spectrum frequencies are picked. Without it they are summed
    /// directly.
    pub transform: Option<fft::Recipe>,
    /// The sums, or those of one element that pick.
    pub sums: reduce::Recipe,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.transform {
            None => write!(f, "sums {}", self.sums),
            Some(transform) => write!(f, "{transform}{PICK}{}", self.sums),
        }
    }
}

parsed!(Recipe, |whole| {
    if let Some(sums) = whole.strip_prefix("sums ") {
        return Ok(Self { transform: None, sums: sums.parse()? });
    }
    let text = Text::new("recipe", whole);
    let (transform, sums) = whole.rsplit_once(PICK).ok_or_else(|| text.wrong(whole, "expected `sums …` or `… / pick …`"))?;
    Ok(Self { transform: Some(transform.parse()?), sums: sums.parse()? })
});
