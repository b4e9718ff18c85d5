//! Which elements of a line the butterflies of a stage take.

use crate::wgsl::Expr;

/// A stage: all butterflies of one radix along one axis of the line.
///
/// The axis has n indices, each S elements from the next one, so that faster axes have S elements
/// and a line has L / (n·S) pieces of n·S elements. Butterfly b of the line is number j = b / S mod
/// n/r of the axis, at element b mod S of the faster axes, in the piece b / (S·n/r). With one axis,
/// S is 1 and there is one piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Stage {
    /// The radix r.
    pub radix: u32,
    /// The product of the earlier radices of the axis.
    pub p: u32,
    n: u32,
    /// Distance of two neighbours on the axis.
    pub stride: u32,
    /// Where the table of the axis begins.
    pub table: u32,
}

impl Stage {
    /// The stages of a line by the radices of its axes, the slowest one first, followed by those of
    /// the inverse transform if the pass is a convolution. `table` says where the constants of some
    /// radices begin. The caller has bounded the product of all radices.
    pub fn of_axes(axes: &[&[u32]], convolution: bool, table: impl Fn(&[u32]) -> u32) -> Vec<Self> {
        let mut stride: u32 = axes.iter().copied().flatten().product();
        let mut stages = Vec::new();
        for &radices in axes {
            stride /= radices.iter().product::<u32>();
            stages.extend(Self::along(radices, stride, table(radices)));
        }
        if convolution {
            let back: Vec<u32> = axes.iter().copied().flatten().rev().copied().collect();
            stages.extend(Self::along(&back, 1, table(&back)));
        }
        stages
    }

    fn along(radices: &[u32], stride: u32, table: u32) -> impl Iterator<Item = Self> {
        let n = radices.iter().product();
        radices.iter().scan(1, move |product, &radix| {
            let p = *product;
            *product *= radix;
            Some(Self { radix, p, n, stride, table })
        })
    }

    /// Whether it is the last one along its axis.
    pub fn is_last(self) -> bool {
        self.p * self.radix == self.n
    }

    /// Whether its axis is the slowest one of a line of so many elements.
    pub fn is_slowest(self, len: u32) -> bool {
        self.n * self.stride == len
    }

    /// Distance of the elements that a butterfly takes.
    pub fn distance(self) -> u32 {
        self.n / self.radix * self.stride
    }

    /// The first element that butterfly b takes.
    pub fn first_element(self, b: u32) -> u32 {
        b + b / self.distance() * self.skipped()
    }

    /// The same of butterfly b in the text.
    pub fn first_element_of(self, b: &Expr) -> Expr {
        b + b / self.distance() * self.skipped()
    }

    /// What lies between the first elements of a piece's last butterfly and of the next one.
    fn skipped(self) -> u32 {
        (self.n - self.n / self.radix) * self.stride
    }

    /// The first result of butterfly b, as Stockham asks. The others follow at distances p·S.
    pub fn first_result(self, b: u32) -> u32 {
        let Self { radix, p, stride, .. } = self;
        let x = b / stride;
        ((x - x % p) * radix + x % p) * stride + b % stride
    }

    /// Whether a butterfly that comes after another by a multiple of `lanes` is as far from it for
    /// every one of so many neighbours.
    pub fn is_regular(self, lanes: u32, len: u32) -> bool {
        let distance = self.distance();
        self.is_slowest(len) || distance.is_multiple_of(lanes) || lanes.is_multiple_of(distance)
    }
}

/// The lanes of a line. Lane l of a round with first butterfly f takes butterfly t + f, where t is
/// l times the neighbours that each lane takes, one a round.
#[derive(Clone, Copy, Debug)]
pub(in crate::fft) struct LanesOfLine {
    pub count: u32,
    pub neighbours: u32,
}

impl LanesOfLine {
    /// The first butterflies of the rounds that do so many.
    pub fn rounds(self, butterflies: u32) -> impl Iterator<Item = u32> {
        let Self { count, neighbours } = self;
        (0..butterflies.div_ceil(count)).map(move |round| round / neighbours * neighbours * count + round % neighbours)
    }

    /// Of a round of so many butterflies the t of each lane that takes part.
    fn taking_part(self, butterflies: u32, first: u32) -> impl Iterator<Item = Option<u32>> {
        (0..self.count).map(move |lane| lane * self.neighbours).map(move |t| (t + first < butterflies).then_some(t))
    }
}

/// The elements base + step of a line that lanes access in a round.
pub(in crate::fft) struct Accessed {
    /// The base of each lane that takes part.
    pub bases: Vec<Option<u32>>,
    pub steps: Vec<u32>,
}

/// Elements of which each step lies in one piece of the line, for all lanes.
pub(in crate::fft) struct ByStep {
    /// Where places count from: the piece in which all lanes begin, if it is one.
    pub begin: u32,
    pub pieces: Vec<u32>,
    /// The steps in their pieces.
    pub steps: Vec<u32>,
}

impl Stage {
    /// What a round of a line of so many elements stores.
    pub fn stored(self, lanes: LanesOfLine, len: u32, first: u32) -> Accessed {
        let bases = lanes.taking_part(len / self.radix, first).map(|t| t.map(|t| self.first_result(t + first)));
        Accessed { bases: bases.collect(), steps: (0..self.radix).map(|k| k * self.p * self.stride).collect() }
    }

    pub fn loaded(self, lanes: LanesOfLine, len: u32, first: u32) -> Accessed {
        let bases = lanes.taking_part(len / self.radix, first).map(|t| t.map(|t| self.first_element(t)));
        Accessed { bases: bases.collect(), steps: self.steps(first) }
    }

    /// Distances of the elements of a round from the first element of its lane.
    pub fn steps(self, first: u32) -> Vec<u32> {
        let first = self.first_element(first);
        (0..self.radix).map(|k| first + k * self.distance()).collect()
    }
}

impl Accessed {
    /// The pieces in which the elements of a step lie.
    pub fn pieces(&self, step: u32, piece_len: u32) -> Vec<u32> {
        let mut pieces: Vec<u32> = self.bases.iter().flatten().map(|&base| (base + step) / piece_len).collect();
        pieces.dedup();
        pieces
    }

    /// Whether the elements of a lane lie in several pieces.
    pub fn crosses(&self, piece_len: u32) -> bool {
        let piece = |element: u32| element / piece_len;
        self.bases.iter().flatten().any(|&base| self.steps.iter().any(|step| piece(base + step) != piece(base)))
    }

    /// The same elements by step, if each step lies in one piece.
    pub fn by_step(&self, piece_len: u32) -> Option<ByStep> {
        let one = |step: u32| if let [piece] = self.pieces(step, piece_len)[..] { Some(piece) } else { None };
        let pieces = self.steps.iter().map(|&step| one(step)).collect::<Option<Vec<u32>>>()?;
        let begin = one(0).map_or(0, |piece| piece * piece_len);
        let steps = self.steps.iter().zip(&pieces).map(|(step, piece)| (begin + step).checked_sub(piece * piece_len));
        let steps = steps.collect::<Option<_>>()?;
        Some(ByStep { begin, pieces, steps })
    }
}
