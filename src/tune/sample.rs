//! Single elements of a result, computed on the host from the definition.

/// An element of the correct result for a given input. It is computed without any recipe.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// Offset of the element in the output, in bytes.
    pub byte: usize,
    /// Its correct value.
    pub value: Known,
}

/// The value of a [`Sample`].
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Known {
    /// Exactly these bytes.
    Bytes(Vec<u8>),
    /// These f32 values, each within the given absolute error.
    F32(Vec<f64>, f64),
    /// These f64 values, each within the given absolute error.
    F64(Vec<f64>, f64),
}

/// What an operation may spend on samples: it reads so many elements in all, which takes a tenth of
/// a second.
pub(crate) const MOST_READ: usize = 1 << 22;
/// Samples of an operation that has many results.
const MOST: usize = 8;

/// How many elements of the result to compute, where each takes `read` elements of the input. Of
/// very long sums there is none.
pub(crate) fn count(read: usize) -> usize {
    const LONGEST: usize = 1 << 24;
    if read > LONGEST { 0 } else { (MOST_READ / read.max(1)).clamp(1, MOST) }
}

/// Indices below `len`, the same each time: the first, the last, and others in no order.
pub(crate) fn spread(len: usize, count: usize) -> impl Iterator<Item = usize> {
    // Multiples of the golden ratio never come close to a pattern of powers of two.
    let inside = move |i: usize| (((i as u128 * 0x9e37_79b9_7f4a_7c15 % (1 << 64)) * len as u128) >> 64) as usize;
    (0..count).map(move |i| match i {
        0 => inside(1),
        1 => len - 1,
        2 => 0,
        _ => inside(i),
    })
}

/// Element `i` of arrays that follow one another densely: its index along each axis and, at last,
/// its array, as [`Placed::place`](crate::layout::Placed::place) takes it.
pub(crate) fn index(extents: &[usize], i: usize) -> Vec<usize> {
    let mut rest = i;
    let mut index = vec![0; extents.len() + 1];
    for (digit, extent) in index.iter_mut().zip(extents).rev() {
        *digit = rest % extent;
        rest /= extent;
    }
    index[extents.len()] = rest;
    index
}

impl Sample {
    /// Checks this element in an output. Returns a description of the error if it is wrong.
    #[must_use]
    pub fn fault(&self, output: &[u32]) -> Option<String> {
        let output: &[u8] = bytemuck::cast_slice(output);
        let at = |first: usize, bytes: usize| output.get(first..first + bytes);
        let near = |expected: &[f64], within: f64, actual: &dyn Fn(usize) -> Option<f64>| {
            let wrong = expected.iter().enumerate().find_map(|(i, &expected)| {
                let actual = actual(i).unwrap_or(f64::NAN);
                // A NaN is near nothing.
                let fine = (actual - expected).abs() <= within;
                (!fine).then_some((actual, expected))
            });
            wrong.map(|(actual, expected)| format!("the number at byte {} is {actual:e} in place of {expected:e}", self.byte))
        };
        match &self.value {
            Known::Bytes(bytes) if at(self.byte, bytes.len()) == Some(bytes) => None,
            Known::Bytes(bytes) => {
                Some(format!("the element at byte {} is {:02x?} in place of {bytes:02x?}", self.byte, at(self.byte, bytes.len())))
            }
            Known::F32(parts, within) => {
                near(parts, *within, &|i| at(self.byte + 4 * i, 4).map(|bytes| bytemuck::pod_read_unaligned::<f32>(bytes).into()))
            }
            Known::F64(parts, within) => near(parts, *within, &|i| at(self.byte + 8 * i, 8).map(bytemuck::pod_read_unaligned::<f64>)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_tell_right_from_wrong() {
        let output: Vec<u32> = [1.0f32, 2.0, 3.0].map(f32::to_bits).to_vec();
        let sample = |byte, value| Sample { byte, value };
        assert_eq!(sample(4, Known::F32(vec![2.0, 3.1], 0.2)).fault(&output), None);
        assert!(sample(4, Known::F32(vec![2.0, 3.1], 0.05)).fault(&output).unwrap().contains("3e0 in place of 3.1e0"));
        assert!(sample(8, Known::F32(vec![3.0, 4.0], 1.0)).fault(&output).is_some(), "past the end");
        assert!(sample(0, Known::F32(vec![f64::NAN], 1.0)).fault(&output).is_some());
        assert_eq!(sample(2, Known::Bytes(vec![0x80, 0x3f])).fault(&output), None);
        assert!(sample(2, Known::Bytes(vec![0x80, 0x40])).fault(&output).is_some());
        let double: Vec<u32> = bytemuck::pod_collect_to_vec(&[2.5f64]);
        assert_eq!(sample(0, Known::F64(vec![2.5], 0.0)).fault(&double), None);
    }

    #[test]
    fn samples_are_spread_and_inside() {
        for len in [1, 2, 7, 1000, 1 << 20] {
            assert!(spread(len, MOST).all(|i| i < len));
        }
        assert!(spread(1 << 20, MOST).collect::<std::collections::HashSet<_>>().len() == MOST);
        assert_eq!([count(1), count(1 << 20), count(1 << 24), count((1 << 24) + 1)], [8, 4, 1, 0]);
    }
}
