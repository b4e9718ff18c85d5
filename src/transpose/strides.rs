//! A permutation as strides, in its simplest form, and its division into parts that fit bindings.

use crate::error::{Error, Result, within};
use crate::gpu::{DeviceProfile, in_units};
use crate::sort::sort_short_by_key;
use crate::strides::{IoDim, joined, reach};

/// A copy of elements from one set of strides to another.
///
/// In its simplest form, there is no axis of extent 1 unless it is the only one, and no two axes
/// can be joined on both sides. Where neighbours stay together, elements are as wide as possible,
/// up to 16 bytes. Axes are sorted by their strides in the output, fastest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    pub axes: Vec<IoDim>,
    /// The places of the first element in input and output.
    pub offsets: [u32; 2],
    pub in_place: bool,
}

/// A part of a problem, with the byte ranges of input and output that it binds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub problem: Problem,
    pub ranges: [Option<(u64, u64)>; 2],
}

impl Problem {
    pub fn new(bytes: u32, axes: impl IntoIterator<Item = IoDim>, offsets: [u32; 2], in_place: bool) -> Self {
        let mut problem = Self { bytes, axes: simplest(axes.into_iter().collect()), offsets, in_place };
        problem.widen();
        if problem.axes.is_empty() {
            problem.axes.push(IoDim { extent: 1, strides: [1, 1] });
        }
        problem
    }

    /// Dense matrices that follow one another.
    pub fn matrices(bytes: u32, [rows, columns]: [u32; 2], batch: u32) -> Self {
        let each = rows * columns;
        let axes = [[rows, columns, 1], [columns, 1, rows], [batch, each, each]];
        Self::new(bytes, axes.map(|[extent, input, output]| IoDim { extent, strides: [input, output] }), [0, 0], false)
    }

    /// Joins two neighbouring elements into one as long as neighbours stay together.
    fn widen(&mut self) {
        while self.bytes < 16 {
            let Some(along) = self.along() else { return };
            let even = |value: &u32| value.is_multiple_of(2);
            let others_even = self.axes.iter().enumerate().all(|(i, axis)| i == along || axis.strides.iter().all(even));
            if !others_even || !even(&self.axes[along].extent) || !self.offsets.iter().all(even) {
                return;
            }
            self.bytes *= 2;
            self.offsets.iter_mut().for_each(|offset| *offset /= 2);
            for (i, axis) in self.axes.iter_mut().enumerate() {
                if i == along {
                    axis.extent /= 2;
                } else {
                    axis.strides.iter_mut().for_each(|stride| *stride /= 2);
                }
            }
            self.axes = simplest(std::mem::take(&mut self.axes));
        }
    }

    /// The axis along which elements are contiguous on both sides.
    pub fn along(&self) -> Option<usize> {
        self.axes.iter().position(|axis| axis.strides == [1, 1])
    }

    /// The axes b and a: b is contiguous in the output, a in the input. In place, they have equal
    /// extents.
    pub fn turned(&self) -> Option<[usize; 2]> {
        if self.along().is_some() {
            return None;
        }
        let longest = |side: usize| {
            let all = (0..self.axes.len()).filter(|&i| self.axes[i].strides[side] == 1);
            all.max_by_key(|&i| self.axes[i].extent)
        };
        Some([longest(1)?, longest(0)?])
    }

    /// Whether nothing moves.
    pub fn is_identity(&self) -> bool {
        self.offsets[0] == self.offsets[1] && self.axes.iter().all(|axis| axis.extent == 1 || axis.strides[0] == axis.strides[1])
    }

    /// Whether the problem transposes square matrices, or moves nothing, and leaves the other axes
    /// where they are. Only this can be done in place.
    pub fn is_square(&self) -> bool {
        let moved: Vec<&IoDim> = self.axes.iter().filter(|axis| axis.strides[0] != axis.strides[1]).collect();
        self.offsets[0] == self.offsets[1]
            && match moved[..] {
                [] => true,
                [x, y] => x.extent == y.extent && x.strides == [y.strides[1], y.strides[0]] && x.strides.contains(&1),
                _ => false,
            }
    }

