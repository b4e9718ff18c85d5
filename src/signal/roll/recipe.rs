//! How to shift, as data that can be printed and parsed.

use std::fmt;

use crate::gpu::DeviceProfile;
use crate::kernels::signal::roll::MAX_ELEMENTS;
use crate::plan::{Fit, check_workgroup, ensure};
use crate::text::parsed;

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

parsed!(Recipe, "recipe of a shift", |text, whole| {
    let mut words = text.words(whole);
    words.skip("roll")?;
    let workgroup = text.pair(words.one("a workgroup (64x4)")?, 'x')?;
    let mut fields = words.fields();
    let recipe = Self { workgroup, elements: fields.number("elements", None)? };
    fields.done("`roll 64x4 elements=2`")?;
    Ok(recipe)
});

impl Recipe {
    /// Whether such a device can run this recipe for elements of `bytes` bytes.
    pub(super) fn fit(&self, bytes: u32, profile: &DeviceProfile) -> Fit {
        check_workgroup(self.workgroup, profile)?;
        let most = if bytes < 4 { 1 } else { MAX_ELEMENTS };
        ensure((1..=most).contains(&self.elements), || {
            format!("an invocation can move 1 to {most} elements of {bytes} bytes, not {}", self.elements)
        })
    }
}
