//! Padding and cropping: an axis of which only the first positions exist in the array.

use super::fuse::Fuse;
use crate::wgsl::Expr;

/// Positions from this one on load as 0 and are not stored.
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
