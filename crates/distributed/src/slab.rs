//! The bytes of a host array that belong to some of a job's units.

use std::ops::Range;

/// An array of `outer` × `extent` × `inner`, cut along the middle axis. In each of the `outer`
/// slices, a unit has `inner` contiguous bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Grid {
    /// The product of the extents of all axes before the one that is cut.
    pub outer: usize,
    /// The number of units.
    pub extent: usize,
    /// The contiguous bytes of a unit.
    pub inner: usize,
    /// The size of the array in bytes. If `outer` is 1, the last unit may be short.
    pub bytes: usize,
}

impl Grid {
    pub fn new(outer: usize, extent: usize, inner: usize) -> Self {
        Self { outer, extent, inner, bytes: outer * extent * inner }
    }

    /// The number of bytes of some units.
    pub fn bytes_of(&self, units: &Range<usize>) -> usize {
        self.runs(units).map(|run| run.len()).sum()
    }

    /// The byte ranges of some units, in ascending order.
    fn runs(&self, units: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let Self { outer, extent, inner, bytes } = *self;
        let Range { start, end } = *units;
        (0..outer).map(move |o| {
            let [begin, end] = [start, end].map(|unit| ((o * extent + unit) * inner).min(bytes));
            begin..end
        })
    }

    /// The bytes of some units of `array`, one slice for each outer index.
    pub fn slices<'a>(&self, array: &'a [u8], units: &Range<usize>) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.runs(units).map(move |run| &array[run])
    }
}

/// Units whose results are still to be written, and where to write them.
#[derive(Debug)]
pub(crate) struct OutputShare<'a> {
    pub units: Range<usize>,
    /// One slice for each outer index.
    pub target: Vec<&'a mut [u8]>,
}

impl<'a> OutputShare<'a> {
    /// All units of an array.
    pub fn whole(grid: &Grid, array: &'a mut [u8]) -> Self {
        let length = (grid.extent * grid.inner).max(1);
        Self { units: 0..grid.extent, target: array.chunks_mut(length).collect() }
    }

    /// Takes the first `count` units, of `inner` bytes each, or all if there are fewer.
    pub fn take(&mut self, count: usize, inner: usize) -> Self {
        let middle = self.units.start + count.min(self.units.len());
        if middle == self.units.end {
            let units = std::mem::replace(&mut self.units, middle..middle);
            return Self { units, target: std::mem::take(&mut self.target) };
        }
        let bytes = (middle - self.units.start) * inner;
        let split = |run: &mut &'a mut [u8]| {
            let own = std::mem::take(run);
            let middle = bytes.min(own.len());
            let (taken, left) = own.split_at_mut(middle);
            *run = left;
            taken
        };
        let target = self.target.iter_mut().map(split).collect();
        Self { units: std::mem::replace(&mut self.units.start, middle)..middle, target }
    }

    /// Cuts it into parts with these numbers of units.
    pub fn cut(mut self, shares: &[usize], inner: usize) -> Vec<Self> {
        shares.iter().map(|&share| self.take(share, inner)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use wgpu_fft::low_level::transfer::scatter;

    proptest! {
        /// However an array is cut, gathering and scattering every piece copies the whole array.
        #[test]
        fn pieces_make_up_the_array(outer in 1usize..5, extent in 1usize..20, inner in 1usize..6, cuts in prop::collection::vec(0usize..9, 0..6), short in 0usize..6) {
            let mut grid = Grid::new(outer, extent, inner);
            if outer == 1 {
                grid.bytes -= short.min(inner - 1);
            }
            let array: Vec<u8> = (0..grid.bytes).map(|i| i as u8).collect();
            let mut copy = vec![0xee; grid.bytes];
            let mut stock = OutputShare::whole(&grid, &mut copy);
            let mut pieces: Vec<OutputShare<'_>> = cuts.iter().map(|&count| stock.take(count, inner)).collect();
            pieces.push(stock);
            prop_assert_eq!(pieces.iter().map(|piece| piece.units.len()).sum::<usize>(), extent);
            for piece in pieces.iter_mut().rev() {
                let gathered: Vec<u8> = grid.slices(&array, &piece.units).flatten().copied().collect();
                prop_assert_eq!(gathered.len(), grid.bytes_of(&piece.units));
                scatter(&gathered, &mut piece.target, 1);
            }
            drop(pieces);
            prop_assert_eq!(copy, array);
        }
    }
}
