//! Where the elements of a part are in a file, and where in memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::part::Part;
use super::runs::Runs;

/// The most bytes that are copied at once.
const CHUNK: usize = 8 << 20;

/// The places of the batch and of the axes in memory, in the order of the file, slowest first.
fn order(part: &Part, fortran: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..=part.axes.len()).collect();
    // The batch, which is no axis, comes first.
    order.sort_by_key(|place| place.checked_sub(1).map(|place| part.axes[place]));
    if fortran {
        order.reverse();
    }
    order
}

/// The extents of the batch and the axes, as they lie in memory.
pub(super) fn all_extents(part: &Part) -> Vec<usize> {
    std::iter::once(part.batch_extent).chain(part.extents.iter().copied()).collect()
}

/// The shape of the array: the batch, if there is one, and the axes of the transform.
pub(super) fn shape(part: &Part) -> Vec<u64> {
    let extents = all_extents(part);
    let shape = order(part, false).into_iter().map(|place| extents[place] as u64);
    shape.skip(usize::from(part.batch_extent == 1)).collect()
}

/// Where the bytes of a part are in memory and in the file, in the order of the file.
pub(super) struct Places {
    memory: Runs,
    file: Runs,
}

impl Places {
    pub fn new(part: &Part, element_bytes: usize, fortran: bool) -> Self {
        let (extents, ranges, strides) = (all_extents(part), part.all_ranges(), part.strides(element_bytes));
        let order = order(part, fortran);
        let levels = order.iter().map(|place| [ranges[*place].len(), strides[*place]]).collect();
        let (extents, ranges): (Vec<_>, Vec<_>) = order.iter().map(|place| (extents[*place], ranges[*place].clone())).unzip();
        Self { memory: Runs::of_levels(0, levels, element_bytes), file: Runs::of_box(&extents, &ranges, element_bytes) }
    }

    fn in_chunks(&self, mut work: impl FnMut(Range<usize>) -> io::Result<()>) -> io::Result<()> {
        let all = self.file.bytes();
        // A multiple of every element's size.
        (0..all).step_by(CHUNK).try_for_each(|start| work(start..(start + CHUNK).min(all)))
    }

    /// Writes the part to a file whose elements begin at the byte `begin`.
    pub fn write(&self, mut file: &File, begin: u64, array: &[u8]) -> io::Result<()> {
        self.in_chunks(|part| {
            let bytes = self.memory.pack(array, part.clone());
            let mut rest = &bytes[..];
            for range in self.file.ranges(part) {
                let (own, others) = rest.split_at(range.len());
                file.seek(SeekFrom::Start(begin + range.start as u64))?;
                file.write_all(own)?;
                rest = others;
            }
            Ok(())
        })
    }

    /// Reads the part. `swapped` are the bytes of a number, if they are in another order than this
    /// machine's.
    pub fn read(&self, mut file: &File, begin: u64, swapped: Option<usize>, array: &mut [u8]) -> io::Result<()> {
        self.in_chunks(|part| {
            let mut bytes = vec![0; part.len()];
            let mut rest = &mut bytes[..];
            for range in self.file.ranges(part.clone()) {
                let (own, others) = rest.split_at_mut(range.len());
                file.seek(SeekFrom::Start(begin + range.start as u64))?;
                file.read_exact(own)?;
                rest = others;
            }
            if let Some(number) = swapped {
                bytes.chunks_exact_mut(number).for_each(<[u8]>::reverse);
            }
            self.memory.unpack(&bytes, part.start, array);
            Ok(())
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs::{OpenOptions, remove_file};

    use wgpu_fft::fft::C2c;

    use super::*;
    use crate::JobOptions;

    /// The whole input or output of a transform, as its only rank has it.
    pub fn part(spec: &C2c, input: bool) -> Part {
        let [of_input, of_output] = Part::of_rank(spec, &JobOptions::default(), 0, 1).unwrap();
        if input { of_input } else { of_output }
    }

    #[test]
    fn elements_are_in_the_order_of_the_shape() {
        // [3, 4, 2] in memory, of 2 x 3 x 4.
        let mut transposed = part(&C2c::forward([2, 3, 4]), false);
        assert_eq!((transposed.axes.clone(), shape(&transposed)), (vec![1, 2, 0], vec![2, 3, 4]));
        transposed.padding = 1;
        let array: Vec<u8> = (0..36).collect();
        let read = |fortran| Places::new(&transposed, 1, fortran).memory.pack(&array, 0..24);
        let at = |i, j, k| ((j * 4 + k) * 3 + i) as u8;
        let c: Vec<u8> = (0..24).map(|e| at(e / 12, e / 4 % 3, e % 4)).collect();
        let fortran: Vec<u8> = (0..24).map(|e| at(e % 2, e / 2 % 3, e / 6)).collect();
        assert_eq!((read(false), read(true)), (c, fortran));
    }

    /// A file with holes, which takes no room on the disk.
    #[test]
    fn offsets_may_exceed_32_bits() {
        let mut far = part(&C2c::forward([3, 1 << 30]), true);
        far.ranges = vec![1..3, (1 << 30) - 2..1 << 30];
        let (places, begin) = (Places::new(&far, 8, false), 128);
        let path = std::env::temp_dir().join(format!("wgpu-fft-far-{}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        file.set_len(begin + (3 << 33)).unwrap();
        let array: Vec<u8> = (1..=32).collect();
        places.write(&file, begin, &array).unwrap();
        for (row, expected) in [(2_u64, &array[..16]), (3, &array[16..])] {
            let mut bytes = [0; 16];
            (&file).seek(SeekFrom::Start(begin + (row << 33) - 16)).unwrap();
            (&file).read_exact(&mut bytes).unwrap();
            assert_eq!(bytes, expected);
        }
        let mut read = vec![0; 32];
        places.read(&file, begin, None, &mut read).unwrap();
        remove_file(&path).unwrap();
        assert_eq!(read, array);
    }
}
