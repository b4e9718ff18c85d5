//! Compares arrays bit by bit.

use wgpu_fft::Element;

/// The first element that differs in any bit.
pub fn first_difference<T: Element>(actual: &[T], expected: &[T]) -> Option<usize> {
    assert_eq!(actual.len(), expected.len());
    (0..actual.len()).find(|&i| bytemuck::bytes_of(&actual[i]) != bytemuck::bytes_of(&expected[i]))
}

/// Fails unless all bits are equal.
pub fn assert_equal_bits<T: Element>(actual: &[T], expected: &[T], context: &str) {
    if let Some(i) = first_difference(actual, expected) {
        let [actual, expected] = [actual, expected].map(|data| bytemuck::bytes_of(&data[i]));
        panic!("{context}: element {i} is {actual:02x?}, expected {expected:02x?}");
    }
}
