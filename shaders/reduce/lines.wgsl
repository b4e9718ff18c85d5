// Reduction of lines of contiguous elements: output[line, part] = combine of the elements of a part
// of a line.
//
// LANES invocations share a line or a part of it. Each loops over accesses of WIDTH elements that
// are LANES accesses apart, with several loads in flight. Then the values of an access and those of
// the lanes are combined in a tree: through subgroups if the text was made for them, otherwise
// through workgroup memory with a barrier for every four levels. A workgroup has WORKGROUP / LANES
// lines. There are two ways to reduce a line of several parts. Either each part has a result
// (store.wgsl), and a second dispatch reduces the results, which are a line again. Or the workgroup
// that arrives last combines the parts (join.wgsl).
//
// The elements of a line may lie anywhere that strides can say. If they do not follow one another,
// the elements of an access are loaded one by one, and strides count elements.
//
// The text between the markers has the types and the arithmetic of one operator, the places of
// lines and elements, and the loop; here the sum of f32, joined.
//
// Grid: one workgroup for each part of WORKGROUP / LANES lines, parts first; folded.
// Traffic: each element once in, one result for each part out. Workgroup memory: WORKGROUP values
// and a word, or less.
// Requires: LANES and WORKGROUP are powers of two.
// Source: M. Harris, Optimizing Parallel Reduction in CUDA, 2007, and the fixed grids of later
// libraries.
// Rust twin: src/kernels/reduce/lines.rs
// Appended: grid.wgsl, reduce/rank_f32.wgsl | reduce/rank_pair.wgsl | reduce/rank_i32.wgsl | reduce/rank_u32.wgsl, reduce/difference_f32.wgsl | reduce/difference_complex.wgsl, reduce/scale.wgsl, reduce/share.wgsl, reduce/store.wgsl | reduce/join.wgsl

struct Params {
    /// Number of lines to reduce.
    lines: u32,
    /// Parts per line, each with a result.
    parts: u32,
    /// Accesses per part. The last part has the rest.
    chunk: u32,
    /// Index of the first of these lines.
    first_line: u32,
    /// The accesses of a line to reduce begin and end here.
    begin: u32,
    end: u32,
    /// Extents of the kept dimensions, fastest first, except the slowest, and their strides.
    kept_extents_0: u32,
    kept_extents_1: u32,
    kept_extents_2: u32,
    kept_strides_0: u32,
    kept_strides_1: u32,
    kept_strides_2: u32,
    kept_strides_3: u32,
    /// The same of the reduced dimensions.
    reduced_extents_0: u32,
    reduced_extents_1: u32,
    reduced_extents_2: u32,
    reduced_strides_0: u32,
    reduced_strides_1: u32,
    reduced_strides_2: u32,
    reduced_strides_3: u32,
    /// Where line 0 begins in the array.
    first_access: u32,
    /// Where the bound range begins in the array.
    bound: u32,
    /// Index of the first element in its line.
    first_index: u32,
    /// Index of the first result.
    first_result: u32,
    /// 0.
    zero: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

// <generated>
const WORKGROUP = 256u;
const WIDTH = 4u;
const LANES = 256u;

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
    return Values(map_element(bitcast<f32>(x.x), j), map_element(bitcast<f32>(x.y), j + 1u), map_element(bitcast<f32>(x.z), j + 2u), map_element(bitcast<f32>(x.w), j + 3u));
}

/// Combines the values of an access.
fn across(values: Values) -> f32 {
    return combine(combine(values.v0, values.v2), combine(values.v1, values.v3));
}

fn combine_values(a: Values, b: Values) -> Values {
    return Values(combine(a.v0, b.v0), combine(a.v1, b.v1), combine(a.v2, b.v2), combine(a.v3, b.v3));
}

/// Where line k begins.
fn kept_place(k: u32) -> u32 {
    return k * params.kept_strides_0;
}

fn load_step(base: u32, i: u32) -> Values {
    return load(base + i, params.first_index + i * WIDTH);
}

/// Combines the elements of a result, from `begin` to `end`, that belong to `lane`.
fn walk(base: u32, result: u32, begin: u32, end: u32, lane: u32) -> f32 {
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
    return across(total0);
}

var<workgroup> lanes: array<f32, 256>;

/// Combines the values of neighbouring lanes; lane 0 knows the result.
fn over_lanes(own: f32, t: u32, lane: u32) -> f32 {
    var result = own;
    lanes[t] = result;
    workgroupBarrier();
    if (lane < 32u) {
        result = combine(combine(combine(lanes[t], lanes[t + 128u]), combine(lanes[t + 64u], lanes[t + 192u])), combine(combine(lanes[t + 32u], lanes[t + 160u]), combine(lanes[t + 96u], lanes[t + 224u])));
    }
    result = combine(result, subgroupShuffleDown(result, 16u));
    result = combine(result, subgroupShuffleDown(result, 8u));
    result = combine(result, subgroupShuffleDown(result, 4u));
    result = combine(result, subgroupShuffleDown(result, 2u));
    result = combine(result, subgroupShuffleDown(result, 1u));
    return result;
}

// Words of a value, of which the rest are zeros.
const WORDS = 1u;

fn to_words(value: f32) -> vec4<u32> {
    return vec4<u32>(bitcast<u32>(value), 0u, 0u, 0u);
}

fn from_words(words: vec4<u32>) -> f32 {
    return bitcast<f32>(words.x);
}

/// Stores the result at `place`.
fn store(place: u32, value: f32) {
    output[place] = finish(value);
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
    let base = params.first_access + kept_place(params.first_line + line);
    let begin = params.begin + part * params.chunk;
    // A line past the last one has no elements.
    let end = select(begin, min(begin + params.chunk, params.end), live);
    let value = over_lanes(walk(base, params.first_line + line, begin, end, lane), t, lane);
    store_result(value, first_line, part, t, lane);
}
