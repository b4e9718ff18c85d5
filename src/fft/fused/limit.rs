//! Padding and cropping: an axis of which only the first positions are there.

use super::Fuse;
use crate::wgsl::Expr;

/// Positions from here on are 0 when loaded and left out when stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Limit(pub u32);

impl Fuse for Limit {
    fn is_there(&self, position: &Expr) -> Expr {
        position.less(self.0)
    }

    fn limit(&self) -> Option<u32> {
        Some(self.0)
    }
}
