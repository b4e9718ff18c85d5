//! Twin of `shaders/signal/roll.wgsl`.

use super::{Arrays, Params, in_blocks};
use crate::error::Result;
use crate::kernels::element::{self, Width};
use crate::kernels::transpose::planar;
use crate::kernels::{Dispatch, kernel, sources};

kernel!(SIGNAL_ROLL, appended: [&[&sources::SIGNAL_ROLL_ROWS], element::SOURCES], overrides: ["WIDTH", "HEIGHT", "ELEMENTS"]);

/// The most elements that one invocation can move: the number of calls that the WGSL writes out.
pub const MAX_ELEMENTS: u32 = 8;

/// Shifts the axes of `params` with workgroups of `workgroup` invocations along x and y, each of
/// which moves `elements` elements. This function fills in the blocks and groups.
pub fn dispatch(
    label: String,
    params: Params,
    width: Width,
    workgroup: [u32; 2],
    elements: u32,
    max_groups: u32,
    arrays: Arrays,
) -> Result<Dispatch> {
    let [x, y] = workgroup;
    let (params, grid) = in_blocks(params, params.extent_x, u64::from(x) * u64::from(elements), y, max_groups)?;
    Ok(planar(&KERNEL, label, &params, grid, workgroup, Some(elements), arrays.binds()).appending(width.source()))
}
