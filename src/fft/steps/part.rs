//! Parts of axes: only some positions are stored in the array.

use super::fuse::{Coordinates, Element, Fuse, Fused, Reach, Site, Spot, place_of};
use crate::edge::Edge;
use crate::fft::emit::codelets::pair;
use crate::fft::spec::window::Windowed;
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
    fn contains(window: Windowed, position: &Expr) -> Expr {
        let Windowed { n, first, len, edge, before, after, .. } = window;
        if edge != Edge::Zero {
            return position.less(before + len + after);
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
            Edge::Mirror | Edge::Odd if len == 1 => return 0.into(),
            Edge::Mirror | Edge::Odd => {
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
    fn window(&self) -> Option<&Windowed> {
        Some(&self.window)
    }

    fn is_there(&self, position: &Expr) -> Expr {
        if self.guards { boolean(true) } else { Self::contains(self.window, position) }
    }

    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        if !self.guards {
            let element = self.moved(site, element);
            return site.load(&element, inner);
        }
        let condition = Self::contains(self.window, &element.position);
        site.value_when(&condition, "loaded", site.value_type(inner), |site| {
            let element = self.moved(site, element);
            site.load(&element, inner)
        })
    }

    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        let condition = if self.guards { Self::contains(self.window, &element.position) } else { boolean(true) };
        site.when(&condition, |site| {
            let element = self.moved(site, element);
            site.store(&element, value, inner);
        });
    }

    fn reach(&self, by_position: bool) -> Reach {
        let len = self.window.len;
        Reach { extent: Some(len), touched: (self.guards || by_position).then_some(len), ..Reach::default() }
    }

    fn drops_results_of(&self, _: u32) -> bool {
        !self.window.is_whole()
    }
}

/// Parts of axes whose positions are coordinates of the line. The lines' places leave these axes
/// out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Parts {
    pub axes: Vec<PartOfAxis>,
    /// The axis along which two neighbouring reals are a complex number of the transform. The
    /// coordinate counts these.
    pub twos: Option<usize>,
}

/// The part of one axis, or all of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct PartOfAxis {
    pub axis: usize,
    /// The coordinate with the position. There is none if the axis has one position.
    pub dim: Option<usize>,
    pub window: Windowed,
    /// Distance of neighbours in the array.
    pub stride: u32,
}

impl Parts {
    /// The positions on the axes, where the first or the second of two neighbours is meant.
    fn positions(&self, site: &Site<'_>, second: u32) -> Vec<Expr> {
        let position = |part: &PartOfAxis| {
            let coordinate = part.dim.map_or(Expr::from(0), |dim| site.coordinates[dim].clone());
            if self.twos == Some(part.axis) { coordinate * 2 + second } else { coordinate }
        };
        self.axes.iter().map(position).collect()
    }

    /// Whether the array has the element at these positions.
    fn contains(&self, positions: &[Expr]) -> Expr {
        let parts = self.axes.iter().zip(positions).filter(|(part, _)| !part.window.is_whole());
        let contained = parts.map(|(part, position)| Part::contains(part.window, position));
        contained.reduce(|all, own| all.and(&own)).unwrap_or_else(|| boolean(true))
    }

    /// Lets `write` see the element at these positions, on a line whose coordinates are indices in
    /// the array.
    fn inside<T>(
        &self,
        site: &mut Site<'_>,
        element: &Element,
        positions: Vec<Expr>,
        write: impl FnOnce(&mut Site<'_>, &Element) -> T,
    ) -> T {
        let mut coordinates = site.coordinates.to_vec();
        let Spot::At(mut at) = element.spot.clone() else { unreachable!("elements that are moved have places") };
        for (PartOfAxis { dim, window, stride, .. }, position) in self.axes.iter().zip(positions) {
            let index = site.body.value("index", Part::index(*window, &position));
            at = at + &index * *stride;
            if let Some(dim) = *dim {
                coordinates[dim] = index;
            }
        }
        let at = site.body.value("at", at);
        let Site { number, storage, place, weight, line, look_up, .. } = *site;
        let mut inside = Site { body: &mut *site.body, number, storage, place, weight, line, coordinates: &coordinates, look_up };
        write(&mut inside, &Element { spot: Spot::At(at), ..element.clone() })
    }

    fn load_one(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused], second: u32) -> Expr {
        let positions = self.positions(site, second);
        let condition = self.contains(&positions);
        site.value_when(&condition, "loaded", site.value_type(inner), |site| {
            self.inside(site, element, positions, |site, element| site.load(element, inner))
        })
    }

    fn store_one(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused], second: u32) {
        let positions = self.positions(site, second);
        let condition = self.contains(&positions);
        site.when(&condition, |site| self.inside(site, element, positions, |site, element| site.store(element, value, inner)));
    }
}

impl Fuse for Parts {
    fn on(&self, lines: &Coordinates<'_>) -> Option<Fused> {
        let axes = self.axes.iter().map(|part| PartOfAxis { dim: lines.of(part.axis), ..part.clone() }).collect();
        Some(Self { axes, ..self.clone() }.into())
    }

    fn asks_for(&self, axis: usize) -> bool {
        self.axes.iter().any(|part| part.axis == axis)
    }

    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let first = self.load_one(site, element, inner, 0);
        if self.twos.is_none() {
            return first;
        }
        let second = self.load_one(site, element, inner, 1);
        pair(&first, &second)
    }

    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        if self.twos.is_none() {
            return self.store_one(site, element, value, inner, 0);
        }
        let value = site.body.value("value", value);
        self.store_one(site, element, value.x(), inner, 0);
        self.store_one(site, element, value.y(), inner, 1);
    }

    fn counts(&self, dim: usize) -> bool {
        self.axes.iter().any(|part| part.dim == Some(dim))
    }

    fn reach(&self, _: bool) -> Reach {
        let across = self.axes.iter().map(|part| u64::from(part.window.len - 1) * u64::from(part.stride)).sum();
        Reach { across, ..Reach::default() }
    }
}
