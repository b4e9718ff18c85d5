// Permutation element by element: output[p(i)] = input[q(i)], for strides p and q of up to 5 axes.
//
// This kernel is for permutations that keep the fastest axis, which it copies in whole accesses,
// and for arrays whose elements are not neighbours in memory. The host chooses the widest element
// that divides extents and strides. Invocations lie along x, the fastest axis of the output, and y,
// the next one. The other axes are part of the workgroup's number, so their divisions are the same
// for all invocations. Each invocation moves ELEMENTS elements, WIDTH apart along x.
//
// Grid: one workgroup per WIDTH * ELEMENTS x HEIGHT block; blocks along x, then y, then the other
// axes; folded.
// Traffic: each element once in, once out.
// Requires: ELEMENTS <= 8. The calls are written out for the reason given in tiled.wgsl.
// Rust twin: src/kernels/transpose/strided.rs
// Appended: grid.wgsl, element/word.wgsl | element/pair.wgsl | element/quad.wgsl

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

override WIDTH: u32 = 32u;
override HEIGHT: u32 = 8u;
override ELEMENTS: u32 = 1u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<Element>;
@group(0) @binding(2) var<storage, read_write> output: array<Element>;

/// Moves element `x` of the rows that begin at these indices.
fn move_element(source: u32, target_place: u32, live: bool, x: u32, k: u32) {
    if (k < ELEMENTS && live && x < params.extent_x) {
        output[target_place + x * params.output_x] = input[source + x * params.input_x];
    }
}

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = workgroup_index(group_id, group_count);
    let block_x = index % params.blocks_x;
    let block_y = (index / params.blocks_x) % params.blocks_y;
    let outer = index / (params.blocks_x * params.blocks_y);
    let i_0 = outer % params.outer_0;
    let i_1 = (outer / params.outer_0) % params.outer_1;
    let i_2 = outer / (params.outer_0 * params.outer_1);
    let y = block_y * HEIGHT + local.y;
    let source = params.input + y * params.input_y + i_0 * params.input_outer_0 + i_1 * params.input_outer_1 + i_2 * params.input_outer_2;
    let target_place = params.output + y * params.output_y + i_0 * params.output_outer_0 + i_1 * params.output_outer_1 + i_2 * params.output_outer_2;
    let live = index < params.groups && y < params.extent_y;
    let x = block_x * (WIDTH * ELEMENTS) + local.x;
    move_element(source, target_place, live, x, 0u);
    move_element(source, target_place, live, x + WIDTH, 1u);
    move_element(source, target_place, live, x + 2u * WIDTH, 2u);
    move_element(source, target_place, live, x + 3u * WIDTH, 3u);
    move_element(source, target_place, live, x + 4u * WIDTH, 4u);
    move_element(source, target_place, live, x + 5u * WIDTH, 5u);
    move_element(source, target_place, live, x + 6u * WIDTH, 6u);
    move_element(source, target_place, live, x + 7u * WIDTH, 7u);
}
