//! Twin of `shaders/transpose/gather.wgsl`.

use super::Arrays;
use crate::error::Result;
use crate::kernels::{Dispatch, Grid, HostCall, Kernel, Value, params, sources};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Elements of a row.
        pub extent_x: u32,
        /// Rows along the next axis.
        pub extent_y: u32,
        /// Words of a row at most.
        pub words: u32,
        /// Blocks along a row.
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
        /// The third.
        pub outer_2: u32,
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
        /// The fourth.
        pub input_3: u32,
        /// Strides in the output; that of x is 1.
        pub output_y: u32,
        /// Of the other axes.
        pub output_0: u32,
        /// The second.
        pub output_1: u32,
        /// The third.
        pub output_2: u32,
        /// The fourth.
        pub output_3: u32,
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "transpose/gather",
    source: &sources::TRANSPOSE_GATHER,
    appended: &[&[&sources::GRID]],
    params: Params::FIELDS,
    overrides: &["WIDTH", "HEIGHT", "BYTES"],
    proven: false,
    mirror,
};

/// Fills the rows of `params`, whose words, blocks and groups it counts, with `outer` indices of the other axes and elements of `bytes` bytes.
///
/// # Errors
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the grid grows too large.
pub fn dispatch(
    label: String,
    params: Params,
    outer: u64,
    bytes: u32,
    workgroup: [u32; 2],
    max_groups: u32,
    arrays: Arrays,
) -> Result<Dispatch> {
    let per_word = 4 / bytes;
    // Of a row that begins at a word's last element.
    let words = (u64::from(params.extent_x) + u64::from(per_word) - 1).div_ceil(u64::from(per_word)) as u32;
    let (blocks_x, blocks_y) = (words.div_ceil(workgroup[0]), params.extent_y.div_ceil(workgroup[1]));
    let groups = u64::from(blocks_x) * u64::from(blocks_y) * outer;
    let grid = Grid::linear(groups, max_groups)?;
    let params = Params { words, blocks_x, blocks_y, groups: groups as u32, ..params };
    Ok(Dispatch {
        label,
        kernel: &KERNEL,
        appended: vec![&sources::GRID],
        generated: None,
        overrides: vec![("WIDTH", Value::U32(workgroup[0])), ("HEIGHT", Value::U32(workgroup[1])), ("BYTES", Value::U32(bytes))],
        params: bytemuck::bytes_of(&params).to_vec(),
        grid,
        workgroup: [workgroup[0], workgroup[1], 1],
        workgroup_bytes: 0,
        binds: arrays.binds(),
    })
}

fn mirror(call: &mut HostCall<'_>) {
    let params: Params = call.params();
    let bytes = call.constant("BYTES");
    let [width, height] = ["WIDTH", "HEIGHT"].map(|name| call.constant(name) as u32);
    let per_word = 4 / bytes as u32;
    let input = call.input();
    let input: &[u8] = bytemuck::cast_slice(&input);
    let output: &mut [u8] = bytemuck::cast_slice_mut(call.output());
    for group in 0..params.groups {
        let (block_x, block_y) = (group % params.blocks_x, group / params.blocks_x % params.blocks_y);
        let mut outer = group / (params.blocks_x * params.blocks_y);
        let indices = [params.outer_0, params.outer_1, params.outer_2, u32::MAX].map(|extent| {
            let index = outer % extent;
            outer /= extent;
            index
        });
        for y in block_y * height..((block_y + 1) * height).min(params.extent_y) {
            let at = |first: u32, strides: [u32; 5]| {
                first + y * strides[0] + indices.iter().zip(&strides[1..]).map(|(i, stride)| i * stride).sum::<u32>()
            };
            let source = at(params.input, [params.input_y, params.input_0, params.input_1, params.input_2, params.input_3]);
            let row = at(params.output, [params.output_y, params.output_0, params.output_1, params.output_2, params.output_3]);
            for word in block_x * width..((block_x + 1) * width).min(params.words) {
                for k in 0..per_word {
                    let x = (word * per_word).wrapping_sub(row % per_word).wrapping_add(k);
                    if x < params.extent_x {
                        let (from, to) = ((source + x * params.input_x) as usize * bytes, (row + x) as usize * bytes);
                        output[to..to + bytes].copy_from_slice(&input[from..from + bytes]);
                    }
                }
            }
        }
    }
}
