//! Copies between slices of the host and mapped memory, with some threads.

use crate::threads::each_aside;

/// Bytes that a thread copies at least: a millisecond's work, to which starting a thread adds a
/// twentieth.
const LEAST_COPY: usize = 8 << 20;

/// Threads that copy for a device at most. H200, 65536 rows of 4096 complex numbers, ms: 1 thread
/// 532, 2 threads 320, 3 threads 236, 4 threads 212, 6 threads 210, 8 threads 213; on two of them
/// 283, 175, 142, 135, 130, 133.
const MAX_COPIERS: usize = 4;

/// The number of threads that copy for each of so many devices, if the caller does not say.
#[must_use]
pub fn copy_threads(devices: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores / (2 * devices.max(1))).clamp(1, MAX_COPIERS)
}

/// In how many parts so many bytes should be copied, where there are `threads` for it.
fn parts_of(bytes: usize, threads: usize) -> usize {
    (bytes / LEAST_COPY).clamp(1, threads.max(1))
}

/// Bytes of each of so many parts but for the last: multiples of 8, where views may begin.
fn bytes_of_part(bytes: usize, parts: usize) -> usize {
    bytes.div_ceil(parts.max(1)).next_multiple_of(8).max(8)
}

/// Slices in parts of `each` bytes, in their order; the last part has what is left. There is one at
/// least.
pub(super) fn in_parts<'s>(slices: impl IntoIterator<Item = &'s [u8]>, each: usize) -> Vec<Vec<&'s [u8]>> {
    let (mut all, mut own): (Vec<Vec<&[u8]>>, Vec<&[u8]>) = Default::default();
    let mut room = each;
    for mut slice in slices {
        while slice.len() > room {
            let (head, rest) = slice.split_at(room);
            own.push(head);
            all.push(std::mem::take(&mut own));
            (slice, room) = (rest, each);
        }
        own.push(slice);
        room -= slice.len();
    }
    all.push(own);
    all
}

/// Copies slices to the begin of a mapped buffer, and zeros to the end of its last unit of 4 bytes.
pub(super) fn fill(buffer: &wgpu::Buffer, slices: Vec<&[u8]>, threads: usize) -> Result<(), wgpu::MapRangeError> {
    let length: usize = slices.iter().map(|slice| slice.len()).sum();
    let bytes = crate::gpu::in_units(length as u64);
    let parts = in_parts(slices, bytes_of_part(length, parts_of(length, threads)));
    let (mut begin, count) = (0, parts.len());
    // A view for each thread.
    let mut views = Vec::new();
    for (i, part) in (1..).zip(parts) {
        let length: usize = part.iter().map(|slice| slice.len()).sum();
        let end = if i == count { bytes } else { begin + length as u64 };
        views.push((buffer.get_mapped_range_mut(begin..end)?, part));
        begin = end;
    }
    each_aside(views, |(view, part)| gather(view, &part));
    Ok(())
}

/// Copies slices one after the other, and zeros behind them.
fn gather(mut view: wgpu::BufferViewMut, slices: &[&[u8]]) {
    let mut at = 0;
    for slice in slices {
        view.slice(at..at + slice.len()).copy_from_slice(slice);
        at += slice.len();
    }
    view.slice(at..).fill(0);
}

/// Copies `source` over the slices of `target`, one after the other, with some threads.
pub fn scatter(source: &[u8], target: &mut [&mut [u8]], threads: usize) {
    let each = source.len().div_ceil(parts_of(source.len(), threads)).max(1);
    let mut rest: Vec<&mut [u8]> = target.iter_mut().map(|run| &mut **run).collect();
    let parts = source.chunks(each).map(|part| (part, split_off(&mut rest, part.len()))).collect();
    each_aside(parts, |(part, runs)| copy_over(part, runs));
}

/// Copies `source` over slices, one after the other.
fn copy_over(mut source: &[u8], target: Vec<&mut [u8]>) {
    for run in target {
        let (own, rest) = source.split_at(run.len());
        run.copy_from_slice(own);
        source = rest;
    }
}

/// The first `bytes` of what is left of some slices, or all if there are fewer.
pub(super) fn split_off<'t>(rest: &mut Vec<&'t mut [u8]>, bytes: usize) -> Vec<&'t mut [u8]> {
    let mut room = bytes;
    let mut count = 0;
    while count < rest.len() && rest[count].len() <= room {
        room -= rest[count].len();
        count += 1;
    }
    let mut taken: Vec<&mut [u8]> = rest.drain(..count).collect();
    if let Some(next) = rest.first_mut().filter(|_| room > 0) {
        let (own, left) = std::mem::take(next).split_at_mut(room);
        taken.push(own);
        *next = left;
    }
    taken
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes, and where they are cut into slices.
    fn cut(len: usize, cuts: &[usize]) -> (Vec<u8>, Vec<usize>) {
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (len + 1)).chain([len]).collect();
        ends.sort_unstable();
        ((0..len).map(|i| (i % 251) as u8).collect(), ends)
    }

    fn slices<'s>(mut all: &'s mut [u8], ends: &[usize]) -> Vec<&'s mut [u8]> {
        let mut begin = 0;
        let mut slices = Vec::new();
        for &end in ends {
            let (own, rest) = all.split_at_mut(end - begin);
            slices.push(own);
            (all, begin) = (rest, end);
        }
        slices
    }

    #[test]
    fn threads_copy_what_one_would() {
        let len = 4 * LEAST_COPY + 13;
        let (mut array, ends) = cut(len, &[3, len / 2, len / 2 + 5]);
        let mut copy = vec![0; len];
        scatter(&array, &mut slices(&mut copy, &ends), 4);
        assert!(copy == array);
        let own: Vec<&[u8]> = slices(&mut array, &ends).into_iter().map(|slice| &*slice).collect();
        let parts = in_parts(own, bytes_of_part(len, parts_of(len, 4)));
        assert_eq!(parts.len(), 4);
        assert!(parts.concat().concat() == copy);
    }

    proptest! {
        /// However slices are cut, parts of one length hold the same bytes, and each but the last
        /// is full.
        #[test]
        fn parts_make_up_the_slices(len in 0usize..200, each in 1usize..50, cuts in prop::collection::vec(0usize..200, 0..6)) {
            let (mut array, ends) = cut(len, &cuts);
            let expected = array.clone();
            let slices: Vec<&[u8]> = slices(&mut array, &ends).into_iter().map(|slice| &*slice).collect();
            let parts: Vec<Vec<u8>> = in_parts(slices, each).into_iter().map(|part| part.concat()).collect();
            prop_assert!(parts[..parts.len() - 1].iter().all(|part| part.len() == each));
            prop_assert_eq!(parts.len(), len.div_ceil(each).max(1));
            prop_assert_eq!(parts.concat(), expected);
        }

        /// What is split off and what is left are the whole.
        #[test]
        fn nothing_is_lost_where_slices_are_split(len in 0usize..200, first in 0usize..250, cuts in prop::collection::vec(0usize..200, 0..6)) {
            let (mut array, ends) = cut(len, &cuts);
            let expected = array.clone();
            let mut rest = slices(&mut array, &ends);
            let taken = split_off(&mut rest, first);
            let bytes = |slices: &[&mut [u8]]| slices.iter().flat_map(|slice| slice.to_vec()).collect::<Vec<u8>>();
            prop_assert_eq!(bytes(&taken), &expected[..first.min(len)]);
            prop_assert_eq!(bytes(&rest), &expected[first.min(len)..]);
        }
    }
}
