// Means over rings, from sums over parts of them: output[b, r] = Σₚ sum / Σₚ count, of the pairs
// that signal/rings.wgsl stores. A ring without elements has the mean 0.
//
// Each invocation adds every WORKGROUP-th part, and a tree adds the invocations' sums.
//
// Grid: one workgroup per ring and array, rings fastest; folded.
// Traffic: each pair once in, each mean once out. Workgroup memory: a pair per invocation.
// Requires: WORKGROUP a power of two; less than 2^15 parts per invocation.
// Rust twin: src/kernels/signal/ring_means.rs
// Appended: grid.wgsl

override WORKGROUP: u32 = 64u;

struct Params {
    rings: u32,
    parts: u32,
    /// Means of all arrays.
    means: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;

var<workgroup> sums: array<f32, WORKGROUP>;
var<workgroup> counts: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = workgroup_index(group_id, group_count);
    var sum = 0.0;
    var count = 0u;
    if (index < params.means) {
        let first = index / params.rings * params.parts * params.rings + index % params.rings;
        for (var p = local.x; p < params.parts; p += WORKGROUP) {
            let own = input[first + p * params.rings];
            sum += bitcast<f32>(own.x);
            count += own.y;
        }
    }
    sums[local.x] = sum;
    counts[local.x] = count;
    for (var reach = WORKGROUP / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if (local.x < reach) {
            sums[local.x] += sums[local.x + reach];
            counts[local.x] += counts[local.x + reach];
        }
    }
    if (local.x == 0u && index < params.means) {
        output[index] = sums[0] / f32(max(counts[0], 1u));
    }
}
