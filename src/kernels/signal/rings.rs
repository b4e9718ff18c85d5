//! Twin of `shaders/signal/rings.wgsl`.

use std::sync::Arc;

use crate::error::Result;
use crate::kernels::{Bind, Dispatch, Form, Grid, Slot, input_output, kernel, params};

kernel!(SIGNAL_RINGS, overrides: ["WORKGROUP"]);

params! {
    lines_of: [u32; 2],
    columns: u32,
    zero: [u32; 3],
    positive: u32,
    negative: u32,
    mirror: u32,
    weight: [u32; 3],
    unit: u32,
    rings: u32,
    parts: u32,
    /// Lines of a part, at most [`MAX_LINES`].
    lines: u32,
    blocks: u32,
    groups: u32,
}

/// The most lines of a part: lavapipe (Mesa 22.3.6) leaves longer loops.
pub const MAX_LINES: u32 = 32_767;

/// How elements are read.
#[derive(Debug)]
pub struct Elements {
    /// The generated text.
    pub text: Arc<str>,
    /// The bindings of what a fragment declares.
    pub declared: Vec<Bind>,
}

/// Adds the elements of each ring in each part, of `batch` arrays, with workgroups of
/// `invocations`. This function fills in the blocks and groups. The sums of all parts are less than
/// 2³².
pub fn dispatch(
    label: String,
    params: Params,
    batch: u32,
    elements: Elements,
    invocations: u32,
    max_groups: u32,
    slots: [Slot; 2],
) -> Result<Dispatch> {
    let blocks = params.rings.div_ceil(invocations);
    let groups = u64::from(blocks) * u64::from(params.parts) * u64::from(batch);
    let grid = Grid::linear(groups, max_groups)?;
    let params = Params { blocks, groups: groups as u32, ..params };
    let mut binds = input_output(slots[0], slots[1]);
    binds.extend(elements.declared);
    let dispatch = KERNEL.dispatch(label, &params, grid, [invocations, 1, 1], binds).overriding([invocations]);
    Ok(dispatch.generated(elements.text, Form::Rings, 0))
}
