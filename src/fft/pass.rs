//! What one dispatch of the kernel `fft/pass` computes, as data: DFTs along lines, and the sides of
//! the pass that load and store them.

use super::place::{Place, Storage};
use super::recipe::Exchange;
use super::roots::Constant;
use super::stage::Stage;
use super::steps::{Fused, Map};

use crate::fft::spec::number::Number;

/// DFTs of `n` values along lines, with everything that is fused into their loads and stores.
///
/// A line has a number L. Its digits to the bases [`lines`](Self::lines), lowest first, are the
/// line's coordinates d. [`Side`] says where element i of the line is loaded and stored. Between
/// load and store, y\[k\] = Σⱼ x\[j\] · exp(-2πi·jk/n).
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub number: Number,
    /// The radices of the stages in order; their product is n.
    pub radices: Vec<u32>,
    /// The extents of the line's axes, the slowest first. There are several where axes are
    /// transformed together: then "the DFT" is one along each of them, and the radices are those of
    /// one axis after the other.
    pub extents: Vec<u32>,
    /// Extents of a line's coordinates, fastest first. The last one is not used, because the number
    /// of lines bounds that coordinate.
    pub lines: Vec<u32>,
    /// How elements are loaded.
    pub load: Side,
    /// How results are stored.
    pub store: Side,
    /// If set, the pass is a cyclic convolution: y = IDFT(f(DFT(x))), without the inverse's factor
    /// 1/n. Or it is the middle of a longer one, whose other passes come before and after it.
    pub convolution: Option<Convolution>,
    /// Whether an access takes two neighbours. Places and storages on both sides are those of twos
    /// then.
    pub twos: Option<Twos>,
}

/// What a pass does to a spectrum between a DFT and its inverse.
#[derive(Clone, Debug)]
pub(super) enum Convolution {
    /// It multiplies by the [spectrum](Constant::Spectrum) of length m that makes the convolution
    /// compute a DFT of length n (Bluestein). The pass is a part of it if its own length is not m.
    Chirp {
        n: u32,
        m: u32,
    },
    Filter(Box<Map>),
}

impl Pass {
    /// So many dense rows of complex numbers, with the same steps on both sides.
    pub fn rows(number: Number, radices: &[u32], rows: u32, fused: Vec<Fused>) -> Self {
        let n = radices.iter().product();
        let load = Side {
            storage: Storage::Complex,
            offset: 0,
            place: Place::linear(1),
            by_position: false,
            lines: vec![Place::linear(n)],
            weight: 1,
            weights: vec![0],
            fused,
        };
        let (radices, store) = (radices.to_vec(), load.clone());
        Self { number, radices, extents: vec![n], lines: vec![rows], load, store, convolution: None, twos: None }
    }

    pub fn n(&self) -> u32 {
        self.radices.iter().product()
    }

    pub fn axes(&self) -> Vec<&[u32]> {
        radices_of(&self.radices, &self.extents).expect("`chain` has compared them")
    }

    /// The stages in order. `table` says where the constants of some radices begin.
    pub fn stages(&self, table: impl Fn(Constant) -> u32) -> Vec<Stage> {
        Stage::of_axes(&self.axes(), self.convolution.is_some(), |radices| table(Constant::Stages(radices.to_vec())))
    }

    /// 32-bit words of an element of workgroup memory: one number of each line that an invocation
    /// transforms.
    pub fn memory_words(&self, exchange: Exchange) -> u32 {
        exchange.words() * self.number.words() * self.lines_each()
    }

    pub fn lines_each(&self) -> u32 {
        if self.twos == Some(Twos::Lines) { 2 } else { 1 }
    }

    /// The extents of the coordinates of `lines` lines.
    pub fn lines_of(&self, lines: u32) -> Vec<u32> {
        let (last, others) = self.lines.split_last().expect("a line has a coordinate");
        let counted: u32 = others.iter().product();
        debug_assert!(lines <= counted * last);
        others.iter().copied().chain([lines / counted]).collect()
    }