    /// The number of elements.
    #[cfg(test)]
    pub fn elements(&self) -> u64 {
        self.axes.iter().map(|axis| u64::from(axis.extent)).product()
    }

    /// All axes except `without`: their extents, their strides on both sides, and the number of
    /// their indices. The arrays have N entries; unused entries have extent 1.
    pub fn others<const N: usize>(&self, without: &[usize]) -> ([u32; N], [[u32; N]; 2], u64) {
        let (mut extents, mut strides, mut count) = ([1; N], [[0; N]; 2], 1);
        let others = (0..self.axes.len()).filter(|i| !without.contains(i));
        for (i, axis) in others.map(|i| self.axes[i]).enumerate() {
            extents[i] = axis.extent;
            strides[0][i] = axis.strides[0];
            strides[1][i] = axis.strides[1];
            count *= u64::from(axis.extent);
        }
        (extents, strides, count)
    }

    /// Whether one side can be moved in accesses of `elements` elements along axis `along`.
    pub fn aligned(&self, side: usize, along: usize, elements: u32) -> bool {
        let fits = |value: u32| value.is_multiple_of(elements);
        fits(self.offsets[side])
            && self.axes.iter().enumerate().all(|(i, axis)| if i == along { fits(axis.extent) } else { fits(axis.strides[side]) })
    }

    /// The problem as one dispatch, or as several so that no binding is larger than the device
    /// allows. `bytes` are the sizes of the arrays.
    ///
    /// The cut is along the axes with the largest strides. The pieces of each axis are multiples of
    /// its entry in `alignments`; an axis with `None` must stay whole.
    pub fn parts(&self, label: &str, bytes: [u64; 2], alignments: &[Option<u32>], profile: &DeviceProfile) -> Result<Vec<Part>> {
        let limit = profile.binding_bytes;
        if bytes.iter().all(|&bytes| bytes <= limit) {
            return Ok(vec![Part { problem: self.clone(), ranges: [None, None] }]);
        }
        // A binding may begin at such a multiple on any device.
        let alignment = u64::from(profile.storage_alignment).max(256);
        let element = u64::from(self.bytes);
        let needed = |side: usize, piece: &[IoDim]| in_units(reach(piece, side) * element) + alignment;
        let mut piece = self.axes.clone();
        for (side, &bytes) in bytes.iter().enumerate() {
            while bytes.min(needed(side, &piece)) > limit {
                let can = |&i: &usize| alignments[i].is_some_and(|alignment| piece[i].extent > alignment);
                let Some(longest) = (0..piece.len()).filter(can).max_by_key(|&i| self.axes[i].strides[side]) else {
                    let what = format!("`{label}` (bytes)");
                    let required = bytes.min(needed(side, &piece));
                    return Err(Error::LimitExceeded { what, limit: "max_storage_buffer_binding_size", required, available: limit });
                };
                let alignment = alignments[longest].unwrap_or(1);
                piece[longest].extent = piece[longest].extent.div_ceil(2).next_multiple_of(alignment);
            }
        }
        let counts: Vec<u64> = self.axes.iter().zip(&piece).map(|(all, piece)| u64::from(all.extent.div_ceil(piece.extent))).collect();
        let count = counts.iter().product();
        const MAX_DISPATCHES: u64 = 4096;
        within(|| format!("`{label}` in bindings of {limit} bytes"), "dispatches of a plan", count, MAX_DISPATCHES)?;
        let part = |i: u64| {
            let (mut problem, mut rest) = (self.clone(), i);
            let mut first = self.offsets.map(u64::from);
            for ((axis, piece), count) in problem.axes.iter_mut().zip(&piece).zip(&counts) {
                let begin = (rest % count) as u32 * piece.extent;
                rest /= count;
                axis.extent = piece.extent.min(axis.extent - begin);
                (0..2).for_each(|side| first[side] += u64::from(begin) * u64::from(axis.strides[side]));
            }
            let ranges = [0, 1].map(|side| {
                let begin = first[side] * element / alignment * alignment;
                let offset = first[side] - begin / element;
                problem.offsets[side] = offset as u32;
                Some((begin, in_units((offset + reach(&problem.axes, side)) * element)))
            });
            Part { problem, ranges }
        };
        Ok((0..count).map(part).collect())
    }
}

