//! The caller's fragment, next to the array.

use super::fuse::{Coordinates, Element, Fuse, Fused, Reach, Site, Spot};
use super::part::Part;
use crate::fft::emit::codelets::pair;
use crate::fft::spec::window::Windowed;
use crate::fragment::{Argument, Checked};
use crate::wgsl::{Expr, F32, I32, Scalar, Type, bitcast, call, convert, float, select};

/// Applies a fragment to every value that is loaded, or to every value before it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Map {
    pub fragment: Checked,
    pub loads: bool,
    /// For each axis, and for the batch, where its index comes from.
    pub axes: Vec<MapIndex>,
}

/// Where the index on an axis comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct MapIndex {
    /// The part of the axis that the array holds. `n` is the length of the transform.
    pub window: Windowed,
    pub from: IndexFrom,
}

/// Where a number comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::fft) enum IndexFrom {
    /// The position on the axis that the pass transforms.
    Position,
    /// A coordinate of the line, and whether it counts pairs of lines.
    Coordinate(usize, bool),
    Zero,
}

impl Map {
    /// This step for lines whose coordinates are the indices of these axes. In pairs, the first
    /// coordinate counts pairs.
    pub fn on_lines(&self, lines: &Coordinates<'_>) -> Self {
        let index = |(axis, own): (usize, &MapIndex)| {
            let dim = lines.of(axis).filter(|_| own.from == IndexFrom::Zero);
            let from = dim.map_or(own.from, |dim| IndexFrom::Coordinate(dim, lines.pair.is_some() && dim == 0));
            MapIndex { from, ..own.clone() }
        };
        Self { axes: self.axes.iter().enumerate().map(index).collect(), ..self.clone() }
    }

    /// The index in the array, and the position on the transform's axis.
    fn numbers(&self, site: &Site<'_>, element: &Element, axis: usize) -> [Expr; 2] {
        let MapIndex { window, from } = &self.axes[axis];
        let position_of = |index: &Expr| {
            let sum = index + (window.first + window.before);
            if window.first + window.len <= window.n { sum } else { select(&index.less(window.n - window.first), &sum, &sum - window.n) }
        };
        match *from {
            IndexFrom::Position => [Part::index(*window, &element.position), element.position.clone()],
            IndexFrom::Coordinate(dim, paired) => {
                let coordinate = &site.coordinates[dim];
                let index = if paired { coordinate * 2 + u32::from(element.second) } else { coordinate.clone() };
                [index.clone(), position_of(&index)]
            }
            IndexFrom::Zero => [0.into(), (window.first + window.before).into()],
        }
    }

