//! Factors by position: the chirps of a convolution, and the spectrum that it multiplies by.

use super::super::codelets::times;
use super::super::roots::Constant;
use super::{Element, Fuse, Site};
use crate::wgsl::Expr;

/// Value number p on the axis times constant number p.
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
