// Transpose, variant 1: output[b, c, r] = input[b, r, c], one element per invocation, no workgroup
// memory.
//
// Loads go along rows and are contiguous; stores are `rows` elements apart. This is the baseline of
// the transpose variants. It is the best choice on adapters whose workgroup memory is ordinary
// memory and whose barriers are expensive.
//
// Grid: one workgroup per WIDTH x HEIGHT block of one matrix; blocks left to right, then down, then
// by matrix; folded.
// Traffic: each element once in, once out; the stores of a workgroup touch WIDTH short pieces.
// Rust twin: src/kernels/transpose/naive.rs
// Appended: grid.wgsl, element/word.wgsl | element/pair.wgsl | element/quad.wgsl

struct Params {
    rows: u32,
    columns: u32,
    batch: u32,
    /// Blocks along a row of the input.
    blocks_x: u32,
    /// Blocks along a column of the input.
    blocks_y: u32,
}

override WIDTH: u32 = 16u;
override HEIGHT: u32 = 16u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<Element>;
@group(0) @binding(2) var<storage, read_write> output: array<Element>;

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let block = workgroup_index(group_id, group_count);
    let block_x = block % params.blocks_x;
    let block_y = (block / params.blocks_x) % params.blocks_y;
    let b = block / (params.blocks_x * params.blocks_y);
    let c = block_x * WIDTH + local.x;
    let r = block_y * HEIGHT + local.y;
    if (b < params.batch && r < params.rows && c < params.columns) {
        let matrix = b * params.rows * params.columns;
        output[matrix + c * params.rows + r] = input[matrix + r * params.columns + c];
    }
}
