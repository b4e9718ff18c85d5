//! How to compute a convolution.

use std::fmt;

use crate::fft;
use crate::fft::ops::filter::FilterRecipe;
use crate::signal::filter;
use crate::text::{join, parsed};

/// All decisions on a convolution.
///
/// The text form is `lengths=1152x2016 / kernel axis 1: ... / forward axis 1: ... / middle axis 0:
/// ... / back axis 1: ...`, or `lengths=1152x2016 / direct axes 0,1: ...` for sums without
/// transforms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The length of the transform along each axis, also if there is none.
    pub lengths: Vec<u32>,
    /// How the sums are computed.
    pub by: By,
}

/// How the sums of a convolution are computed.
#[expect(clippy::large_enum_variant, reason = "a plan has one, and a search some dozens")]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum By {
    /// By Fourier transforms.
    Transforms {
        /// The transform of the kernel, unless its spectrum is given.
        kernel: Option<fft::Recipe>,
        /// The transforms of the signal there and back.
        filter: FilterRecipe,
    },
    /// Product by product, in one step over all axes.
    Sums(filter::Recipe),
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lengths={}", join(&self.lengths, "x"))?;
        match &self.by {
            By::Sums(recipe) => write!(f, " / direct {recipe}"),
            By::Transforms { kernel: Some(kernel), filter } => write!(f, " / kernel {kernel} / {filter}"),
            By::Transforms { kernel: None, filter } => write!(f, " / {filter}"),
        }
    }
}

parsed!(Recipe, "recipe of a convolution", |text, whole| {
    let (first, rest) = whole.split_once(" / ").ok_or_else(|| text.wrong(whole, "expected lengths and recipes"))?;
    let lengths = first.strip_prefix("lengths=").ok_or_else(|| text.wrong(first, "expected lengths=1152x2016"))?;
    let lengths = text.numbers(lengths, 'x')?;
    if let Some(recipe) = rest.strip_prefix("direct ") {
        return Ok(Self { lengths, by: By::Sums(recipe.parse()?) });
    }
    let (kernel, filter) = match rest.strip_prefix("kernel ").map(|kernel| kernel.split_once(" / ").unwrap_or((kernel, ""))) {
        Some((kernel, filter)) => (Some(kernel.parse()?), filter),
        None => (None, rest),
    };
    Ok(Self { lengths, by: By::Transforms { kernel, filter: filter.parse()? } })
});
