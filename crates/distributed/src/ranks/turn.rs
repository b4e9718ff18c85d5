//! How parts of an array move between the ranks of a group: who sends what, and where it belongs.
//!
//! Before the exchange a rank has \[batch, X, k, a, m, g, i\], with g its share of the axis that is
//! gathered, and X complete. After it, it has \[batch, x, k, a, m, n, i\], with n complete, and x
//! its share of X. The other letters are other axes, which are the same on all ranks of the group.
//!
//! A rank computes its array in pieces, each a part of one of the axes batch, a, m, g. A piece is
//! sent as soon as it is there.

use std::ops::Range;

use super::geometry::{Geometry, RankShares};
use super::runs::Runs;
use crate::partition::ranges;

/// Extents of a rank's array before an exchange, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Block {
    pub batch: usize,
    /// X, the extent of the axis that is divided among the ranks.
    pub cut: usize,
    pub k: usize,
    pub a: usize,
    pub m: usize,
    /// This rank's share of the axis that is gathered.
    pub gathered: usize,
    pub i: usize,
}

/// A piece of a block: the indices along batch, a, m and g.
pub(super) type Piece = [Range<usize>; 4];

impl Block {
    fn cuttable(&self) -> [usize; 4] {
        [self.batch, self.a, self.m, self.gathered]
    }

    pub fn whole(&self) -> Piece {
        self.cuttable().map(|extent| 0..extent)
    }

    /// The number of elements of the array before the exchange.
    pub fn elements(&self) -> usize {
        self.cuttable().iter().product::<usize>() * self.cut * self.k * self.i
    }

    /// Cuts the slowest axis that has more than one index, so that a piece is contiguous in the
    /// array that the pass reads. Pieces have at most `most` bytes, if possible, where one line has
    /// `line_bytes` bytes. `strided` says that the lines are not the fastest axis, so that only the
    /// batch can be cut.
    pub fn pieces(&self, most: usize, line_bytes: usize, strided: bool) -> Vec<Piece> {
        let extents = self.cuttable();
        if extents.contains(&0) || self.i == 0 {
            return Vec::new();
        }
        let axis = extents.iter().position(|extent| *extent > 1).unwrap_or(0);
        let lines = extents[axis + 1..].iter().product::<usize>() * self.i;
        if strided && axis > 0 {
            return vec![self.whole()];
        }
        let bytes = lines.saturating_mul(line_bytes).max(1);
        let count = extents[axis].saturating_mul(bytes).div_ceil(most.max(1)).clamp(1, extents[axis]);
        // Pieces of equal size need few plans.
        let size = extents[axis].div_ceil(count);
        let piece = |begin: usize| {
            let mut piece = self.whole();
            piece[axis] = begin..(begin + size).min(extents[axis]);
            piece
        };
        (0..extents[axis]).step_by(size).map(piece).collect()
    }

    /// The number of transforms of the batch in a piece, and its lines for each of them.
    pub fn lines(&self, [batch, a, m, gathered]: &Piece) -> [usize; 2] {
        [batch.len(), a.len() * m.len() * gathered.len() * self.i]
    }
}

/// An exchange, as one rank sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    /// The ranks of the group, by their index in it.
    pub ranks: Vec<usize>,
    /// This rank's index.
    pub own: usize,
    /// Of each rank of the group, its array before the exchange.
    pub blocks: Vec<Block>,
    /// The indices of X that each rank gets.
    pub cuts: Vec<Range<usize>>,
    /// The indices of the gathered axis that each rank gives.
    pub gathered: Vec<Range<usize>>,
    /// Bytes of a number.
    number: usize,
}

impl Turn {
    /// The exchange that gathers the axis t.
    pub fn to(geometry: &Geometry, shares: &RankShares, rank: usize, t: usize) -> Self {
        let last = t + 1 == geometry.stages();
        Self::new(geometry, shares, rank, t, false, |local| {
            let rows = local.rows_of(0..t);
            if last {
                // [C, K, r₀, …, r_t]
                let a = if t > 0 { local.rows[0].len() } else { 1 };
                return Block {
                    batch: local.transforms(),
                    cut: geometry.columns,
                    k: geometry.inner,
                    a,
                    m: rows.checked_div(a).unwrap_or(0),
                    gathered: local.rows[t].len(),
                    i: 1,
                };
            }
            // [n_(t+1), s_(t+1), …, K, r₀, …, r_t]
            Block {
                batch: local.transforms(),
                cut: geometry.divided[t + 1],
                k: 1,
                a: local.columns[t + 1].len(),
                m: local.columns_of(t + 2..geometry.stages()) * geometry.inner * rows,
                gathered: local.rows[t].len(),
                i: 1,
            }
        })
    }

