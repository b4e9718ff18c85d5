//! Single elements of a permutation, looked up in the input, and the tolerance between two correct
//! results.

use super::core::Core;
use crate::plan::Sealed;
use crate::verify::sample::{count, index, spread};
use crate::verify::{Known, Sample, Verification};

/// How far apart the results of two recipes may be if fragments compute in f32, since a driver may
/// round one text differently within another.
const TOLERANCE: f64 = 1e-5;

impl Sealed for Core {
    fn leaves_gaps(&self) -> bool {
        self.output.is_some()
    }

    fn has_wgsl(&self) -> bool {
        self.maps.iter().any(Option::is_some)
    }

    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        let (Ok(geometry), Ok(output_shape)) = (self.geometry(), self.output_shape()) else { return Vec::new() };
        if self.is_mapped() {
            return Vec::new();
        }
        let (input, bytes) = (bytemuck::cast_slice::<_, u8>(input), self.bytes);
        let results: usize = output_shape.extents().iter().product::<usize>() * self.batch;
        let sample = |i: usize| {
            let to = index(output_shape.extents(), i);
            let mut from = to.clone();
            self.order.iter().zip(&to).for_each(|(&axis, &digit)| from[axis] = digit);
            let first = geometry.places.input.place(&from) * bytes;
            let value = Known::Bytes(input.get(first..first + bytes).unwrap_or_default().to_vec());
            Sample { byte: geometry.places.output.place(&to) * bytes, value }
        };
        spread(results, count(1)).map(sample).collect()
    }

    fn verification(&self) -> Verification {
        self.forms().map_or(Verification::EXACT, |[input, output]| Verification::of_forms(input, output, TOLERANCE))
    }
}
