// Cyclic shift of up to 5 axes: output[k] = input[(k - shift) mod extent] along each axis.
//
// Elements are as wide as extents and shifts allow. Invocations lie along x, the fastest axis, and
// y, the next one. The other axes are part of the workgroup's number, so their divisions are the
// same for all invocations. Each invocation moves ELEMENTS elements, WIDTH apart along x.
//
// Grid: one workgroup per WIDTH * ELEMENTS x HEIGHT block; blocks along x, then y, then the other
// axes; folded.
// Traffic: each element once in, once out.
// Requires: ELEMENTS <= 8. The calls are written out for the reason given in transpose/tiled.wgsl.
// Rust twin: src/kernels/signal/roll.rs
// Appended: grid.wgsl, signal/roll_rows.wgsl, element/word.wgsl | element/pair.wgsl | element/quad.wgsl

override WIDTH: u32 = 64u;
override HEIGHT: u32 = 4u;
override ELEMENTS: u32 = 2u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<Element>;
@group(0) @binding(2) var<storage, read_write> output: array<Element>;

fn move_element(row: Row, x: u32, k: u32) {
    if (k < ELEMENTS && row.live && x < params.extent_x) {
        output[row.place + x] = input[row.source + shifted(x, params.shift_x, params.extent_x)];
    }
}

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = workgroup_index(group_id, group_count);
    let row = row_of(index, HEIGHT, local.y);
    let x = index % params.blocks_x * (WIDTH * ELEMENTS) + local.x;
    move_element(row, x, 0u);
    move_element(row, x + WIDTH, 1u);
    move_element(row, x + 2u * WIDTH, 2u);
    move_element(row, x + 3u * WIDTH, 3u);
    move_element(row, x + 4u * WIDTH, 4u);
    move_element(row, x + 5u * WIDTH, 5u);
    move_element(row, x + 6u * WIDTH, 6u);
    move_element(row, x + 7u * WIDTH, 7u);
}
