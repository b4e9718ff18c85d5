//! Twin of `shaders/copy.wgsl`.

use super::element::Width;
use super::transpose::Arrays;
use super::{Dispatch, Grid, element, kernel, params};
use crate::error::Result;

params! { length: u32 }

kernel!(COPY, appended: [element::SOURCES], overrides: ["WORKGROUP"]);

/// Maximum number of invocations of a workgroup, which WebGPU guarantees. Invocations share
/// nothing, so larger workgroups have no advantage.
pub const MAX_WORKGROUP: u32 = 256;

/// Copies `length` elements.
pub fn dispatch(length: u32, width: Width, workgroup: u32, max_groups: u32, arrays: Arrays) -> Result<Dispatch> {
    let grid = Grid::linear(u64::from(length.div_ceil(workgroup)), max_groups)?;
    let label = format!("copy of {length} elements");
    let dispatch = KERNEL.dispatch(label, &Params { length }, grid, [workgroup, 1, 1], arrays.binds());
    Ok(dispatch.overriding([workgroup]).appending(width.source()))
}
