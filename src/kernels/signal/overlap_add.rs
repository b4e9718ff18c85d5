//! Twin of `shaders/signal/overlap_add.wgsl`.

use crate::error::Result;
use crate::kernels::{Dispatch, Grid, Slot, Value, input_output, kernel, params};

kernel!(SIGNAL_OVERLAP_ADD, overrides: ["WORKGROUP"]);

params! {
    /// `Params` in the WGSL.
    pub struct Params {
        /// Numbers of an element: 1 or 2.
        pub parts: u32,
        /// Elements of a signal.
        pub signal: u32,
        /// Numbers of all signals.
        pub numbers: u32,
        /// Frames of a signal.
        pub frames: u32,
        /// Elements of a frame.
        pub frame: u32,
        /// Elements from one frame to the next.
        pub hop: u32,
        /// By how much frame 0 begins before the signal.
        pub before: u32,
        /// By how much it begins later.
        pub skip: u32,
    }
}

/// Maximum number of invocations of a workgroup.
pub const MAX_WORKGROUP: u32 = 1024;

/// Adds frames with workgroups of `invocations`. The numbers of all signals are at most
/// 2³² - 1 - [`MAX_WORKGROUP`].
pub fn dispatch(label: String, params: Params, invocations: u32, max_groups: u32, slots: [Slot; 2]) -> Result<Dispatch> {
    let grid = Grid::linear(u64::from(params.numbers.div_ceil(invocations)), max_groups)?;
    Ok(Dispatch {
        overrides: vec![("WORKGROUP", Value::U32(invocations))],
        ..KERNEL.dispatch(label, &params, grid, [invocations, 1, 1], input_output(slots[0], slots[1]))
    })
}
