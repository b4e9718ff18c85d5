// Tree reduction in workgroup memory: output[g] = combine of the elements g * WORKGROUP .. (g + 1)
// * WORKGROUP. The readable baseline.
//
// Each invocation has one element. Every step halves the active range and ends with a barrier:
//   values[t] = combine(values[t], values[t + half])  for t < half, half = WORKGROUP / 2, ..., 2, 1
// Invocation 0 writes the partial result. The host repeats the dispatch on the partial results
// until one is left: 4 Mi -> 16 Ki -> 64 -> 1 with 256 invocations. Indices past the end take no
// part.
//
// The text between the markers has the arithmetic of one operator; here the sum of f32 in one
// dispatch.
//
// Grid: one workgroup per WORKGROUP elements, folded.
// Traffic: each element once in, one partial result per workgroup out. Workgroup memory: WORKGROUP
// values.
// Requires: WORKGROUP is a power of two.
// Source: the tree of an OpenCL tutorial on reductions in local memory.
// Rust twin: src/kernels/reduce/tree.rs
// Appended: grid.wgsl, reduce/rank_f32.wgsl | reduce/rank_pair.wgsl | reduce/rank_i32.wgsl | reduce/rank_u32.wgsl, reduce/difference_f32.wgsl | reduce/difference_complex.wgsl, reduce/scale.wgsl, reduce/share.wgsl

struct Params {
    /// Number of elements of the input.
    length: u32,
    /// Number of partial results, one per workgroup.
    partials: u32,
    /// 0.
    zero: u32,
}

override WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;

// <generated>
alias Value = f32;
alias Result = f32;

@group(0) @binding(1) var<storage, read> input: array<u32>;
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
}

/// The values of access `at`, whose first element is element j of what is reduced.
fn load(at: u32, j: u32) -> Values {
    let x = input[at];
    return Values(map_element(bitcast<f32>(x), j));
}

/// Stores the result at `place`.
fn store(place: u32, value: f32) {
    output[place] = finish(value);
}
// </generated>

var<workgroup> values: array<Value, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let g = workgroup_index(group_id, group_count);
    let live = g < params.partials;
    // Number of values in this workgroup's range; 0 in a surplus workgroup of a folded grid.
    let first = select(params.length, g * WORKGROUP, live);
    let count = min(WORKGROUP, params.length - first);
    if (t < count) {
        values[t] = load(first + t, first + t).v0;
    }
    workgroupBarrier();
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        if (t < half && t + half < count) {
            values[t] = combine(values[t], values[t + half]);
        }
        workgroupBarrier();
    }
    if (t == 0u && live) {
        store(g, values[0]);
    }
}
