//! Twin of `shaders/fft/probe_double.wgsl`: whether a device computes what `fft/double` says.

use crate::error::Result;
use crate::kernels::{Dispatch, Grid, Slot, input_output, kernel, params, sources};

params! {
    /// Pairs of numbers.
    lines: u32,
}

kernel!(FFT_PROBE_DOUBLE, appended: [&[&sources::FFT_DOUBLE]]);

/// Results of a pair.
pub const RESULTS: usize = 5;

/// Invocations of a workgroup.
const WORKGROUP: u32 = 64;

/// The results of this many pairs.
pub fn dispatch(pairs: u32) -> Result<Dispatch> {
    let grid = Grid::linear(pairs.div_ceil(WORKGROUP).into(), u32::from(u16::MAX))?;
    let binds = input_output(Slot::Input(0), Slot::Output);
    let dispatch = KERNEL.dispatch("arithmetic of two f32".to_owned(), &Params { lines: pairs }, grid, [WORKGROUP, 1, 1], binds);
    Ok(Dispatch { appended: vec![&sources::GRID, &sources::FFT_DOUBLE], ..dispatch })
}