    /// The exchange that divides the axis t again.
    pub fn back(geometry: &Geometry, shares: &RankShares, rank: usize, t: usize) -> Self {
        // [r₀, …, r_(t-1), n_t, s_t, …, K]
        Self::new(geometry, shares, rank, t, true, |local| Block {
            batch: local.transforms() * local.rows_of(0..t),
            cut: geometry.divided[t],
            k: 1,
            a: 1,
            m: 1,
            gathered: local.columns[t].len(),
            i: local.columns_of(t + 1..geometry.stages()) * geometry.inner,
        })
    }

    fn new(
        geometry: &Geometry,
        shares: &RankShares,
        rank: usize,
        t: usize,
        back: bool,
        block: impl Fn(&super::geometry::Local) -> Block,
    ) -> Self {
        let dimension = geometry.dimension_of(t);
        let ranks = geometry.group(rank, t);
        let own = geometry.coordinates(rank)[dimension];
        let blocks = ranks.iter().map(|&rank| block(&geometry.local(shares, rank))).collect();
        let [rows, columns] = [&shares[dimension].rows, &shares[dimension].columns].map(|shares| ranges(shares));
        let (cuts, gathered) = if back { (rows, columns) } else { (columns, rows) };
        Self { ranks, own, blocks, cuts, gathered, number: geometry.frequency_bytes() }
    }

    /// The order in which this rank sends, so that not all ranks send to the same one at once.
    /// Its own share comes last.
    pub fn order(&self) -> impl Iterator<Item = usize> + use<> {
        let (own, count) = (self.own, self.ranks.len());
        (1..=count).map(move |step| (own + step) % count)
    }

    /// This rank's array before the exchange.
    pub fn block(&self) -> &Block {
        &self.blocks[self.own]
    }

    /// The extent of the gathered axis.
    fn gathered_extent(&self) -> usize {
        self.gathered.last().map_or(0, |range| range.end)
    }

    /// The bytes of one rank's share of a piece of this rank.
    pub fn sent_bytes(&self, piece: &Piece, to: usize) -> usize {
        let block = self.block();
        let [batch, lines] = block.lines(piece);
        batch * lines * self.cuts[to].len() * block.k * self.number
    }

    /// One rank's share of a piece, in the array that holds this piece alone.
    pub fn sent(&self, piece: &Piece, to: usize) -> Runs {
        let block = self.block();
        let [batch, lines] = block.lines(piece);
        let extents = [batch, block.cut, block.k, lines];
        Runs::of_box(&extents, &[0..batch, self.cuts[to].clone(), 0..block.k, 0..lines], self.number)
    }

    /// Where a piece of another rank belongs in this rank's array after the exchange.
    pub fn received(&self, from: usize, [batch, a, m, gathered]: &Piece) -> Runs {
        let block = &self.blocks[from];
        let cut = self.cuts[self.own].len();
        let extents = [block.batch, cut, block.k, block.a, block.m, self.gathered_extent(), block.i];
        let first = self.gathered[from].start;
        let place = first + gathered.start..first + gathered.end;
        let ranges = [batch.clone(), 0..cut, 0..block.k, a.clone(), m.clone(), place, 0..block.i];
        Runs::of_box(&extents, &ranges, self.number)
    }

    /// Number of bytes sent to other ranks.
    pub fn sent_to_others(&self) -> usize {
        let whole = self.block().whole();
        (0..self.ranks.len()).filter(|to| *to != self.own).map(|to| self.sent_bytes(&whole, to)).sum()
    }

    /// Number of bytes of this rank's array after the exchange.
    pub fn bytes(&self) -> usize {
        let Block { batch, k, a, m, i, .. } = *self.block();
        batch * self.cuts[self.own].len() * k * a * m * self.gathered_extent() * i * self.number
    }
}

#[cfg(test)]
mod tests {
    use wgpu_fft::fft::C2c;
    use wgpu_fft::low_level::divide::InParts;

