//! The transforms in f64 on the processor, as the parts of ranks lie.

use rustfft::num_complex::Complex64;
use wgpu_fft_distributed::Order;
use wgpu_fft_tests::reference;
pub use wgpu_fft_tests::reference::{complex_noise, noise, of_half, wide};

/// The transform of all axes, or of the last one alone, of a dense array in natural order.
pub fn dft(values: &[Complex64], extents: &[usize], all_axes: bool, inverse: bool) -> Vec<Complex64> {
    let mut data = values.to_vec();
    let axes: Vec<usize> = (0..extents.len()).filter(|axis| all_axes || axis + 1 == extents.len()).collect();
    reference::dft(&mut data, extents, &axes, inverse);
    data
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
pub fn error<T: Copy + Into<f64>>(actual: &[T], expected: &[f64]) -> f64 {
    if actual.len() != expected.len() {
        return f64::INFINITY;
    }
    let difference: f64 = actual.iter().zip(expected).map(|(actual, expected)| ((*actual).into() - expected).powi(2)).sum();
    let norm: f64 = expected.iter().map(|expected| expected * expected).sum();
    (difference / norm).sqrt()
}

/// 4·u·√log₂n with u = 2⁻²⁴.
pub fn budget(n: usize) -> f64 {
    4.0 * 2f64.powi(-24) * (n as f64).log2().max(1.0).sqrt()
}
