//! Twin of `shaders/fft/halves.wgsl`: half-spectra of rows of reals from the DFTs of their halves,
//! or the reverse.

use std::sync::Arc;

use crate::error::Result;
use crate::kernels::{Bind, Dispatch, Form, Grid, kernel, params};

params! {
    /// Pairs of blocks of all rows.
    lines: u32,
    /// Factor on every element of a half-spectrum that is stored.
    scale: f32,
}

kernel!(FFT_HALVES);

/// Combines the halves of rows of n reals with this text.
pub fn dispatch(
    label: String,
    params: Params,
    invocations: u32,
    n: u32,
    text: Arc<str>,
    max_groups: u32,
    binds: Vec<Bind>,
) -> Result<Dispatch> {
    let grid = Grid::linear(u64::from(params.lines.div_ceil(invocations)), max_groups)?;
    Ok(KERNEL.dispatch(label, &params, grid, [invocations, 1, 1], binds).generated(text, Form::Halves(n), 0))
}
