//! Permutations in parts, for code that computes one on several devices.

use std::marker::PhantomData;

use super::Permute;
use crate::error::Result;

/// The extents of the input and the order of its axes, each with the batch first. `None` unless
/// input and output are two dense arrays.
///
/// # Errors
/// If the order is not a permutation of the axes.
pub fn dense_axes<T>(whole: &Permute<T>) -> Result<Option<(Vec<usize>, Vec<usize>)>> {
    whole.core.dense_axes()
}

/// The same permutation with another extent of one axis, numbered as in [`dense_axes`].
pub fn with_extent<T>(whole: &Permute<T>, axis: usize, extent: usize) -> Permute<T> {
    Permute { core: whole.core.with_extent(axis, extent), element: PhantomData }
}
