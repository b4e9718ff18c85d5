//! Twin of `shaders/transpose/strided.wgsl`.

use super::Arrays;
use crate::error::Result;
use crate::kernels::element::{self, Width};
use crate::kernels::{Dispatch, Grid, HostCall, Kernel, Value, params, sources};

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
        /// Workgroups that have something to do.
        pub groups: u32,
        /// Place of the first element of the input.
        pub input: u32,
        /// Place of the first element of the output.
        pub output: u32,
        /// Extents of the other axes but the last, fastest first.
        pub outer_0: u32,
        /// The second.
        pub outer_1: u32,
        /// Strides in the input.
        pub input_x: u32,
        /// Of y.
        pub input_y: u32,
        /// Of the other axes.
        pub input_0: u32,
        /// The second.
        pub input_1: u32,
        /// The third.
        pub input_2: u32,
        /// Strides in the output.
        pub output_x: u32,
        /// Of y.
        pub output_y: u32,
        /// Of the other axes.
        pub output_0: u32,
        /// The second.
        pub output_1: u32,
        /// The third.
        pub output_2: u32,
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "transpose/strided",
    source: &sources::TRANSPOSE_STRIDED,
    appended: &[&[&sources::GRID], element::SOURCES],
    params: Params::FIELDS,
    overrides: &["WIDTH", "HEIGHT", "ELEMENTS"],
    proven: false,
    mirror,
};

/// Elements that one invocation can move: the calls that the WGSL writes out.
pub const MAX_ELEMENTS: u32 = 8;

/// Who moves what.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    /// Invocations along x and y.
    pub workgroup: [u32; 2],
    /// Elements of an invocation, along x.
    pub elements: u32,
}

/// Moves the elements of `params`, whose blocks and groups it counts, with `outer` indices of the other axes.
///
/// # Errors
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the grid grows too large.
pub fn dispatch(
    label: String,
    params: Params,
    outer: u64,
    width: Width,
    block: Block,
    max_groups: u32,
    arrays: Arrays,
) -> Result<Dispatch> {
    let [x, y] = block.workgroup;
    let blocks_x = u64::from(params.extent_x).div_ceil(u64::from(x) * u64::from(block.elements)) as u32;
    let blocks_y = params.extent_y.div_ceil(y);
    let groups = u64::from(blocks_x) * u64::from(blocks_y) * outer;
    let grid = Grid::linear(groups, max_groups)?;
    let params = Params { blocks_x, blocks_y, groups: groups as u32, ..params };
    Ok(Dispatch {
        label,
        kernel: &KERNEL,
        appended: vec![&sources::GRID, width.source()],
        generated: None,
        overrides: vec![("WIDTH", Value::U32(x)), ("HEIGHT", Value::U32(y)), ("ELEMENTS", Value::U32(block.elements))],
        params: bytemuck::bytes_of(&params).to_vec(),
        grid,
        workgroup: [x, y, 1],
        workgroup_bytes: 0,
        binds: arrays.binds(),
    })
}

fn mirror(call: &mut HostCall<'_>) {
    let params: Params = call.params();
    let words = Width::of_dispatch(call.dispatch).words();
    let (x, y) = (call.constant("WIDTH") as u32 * call.constant("ELEMENTS") as u32, call.constant("HEIGHT") as u32);
    let input = call.input();
    for group in 0..params.groups {
        let (block_x, block_y) = (group % params.blocks_x, group / params.blocks_x % params.blocks_y);
        let outer = group / (params.blocks_x * params.blocks_y);
        let outer = [outer % params.outer_0, outer / params.outer_0 % params.outer_1, outer / (params.outer_0 * params.outer_1)];
        for y in block_y * y..((block_y + 1) * y).min(params.extent_y) {
            for x in block_x * x..(block_x + 1).saturating_mul(x).min(params.extent_x) {
                let at = |first: u32, strides: [u32; 5]| {
                    let place: u32 = [x, y, outer[0], outer[1], outer[2]].iter().zip(strides).map(|(i, stride)| i * stride).sum();
                    (first + place) as usize * words
                };
                let from = at(params.input, [params.input_x, params.input_y, params.input_0, params.input_1, params.input_2]);
                let to = at(params.output, [params.output_x, params.output_y, params.output_0, params.output_1, params.output_2]);
                call.output()[to..to + words].copy_from_slice(&input[from..from + words]);
            }
        }
    }
}
