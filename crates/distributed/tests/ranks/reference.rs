//! The transforms in f64 on the processor, by definition of their arrays.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex64;
use wgpu_fft_distributed::Order;
use wgpu_fft_distributed::wgpu_fft::Complex32;

/// Random numbers from a seed, evenly between -1 and 1.
pub fn noise(seed: u64, len: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

pub fn complex_noise(seed: u64, len: usize) -> Vec<Complex32> {
    noise(seed, 2 * len).chunks_exact(2).map(|pair| Complex32::new(pair[0], pair[1])).collect()
}

pub fn to_f64(values: &[Complex32]) -> Vec<Complex64> {
    values.iter().map(|value| Complex64::new(value.re.into(), value.im.into())).collect()
}

/// The transform of all axes, or of the last one alone, of a dense array in natural order.
pub fn dft(values: &[Complex64], extents: &[usize], all_axes: bool, inverse: bool) -> Vec<Complex64> {
    let mut data = values.to_vec();
    let mut planner = FftPlanner::new();
    for axis in (0..extents.len()).filter(|axis| all_axes || axis + 1 == extents.len()) {
        let n = extents[axis];
        let fft = if inverse { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) };
        let stride: usize = extents[axis + 1..].iter().product();
        let mut line = vec![Complex64::default(); n];
        for begin in (0..data.len()).filter(|i| (i / stride).is_multiple_of(n)) {
            for (k, value) in line.iter_mut().enumerate() {
                *value = data[begin + k * stride];
            }
            fft.process(&mut line);
            for (k, value) in line.iter().enumerate() {
                data[begin + k * stride] = *value;
            }
        }
    }
    data
}

/// The first `keep` of every row.
pub fn halved<T: Copy>(values: &[T], row: usize, keep: usize) -> Vec<T> {
    values.chunks_exact(row).flat_map(|row| row[..keep].iter().copied()).collect()
}

/// Axis 0 last, as transposed frequencies lie; as it is in natural order, and for one axis.
pub fn arranged<T: Copy>(values: &[T], extents: &[usize], order: Order) -> Vec<T> {
    if extents.len() == 1 || order == Order::Natural {
        return values.to_vec();
    }
    let (rows, rest) = (extents[0], extents[1..].iter().product::<usize>());
    (0..rest).flat_map(|i| (0..rows).map(move |row| values[row * rest + i])).collect()
}

/// Relative error in the two-norm.
pub fn error(actual: &[f32], expected: &[f64]) -> f64 {
    if actual.len() != expected.len() {
        return f64::INFINITY;
    }
    let difference: f64 = actual.iter().zip(expected).map(|(actual, expected)| (f64::from(*actual) - expected).powi(2)).sum();
    let norm: f64 = expected.iter().map(|expected| expected * expected).sum();
    (difference / norm).sqrt()
}

/// 4·u·√log₂n with u = 2⁻²⁴.
pub fn budget(n: usize) -> f64 {
    4.0 * 2f64.powi(-24) * (n as f64).log2().max(1.0).sqrt()
}
