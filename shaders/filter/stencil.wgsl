// Sums of products of neighbouring elements and taps: output[i] = sum of tap[t] * input[i + t -
// before], along rows, down columns, or over both.
//
// A workgroup computes a tile of the output. It loads the part of the input that the tile depends
// on into workgroup memory, where each element is read once for every tap. Elements outside the
// array are replaced while they are loaded, so the sums need not know the edges. An invocation
// computes several neighbouring outputs and keeps the elements that they share in registers. Two
// stages, first along rows and then down columns, exchange a second tile. Without workgroup memory,
// each invocation reads the input itself.
//
// A sum is formed in the order of its taps, whatever the tile.
//
// The text between the markers is written by src/signal/filter/emit.rs; here 5 taps along rows,
// with zeros outside.
//
// Grid: one workgroup per tile; tiles along rows, then down, then by plane; folded.
// Traffic: each element once in, and again for every other tile that reaches it; each once out.
// Workgroup memory: the tile and what is around it, for each stage.
// Rust twin: src/kernels/filter/stencil.rs
// Appended: grid.wgsl, filter/edges.wgsl

struct Params {
    rows: u32,
    /// Accesses per row.
    columns: u32,
    output_rows: u32,
    output_columns: u32,
    planes: u32,
    tiles_down: u32,
    tiles_along: u32,
    /// Where the taps of each stage begin.
    taps_0: u32,
    taps_1: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

// <generated>
const WORKGROUP = 256u;

@group(0) @binding(1) var<storage, read> input: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> taps: array<f32>;
var<workgroup> tile0: array<vec4<f32>, 258>;

/// Access i of the input.
fn access(i: u32) -> vec4<f32> {
    return input[i];
}

/// The access in this row and column of a plane. Indices are counted modulo 2³² and may lie outside.
fn fetch(plane: u32, row: u32, column: u32) -> vec4<f32> {
    let inside_row = min(row, params.rows - 1u);
    let begin = (plane * params.rows + inside_row) * params.columns;
    var value = vec4<f32>();
    if (column < params.columns) {
        value = access(begin + column);
    }
    return value;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let index = workgroup_index(group_id, group_count);
    let column = index % params.tiles_along * 256u;
    let row = index / params.tiles_along % params.tiles_down;
    let plane = index / (params.tiles_along * params.tiles_down);
    let live = plane < params.planes;
    let own_plane = min(plane, params.planes - 1u);
    tile0[t] = fetch(own_plane, row, column + t - 1u);
    if (t + 256u < 258u) {
        let item = t + 256u;
        tile0[item] = fetch(own_plane, row, column + item - 1u);
    }
    workgroupBarrier();
    var sum0 = f32();
    var sum1 = f32();
    var sum2 = f32();
    var sum3 = f32();
    let x = tile0[t];
    let x_2 = tile0[t + 1u];
    let x_3 = tile0[t + 2u];
    let tap = taps[params.taps_0];
    sum0 = sum0 + tap * x.z;
    sum1 = sum1 + tap * x.w;
    sum2 = sum2 + tap * x_2.x;
    sum3 = sum3 + tap * x_2.y;
    let tap_2 = taps[params.taps_0 + 1u];
    sum0 = sum0 + tap_2 * x.w;
    sum1 = sum1 + tap_2 * x_2.x;
    sum2 = sum2 + tap_2 * x_2.y;
    sum3 = sum3 + tap_2 * x_2.z;
    let tap_3 = taps[params.taps_0 + 2u];
    sum0 = sum0 + tap_3 * x_2.x;
    sum1 = sum1 + tap_3 * x_2.y;
    sum2 = sum2 + tap_3 * x_2.z;
    sum3 = sum3 + tap_3 * x_2.w;
    let tap_4 = taps[params.taps_0 + 3u];
    sum0 = sum0 + tap_4 * x_2.y;
    sum1 = sum1 + tap_4 * x_2.z;
    sum2 = sum2 + tap_4 * x_2.w;
    sum3 = sum3 + tap_4 * x_3.x;
    let tap_5 = taps[params.taps_0 + 4u];
    sum0 = sum0 + tap_5 * x_2.z;
    sum1 = sum1 + tap_5 * x_2.w;
    sum2 = sum2 + tap_5 * x_3.x;
    sum3 = sum3 + tap_5 * x_3.y;
    if (live && row < params.output_rows && column + t < params.output_columns) {
        output[(own_plane * params.output_rows + row) * params.output_columns + (column + t)] = vec4<f32>(sum0, sum1, sum2, sum3);
    }
}
// </generated>
