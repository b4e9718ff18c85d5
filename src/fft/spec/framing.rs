//! Where the frames of a signal lie.

/// How a signal continues past its ends, where frames reach beyond them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(not(feature = "signal"), expect(dead_code, reason = "frames are those of signals"))]
pub enum Padding {
    /// With zeros: 0 0 0 | a b c d | 0 0 0.
    #[default]
    Zeros,
    /// With its first and last element: a a a | a b c d | d d d.
    Edge,
    /// Mirrored about its first and last element: d c b | a b c d | c b a.
    Even,
    /// Mirrored, and turned about the value there: 2a-d 2a-c 2a-b | a b c d | 2d-c 2d-b 2d-a.
    Odd,
}

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
    pub padding: Padding,
}

impl Framing {
    /// The same frames of pairs of neighbours, if every pair is inside the signal, and inside the
    /// frame, as a whole or not at all.
    pub fn of_pairs(self) -> Option<Self> {
        let Self { n, len, hop, turn, before, skip, signal, padding } = self;
        let is_even = [n, len, hop, turn, before, skip, signal].iter().all(|count| count % 2 == 0);
        (is_even && padding == Padding::Zeros).then_some(Self {
            n: n / 2,
            len: len / 2,
            hop: hop / 2,
            turn: turn / 2,
            before: before / 2,
            skip: skip / 2,
            signal: signal / 2,
            padding,
        })
    }
}
