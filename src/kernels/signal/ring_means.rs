//! Twin of `shaders/signal/ring_means.wgsl`.

use crate::error::Result;
use crate::kernels::{Dispatch, Grid, Slot, input_output, kernel, params};

kernel!(SIGNAL_RING_MEANS, overrides: ["WORKGROUP"]);

params! { rings: u32, parts: u32, means: u32 }

/// The most parts of a ring that an invocation adds: lavapipe (Mesa 22.3.6) leaves longer loops.
pub const MAX_PARTS: u32 = 32_767;

/// Bytes of workgroup memory.
pub fn workgroup_bytes(invocations: u32) -> u64 {
    8 * u64::from(invocations)
}

/// Adds the parts of each ring and divides, with workgroups of `invocations`, a power of two.
pub fn dispatch(params: Params, invocations: u32, max_groups: u32, slots: [Slot; 2]) -> Result<Dispatch> {
    let label = format!("means of {} rings in {} parts", params.means, params.parts);
    let grid = Grid::linear(params.means.into(), max_groups)?;
    let dispatch = KERNEL.dispatch(label, &params, grid, [invocations, 1, 1], input_output(slots[0], slots[1]));
    Ok(Dispatch { workgroup_bytes: workgroup_bytes(invocations), ..dispatch.overriding([invocations]) })
}
