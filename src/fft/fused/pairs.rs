//! Two lines a and b as one line a + i·b.

use super::super::codelets::pair;
use super::{Element, Fuse, Fused, Site};
use crate::wgsl::{Expr, Type, Writes, boolean};

/// Takes lines in pairs: lines of reals, and on loads also lines of complex numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Pairs(pub Pair);

/// The second line of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in crate::fft) struct Pair {
    /// Its distance from the first line.
    pub distance: u32,
    /// Set if the number of lines along a coordinate is odd, so that the last pair has only one
    /// line: the coordinate that counts pairs, and that number.
    pub odd: Option<(usize, u32)>,
}

impl Pair {
    /// Whether there is a second line.
    pub fn has_second(&self, site: &Site<'_>) -> Expr {
        let odd = |(dim, lines): (usize, u32)| (&site.coordinates[dim] * 2 + 1).less(lines);
        self.odd.map_or_else(|| boolean(true), odd)
    }
}

impl Fuse for Pairs {
    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let first = site.load(element, inner);
        let condition = self.0.has_second(site);
        let names = [("second".to_owned(), first.ty().clone())];
        let second = site.values_when(&condition, &names, |site| vec![site.load(&element.on_line(self.0.distance), inner)]).remove(0);
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
