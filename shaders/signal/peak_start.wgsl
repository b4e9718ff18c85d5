// Where the top of a correlation lies between its elements, to begin with: along each axis the top
// of the parabola through the largest element and its neighbours, which are cyclic.
//
// Grid: an invocation per item; folded.
// Traffic: 1 + 2 elements per axis and item.
// Rust twin: src/kernels/signal/peak_start.rs
// Appended: grid.wgsl

override WORKGROUP: u32 = 64u;

struct Params {
    /// Correlations, one after the other.
    items: u32,
    /// Extents of each, slowest first; 1 for axes that are not there.
    extents_0: u32,
    extents_1: u32,
    extents_2: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
/// The correlations.
@group(0) @binding(1) var<storage, read> input: array<f32>;
/// Of each item how far its top lies from the largest element along each axis, and the height.
@group(0) @binding(2) var<storage, read_write> output: array<vec4<f32>>;
/// The index of the largest element of each item.
@group(0) @binding(3) var<storage, read> peaks: array<u32>;

/// The top of a parabola through three values at -1, 0 and 1, of which the middle one is the
/// largest.
fn top(before: f32, height: f32, after: f32) -> f32 {
    let bend = (height - before) + (height - after);
    if (bend > 0.0) {
        return clamp(0.5 * (after - before) / bend, -0.5, 0.5);
    }
    return 0.0;
}

/// The same along an axis, on which the largest element is at position p of n.
fn along(place: u32, p: u32, n: u32, stride: u32) -> f32 {
    let first = place - p * stride;
    let before = select(p, n, p == 0u) - 1u;
    let after = select(p + 1u, 0u, p + 1u == n);
    return top(input[first + before * stride], input[place], input[first + after * stride]);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = workgroup_index(group_id, group_count);
    // Surplus workgroups would begin past 2^32.
    if (index > (params.items - 1u) / WORKGROUP) {
        return;
    }
    let item = index * WORKGROUP + local.x;
    if (item >= params.items) {
        return;
    }
    let n0 = params.extents_0;
    let n1 = params.extents_1;
    let n2 = params.extents_2;
    let peak = peaks[item];
    let place = item * n0 * n1 * n2 + peak;
    output[item] = vec4<f32>(
        along(place, peak / n2 / n1, n0, n1 * n2),
        along(place, peak / n2 % n1, n1, n2),
        along(place, peak % n2, n2, 1u),
        input[place],
    );
}
