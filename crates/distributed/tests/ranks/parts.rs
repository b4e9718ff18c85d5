//! The parts of an array that ranks hold.

use std::ops::Range;

use wgpu_fft_distributed::Part;
use wgpu_fft_distributed::mpi::traits::*;

use crate::harness::Context;

/// A box in an array: extents and ranges, the batch first.
struct Place {
    extents: Vec<usize>,
    ranges: Vec<Range<usize>>,
}

impl Place {
    fn of(part: &Part, batch: usize) -> Self {
        let extents = std::iter::once(batch).chain(part.extents.iter().copied()).collect();
        let ranges = std::iter::once(part.batch.clone()).chain(part.ranges.iter().cloned()).collect();
        Self { extents, ranges }
    }

    /// The indices of the box's elements in the array, in order.
    fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        let len: usize = self.ranges.iter().map(ExactSizeIterator::len).product();
        (0..len).map(|mut i| {
            let (mut index, mut stride) = (0, 1);
            for (extent, range) in self.extents.iter().zip(&self.ranges).rev() {
                index += (range.start + i % range.len()) * stride;
                i /= range.len();
                stride *= extent;
            }
            index
        })
    }

    fn to_numbers(&self) -> Vec<u64> {
        let ranges = self.ranges.iter().flat_map(|range| [range.start as u64, range.end as u64]);
        self.extents.iter().map(|extent| *extent as u64).chain(ranges).collect()
    }

    fn of_numbers(numbers: &[u64]) -> Self {
        let axes = numbers.len() / 3;
        let extents = numbers[..axes].iter().map(|extent| *extent as usize).collect();
        let ranges = numbers[axes..].chunks_exact(2).map(|range| range[0] as usize..range[1] as usize).collect();
        Self { extents, ranges }
    }
}

/// A part of `batch` arrays.
pub fn of_whole<T: Copy>(part: &Part, batch: usize, whole: &[T]) -> Vec<T> {
    Place::of(part, batch).indices().map(|i| whole[i]).collect()
}

/// Rank 0 gets the whole arrays of which all ranks have parts, with `width` numbers for an element.
/// Elements that no rank has are NaN, and an element that two ranks have is an error.
pub fn gathered(context: &Context, part: &Part, batch: usize, width: usize, own: &[f32]) -> Result<Vec<f32>, String> {
    let place = Place::of(part, batch);
    if context.rank > 0 {
        let root = context.world.process_at_rank(0);
        root.send(&place.to_numbers()[..]);
        root.send(own);
        return Ok(Vec::new());
    }
    let mut all = vec![f32::NAN; place.extents.iter().product::<usize>() * width];
    let mut taken = vec![false; all.len()];
    let mut put = |place: &Place, own: &[f32]| -> Result<(), String> {
        for (i, values) in place.indices().zip(own.chunks_exact(width)) {
            if std::mem::replace(&mut taken[i * width], true) {
                return Err(format!("two ranks have element {i}"));
            }
            all[i * width..][..width].copy_from_slice(values);
        }
        Ok(())
    };
    let mut outcome = put(&place, own);
    for rank in 1..context.size {
        let process = context.world.process_at_rank(rank as i32);
        let place = Place::of_numbers(&process.receive_vec::<u64>().0);
        let own = process.receive_vec::<f32>().0;
        outcome = outcome.and_then(|()| put(&place, &own));
    }
    outcome.map(|()| all)
}
