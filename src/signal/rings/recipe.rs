//! How to average over rings, as data that can be printed and parsed.

use std::fmt;

use crate::text::parsed;

/// All decisions on an average over rings. Printed as `rings 64 lines=32 join=64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// Invocations of a workgroup that adds elements. Each has a ring of its own.
    pub invocations: u32,
    /// Lines of a part, 1 to 32767. The sum over a ring in a part belongs to one invocation.
    pub lines: u32,
    /// Invocations that add the parts of a ring, a power of two.
    pub join: u32,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rings {} lines={} join={}", self.invocations, self.lines, self.join)
    }
}

parsed!(Recipe, "recipe of a radial average", |text, whole| {
    let mut words = text.words(whole);
    words.skip("rings")?;
    let invocations = text.number(words.one("invocations of a workgroup (64)")?)?;
    let mut fields = words.fields();
    let recipe = Self { invocations, lines: fields.number("lines", None)?, join: fields.number("join", None)? };
    fields.done("`rings 64 lines=32 join=64`")?;
    Ok(recipe)
});
