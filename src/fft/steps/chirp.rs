//! Factors that depend on the position: the chirps of a convolution, and the spectrum that it
//! multiplies by.

use super::fuse::{Element, Fuse, Site};
use crate::fft::emit::codelets::times;
use crate::fft::roots::Constant;
use crate::wgsl::Expr;

/// Multiplies the value at position p on the axis by constant number p.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Factors(pub Constant);

impl Fuse for Factors {
    fn apply(&self, site: &mut Site<'_>, element: &Element, value: Expr) -> Expr {
        let value = site.body.value("value", value);
        times(&value, &site.look_up.of(&self.0, &element.position))
    }

    fn constants(&self) -> Option<Constant> {
        Some(self.0.clone())
    }

    fn multiplies(&self) -> bool {
        true
    }
}
