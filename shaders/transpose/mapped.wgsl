// Permutation with fragments: output[p(i)] = g(f(input[q(i)])), for strides p and q of up to 5 axes
// and functions f and g of the caller's, which may depend on the element's index on each axis.
//
// x is the fastest axis of the output, y the fastest of the input or, if that is x as well, the
// next one of the output. Either each element is stored directly, with neighbouring invocations
// along x. Or a tile goes through workgroup memory: it is loaded with neighbours along y and stored
// with neighbours along x, so that both are contiguous. Elements are moved one by one, because
// those of input and output may have different sizes. In place, a workgroup exchanges a tile and
// its mirror image; the workgroups on one side of the diagonal have nothing to do.
//
// Grid: one workgroup per block; blocks along x, then y, then the other axes; folded.
// Traffic: each element once in, once out. Workgroup memory: the tile with its padding; in place
// two of them.
// The text between the markers is written by src/transpose/mapped/emit.rs.
// Rust twin: src/kernels/transpose/mapped.rs
// Appended: grid.wgsl

struct Params {
    extent_x: u32,
    extent_y: u32,
    blocks_x: u32,
    blocks_y: u32,
    /// Workgroups that have work to do.
    groups: u32,
    /// Indices of the first elements.
    input: u32,
    output: u32,
    /// Extents of the other axes, except the last.
    outer_0: u32,
    outer_1: u32,
    /// Strides in the input.
    input_x: u32,
    input_y: u32,
    input_outer_0: u32,
    input_outer_1: u32,
    input_outer_2: u32,
    /// Strides in the output.
    output_x: u32,
    output_y: u32,
    output_outer_0: u32,
    output_outer_1: u32,
    output_outer_2: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

// <generated>
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;
var<workgroup> memory: array<f32, 1056>;

fn wgpu_fft_map_input(value: u32, i0: u32, n0: u32) -> f32 {
    return (
(1.0 - f32(i0) / f32(n0)) * f32(value) / 255.0
    );
}

@compute @workgroup_size(32, 8)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = workgroup_index(group_id, group_count);
    let block_x = index % params.blocks_x;
    let block_y = index / params.blocks_x % params.blocks_y;
    let input_begin = params.input;
    let output_begin = params.output;
    let extent_x = select(0u, params.extent_x, index < params.groups);
    let begin = block_x * 32u;
    let begin_2 = block_y * 32u;
    let row = local.y;
    let row_2 = local.y + 8u;
    let row_3 = local.y + 16u;
    let row_4 = local.y + 24u;
    let x = begin + row;
    let y = begin_2 + local.x;
    if (x < extent_x && y < params.extent_y) {
        let load_from = input_begin + x * params.input_x + y * params.input_y;
        let word = input[load_from / 4u];
        let number = (word >> (load_from % 4u * 8u)) & 255u;
        let mapped = wgpu_fft_map_input(number, x, 1080u);
        memory[row * 33u + local.x] = mapped;
    }
    let x_2 = begin + row_2;
    let y_2 = begin_2 + local.x;
    if (x_2 < extent_x && y_2 < params.extent_y) {
        let load_from_2 = input_begin + x_2 * params.input_x + y_2 * params.input_y;
        let word_2 = input[load_from_2 / 4u];
        let number_2 = (word_2 >> (load_from_2 % 4u * 8u)) & 255u;
        let mapped_2 = wgpu_fft_map_input(number_2, x_2, 1080u);
        memory[row_2 * 33u + local.x] = mapped_2;
    }
    let x_3 = begin + row_3;
    let y_3 = begin_2 + local.x;
    if (x_3 < extent_x && y_3 < params.extent_y) {
        let load_from_3 = input_begin + x_3 * params.input_x + y_3 * params.input_y;
        let word_3 = input[load_from_3 / 4u];
        let number_3 = (word_3 >> (load_from_3 % 4u * 8u)) & 255u;
        let mapped_3 = wgpu_fft_map_input(number_3, x_3, 1080u);
        memory[row_3 * 33u + local.x] = mapped_3;
    }
    let x_4 = begin + row_4;
    let y_4 = begin_2 + local.x;
    if (x_4 < extent_x && y_4 < params.extent_y) {
        let load_from_4 = input_begin + x_4 * params.input_x + y_4 * params.input_y;
        let word_4 = input[load_from_4 / 4u];
        let number_4 = (word_4 >> (load_from_4 % 4u * 8u)) & 255u;
        let mapped_4 = wgpu_fft_map_input(number_4, x_4, 1080u);
        memory[row_4 * 33u + local.x] = mapped_4;
    }
    workgroupBarrier();
    let x_5 = begin + local.x;
    let y_5 = begin_2 + row;
    if (x_5 < extent_x && y_5 < params.extent_y) {
        let value = memory[local.x * 33u + row];
        let store_to = output_begin + x_5 * params.output_x + y_5 * params.output_y;
        output[store_to] = value;
    }
    let x_6 = begin + local.x;
    let y_6 = begin_2 + row_2;
    if (x_6 < extent_x && y_6 < params.extent_y) {
        let value_2 = memory[local.x * 33u + row_2];
        let store_to_2 = output_begin + x_6 * params.output_x + y_6 * params.output_y;
        output[store_to_2] = value_2;
    }
    let x_7 = begin + local.x;
    let y_7 = begin_2 + row_3;
    if (x_7 < extent_x && y_7 < params.extent_y) {
        let value_3 = memory[local.x * 33u + row_3];
        let store_to_3 = output_begin + x_7 * params.output_x + y_7 * params.output_y;
        output[store_to_3] = value_3;
    }
    let x_8 = begin + local.x;
    let y_8 = begin_2 + row_4;
    if (x_8 < extent_x && y_8 < params.extent_y) {
        let value_4 = memory[local.x * 33u + row_4];
        let store_to_4 = output_begin + x_8 * params.output_x + y_8 * params.output_y;
        output[store_to_4] = value_4;
    }
}
// </generated>
