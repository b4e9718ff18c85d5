//! How to shift, as data that can be printed and parsed.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::text::Text;

/// How to shift axes: the workgroup, and the share of an invocation. Printed as
/// `roll 64x4 elements=2`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// Invocations of a workgroup along the fastest axis and along the next one.
    pub workgroup: [u32; 2],
    /// Elements of an invocation along the fastest axis, 1 to 8. An element is as wide as extents
    /// and shifts allow, up to 16 bytes. Where it has 1 or 2 bytes, an invocation fills one word,
    /// and this must be 1.
    pub elements: u32,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y] = self.workgroup;
        write!(f, "roll {x}x{y} elements={}", self.elements)
    }
}

/// Parses what [`Display`](fmt::Display) prints.
impl FromStr for Recipe {
    type Err = Error;

    fn from_str(whole: &str) -> Result<Self> {
        let text = Text::new("recipe of a shift", whole);
        let mut words = text.words(whole);
        words.skip("roll")?;
        let workgroup = text.pair(words.one("a workgroup (64x4)")?, 'x')?;
        let mut fields = words.fields();
        let recipe = Self { workgroup, elements: fields.number("elements", None)? };
        fields.done("`roll 64x4 elements=2`")?;
        Ok(recipe)
    }
}
