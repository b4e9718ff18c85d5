// Reduction of lines, whose elements follow one another: output[line, part] = combine of the elements of a part of a line.
//
// LANES invocations share a line or a part of it. Each walks over its accesses of WIDTH elements, LANES accesses apart, several loads at once; then
// the values of an access and those of the lanes are combined by halves: through subgroups where the text was made so, else through
// workgroup memory with a barrier for every four levels. A workgroup has WORKGROUP / LANES lines. If a line has several parts, a second
// dispatch reduces their results, which are a line again; or, where the text was made so, the workgroup that arrives last does it.
//
// Arriving last: a workgroup puts the words of its result, by halves of 16 bits with a mark above, into atomics, and then counts itself in
// another. Who counts the last one reads all results. WGSL orders nothing between different atomics, so it reads until the mark is there: the
// store was made before the count, by an invocation that waits for nobody. It leaves zeros for the next run.
//
// Between the markers stand the types and the arithmetic of one operator, and the walk; here the sum of f32.
//
// Grid: a workgroup for each part of WORKGROUP / LANES lines, parts first; folded.
// Traffic: each element once in, a result for each part out. Workgroup memory: WORKGROUP values and a word, or less.
// Requires: LANES and WORKGROUP are powers of two.
// Source: M. Harris, Optimizing Parallel Reduction in CUDA, 2007, and the fixed grids of later libraries.
// Rust twin: src/kernels/reduce/lines.rs
// Appended: grid.wgsl

struct Params {
    /// Lines to reduce.
    lines: u32,
    /// Accesses of a line.
    length: u32,
    /// Parts of a line, with a result each.
    parts: u32,
    /// Accesses of a part; the last one has what is left.
    chunk: u32,
    /// Lines that are line_stride accesses apart; the next ones begin block_stride later.
    block: u32,
    line_stride: u32,
    block_stride: u32,
    /// Accesses of a line that follow one another; the next ones begin run_stride later.
    run: u32,
    run_stride: u32,
    /// Where the first line begins in what is bound.
    first_access: u32,
    /// Index of the first element in its line.
    first_index: u32,
    /// Place of the first result.
    first_result: u32,
    /// 0.
    zero: u32,
}

/// Between the indices of neighbours in an access.
const INDEX_STEP = 1u;

@group(0) @binding(0) var<uniform> params: Params;

// <generated>
const WORKGROUP = 256u;
const WIDTH = 4u;
const LANES = 64u;

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

/// Combines the values of an access.
fn across(values: Values) -> Value {
    return combine(combine(values.v0, values.v2), combine(values.v1, values.v3));
}

fn combine_values(a: Values, b: Values) -> Values {
    return Values(combine(a.v0, b.v0), combine(a.v1, b.v1), combine(a.v2, b.v2), combine(a.v3, b.v3));
}

fn load_step(base: u32, i: u32) -> Values {
    return load(base + i, params.first_index + i * WIDTH);
}

/// Combines the elements from `begin` to `end` that belong to `lane`.
fn walk(base: u32, begin: u32, end: u32, lane: u32) -> Value {
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
    return across(a0);
}

var<workgroup> lanes: array<Value, WORKGROUP>;

/// Combines the values of the lanes of a line; lane 0 knows the result.
fn over_lanes(own: Value, t: u32, lane: u32) -> Value {
    var v = own;
    lanes[t] = v;
    workgroupBarrier();
    if (lane < 32u) {
        v = combine(lanes[t], lanes[t + 32u]);
    }
    v = combine(v, subgroupShuffleDown(v, 16u));
    v = combine(v, subgroupShuffleDown(v, 8u));
    v = combine(v, subgroupShuffleDown(v, 4u));
    v = combine(v, subgroupShuffleDown(v, 2u));
    v = combine(v, subgroupShuffleDown(v, 1u));
    return v;
}

/// Stores the result of a part.
fn conclude(value: Value, first_line: u32, part: u32, t: u32, lane: u32) {
    let line = first_line + t / LANES;
    if (lane == 0u && line < params.lines) {
        output[params.first_result + line * params.parts + part] = finish(value);
    }
}
// </generated>

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let g = workgroup_index(group_id, group_count);
    let part = g % params.parts;
    let first_line = g / params.parts * (WORKGROUP / LANES);
    let line = first_line + t / LANES;
    let lane = t % LANES;
    let live = line < params.lines;
    let base = params.first_access + line % params.block * params.line_stride + line / params.block * params.block_stride;
    let begin = part * params.chunk;
    // Nothing in a line past the last.
    let end = select(begin, min(begin + params.chunk, params.length), live);
    let value = over_lanes(walk(base, begin, end, lane), t, lane);
    conclude(value, first_line, part, t, lane);
}
