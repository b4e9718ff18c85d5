//! Real numbers as complex ones.

use super::super::codelets::pair;
use super::{Element, Fuse, Fused, Site};
use crate::wgsl::{Expr, F32, U32, bitcast, param};

/// The imaginary part is 0 when loaded, and left out when stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Real;

impl Fuse for Real {
    fn apply(&self, _: &mut Site<'_>, _: &Element, value: Expr) -> Expr {
        // A zero that no compiler knows, see `codelets.rs`: sums of products would become products.
        pair(&value, &bitcast(&F32, &(param("lines", U32) >> 31)))
    }

    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        site.store(element, value.x(), inner);
    }

    fn drops_results_of(&self, _: u32) -> bool {
        true
    }
}
