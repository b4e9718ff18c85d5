// Tree reduction in workgroup memory: output[g] = combine of input[g * WORKGROUP .. (g + 1) * WORKGROUP].
//
// One element per invocation. The active range halves with a barrier each step:
//   values[t] = combine(values[t], values[t + half])   for t < half, half = WORKGROUP / 2, ..., 2, 1
// and invocation 0 writes the partial result. The host repeats the dispatch on the partial results until one is left:
// 4 Mi -> 16 Ki -> 64 -> 1 with 256 invocations. Places past the end take no part, so no identity element is needed.
//
// Grid: one workgroup per WORKGROUP elements, folded.
// Traffic: each element once in, one partial result per workgroup out. Workgroup memory: WORKGROUP values.
// Requires: WORKGROUP is a power of two.
// Rust twin: src/kernels/reduce/tree.rs
// Appended: grid.wgsl, reduce/operator/sum_f32.wgsl | reduce/operator/sum_i32.wgsl | reduce/operator/sum_u32.wgsl | reduce/operator/min_f32.wgsl | reduce/operator/min_i32.wgsl | reduce/operator/min_u32.wgsl | reduce/operator/max_f32.wgsl | reduce/operator/max_i32.wgsl | reduce/operator/max_u32.wgsl

struct Params {
    /// Elements of the input.
    length: u32,
    /// Partial results, one per workgroup.
    partials: u32,
}

override WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<Value>;
@group(0) @binding(2) var<storage, read_write> output: array<Value>;

var<workgroup> values: array<Value, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let g = workgroup_index(group_id, group_count);
    let live = g < params.partials;
    // Values in this workgroup's range; 0 in a surplus workgroup of a folded grid.
    let first = select(params.length, g * WORKGROUP, live);
    let count = min(WORKGROUP, params.length - first);
    if (t < count) {
        values[t] = input[first + t];
    }
    workgroupBarrier();
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        if (t < half && t + half < count) {
            values[t] = combine(values[t], values[t + half]);
        }
        workgroupBarrier();
    }
    if (t == 0u && live) {
        output[g] = values[0];
    }
}
