//! Which bytes of an array belong to a block of it.

use std::ops::Range;

/// Contiguous runs of bytes at regular distances: a box in a dense array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Runs {
    /// The first byte of the first run.
    pub start: usize,
    /// How many runs there are along each axis, and their distance in bytes, slowest first.
    pub levels: Vec<[usize; 2]>,
    /// The bytes of a run.
    pub len: usize,
}

impl Runs {
    /// A single run.
    pub fn one(range: Range<usize>) -> Self {
        Self { start: range.start, levels: Vec::new(), len: range.len() }
    }

    /// The box of these ranges of a dense array of elements of `bytes` bytes, slowest axis first.
    pub fn of_box(extents: &[usize], ranges: &[Range<usize>], bytes: usize) -> Self {
        let (mut stride, mut start, mut levels) = (bytes, 0, Vec::new());
        for (extent, range) in extents.iter().zip(ranges).rev() {
            start += range.start * stride;
            levels.push([range.len(), stride]);
            stride *= extent;
        }
        levels.reverse();
        Self::of_levels(start, levels, bytes)
    }

    /// So many elements of `bytes` bytes along each axis, at such distances, slowest axis first.
    pub fn of_levels(start: usize, mut levels: Vec<[usize; 2]>, bytes: usize) -> Self {
        levels.retain(|[count, _]| *count != 1);
        // Axes that are complete join the run.
        let mut len = bytes;
        while let Some([count, _]) = levels.pop_if(|[_, stride]| *stride == len) {
            len *= count;
        }
        Self { start, levels, len }
    }

    /// The number of bytes of all runs.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|[count, _]| count).product::<usize>() * self.len
    }

    /// The ranges of the array that hold the bytes `part` of the block, in order.
    pub fn ranges(&self, part: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let Self { start, ref levels, len } = *self;
        let levels = levels.clone();
        // The index of the first run along each axis.
        let mut indices = vec![0; levels.len()];
        let mut first = part.start.checked_div(len).unwrap_or(0);
        for (index, [count, _]) in indices.iter_mut().zip(&levels).rev() {
            *index = first.checked_rem(*count).unwrap_or(0);
            first = first.checked_div(*count).unwrap_or(0);
        }
        let mut at = indices.iter().zip(&levels).map(|(index, [_, stride])| index * stride).sum::<usize>() + start;
        let mut skip = part.start.checked_rem(len).unwrap_or(0);
        let mut left = part.len();
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let take = (len - skip).min(left);
            let range = at + skip..at + skip + take;
            left -= take;
            skip = 0;
            for (index, [count, stride]) in indices.iter_mut().zip(&levels).rev() {
                *index += 1;
                at += stride;
                if *index < *count {
                    break;
                }
                at -= *index * stride;
                *index = 0;
            }
            Some(range)
        })
    }

    /// Copies the bytes `part` of the block from `array`.
    pub fn pack(&self, array: &[u8], part: Range<usize>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(part.len());
        self.ranges(part).for_each(|range| bytes.extend_from_slice(&array[range]));
        bytes
    }

    /// Copies `bytes` to `array` as the block's bytes from `start` on.
    pub fn unpack(&self, bytes: &[u8], start: usize, array: &mut [u8]) {
        let mut rest = bytes;
        for range in self.ranges(start..start + bytes.len()) {
            let (own, others) = rest.split_at(range.len());
            array[range].copy_from_slice(own);
            rest = others;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn complete_axes_join_the_run() {
        assert_eq!(Runs::of_box(&[4, 3, 2], &[1..3, 0..3, 0..2], 8), Runs { start: 48, levels: vec![], len: 96 });
        assert_eq!(Runs::of_box(&[4, 3, 2], &[0..4, 1..2, 0..2], 8), Runs { start: 16, levels: vec![[4, 48]], len: 16 });
        assert_eq!(Runs::of_box(&[4, 3], &[0..4, 2..2], 8).bytes(), 0);
    }

    proptest! {
        /// Boxes that make up an array, sent in messages of any length, copy the whole array.
        #[test]
        fn boxes_make_up_the_array(extents in prop::collection::vec(1usize..5, 4), cuts in prop::collection::vec(0usize..5, 4), message in 1usize..20) {
            let bytes = 3;
            let all: usize = extents.iter().product::<usize>() * bytes;
            let array: Vec<u8> = (0..all).map(|i| i as u8).collect();
            let mut copy = vec![0xee; all];
            for corner in 0..16usize {
                let ranges: Vec<Range<usize>> = (0..4).map(|axis| {
                    let cut = cuts[axis].min(extents[axis]);
                    if corner >> axis & 1 == 0 { 0..cut } else { cut..extents[axis] }
                }).collect();
                let runs = Runs::of_box(&extents, &ranges, bytes);
                prop_assert_eq!(runs.bytes(), ranges.iter().map(|range| range.len()).product::<usize>() * bytes);
                for start in (0..runs.bytes()).step_by(message) {
                    let part = start..(start + message).min(runs.bytes());
                    let sent = runs.pack(&array, part.clone());
                    prop_assert_eq!(sent.len(), part.len());
                    runs.unpack(&sent, start, &mut copy);
                }
            }
            prop_assert_eq!(copy, array);
        }
    }
}
