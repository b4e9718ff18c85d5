//! Twin of `shaders/signal/roll_small.wgsl`.

use super::{Arrays, Params, in_blocks};
use crate::error::Result;
use crate::kernels::transpose::{gather, planar};
use crate::kernels::{Dispatch, kernel, sources};

kernel!(SIGNAL_ROLL_SMALL, appended: [&[&sources::SIGNAL_ROLL_ROWS]], overrides: ["WIDTH", "HEIGHT", "BYTES"]);

/// Shifts the axes of `params`, of elements of `bytes` bytes, with workgroups of `workgroup`
/// invocations along x and y. This function fills in the blocks and groups.
pub fn dispatch(label: String, params: Params, bytes: u32, workgroup: [u32; 2], max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let [x, y] = workgroup;
    let (params, grid) = in_blocks(params, gather::words(params.extent_x, bytes), x.into(), y, max_groups)?;
    Ok(planar(&KERNEL, label, &params, grid, workgroup, Some(bytes), arrays.binds()))
}
