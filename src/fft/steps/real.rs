//! Real numbers as complex numbers.

use super::fuse::{Element, Fuse, Fused, Site};
use crate::fft::emit::codelets::{opaque_zero, pair};
use crate::wgsl::Expr;

/// Loads the imaginary part as 0, and does not store it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Real;

impl Fuse for Real {
    fn apply(&self, _: &mut Site<'_>, _: &Element, value: Expr) -> Expr {
        // A zero that compilers cannot see through, as `codelets.rs` explains: otherwise they would
        // turn sums of products into products.
        pair(&value, &opaque_zero(&value))
    }

    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        site.store(element, value.x(), inner);
    }

    fn drops_results_of(&self, _: u32) -> bool {
        true
    }
}
