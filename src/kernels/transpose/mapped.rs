//! Twin of `shaders/transpose/mapped.wgsl`.

use std::sync::Arc;

use super::{Arrays, Blocks};
use crate::error::Result;
use crate::kernels::{Bind, Dispatch, Form, Generated, Grid, Kernel, params, sources};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Elements along x.
        pub extent_x: u32,
        /// Elements along y.
        pub extent_y: u32,
        /// Blocks along x.
        pub blocks_x: u32,
        /// Blocks along y.
        pub blocks_y: u32,
        /// Workgroups that have work.
        pub groups: u32,
        /// Place of the first element of the input.
        pub input: u32,
        /// Place of the first element of the output.
        pub output: u32,
        /// Extents of the other axes except the last, fastest first.
        pub outer: [u32; 2],
        /// Strides of x and y in the input.
        pub input_x: u32,
        pub input_y: u32,
        /// Strides of the other axes in the input.
        pub input_outer: [u32; 3],
        /// Strides of x and y in the output.
        pub output_x: u32,
        pub output_y: u32,
        /// Strides of the other axes in the output.
        pub output_outer: [u32; 3],
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "transpose/mapped",
    source: &sources::TRANSPOSE_MAPPED,
    appended: &[&[&sources::GRID]],
    params: Params::FIELDS,
    overrides: &[],
};

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

fn blocks([x, y]: [u32; 2], outer: u64, [along_x, along_y]: [u32; 2]) -> Blocks {
    Blocks::new(x.div_ceil(along_x), y.div_ceil(along_y), outer)
}

/// The workgroups for these extents of x and y and `outer` indices of the other axes.
pub(crate) fn grid(extents: [u32; 2], outer: u64, block: [u32; 2], max_groups: u32) -> Result<Grid> {
    blocks(extents, outer, block).grid(max_groups)
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
    let blocks = blocks([params.extent_x, params.extent_y], outer, work.block);
    let params = Params { blocks_x: blocks.x, blocks_y: blocks.y, groups: blocks.groups as u32, ..params };
    let mut binds = if work.in_place { arrays.bind_in_place() } else { arrays.binds() };
    binds.extend(declared);
    let [x, y] = work.workgroup;
    Ok(Dispatch {
        appended: vec![&sources::GRID],
        generated: Some(Generated { text: work.text, form: Form::Mapped(work.block[0] * work.block[1] / (x * y)) }),
        workgroup_bytes: work.memory_bytes,
        ..KERNEL.dispatch(label, &params, blocks.grid(max_groups)?, [x, y, 1], binds)
    })
}