    /// The fragment's result for the value of an element, which must be there if the fragment asks
    /// for it.
    fn mapped(&self, site: &mut Site<'_>, element: &Element, value: Option<&Expr>) -> Expr {
        let batch = self.axes.len() - 1;
        let signed = |site: &mut Site<'_>, axis: usize| {
            let Windowed { n, half, .. } = self.axes[axis].window;
            let [_, position] = self.numbers(site, element, axis);
            let position = site.body.value("frequency", position);
            if half {
                return site.body.value("signed", bitcast(&I32, &position));
            }
            // The frequency n/2 is negative, as NumPy has it.
            let is_negative = position.at_least(n.div_ceil(2));
            let wrapped = select(&is_negative, &position - n, &position);
            site.body.value("signed", bitcast(&I32, &wrapped))
        };
        let arguments: Vec<Expr> = self
            .fragment
            .arguments
            .iter()
            .map(|argument| match *argument {
                Argument::Value => value.expect("it is given where it is asked for").clone(),
                Argument::Index(axis) => self.numbers(site, element, axis)[0].clone(),
                Argument::Batch => self.numbers(site, element, batch)[0].clone(),
                Argument::Length(axis) => self.axes[axis].window.n.into(),
                Argument::Frequency(axis) => signed(site, axis),
                Argument::Cycles(axis) => {
                    let k = signed(site, axis);
                    convert(&F32, &k) / float(Scalar::F32, f64::from(self.axes[axis].window.n))
                }
            })
            .collect();
        let result = if self.loads { self.fragment.inner } else { self.fragment.array };
        call(&self.fragment.function(), &arguments, result.value())
    }

    /// The fragment's result for an element of a spectrum in the midst of a pass. Where the
    /// fragment sees half of the spectrum, the other half is the conjugate of what it makes of this
    /// one.
    pub fn filtered(&self, site: &mut Site<'_>, element: Element, value: &Expr) -> Expr {
        let own = self.axes.iter().find(|axis| axis.from == IndexFrom::Position);
        let Some(n) = own.filter(|axis| axis.window.half).map(|axis| axis.window.n) else {
            return self.mapped(site, &element, Some(value));
        };
        let is_conjugate = site.body.value("is_conjugate", element.position.at_least(n / 2 + 1));
        let conjugate = |z: &Expr| pair(&z.x(), &select(&is_conjugate, -z.y(), z.y()));
        let position = site.body.value("position", select(&is_conjugate, Expr::from(n) - &element.position, &element.position));
        let value = site.body.value("value", conjugate(value));
        let mapped = self.mapped(site, &Element { position, ..element }, Some(&value));
        let mapped = site.body.value("mapped", mapped);
        site.body.value("filtered", conjugate(&mapped))
    }
}

impl Fuse for Map {
    fn on(&self, lines: &Coordinates<'_>) -> Option<Fused> {
        Some(self.on_lines(lines).into())
    }

    fn asks_for(&self, axis: usize) -> bool {
        let batch = self.axes.len() - 1;
        self.fragment.arguments.iter().any(|argument| match *argument {
            Argument::Index(own) | Argument::Frequency(own) | Argument::Cycles(own) => own == axis,
            Argument::Batch => axis == batch,
            Argument::Value | Argument::Length(_) => false,
        })
    }

    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        // A fragment may read nothing but arrays of its own.
        let asks = self.fragment.arguments.contains(&Argument::Value);
        let value = asks.then(|| site.load_named("value", element, inner));
        let mapped = self.mapped(site, element, value.as_ref());
        site.body.value("mapped", mapped)
    }

    /// The fragment sees what would be stored without it, with its scale.
    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, _: &[Fused]) {
        let scaled = site.body.value("value", Site::scaled(element, value));
        let mapped = self.mapped(site, element, Some(&scaled));
        site.put(element, &mapped);
    }

    fn counts(&self, dim: usize) -> bool {
        // Of the lines, each dispatch of several counts from 0.
        self.axes.iter().any(|axis| matches!(axis.from, IndexFrom::Coordinate(own, _) if own == dim))
    }

    fn value_type(&self) -> Option<Type> {
        Some(if self.loads { self.fragment.inner } else { self.fragment.array }.value())
    }
}

/// Takes two neighbouring elements of the array as the real and the imaginary part of a complex
/// number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Neighbours;

impl Neighbours {
    fn element(element: &Element, part: u32) -> Element {
        let double = |of: &Expr| of * 2 + part;
        let spot = match &element.spot {
            Spot::At(at) => Spot::At(double(at)),
            // The position says which of the two.
            Spot::OnLine(line) => Spot::OnLine(line * 2),
        };
        Element { spot, position: double(&element.position), ..element.clone() }
    }
}

impl Fuse for Neighbours {
    fn reach(&self, _: bool) -> Reach {
        Reach { in_twos: true, ..Reach::default() }
    }

    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let parts = [("re", 0), ("im", 1)].map(|(name, part)| site.load_named(name, &Self::element(element, part), inner));
        pair(&parts[0], &parts[1])
    }

    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        let value = site.body.value("value", value);
        site.store(&Self::element(element, 0), value.x(), inner);
        site.store(&Self::element(element, 1), value.y(), inner);
    }
}
