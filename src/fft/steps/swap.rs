//! Exchanges real and imaginary parts. An inverse transform is a forward transform between two such
//! exchanges.

use super::fuse::{Element, Fuse, Site};
use crate::wgsl::Expr;

/// x + i·y becomes y + i·x.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct SwapReIm;

impl Fuse for SwapReIm {
    fn is_plain(&self) -> bool {
        true
    }

    fn apply(&self, _: &mut Site<'_>, _: &Element, value: Expr) -> Expr {
        value.components("yx")
    }
}