    pub fn element_bytes(&self, side: &Side) -> u64 {
        side.storage.form(self.number).bytes().into()
    }

    /// The coordinate that counts the indices 0, m, 1, m-1, 2, … of a spectrum, so that neighbours
    /// share what they load; and m.
    pub fn folded(&self) -> Option<(usize, u32)> {
        let m = self.load.fused.iter().find_map(|fused| fused.step().folds())?;
        let dim = self.load.weights.iter().position(|&weight| weight == 1)?;
        // Of a part of the spectrum there are no pairs.
        (self.lines[dim] == m + 1).then_some((dim, m))
    }

    pub fn maps(&self) -> impl Iterator<Item = &Map> {
        let between = self.convolution.iter().filter_map(|own| if let Convolution::Filter(map) = own { Some(&**map) } else { None });
        self.load.fused.iter().filter_map(Fused::get).chain(between).chain(self.store.fused.iter().filter_map(Fused::get))
    }

    pub fn constants(&self) -> Vec<Constant> {
        let mut all: Vec<Constant> = self.axes().into_iter().map(|radices| Constant::Stages(radices.to_vec())).collect();
        all.extend(self.load.fused.iter().chain(&self.store.fused).filter_map(|fused| fused.step().constants()));
        match self.convolution {
            None => {}
            Some(Convolution::Chirp { n, m }) => all.extend([Constant::Spectrum { n, m }, self.inverse_stages()]),
            Some(Convolution::Filter(_)) => all.push(self.inverse_stages()),
        }
        all
    }

    /// Whether its results are those of an inverse transform, of which real and imaginary parts
    /// have yet to be exchanged. In the middle of a convolution the passes after it do that.
    pub fn ends_convolution(&self) -> bool {
        match self.convolution {
            None => false,
            Some(Convolution::Chirp { m, .. }) => m == self.n(),
            Some(Convolution::Filter(_)) => true,
        }
    }

    /// Twiddle factors for a convolution's inverse transform. Its radices are those of the forward
    /// transform in reverse.
    pub fn inverse_stages(&self) -> Constant {
        Constant::Stages(self.radices.iter().rev().copied().collect())
    }
}

/// The radices of each of several axes, if they multiply to these extents in order.
pub(super) fn radices_of<'a>(radices: &'a [u32], extents: &[u32]) -> Option<Vec<&'a [u32]>> {
    let (&last, others) = extents.split_last()?;
    let mut rest = radices;
    let mut all = Vec::new();
    for &extent in others {
        let mut product = 1u64;
        let count = rest.iter().position(|&radix| {
            product *= u64::from(radix);
            product >= u64::from(extent)
        })?;
        let (own, left) = rest.split_at(count + 1);
        all.push(own);
        rest = left;
        if product != u64::from(extent) {
            return None;
        }
    }
    all.push(rest);
    let product = rest.iter().fold(1u64, |product, &radix| product.saturating_mul(radix.into()));
    (product == u64::from(last)).then_some(all)
}

/// One side of a pass: what its array holds and where, and the steps that are fused between the
/// array and the transform.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub storage: Storage,
    /// Index of element 0 of line 0.
    pub offset: u32,
    /// Distance of element i from element 0.
    pub place: Place,
    /// Whether elements are found by their position on the axis instead of their number in the
    /// line. `place` then gives the distance of position i from position 0.
    pub by_position: bool,
    /// For each coordinate of a line, the distance of value d from value 0.
    pub lines: Vec<Place>,
    /// Weight of the element's number in its position on the axis.
    pub weight: u32,
    /// Weights of the line's coordinates in it.
    pub weights: Vec<u32>,
    /// The steps between the array and the transform, the one next to the array first.
    pub fused: Vec<Fused>,
}

/// Which neighbours an access takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Twos {
    /// The same element of the lines 2L and 2L + 1. An invocation transforms both. The first
    /// coordinate of a line counts twos.
    Lines,
    /// The elements 2i and 2i + 1 of a line. An invocation computes the butterflies 2j and 2j + 1
    /// of the first stage and of the last one.
    Elements,
}
