//! Twin of `shaders/transpose/mapped.wgsl`.

use std::sync::Arc;

pub use super::strided::Params;
use super::{Arrays, Blocks};
use crate::error::Result;
use crate::kernels::{Bind, Dispatch, Form, kernel};

kernel!(TRANSPOSE_MAPPED);

/// What a workgroup does.
#[derive(Clone, Debug)]
pub struct Work {
    /// Elements of a block along x and y.
    pub block: [u32; 2],
    /// Invocations along x and y.
    pub workgroup: [u32; 2],
    /// Bytes of its memory.
    pub memory_bytes: u64,
    /// Whether the output is the input.
    pub in_place: bool,
    /// The kernel's text.
    pub text: Arc<str>,
}

/// Moves the elements of `params`, for `outer` indices of the other axes, with the bindings of what
/// fragments declare. This function fills in the blocks and groups.
pub fn dispatch(
    label: String,
    params: Params,
    outer: u64,
    work: Work,
    max_groups: u32,
    arrays: Arrays,
    declared: Vec<Bind>,
) -> Result<Dispatch> {
    let [along_x, along_y] = work.block;
    let blocks = Blocks::new([params.extent_x, params.extent_y], (along_x.into(), along_y), outer);
    let params = Params { blocks_x: blocks.x, blocks_y: blocks.y, groups: blocks.groups as u32, ..params };
    let mut binds = if work.in_place { arrays.bind_in_place() } else { arrays.binds() };
    binds.extend(declared);
    let [x, y] = work.workgroup;
    let form = Form::Mapped(along_x * along_y / (x * y));
    Ok(KERNEL.dispatch(label, &params, blocks.grid(max_groups)?, [x, y, 1], binds).generated(work.text, form, work.memory_bytes))
}
