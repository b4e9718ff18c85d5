//! What one dispatch of the kernel `fft/pass` computes, as data: DFTs along lines, and the two
//! sides between which they lie.

use super::fused::Fused;
use super::place::{Place, Storage};
use super::roots::Constant;

/// DFTs of `n` values along lines, with all that is fused into their loads and stores.
///
/// A line has a number L, whose digits to the bases [`lines`](Self::lines), lowest first, are its
/// coordinates d. Element i of the line is loaded from and stored to where [`Side`] says. Between
/// them, y\[k\] = Σⱼ x\[j\] · exp(-2πi·jk/n).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pass {
    /// The radices of its stages in order; their product is n.
    pub radices: Vec<u32>,
    /// Extents of a line's coordinates, fastest first; the last is not used, as the count of lines
    /// bounds it.
    pub lines: Vec<u32>,
    /// Where elements come from.
    pub load: Side,
    /// Where they go.
    pub store: Side,
    /// Makes it a cyclic convolution by which a DFT of this length is computed (Bluestein): with
    /// the [spectrum](Constant::Spectrum) of that length in n, y = IDFT(DFT(x) · spectrum), without
    /// the factor 1/n of the inverse.
    pub convolution: Option<u32>,
}

impl Pass {
    /// Length of the DFT.
    pub fn n(&self) -> u32 {
        self.radices.iter().product()
    }

    /// The extents of the coordinates of so many lines.
    pub fn lines_of(&self, lines: u32) -> Vec<u32> {
        let (last, others) = self.lines.split_last().expect("a line has a coordinate");
        let counted: u32 = others.iter().product();
        debug_assert!(lines <= counted * last);
        others.iter().copied().chain([lines / counted]).collect()
    }

    /// The coordinate that counts the indices 0, m, 1, m-1, 2, … of a spectrum, so that neighbours
    /// share what they load, and m.
    pub fn folded(&self) -> Option<(usize, u32)> {
        let m = self.load.fused.iter().find_map(|fused| fused.step().folds())?;
        let dim = self.load.index.lines.iter().position(|&weight| weight == 1)?;
        Some((dim, m))
    }

    /// The constants that it looks up.
    pub fn constants(&self) -> Vec<Constant> {
        let mut all = vec![Constant::Stages(self.radices.clone())];
        all.extend(self.load.fused.iter().chain(&self.store.fused).filter_map(|fused| fused.step().constants()));
        if let Some(n) = self.convolution {
            all.extend([Constant::Spectrum { n, m: self.n() }, self.inverse_stages()]);
        }
        all
    }

    /// Roots of the stages of a convolution's inverse transform, whose radices are those of the
    /// forward one in reverse.
    pub fn inverse_stages(&self) -> Constant {
        Constant::Stages(self.radices.iter().rev().copied().collect())
    }
}

/// One side of a pass: what an array holds and where, and what is fused between it and the
/// transform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Side {
    pub storage: Storage,
    /// Where element 0 of line 0 lies.
    pub offset: u32,
    /// How far element i lies from element 0.
    pub place: Place,
    /// Elements are loaded by their position on the axis, not by their number in the line: `place`
    /// says how far position i lies from position 0.
    pub by_position: bool,
    /// How far coordinate d of a line lies from coordinate 0.
    pub lines: Vec<Place>,
    /// Position on the axis.
    pub index: Index,
    /// The steps between the array and the transform, the one next to the array first.
    pub fused: Vec<Fused>,
}

impl Side {
    /// Bytes of an element of the array.
    pub fn element_bytes(&self) -> u64 {
        match self.storage {
            Storage::Complex => 8,
            Storage::Real => 4,
        }
    }
}

/// Position on the axis: a weight times the element, and weights times the line's coordinates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Index {
    /// Weight of the element.
    pub element: u32,
    /// Weights of the coordinates.
    pub lines: Vec<u32>,
}
