//! Where the frames of a signal lie.

use super::window::Windowed;
use crate::edge::Edge;

/// Where the frames of a signal lie. Time t counts from `skip` before the begin of frame 0: element
/// j of frame p is at t = p·hop + j + skip, and element i of the signal at t = i + before. At least
/// one of `before` and `skip` is 0. All times are less than 2³².
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Framing {
    /// Length of the transform.
    pub n: u32,
    /// Elements of a frame, at most n.
    pub len: u32,
    pub hop: u32,
    /// The transform's position q takes element (q + turn) mod n of the frame, or 0 if the frame
    /// has no such element.
    pub turn: u32,
    pub before: u32,
    pub skip: u32,
    /// Elements of the signal.
    pub signal: u32,
    /// How the signal continues past its ends, where frames reach beyond them.
    pub edge: Edge,
}

impl Framing {
    /// The times as positions, of which the signal has some.
    pub fn window(&self) -> Windowed {
        Windowed { edge: self.edge, before: self.before, ..Windowed::whole(self.signal) }
    }

    /// The same frames of pairs of neighbours, if every pair is inside the signal, and inside the
    /// frame, as a whole or not at all.
    pub fn of_pairs(self) -> Option<Self> {
        let Self { n, len, hop, turn, before, skip, signal, edge } = self;
        let all = [n, len, hop, turn, before, skip, signal];
        let [n, len, hop, turn, before, skip, signal] = all.map(|count| count / 2);
        let is_even = all.iter().all(|count| count % 2 == 0);
        (is_even && edge == Edge::Zero).then_some(Self { n, len, hop, turn, before, skip, signal, edge })
    }
}
