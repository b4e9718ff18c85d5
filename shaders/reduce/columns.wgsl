// Reduction of rows to one row: output[plane, part, column] = combine of that column's elements in
// a part of the rows.
//
// Neighbouring invocations take neighbouring accesses of a row, so loads are contiguous. An
// invocation walks down its WIDTH columns in steps of LANES rows, with several loads in flight.
// Then the values of the lanes are combined in a tree through workgroup memory. If the rows are in
// several parts, a second dispatch reduces the parts' results, which are rows again.
//
// Columns, rows and planes may lie anywhere that strides can say.
//
// The text between the markers has the types and the arithmetic of one operator, the places of
// planes and rows, and the loop; here the sum of f32.
//
// Grid: one workgroup for WORKGROUP / LANES accesses of a part of the rows of a plane; columns,
// then parts, then planes; folded.
// Traffic: each element once in, a row of results for each part out. Workgroup memory: WORKGROUP *
// WIDTH values, or none.
// Requires: LANES and WORKGROUP are powers of two.
// Rust twin: src/kernels/reduce/columns.rs
// Appended: grid.wgsl, reduce/rank_f32.wgsl | reduce/rank_pair.wgsl | reduce/rank_i32.wgsl | reduce/rank_u32.wgsl, reduce/difference_f32.wgsl | reduce/difference_complex.wgsl, reduce/scale.wgsl, reduce/share.wgsl

