//! Single elements of a shift, looked up in the input.

use super::spec::Core;
use crate::plan::Sealed;
use crate::verify::sample::{count, index, spread};
use crate::verify::{Known, Sample};

impl Sealed for Core {
    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        if self.problem().is_err() {
            return Vec::new();
        }
        let (input, bytes, extents) = (bytemuck::cast_slice::<_, u8>(input), self.bytes, self.shape.extents());
        let each: usize = extents.iter().product();
        let sample = |i: usize| {
            let to = index(extents, i);
            let along = |(axis, &extent): (usize, &usize)| (to[axis] + extent - self.shifts[axis] as usize) % extent;
            let from = extents.iter().enumerate().map(along).zip(extents).fold(0, |place, (k, extent)| place * extent + k);
            let first = (to[extents.len()] * each + from) * bytes;
            Sample { byte: i * bytes, value: Known::Bytes(input.get(first..first + bytes).unwrap_or_default().to_vec()) }
        };
        spread(each * self.batch, count(1)).map(sample).collect()
    }
}
