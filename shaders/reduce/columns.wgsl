// Reduction of rows to one row: output[plane, part, column] = combine of that column's elements in a part of the rows.
//
// Neighbouring invocations have neighbouring accesses of a row, so that loads touch contiguous memory. An invocation walks down its WIDTH columns,
// LANES rows apart, several loads at once; then the values of the lanes are combined by halves through workgroup memory. If the rows are in
// several parts, a second dispatch reduces their results, which are rows again.
//
// Between the markers stand the types and the arithmetic of one operator, and the walk; here the sum of f32.
//
// Grid: a workgroup for WORKGROUP / LANES accesses of a part of the rows of a plane; columns, then parts, then planes; folded.
// Traffic: each element once in, a row of results for each part out. Workgroup memory: WORKGROUP * WIDTH values, or none.
// Requires: LANES and WORKGROUP are powers of two.
// Rust twin: src/kernels/reduce/columns.rs
// Appended: grid.wgsl

struct Params {
    /// Accesses of a row.
    columns: u32,
    /// Rows to reduce to one.
    rows: u32,
    /// Parts of the rows, with a row of results each.
    parts: u32,
    /// Rows of a part; the last one has what is left.
    chunk: u32,
    /// Planes, each reduced to a row.
    planes: u32,
    /// Planes that are plane_stride accesses apart; the next ones begin block_stride later.
    block: u32,
    plane_stride: u32,
    block_stride: u32,
    /// Rows that are row_stride apart; the next ones begin run_stride later.
    run: u32,
    row_stride: u32,
    run_stride: u32,
    /// Where the first plane begins in what is bound.
    first_access: u32,
    /// Index of the first row.
    first_index: u32,
    /// Place of the first result.
    first_result: u32,
    /// 0.
    zero: u32,
}

/// Between the indices of neighbours in an access, which are in columns of their own.
const INDEX_STEP = 0u;

@group(0) @binding(0) var<uniform> params: Params;

// <generated>
const WORKGROUP = 128u;
const WIDTH = 4u;
const LANES = 8u;

/// 4 element(s) of the input.
alias Access = vec4<u32>;
alias Value = f32;
alias Result = f32;

/// The value of element j of what is reduced.
fn map_element(x: f32, j: u32) -> Value {
    return x;
}

fn combine(a: Value, b: Value) -> Value {
    return a + b;
}

/// Does nothing to what it is combined with.
fn nothing() -> Value {
    return f32();
}

fn finish(v: Value) -> Result {
    return v;
}

@group(0) @binding(1) var<storage, read> input: array<Access>;
@group(0) @binding(2) var<storage, read_write> output: array<Result>;

/// Of the elements of an access.
struct Values {
    v0: Value,
    v1: Value,
    v2: Value,
    v3: Value,
}

/// The values of access `at`, whose first element is element j of what is reduced.
fn load(at: u32, j: u32) -> Values {
    let x = input[at];
    return Values(map_element(bitcast<f32>(x.x), j), map_element(bitcast<f32>(x.y), j + 1u * INDEX_STEP), map_element(bitcast<f32>(x.z), j + 2u * INDEX_STEP), map_element(bitcast<f32>(x.w), j + 3u * INDEX_STEP));
}

fn combine_values(a: Values, b: Values) -> Values {
    return Values(combine(a.v0, b.v0), combine(a.v1, b.v1), combine(a.v2, b.v2), combine(a.v3, b.v3));
}

fn load_step(base: u32, i: u32) -> Values {
    return load(base + i * params.row_stride, params.first_index + i);
}

/// Combines the elements from `begin` to `end` that belong to `lane`.
fn walk(base: u32, begin: u32, end: u32, lane: u32) -> Values {
    var i = begin + lane;
    var a0 = Values(nothing(), nothing(), nothing(), nothing());
    let whole = (end - begin) / (4u * LANES);
    for (var step = 0u; step < whole; step++) {
        let x0 = load_step(base, i);
        let x1 = load_step(base, i + 1u * LANES);
        let x2 = load_step(base, i + 2u * LANES);
        let x3 = load_step(base, i + 3u * LANES);
        a0 = combine_values(a0, x0);
        a0 = combine_values(a0, x1);
        a0 = combine_values(a0, x2);
        a0 = combine_values(a0, x3);
        i += 4u * LANES;
    }
    for (; i < end; i += 1u * LANES) {
        a0 = combine_values(a0, load_step(base, i));
    }
    return a0;
}

var<workgroup> lanes0: array<Value, WORKGROUP>;
var<workgroup> lanes1: array<Value, WORKGROUP>;
var<workgroup> lanes2: array<Value, WORKGROUP>;
var<workgroup> lanes3: array<Value, WORKGROUP>;

/// Combines the values of the lanes of a column; lane 0 knows the results.
fn over_lanes(own: Values, t: u32, lane: u32) -> Values {
    var values = own;
    lanes0[t] = values.v0;
    lanes1[t] = values.v1;
    lanes2[t] = values.v2;
    lanes3[t] = values.v3;
    workgroupBarrier();
    if (lane < 1u) {
        values.v0 = combine(combine(combine(lanes0[t], lanes0[t + 64u]), combine(lanes0[t + 32u], lanes0[t + 96u])), combine(combine(lanes0[t + 16u], lanes0[t + 80u]), combine(lanes0[t + 48u], lanes0[t + 112u])));
        values.v1 = combine(combine(combine(lanes1[t], lanes1[t + 64u]), combine(lanes1[t + 32u], lanes1[t + 96u])), combine(combine(lanes1[t + 16u], lanes1[t + 80u]), combine(lanes1[t + 48u], lanes1[t + 112u])));
        values.v2 = combine(combine(combine(lanes2[t], lanes2[t + 64u]), combine(lanes2[t + 32u], lanes2[t + 96u])), combine(combine(lanes2[t + 16u], lanes2[t + 80u]), combine(lanes2[t + 48u], lanes2[t + 112u])));
        values.v3 = combine(combine(combine(lanes3[t], lanes3[t + 64u]), combine(lanes3[t + 32u], lanes3[t + 96u])), combine(combine(lanes3[t + 16u], lanes3[t + 80u]), combine(lanes3[t + 48u], lanes3[t + 112u])));
    }
    return values;
}

/// Stores the results from `place` on.
fn store(place: u32, values: Values) {
    output[place + 0u] = finish(values.v0);
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
    let base = params.first_access + column + plane % params.block * params.plane_stride + plane / params.block * params.block_stride;
    let begin = part * params.chunk;
    // Nothing past the last column or plane.
    let end = select(begin, min(begin + params.chunk, params.rows), live);
    let values = over_lanes(walk(base, begin, end, lane), t, lane);
    if (lane == 0u && live) {
        let row = plane * params.parts + part;
        store(params.first_result + (row * params.columns + column) * WIDTH, values);
    }
}
