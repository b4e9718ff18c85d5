//! Two lines a and b as one line a + i·b.

use super::fuse::{Coordinates, Element, Fuse, Fused, Pair, Site};
use crate::fft::emit::codelets::pair;
use crate::wgsl::{Expr, Type, Writes};

/// Takes lines in pairs: lines of reals, and on loads also lines of complex numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Pairs(pub Pair);

impl Fuse for Pairs {
    fn on(&self, lines: &Coordinates<'_>) -> Option<Fused> {
        lines.pair.map(|pair| Self(pair).into())
    }

    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let first = site.load(element, inner);
        let condition = self.0.has_second(site);
        let load = |site: &mut Site<'_>| site.load(&element.on_line(self.0.distance), inner);
        let second = site.value_when(&condition, "second", first.ty().clone(), load);
        if matches!(first.ty(), Type::Scalar(_)) {
            pair(&first, &second)
        } else {
            pair(&(first.x() - second.y()), &(first.y() + second.x()))
        }
    }

    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        let value = site.body.value("value", value);
        site.store(element, value.x(), inner);
        let condition = self.0.has_second(site);
        site.when(&condition, |site| site.store(&element.on_line(self.0.distance), value.y(), inner));
    }

    fn pair(&self) -> Option<&Pair> {
        Some(&self.0)
    }
}
