//! How parts of an array are moved between slabs of one axis and slabs of the other.

use std::ops::Range;

use wgpu_fft::low_level::transfer::scatter;

use super::geometry::{COMPLEX, Geometry, RankShares};
use super::link::Link;
use crate::partition::ranges;
use crate::slab::{Grid, OutputShare};

/// An exchange: each rank has some units of one axis, and gets some units of another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    /// This rank's array before the exchange, and the units that each rank gets.
    before: Grid,
    send: Vec<Range<usize>>,
    /// This rank's array after the exchange, and the units that each rank gives.
    after: Grid,
    receive: Vec<Range<usize>>,
}

impl Turn {
    /// From slabs \[C, K, rᵢ\] of all columns to slabs \[cⱼ, K, n₀\] of whole lines.
    pub fn to_columns(geometry: &Geometry, shares: &RankShares, rank: usize) -> Self {
        let (own_rows, own_columns, inner) = (shares.rows[rank], shares.columns[rank], geometry.inner);
        Self {
            before: Grid::new(1, geometry.columns, inner * own_rows * COMPLEX),
            send: ranges(&shares.columns),
            after: Grid::new(own_columns * inner, geometry.rows, COMPLEX),
            receive: ranges(&shares.rows),
        }
    }

    /// From slabs \[n₀, cⱼ, K\] to slabs \[rᵢ, C, K\].
    pub fn to_rows(geometry: &Geometry, shares: &RankShares, rank: usize) -> Self {
        let (own_rows, own_columns, inner) = (shares.rows[rank], shares.columns[rank], geometry.inner);
        Self {
            before: Grid::new(1, geometry.rows, own_columns * inner * COMPLEX),
            send: ranges(&shares.rows),
            after: Grid::new(own_rows, geometry.columns, inner * COMPLEX),
            receive: ranges(&shares.columns),
        }
    }

    fn send_bytes(&self) -> Vec<usize> {
        self.send.iter().map(|units| self.before.bytes_of(units)).collect()
    }

    fn receive_bytes(&self) -> Vec<usize> {
        self.receive.iter().map(|units| self.after.bytes_of(units)).collect()
    }

    /// Number of bytes sent to other ranks.
    pub fn sent(&self, rank: usize) -> usize {
        self.send_bytes().iter().enumerate().filter(|(to, _)| *to != rank).map(|(_, bytes)| bytes).sum()
    }

    /// Number of bytes of this rank's array after the exchange.
    pub fn received(&self) -> usize {
        self.after.bytes
    }

    /// The units of this rank after the exchange are lines of the array; their blocks arrive one
    /// after the other. This many bytes hold them until they are joined; none if the blocks are
    /// contiguous in the array.
    pub fn buffer_bytes(&self) -> usize {
        let blocks = self.receive.iter().filter(|units| !units.is_empty()).count();
        if self.after.outer <= 1 || blocks <= 1 { 0 } else { self.received() }
    }

    /// Exchanges the blocks: `data` is this rank's array before, and `target` the one after.
    /// `buffer` has [`buffer_bytes`](Self::buffer_bytes). Collective.
    pub fn run(&self, link: &Link, data: &[u8], buffer: &mut [u8], target: &mut [u8], message_bytes: usize, done: &mut dyn FnMut(usize)) {
        let (send, receive) = (self.send_bytes(), self.receive_bytes());
        if buffer.is_empty() {
            return exchange(link, (data, target), [&send, &receive], message_bytes, done);
        }
        exchange(link, (data, buffer), [&send, &receive], message_bytes, done);
        self.join(buffer, target);
    }

    /// Joins the blocks to lines.
    fn join(&self, blocks: &[u8], target: &mut [u8]) {
        let shares: Vec<usize> = self.receive.iter().map(ExactSizeIterator::len).collect();
        let mut rest = blocks;
        for mut share in OutputShare::whole(&self.after, target).cut(&shares, self.after.inner) {
            let (block, others) = rest.split_at(self.after.bytes_of(&share.units));
            scatter(block, &mut share.target, 1);
            rest = others;
        }
    }
}

/// Sends blocks stored one after the other, and receives blocks stored one after the other. Their
/// sizes in bytes are given by rank.
pub(super) fn exchange(
    link: &Link,
    (data, arrived): (&[u8], &mut [u8]),
    [send, receive]: [&[usize]; 2],
    message_bytes: usize,
    done: &mut dyn FnMut(usize),
) {
    let blocks: Vec<&[u8]> = ranges(send).into_iter().map(|range| &data[range]).collect();
    let mut rest = arrived;
    let mut targets = Vec::new();
    for &bytes in receive {
        let (block, after) = rest.split_at_mut(bytes);
        targets.push(block);
        rest = after;
    }
    link.exchange(&blocks, &mut targets, message_bytes, done);
}

#[cfg(test)]
mod tests {
    use wgpu_fft::fft::C2c;
    use wgpu_fft::low_level::divide::InParts;

    use super::*;
    use crate::ranks::geometry::Order;

    #[test]
    fn blocks_become_parts_of_lines() {
        let grid = Grid::new(2, 5, 1);
        let turn = Turn { before: grid, send: Vec::new(), after: grid, receive: ranges(&[2, 0, 3]) };
        assert_eq!(turn.buffer_bytes(), 10);
        let mut lines = [0; 10];
        turn.join(&[1, 2, 6, 7, 3, 4, 5, 8, 9, 10], &mut lines);
        assert_eq!(lines, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn what_one_sends_another_expects() {
        let parts = C2c::forward([17, 5, 3]).parts().unwrap();
        let geometry = Geometry::new("c2c", &parts, Order::Natural).unwrap();
        let shares = RankShares { rows: vec![9, 0, 8], columns: vec![2, 3, 0] };
        for make in [Turn::to_columns, Turn::to_rows] {
            let turns: Vec<Turn> = (0..3).map(|rank| make(&geometry, &shares, rank)).collect();
            for (from, to) in (0..9).map(|i| (i / 3, i % 3)) {
                assert_eq!(turns[from].send_bytes()[to], turns[to].receive_bytes()[from]);
            }
            assert_eq!(turns.iter().map(Turn::received).sum::<usize>(), 17 * 5 * 3 * COMPLEX);
        }
    }
}
