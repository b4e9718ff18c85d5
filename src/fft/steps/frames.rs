//! Frames of a signal: rows that overlap, and that may reach past its ends.

use super::fuse::{Coordinates, Element, Fuse, Fused, Reach, Site, Spot};
use super::part::Part;
use crate::edge::Edge;
use crate::fft::emit::codelets::scaled;
use crate::fft::spec::framing::Framing;
use crate::wgsl::{Expr, min, select, zero};

/// Finds the elements of a frame in its signal. The line's element 0 is that of the signal. The
/// step is next to the array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Frames {
    pub framing: Framing,
    /// The coordinate of the line that is the number of the frame; of a single frame there is none.
    pub frame: Option<usize>,
}

impl Frames {
    /// The axis that counts frames.
    pub const AXIS: usize = 0;

    /// The first position of the frame, counted from that of frame 0.
    fn begin(&self, site: &Site<'_>) -> Expr {
        self.frame.map_or_else(|| 0.into(), |dim| &site.coordinates[dim] * self.framing.hop)
    }
}

impl Fuse for Frames {
    fn on(&self, lines: &Coordinates<'_>) -> Option<Fused> {
        Some(Self { frame: lines.of(Self::AXIS), ..self.clone() }.into())
    }

    fn asks_for(&self, axis: usize) -> bool {
        axis == Self::AXIS
    }

    fn reach(&self, _: bool) -> Reach {
        // Each line begins where its signal does, and loads nothing past the signal's end.
        Reach { signal: Some(self.framing.signal), ..Reach::default() }
    }

    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let Framing { n, len, hop: _, turn, before, skip, signal, edge } = self.framing;
        let Spot::OnLine(line) = &element.spot else { unreachable!("elements of frames are found by position") };
        let q = &element.position;
        let sum = q + turn;
        let j = site.body.value("sample", if turn == 0 { q.clone() } else { select(&sum.less(n), &sum, &sum - n) });
        // No sum here leaves 32 bits (`Framing`).
        let begin = self.begin(site);
        let at = site.body.value("time", begin + &j + skip);
        let last = signal - 1;
        let load = |site: &mut Site<'_>, index: &Expr| {
            let at = site.body.value("at", line + index);
            site.load(&Element { spot: Spot::At(at), ..element.clone() }, inner)
        };
        if edge == Edge::Zero {
            // Without a branch, so that the loads of an invocation do not wait for each other.
            // Times before the signal wrap around to indices past its end.
            let index = site.body.value("index", at - before);
            let inside = index.less(signal);
            let inside = if len < n { inside.and(j.less(len)) } else { inside };
            let value = load(site, &min(&index, last));
            let value = site.body.value("value", value);
            let zero = zero(value.ty());
            return site.body.value("framed", select(&inside, value, zero));
        }
        let ty = site.value_type(inner);
        site.value_when(&j.less(len), "framed", ty.clone(), |site| {
            let index = site.body.value("index", Part::index(self.framing.window(), &at));
            let value = load(site, &index);
            if edge != Edge::Odd {
                return value;
            }
            let value = site.body.value("value", value);
            let past = at.less(before).or(at.at_least(before + signal));
            let turned = site.value_when(&past, "turned", ty, |site| {
                let end = site.body.value("end", select(&at.less(before), 0, last));
                scaled(2.0, &load(site, &end)) - &value
            });
            select(&past, turned, &value)
        })
    }

    fn counts(&self, dim: usize) -> bool {
        self.frame == Some(dim)
    }
}