    use super::*;
    use crate::ranks::geometry::DimensionShares;
    use crate::ranks::part::{Decomposition, Order};

    /// Sends every piece of every rank to where it belongs, without ranks.
    fn exchanged(turns: &[Turn], arrays: &[Vec<u8>], most: usize) -> Vec<Vec<u8>> {
        let mut results: Vec<Vec<u8>> = turns.iter().map(|turn| vec![0xee; turn.bytes()]).collect();
        for (rank, turn) in turns.iter().enumerate() {
            let block = turn.block();
            for piece in block.pieces(most, block.cut * block.k * turn.number, false) {
                // The piece alone, from the rank's whole array.
                let extents = [block.batch, block.cut, block.k, block.a, block.m, block.gathered, block.i];
                let [batch, a, m, gathered] = piece.clone();
                let own = Runs::of_box(&extents, &[batch, 0..block.cut, 0..block.k, a, m, gathered, 0..block.i], turn.number);
                let alone = own.pack(&arrays[rank], 0..own.bytes());
                for (to, &other) in turn.ranks.iter().enumerate() {
                    let sent = turn.sent(&piece, to);
                    assert_eq!(sent.bytes(), turn.sent_bytes(&piece, to));
                    let there = &turns[other];
                    let place = there.received(turn.own, &piece);
                    assert_eq!(place.bytes(), sent.bytes());
                    place.unpack(&sent.pack(&alone, 0..sent.bytes()), 0, &mut results[other]);
                }
            }
        }
        results
    }

    #[test]
    fn what_one_sends_another_expects_and_nothing_is_missing() {
        for (spec, grid) in [(C2c::forward([6, 5, 4]), [2, 3]), (C2c::forward([4, 3]).batch(5), [3, 2])] {
            let parts = spec.parts().unwrap();
            let geometry = Geometry::new("c2c", &parts, Order::Natural, Decomposition::Grid(grid), 6).unwrap();
            let shares: RankShares = (0..2)
                .map(|dimension| {
                    let lopsided = |units: usize| {
                        let mut shares = vec![0; grid[dimension]];
                        shares[0] = units.div_ceil(2);
                        shares[grid[dimension] - 1] += units / 2;
                        shares
                    };
                    let columns = geometry.stage_of(dimension).map(|t| lopsided(geometry.cut_extent(t)));
                    DimensionShares { rows: lopsided(geometry.units(dimension)), columns: columns.unwrap_or_default() }
                })
                .collect();
            for t in 0..geometry.stages() {
                for make in [Turn::to, Turn::back] {
                    let turns: Vec<Turn> = (0..6).map(|rank| make(&geometry, &shares, rank, t)).collect();
                    let all: usize = turns.iter().map(|turn| turn.block().elements() * turn.number).sum();
                    assert_eq!(turns.iter().map(Turn::bytes).sum::<usize>(), all);
                    // Every number is its own, so that none can take another's place.
                    let mut next = 0u64;
                    let mut number = || {
                        next += 1;
                        next
                    };
                    let arrays: Vec<Vec<u8>> =
                        turns.iter().map(|turn| (0..turn.block().elements()).flat_map(|_| number().to_le_bytes()).collect()).collect();
                    let once = exchanged(&turns, &arrays, usize::MAX);
                    let mut numbers: Vec<&[u8]> = once.iter().flat_map(|array| array.chunks_exact(8)).collect();
                    numbers.sort_unstable();
                    numbers.dedup();
                    assert_eq!(numbers.len(), all / 8, "{spec} {t}");
                    assert_eq!(exchanged(&turns, &arrays, 100), once, "{spec} {t}");
                }
            }
        }
    }

    #[test]
    fn pieces_are_runs_of_lines() {
        let block = Block { batch: 1, cut: 3, k: 1, a: 1, m: 1, gathered: 9, i: 1 };
        let sizes = |pieces: Vec<Piece>| pieces.iter().map(|piece| piece[3].clone()).collect::<Vec<_>>();
        assert_eq!(sizes(block.pieces(24, 8, false)), [0..3, 3..6, 6..9]);
        assert_eq!(block.pieces(24, 8, true), [block.whole()]);
        assert!(Block { gathered: 0, ..block }.pieces(24, 8, false).is_empty());
    }
}
