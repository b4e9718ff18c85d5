//! Parts of an axis: only some positions are stored in the array.

use super::super::window::Windowed;
use super::{Element, Fuse, Fused, Site, Spot, place_of};
use crate::edge::Edge;
use crate::wgsl::{Expr, Writes, boolean, max, min, select};

/// Positions outside of a window load as 0 and are not stored. The step is next to the array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Part {
    pub window: Windowed,
    /// Whether the step itself must guard every element, because other steps load or store elements
    /// at positions of their own.
    pub guards: bool,
}

impl Part {
    fn contains(&self, position: &Expr) -> Expr {
        let Windowed { n, first, len, .. } = self.window;
        if self.window.edge != Edge::Zero {
            return position.less(self.window.before + len + self.window.after);
        }
        let end = first + len;
        if end <= n {
            return position.at_least(first).and(position.less(end));
        }
        // A convolution has results past the end of the axis.
        let before_end = position.at_least(first).and(position.less(n));
        before_end.or(position.less(end - n))
    }

    /// The index in the array of a position in the window.
    pub fn index(window: Windowed, position: &Expr) -> Expr {
        let Windowed { n, first, len, edge, before, .. } = window;
        // A multiple of the period is added, so that no number is negative.
        let in_period = |period: u32| (position + (before.next_multiple_of(period) - before)) % period;
        match edge {
            Edge::Zero => {}
            Edge::Wrap => return in_period(len),
            Edge::Reflect => {
                let there = in_period(2 * len);
                return select(&there.less(len), &there, Expr::from(2 * len - 1) - &there);
            }
            Edge::Mirror if len == 1 => return 0.into(),
            Edge::Mirror => {
                let there = in_period(2 * (len - 1));
                return select(&there.less(len), &there, Expr::from(2 * (len - 1)) - &there);
            }
            Edge::Nearest => return min(&(max(position, before) - before), len - 1),
        }
        let behind = position - first;
        if first == 0 || first + len <= n { behind } else { select(&position.at_least(first), behind, position + (n - first)) }
    }

    /// The same element where the array has it.
    fn moved(&self, site: &mut Site<'_>, element: &Element) -> Element {
        let Windowed { n, first, len, .. } = self.window;
        let line = match &element.spot {
            Spot::At(_) if !self.window.moves() => return element.clone(),
            Spot::At(at) if site.place.low.is_empty() => {
                // Places are proportional to positions.
                let distance = |positions: u32| positions.wrapping_mul(site.place.stride / site.weight.max(1));
                let behind = at - distance(first);
                let moved =
                    if first + len <= n { behind } else { select(&element.position.at_least(first), behind, at + distance(n - first)) };
                let at = site.body.value("at", moved);
                return Element { spot: Spot::At(at), ..element.clone() };
            }
            // In blocks, elements and positions are the same.
            Spot::At(_) => site.line.clone(),
            Spot::OnLine(line) => line.clone(),
        };
        let index = site.body.value("index", Self::index(self.window, &element.position));
        let at = site.body.value("at", place_of(site.place, line, index));
        Element { spot: Spot::At(at), ..element.clone() }
    }
}

impl Fuse for Part {
    fn is_there(&self, position: &Expr) -> Expr {
        if self.guards { boolean(true) } else { self.contains(position) }
    }

    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        if !self.guards {
            let element = self.moved(site, element);
            return site.load(&element, inner);
        }
        let condition = self.contains(&element.position);
        let names = [("loaded".to_owned(), site.value_type(inner))];
        site.values_when(&condition, &names, |site| {
            let element = self.moved(site, element);
            vec![site.load(&element, inner)]
        })
        .remove(0)
    }

    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        let condition = if self.guards { self.contains(&element.position) } else { boolean(true) };
        site.when(&condition, |site| {
            let element = self.moved(site, element);
            site.store(&element, value, inner);
        });
    }

    fn extent(&self) -> Option<u32> {
        Some(self.window.len)
    }

    fn touched(&self, by_position: bool) -> Option<u32> {
        (self.guards || by_position).then_some(self.window.len)
    }

    fn drops_results_of(&self, _: u32) -> bool {
        !self.window.is_whole()
    }
}