/// The axes sorted by their strides in the output, with neighbours joined.
fn simplest(mut axes: Vec<IoDim>) -> Vec<IoDim> {
    sort_short_by_key(&mut axes, |axis| (axis.strides[1], axis.strides[0]));
    joined(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(extent: u32, input: u32, output: u32) -> IoDim {
        IoDim { extent, strides: [input, output] }
    }

    #[test]
    fn neighbours_become_one_axis_and_wide_elements() {
        // [5, 6, 8] to [6, 5, 8], of 4 bytes: a row of 8 is two elements of 16 bytes.
        let problem = Problem::new(4, [axis(5, 48, 8), axis(6, 8, 40), axis(8, 1, 1)], [0, 0], false);
        assert_eq!((problem.bytes, problem.axes), (16, vec![axis(2, 1, 1), axis(5, 12, 2), axis(6, 2, 10)]));
        // Pixels of 4 bytes become elements.
        let problem = Problem::new(1, [axis(5, 28, 4), axis(7, 4, 20), axis(4, 1, 1)], [0, 0], false);
        assert_eq!((problem.bytes, problem.axes), (4, vec![axis(5, 7, 1), axis(7, 1, 5)]));
        // The identity is one axis.
        let problem = Problem::new(4, [axis(3, 35, 35), axis(5, 7, 7), axis(7, 1, 1)], [0, 0], false);
        assert_eq!(problem.axes, [axis(105, 1, 1)]);
    }

    /// The end of the last piece does not fit a u32.
    #[test]
    fn the_longest_axes_have_an_end() {
        let profile = DeviceProfile::webgpu_defaults();
        for extent in [u32::MAX, u32::MAX - 1, (1 << 31) + 1, u32::MAX - (1 << 25)] {
            let problem = Problem::new(4, [axis(extent, 1, 1)], [0, 0], false);
            let bytes = [u64::from(extent) * 4; 2];
            let parts = problem.parts("x", bytes, &[Some(64)], &profile).unwrap();
            assert_eq!(parts.iter().map(|part| part.problem.elements()).sum::<u64>(), problem.elements());
            let end = parts.last().and_then(|part| part.ranges[1]).map(|(first, bytes)| first + bytes);
            assert_eq!(end, Some(bytes[1]), "{extent}");
        }
    }

    #[test]
    fn parts_cover_everything_once() {
        let problem = Problem::matrices(4, [60, 70], 5);
        let mut profile = DeviceProfile::webgpu_defaults();
        for binding_bytes in [4 * 70 * 60 * 5, 20_000, 12_000, 6_000] {
            profile.binding_bytes = binding_bytes;
            let parts = problem.parts("x", [84_000, 84_000], &[Some(16), Some(16), Some(1)], &profile).unwrap();
            assert_eq!(parts.iter().map(|part| part.problem.elements()).sum::<u64>(), 60 * 70 * 5);
            for part in &parts {
                for (first, bytes) in part.ranges.into_iter().flatten() {
                    assert!(first % 256 == 0 && bytes <= binding_bytes && first + bytes <= 84_000, "{part:?}");
                }
            }
        }
        profile.binding_bytes = 512;
        assert!(matches!(
            problem.parts("x", [84_000, 84_000], &[Some(16), Some(16), Some(1)], &profile),
            Err(Error::LimitExceeded { limit: "max_storage_buffer_binding_size", .. })
        ));
    }
}