struct Params {
    /// Accesses per row.
    columns: u32,
    /// Parts of the rows, each with a row of results.
    parts: u32,
    /// Rows per part. The last part has the rest.
    chunk: u32,
    /// Number of planes, each of which is reduced to a row.
    planes: u32,
    /// Index of the first of these planes.
    first_plane: u32,
    /// The rows to reduce begin and end here.
    begin: u32,
    end: u32,
    /// Stride of the accesses of a row.
    column_stride: u32,
    /// Extents of the dimensions of planes, fastest first, except the slowest, and their strides.
    kept_extents_0: u32,
    kept_extents_1: u32,
    kept_strides_0: u32,
    kept_strides_1: u32,
    kept_strides_2: u32,
    /// The same of the reduced dimensions.
    reduced_extents_0: u32,
    reduced_extents_1: u32,
    reduced_extents_2: u32,
    reduced_strides_0: u32,
    reduced_strides_1: u32,
    reduced_strides_2: u32,
    reduced_strides_3: u32,
    /// Where plane 0 begins in the array.
    first_access: u32,
    /// Where the bound range begins in the array.
    bound: u32,
    /// Index of the first row.
    first_index: u32,
    /// Index of the first result.
    first_result: u32,
    /// 0.
    zero: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

// <generated>
const WORKGROUP = 128u;
const WIDTH = 4u;
const LANES = 8u;

alias Value = f32;
alias Result = f32;

@group(0) @binding(1) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> output: array<Result>;

/// The value of element j of what is reduced.
fn map_element(x: f32, j: u32) -> f32 {
    return x;
}

fn combine(a: f32, b: f32) -> f32 {
    return a + b;
}

/// A value combined with it stays as it is.
fn identity() -> f32 {
    return f32();
}

fn finish(v: f32) -> f32 {
    return v;
}

// The values of the elements of an access.
struct Values {
    v0: f32,
    v1: f32,
    v2: f32,
    v3: f32,
}

/// The values of access `at`, whose first element is element j of what is reduced.
fn load(at: u32, j: u32) -> Values {
    let x = input[at];
    return Values(map_element(bitcast<f32>(x.x), j), map_element(bitcast<f32>(x.y), j), map_element(bitcast<f32>(x.z), j), map_element(bitcast<f32>(x.w), j));
}

fn combine_values(a: Values, b: Values) -> Values {
    return Values(combine(a.v0, b.v0), combine(a.v1, b.v1), combine(a.v2, b.v2), combine(a.v3, b.v3));
}

/// Where plane k begins.
fn kept_place(k: u32) -> u32 {
    return 0u;
}

fn load_step(base: u32, i: u32) -> Values {
    return load(base + i * params.reduced_strides_0, params.first_index + i);
}

/// Combines the elements of a result, from `begin` to `end`, that belong to `lane`.
fn walk(base: u32, result: u32, begin: u32, end: u32, lane: u32) -> Values {
    var i = begin + lane;
    var total0 = Values(identity(), identity(), identity(), identity());
    let whole = (end - begin) / (LANES * 4u);
    for (var step = 0u; step < whole; step++) {
        let x0 = load_step(base, i);
        let x1 = load_step(base, i + LANES);
        let x2 = load_step(base, i + LANES * 2u);
        let x3 = load_step(base, i + LANES * 3u);
        total0 = combine_values(total0, x0);
        total0 = combine_values(total0, x1);
        total0 = combine_values(total0, x2);
        total0 = combine_values(total0, x3);
        i += LANES * 4u;
    }
    for (; i < end; i += LANES) {
        total0 = combine_values(total0, load_step(base, i));
    }
    return total0;
}

var<workgroup> lanes0: array<f32, 128>;
var<workgroup> lanes1: array<f32, 128>;
var<workgroup> lanes2: array<f32, 128>;
var<workgroup> lanes3: array<f32, 128>;

/// Combines the values of neighbouring lanes; lane 0 knows the result.
fn over_lanes(own: Values, t: u32, lane: u32) -> Values {
    var result = own;
    lanes0[t] = result.v0;
    lanes1[t] = result.v1;
    lanes2[t] = result.v2;
    lanes3[t] = result.v3;
    workgroupBarrier();
    if (lane < 1u) {
        result.v0 = combine(combine(combine(lanes0[t], lanes0[t + 64u]), combine(lanes0[t + 32u], lanes0[t + 96u])), combine(combine(lanes0[t + 16u], lanes0[t + 80u]), combine(lanes0[t + 48u], lanes0[t + 112u])));
        result.v1 = combine(combine(combine(lanes1[t], lanes1[t + 64u]), combine(lanes1[t + 32u], lanes1[t + 96u])), combine(combine(lanes1[t + 16u], lanes1[t + 80u]), combine(lanes1[t + 48u], lanes1[t + 112u])));
        result.v2 = combine(combine(combine(lanes2[t], lanes2[t + 64u]), combine(lanes2[t + 32u], lanes2[t + 96u])), combine(combine(lanes2[t + 16u], lanes2[t + 80u]), combine(lanes2[t + 48u], lanes2[t + 112u])));
        result.v3 = combine(combine(combine(lanes3[t], lanes3[t + 64u]), combine(lanes3[t + 32u], lanes3[t + 96u])), combine(combine(lanes3[t + 16u], lanes3[t + 80u]), combine(lanes3[t + 48u], lanes3[t + 112u])));
    }
    return result;
}

/// Stores the results from `place` on.
fn store(place: u32, values: Values) {
    output[place] = finish(values.v0);
    output[place + 1u] = finish(values.v1);
    output[place + 2u] = finish(values.v2);
    output[place + 3u] = finish(values.v3);
}
// </generated>

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    const ACROSS = WORKGROUP / LANES;
    let g = workgroup_index(group_id, group_count);
    let blocks = (params.columns + ACROSS - 1u) / ACROSS;
    let column = g % blocks * ACROSS + t % ACROSS;
    let part = g / blocks % params.parts;
    let plane = g / (blocks * params.parts);
    let lane = t / ACROSS;
    let live = column < params.columns && plane < params.planes;
    let base = params.first_access + column * params.column_stride + kept_place(params.first_plane + plane);
    let begin = params.begin + part * params.chunk;
    // A column or plane past the last one has no elements.
    let end = select(begin, min(begin + params.chunk, params.end), live);
    let values = over_lanes(walk(base, (params.first_plane + plane) * params.columns + column, begin, end, lane), t, lane);
    if (lane == 0u && live) {
        let row = plane * params.parts + part;
        store(params.first_result + (row * params.columns + column) * WIDTH, values);
    }
}
