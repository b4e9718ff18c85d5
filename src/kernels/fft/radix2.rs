//! Twin of `shaders/fft/radix2.wgsl`.

use super::{Rows, binds, io};
use crate::error::Result;
use crate::kernels::{Dispatch, Grid, Slot, Value, kernel, params, sources};

params! { rows: u32, scale: f32 }

kernel!(FFT_RADIX2, appended: [&[&sources::FFT_COMPLEX], io::SOURCES], overrides: ["N", "ROWS", "LANES", "INVERSE"]);

/// Bytes of workgroup memory for `rows_per_workgroup` rows of `n`.
pub fn workgroup_bytes(n: u32, rows_per_workgroup: u32) -> u64 {
    2 * 8 * u64::from(n) * u64::from(rows_per_workgroup)
}

/// Transforms rows with `lanes` invocations per row.
pub fn dispatch(rows: Rows, rows_per_workgroup: u32, lanes: u32, max_groups: u32, [input, output, roots]: [Slot; 3]) -> Result<Dispatch> {
    let params = Params { rows: rows.rows, scale: rows.scale as f32 };
    let grid = Grid::linear(u64::from(rows.rows.div_ceil(rows_per_workgroup)), max_groups)?;
    let dispatch = KERNEL.dispatch(rows.label(), &params, grid, [lanes, rows_per_workgroup, 1], binds(input, output, roots));
    let dispatch = dispatch.overriding([rows.n.into(), rows_per_workgroup.into(), lanes.into(), Value::Bool(rows.inverse)]);
    let workgroup_bytes = workgroup_bytes(rows.n, rows_per_workgroup);
    Ok(Dispatch { workgroup_bytes, ..dispatch.appending(io::source(input, output)) })
}
