// Copy: output[i] = input[i].
//
// Moves arrays whose transpose has the same order in memory (one row or one column). With elements
// of 16 bytes, it also measures the bandwidth that all other kernels are compared with.
//
// Grid: one workgroup per WORKGROUP elements, folded.
// Traffic: each element once in, once out.
// Rust twin: src/kernels/copy.rs
// Appended: grid.wgsl, element/word.wgsl | element/pair.wgsl | element/quad.wgsl

struct Params {
    length: u32,
}

override WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<Element>;
@group(0) @binding(2) var<storage, read_write> output: array<Element>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let i = workgroup_index(group_id, group_count) * WORKGROUP + t;
    if (i < params.length) {
        output[i] = input[i];
    }
}
