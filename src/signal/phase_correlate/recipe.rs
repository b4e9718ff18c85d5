//! How to compute shifts.

use std::fmt;

use crate::text::parsed;
use crate::{fft, reduce};

/// All decisions on a phase correlation.
///
/// The text form is `reference axis 1: ... / moving axis 1: ... / back axis 0: ... / peak
/// workgroup=... / parts=64`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The transform of the references.
    pub reference: fft::Recipe,
    /// The transform of the moving pictures, with the product of both spectra.
    pub moving: fft::Recipe,
    /// The inverse transform of the products.
    pub back: fft::Recipe,
    /// The search for the largest elements.
    pub peak: reduce::Recipe,
    /// Workgroups that share a spectrum when derivatives are computed.
    pub parts: u32,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reference, moving, back, peak, parts } = self;
        write!(f, "reference {reference} / moving {moving} / back {back} / peak {peak} / parts={parts}")
    }
}

parsed!(Recipe, "recipe of a phase correlation", |text, whole| {
    let mut rest = whole.split(" / ");
    let mut part = |name: &str| {
        let part = rest.next().and_then(|part| part.strip_prefix(name));
        part.ok_or_else(|| text.wrong(whole, format!("expected `{name}` and a recipe: reference, moving, back, peak, parts=")))
    };
    let recipe = Self {
        reference: part("reference ")?.parse()?,
        moving: part("moving ")?.parse()?,
        back: part("back ")?.parse()?,
        peak: part("peak ")?.parse()?,
        parts: text.number(part("parts=")?)?,
    };
    rest.next().map_or(Ok(recipe), |more| Err(text.wrong(more, "nothing follows the parts")))
});
