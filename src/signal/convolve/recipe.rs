//! How to compute a convolution.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::fft;
use crate::fft::filter::FilterRecipe;
use crate::shape::join;
use crate::text::Text;

/// All decisions on a convolution.
///
/// The text form is `lengths=1152x2016 / kernel axis 1: ... / forward axis 1: ... / middle axis 0:
/// ... / back axis 1: ...`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The length of the transform along each axis.
    pub lengths: Vec<u32>,
    /// The transform of the kernel, unless its spectrum is given.
    pub kernel: Option<fft::Recipe>,
    /// The transforms of the signal there and back.
    pub filter: FilterRecipe,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lengths={}", join(&self.lengths, "x"))?;
        if let Some(kernel) = &self.kernel {
            write!(f, " / kernel {kernel}")?;
        }
        write!(f, " / {}", self.filter)
    }
}

/// Parses the text that [`Display`](fmt::Display) prints.
impl FromStr for Recipe {
    type Err = Error;

    fn from_str(whole: &str) -> Result<Self> {
        let text = Text::new("recipe of a convolution", whole);
        let (first, rest) = whole.split_once(" / ").ok_or_else(|| text.wrong(whole, "expected lengths and recipes"))?;
        let lengths = first.strip_prefix("lengths=").ok_or_else(|| text.wrong(first, "expected lengths=1152x2016"))?;
        let lengths = text.numbers(lengths, 'x')?;
        let (kernel, filter) = match rest.strip_prefix("kernel ").map(|kernel| kernel.split_once(" / ").unwrap_or((kernel, ""))) {
            Some((kernel, filter)) => (Some(kernel.parse()?), filter),
            None => (None, rest),
        };
        Ok(Self { lengths, kernel, filter: filter.parse()? })
    }
}
