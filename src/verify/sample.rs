//! Single elements of a result, computed on the host from the definition.

use super::Format;

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
    /// These numbers, each within the given absolute error.
    Numbers(Format, Vec<f64>, f64),
}

/// A sum of squares that follows from the input, as by Parseval's theorem.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Energy {
    /// From the input.
    pub expected: f64,
    /// From the output.
    pub actual: f64,
    /// How far they may be apart.
    pub within: f64,
}

impl Energy {
    /// The error in parts of the allowed one.
    pub(crate) fn error(&self) -> f64 {
        let error = (self.actual - self.expected).abs() / self.within;
        if error.is_nan() { f64::INFINITY } else { error }
    }
}

/// What an operation may spend on samples: it reads so many elements in all, which takes a tenth of
/// a second.
pub(crate) const MAX_READ: usize = 1 << 22;
/// Samples of an operation that has many results.
const MAX_SAMPLES: usize = 64;

/// How many elements of the result to compute, where each takes `read` elements of the input. Of
/// very long sums there is none.
pub(crate) fn count(read: usize) -> usize {
    const LONGEST: usize = 1 << 24;
    if read > LONGEST { 0 } else { (MAX_READ / read.max(1)).clamp(1, MAX_SAMPLES) }
}

/// Up to `count` indices below `len`, the same each time: the first, the last, and others in no
/// order, or all of them if there are no more.
pub(crate) fn spread(len: usize, count: usize) -> impl Iterator<Item = usize> {
    // Multiples of the golden ratio never come close to a pattern of powers of two.
    let inside = move |i: usize| (((i as u128 * 0x9e37_79b9_7f4a_7c15 % (1 << 64)) * len as u128) >> 64) as usize;
    (0..count.min(len)).map(move |i| match i {
        _ if len <= count => i,
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
    /// How many bytes the element takes.
    pub(crate) fn bytes(&self) -> usize {
        match &self.value {
            Known::Bytes(bytes) => bytes.len(),
            Known::Numbers(format, parts, _) => format.bytes() * parts.len(),
        }
    }

    /// How large the error of this element in an output is, in parts of the allowed one. Of an
    /// element that must be exact, it is 0 or infinite.
    pub(crate) fn error(&self, output: &[u8]) -> f64 {
        match &self.value {
            Known::Bytes(bytes) if output.get(self.byte..self.byte + bytes.len()) == Some(bytes) => 0.0,
            Known::Bytes(_) => f64::INFINITY,
            Known::Numbers(format, parts, within) => {
                let error = |(i, expected): (usize, &f64)| {
                    let error = (self.number(output, *format, i) - expected).abs();
                    // Not `max`, which loses NaN.
                    if error == 0.0 {
                        0.0
                    } else if error.is_finite() && *within > 0.0 {
                        error / within
                    } else {
                        f64::INFINITY
                    }
                };
                parts.iter().enumerate().map(error).fold(0.0, f64::max)
            }
        }
    }

    /// Number `i` of this element in an output; NaN past its end.
    fn number(&self, output: &[u8], format: Format, i: usize) -> f64 {
        let first = self.byte + format.bytes() * i;
        output.get(first..first + format.bytes()).map_or(f64::NAN, |bytes| format.read(bytes))
    }

    /// Whether numbers of a caller's can be judged by it: not where they are so large or so small
    /// that arithmetic in f32 leaves its range, and not signed zeros and subnormal numbers, of
    /// which drivers may make zeros.
    #[must_use]
    pub fn is_ordinary(&self) -> bool {
        match &self.value {
            Known::Bytes(bytes) => match *bytes.as_slice() {
                [a, b, c, d] => u32::from_le_bytes([a, b, c, d]) & 0x7f80_0000 != 0,
                _ => bytes.iter().any(|byte| *byte != 0),
            },
            Known::Numbers(Format::F16, parts, _) => parts.iter().all(|part| part.abs() < 6e4),
            Known::Numbers(_, parts, within) => parts.iter().all(|part| part.abs() < 1e15) && (1e-21..1e15).contains(within),
        }
    }

    /// Checks this element in an output. Returns a description of the error if it is wrong.
    #[must_use]
    pub fn fault(&self, output: &[u32]) -> Option<String> {
        let output: &[u8] = bytemuck::cast_slice(output);
        let at = |first: usize, bytes: usize| output.get(first..first + bytes);
        match &self.value {
            Known::Bytes(bytes) if at(self.byte, bytes.len()) == Some(bytes) => None,
            Known::Bytes(bytes) => {
                Some(format!("the element at byte {} is {:02x?} in place of {bytes:02x?}", self.byte, at(self.byte, bytes.len())))
            }
            Known::Numbers(format, parts, within) => {
                let numbers = parts.iter().enumerate().map(|(i, expected)| (self.number(output, *format, i), expected));
                // A NaN is near nothing.
                let wrong =
                    numbers.map(|(actual, expected)| ((actual - expected).abs() <= *within, actual, expected)).find(|(fine, ..)| !fine);
                wrong.map(|(_, actual, expected)| format!("the number at byte {} is {actual:e} in place of {expected:e}", self.byte))
            }
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
        assert_eq!(sample(4, Known::Numbers(Format::F32, vec![2.0, 3.1], 0.2)).fault(&output), None);
        assert!(sample(4, Known::Numbers(Format::F32, vec![2.0, 3.1], 0.05)).fault(&output).unwrap().contains("3e0 in place of 3.1e0"));
        assert!(sample(8, Known::Numbers(Format::F32, vec![3.0, 4.0], 1.0)).fault(&output).is_some(), "past the end");
        assert!(sample(0, Known::Numbers(Format::F32, vec![f64::NAN], 1.0)).fault(&output).is_some());
        assert_eq!(sample(2, Known::Bytes(vec![0x80, 0x3f])).fault(&output), None);
        assert!(sample(2, Known::Bytes(vec![0x80, 0x40])).fault(&output).is_some());
        let double: Vec<u32> = bytemuck::pod_collect_to_vec(&[2.5f64]);
        assert_eq!(sample(0, Known::Numbers(Format::F64, vec![2.5], 0.0)).fault(&double), None);
        let error = |byte, value| sample(byte, value).error(bytemuck::cast_slice(&output));
        assert!((error(4, Known::Numbers(Format::F32, vec![2.0, 3.1], 0.2)) - 0.5).abs() < 1e-6);
        assert!((error(4, Known::Numbers(Format::F32, vec![2.0, 3.1], 0.05)) - 2.0).abs() < 1e-5);
        for value in [
            Known::Numbers(Format::F32, vec![f64::NAN], 1.0),
            Known::Numbers(Format::F32, vec![3.0, 4.0], 1.0),
            Known::Numbers(Format::F32, vec![3.5], 0.0),
            Known::Bytes(vec![1]),
        ] {
            assert_eq!(error(8, value), f64::INFINITY);
        }
        assert_eq!([error(8, Known::Numbers(Format::F32, vec![3.0], 0.0)), error(2, Known::Bytes(vec![0x80, 0x3f]))], [0.0, 0.0]);
    }

    #[test]
    fn samples_are_spread_and_inside() {
        for len in [1, 2, 7, 64, 1000, 1 << 20] {
            assert!(spread(len, MAX_SAMPLES).all(|i| i < len));
        }
        assert_eq!(spread(7, MAX_SAMPLES).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
        assert!(spread(1 << 20, MAX_SAMPLES).collect::<std::collections::HashSet<_>>().len() == MAX_SAMPLES);
        assert_eq!([count(1), count(1 << 20), count(1 << 24), count((1 << 24) + 1)], [64, 4, 1, 0]);
    }
}
