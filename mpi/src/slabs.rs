//! Which rank holds which part of an array, and how parts are moved between slabs of one axis and
//! slabs of the other.

use std::ops::Range;

use wgpu_fft::multi::partition::ranges;

use crate::link::Link;
use crate::spec::Geometry;

/// The number of units of both axes that each rank has, by rank. A rank may have none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shares {
    /// Units of axis 0: rows, planes, or transforms of a batch.
    pub rows: Vec<usize>,
    /// Units of axis 1 on the side of the frequencies. All are 0 if nothing is exchanged.
    pub columns: Vec<usize>,
}

/// The part of the input or the output that a rank holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slab {
    /// The axis that is divided: 0 or 1 of the transform's shape. For a batch, 0 counts the
    /// transforms.
    pub axis: usize,
    /// This rank's indices of that axis.
    pub range: Range<usize>,
    /// Number of elements for each index. The slab has `range.len()` times as many elements, stored
    /// without gaps.
    pub unit: usize,
}

impl Slab {
    /// Number of elements in the slab.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "the number of elements of an array that somebody else holds")]
    pub fn len(&self) -> usize {
        self.range.len() * self.unit
    }
}

/// An exchange. The blocks that a rank sends are stored one after the other. The blocks that it
/// receives become parts of its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    /// Words to send to each rank, by rank.
    send: Vec<usize>,
    /// Number of rows that are assembled on this rank.
    rows: usize,
    /// Words of a row that come from each rank.
    widths: Vec<usize>,
}

/// Words of a complex number.
const COMPLEX: usize = 2;

impl Turn {
    /// From slabs \[C, K, rᵢ\] of all columns to slabs \[cⱼ, K, n₀\] of whole lines.
    pub fn to_columns(geometry: &Geometry, shares: &Shares, rank: usize) -> Self {
        let (r, c, k) = (&shares.rows, &shares.columns, geometry.inner);
        Self {
            send: c.iter().map(|columns| columns * k * r[rank] * COMPLEX).collect(),
            rows: c[rank] * k,
            widths: r.iter().map(|rows| rows * COMPLEX).collect(),
        }
    }

    /// From slabs \[n₀, cⱼ, K\] to slabs \[rᵢ, C, K\].
    pub fn to_rows(geometry: &Geometry, shares: &Shares, rank: usize) -> Self {
        let (r, c, k) = (&shares.rows, &shares.columns, geometry.inner);
        Self {
            send: r.iter().map(|rows| rows * c[rank] * k * COMPLEX).collect(),
            rows: r[rank],
            widths: c.iter().map(|columns| columns * k * COMPLEX).collect(),
        }
    }

    /// Number of words sent to other ranks.
    pub fn sent(&self, rank: usize) -> usize {
        self.send.iter().enumerate().filter(|(to, _)| *to != rank).map(|(_, words)| words).sum()
    }

    /// Number of words received, including this rank's own.
    pub fn received(&self) -> usize {
        self.rows * self.widths.iter().sum::<usize>()
    }

    /// Sends `data` and returns the received blocks, which `arrived` holds, as rows. Collective.
    pub fn run(&self, link: &Link, data: &[f32], arrived: &mut [f32], message_bytes: usize, done: &mut dyn FnMut(usize)) {
        let receive: Vec<usize> = self.widths.iter().map(|width| width * self.rows).collect();
        exchange(link, (data, arrived), [&self.send, &receive], message_bytes, done);
    }

    /// Joins the received blocks to rows.
    pub fn joined(&self, arrived: Vec<f32>) -> Vec<f32> {
        if self.rows == 1 || self.widths.iter().filter(|width| **width > 0).count() <= 1 {
            return arrived;
        }
        let whole: usize = self.widths.iter().sum();
        let mut joined = vec![0.0; arrived.len()];
        let (mut begin, mut rest) = (0, arrived.as_slice());
        for &width in self.widths.iter().filter(|width| **width > 0) {
            let (block, after) = rest.split_at(width * self.rows);
            for (row, part) in joined.chunks_exact_mut(whole).zip(block.chunks_exact(width)) {
                row[begin..begin + width].copy_from_slice(part);
            }
            (begin, rest) = (begin + width, after);
        }
        joined
    }
}

/// Sends blocks stored one after the other, and receives blocks stored one after the other. Their
/// lengths are given by rank.
pub(crate) fn exchange(
    link: &Link,
    (data, arrived): (&[f32], &mut [f32]),
    [send, receive]: [&[usize]; 2],
    message_bytes: usize,
    done: &mut dyn FnMut(usize),
) {
    let blocks: Vec<&[u8]> = ranges(send).into_iter().map(|range| bytemuck::cast_slice(&data[range])).collect();
    let mut rest: &mut [u8] = bytemuck::cast_slice_mut(arrived);
    let mut targets = Vec::new();
    for &words in receive {
        let (block, after) = rest.split_at_mut(words * size_of::<f32>());
        targets.push(block);
        rest = after;
    }
    link.exchange(&blocks, &mut targets, message_bytes, done);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_parts_of_rows() {
        let turn = Turn { send: vec![], rows: 2, widths: vec![2, 0, 3] };
        let arrived = [1.0, 2.0, 6.0, 7.0, 3.0, 4.0, 5.0, 8.0, 9.0, 10.0].to_vec();
        assert_eq!(turn.joined(arrived), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
    }

    #[test]
    fn what_one_sends_another_expects() {
        let geometry = Geometry { rows: 17, rows_in_unit: 1, positions: 5, columns: 5, inner: 3 };
        let shares = Shares { rows: vec![9, 0, 8], columns: vec![2, 3, 0] };
        for make in [Turn::to_columns, Turn::to_rows] {
            let turns: Vec<Turn> = (0..3).map(|rank| make(&geometry, &shares, rank)).collect();
            for (from, to) in (0..9).map(|i| (i / 3, i % 3)) {
                assert_eq!(turns[from].send[to], turns[to].rows * turns[to].widths[from]);
            }
            assert_eq!(turns.iter().map(Turn::received).sum::<usize>(), 17 * 5 * 3 * COMPLEX);
        }
    }
}
