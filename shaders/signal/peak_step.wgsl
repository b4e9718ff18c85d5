// A step of Newton's method towards the top of a correlation, from the sums of peak_sums.wgsl; after
// the last step, the shift.
//
// A step that leaves the neighbourhood of the largest element, or a point where the correlation does
// not bend downwards, is not taken. An axis along which the correlation is nearly constant is left
// out.
//
// Grid: one workgroup per item; folded.
// Traffic: 48 bytes per part in, 4 per axis out. Workgroup memory: 3 KiB.
// Rust twin: src/kernels/signal/peak_step.rs
// Appended: grid.wgsl

const WORKGROUP = 64u;
/// The farthest that a top lies from the largest element along an axis.
const FARTHEST = 0.75;
/// Less bend than this part of the largest is none.
const LEAST_BEND = 1e-5;

struct Params {
    items: u32,
    /// Parts of an item.
    parts: u32,
    /// Extents of a correlation, slowest first; 1 for axes that are not there.
    extents_0: u32,
    extents_1: u32,
    extents_2: u32,
    /// The axes that are there: the last ones.
    rank: u32,
    /// 1 for the last step, 0 for the others.
    last: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
/// The sums of the parts.
@group(0) @binding(1) var<storage, read> input: array<vec4<f32>>;
/// After the last step, of each item: the shift along each axis, and the height.
@group(0) @binding(2) var<storage, read_write> output: array<f32>;
/// The index of the largest element of each item.
@group(0) @binding(3) var<storage, read> peaks: array<u32>;
/// How far the point lies from it along each axis, and the height.
@group(0) @binding(4) var<storage, read_write> state: array<vec4<f32>>;

var<workgroup> sums: array<array<vec4<f32>, 3>, 64>;

/// The step from a point with this gradient and these second derivatives, and the height that it
/// gains, or zeros.
fn step_from(gradient: vec3<f32>, diagonal: vec3<f32>, others: vec3<f32>) -> vec4<f32> {
    // The matrix that must be positive, [a d e; d b f; e f c], and the right-hand side.
    let bend = -diagonal;
    let least = LEAST_BEND * max(max(bend.x, bend.y), bend.z);
    let is_flat = bend <= vec3(least);
    let g = select(gradient, vec3(0.0), is_flat);
    let a = select(bend, vec3(1.0), is_flat);
    let d = select(-others.x, 0.0, is_flat.x || is_flat.y);
    let e = select(-others.y, 0.0, is_flat.x || is_flat.z);
    let f = select(-others.z, 0.0, is_flat.y || is_flat.z);
    // Its factors L and D, where L has ones on its diagonal.
    let l10 = d / a.x;
    let l20 = e / a.x;
    let d1 = a.y - l10 * d;
    let l21 = (f - l20 * d) / d1;
    let d2 = a.z - l20 * e - l21 * l21 * d1;
    if (!(least > 0.0 && d1 > 0.0 && d2 > 0.0)) {
        return vec4<f32>();
    }
    let y1 = g.y - l10 * g.x;
    let y2 = g.z - l20 * g.x - l21 * y1;
    let s2 = y2 / d2;
    let s1 = y1 / d1 - l21 * s2;
    let s0 = g.x / a.x - l10 * s1 - l20 * s2;
    let s = vec3(s0, s1, s2);
    return vec4(s, 0.5 * dot(g, s));
}

/// A position as a signed shift: at most n/2.
fn shift_of(p: u32, n: u32) -> f32 {
    return f32(bitcast<i32>(select(p, p - n, p > n / 2u)));
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let item = workgroup_index(group_id, group_count);
    if (item >= params.items) {
        return;
    }
    sums[t] = array<vec4<f32>, 3>();
    for (var part = t; part < params.parts; part += WORKGROUP) {
        let at = (item * params.parts + part) * 3u;
        sums[t][0] += input[at];
        sums[t][1] += input[at + 1u];
        sums[t][2] += input[at + 2u];
    }
    for (var stride = WORKGROUP / 2u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (t < stride) {
            sums[t][0] += sums[t + stride][0];
            sums[t][1] += sums[t + stride][1];
            sums[t][2] += sums[t + stride][2];
        }
    }
    if (t > 0u) {
        return;
    }
    let total = sums[0];
    let own = state[item].xyz;
    let step = step_from(total[0].yzw, total[1].xyz, vec3(total[1].w, total[2].xy));
    let next = own + step.xyz;
    let n = vec3(params.extents_0, params.extents_1, params.extents_2);
    let scale = 1.0 / (f32(n.x) * f32(n.y) * f32(n.z));
    let is_near = all(abs(next) <= vec3(FARTHEST));
    let offset = select(own, next, is_near);
    let height = (total[0].x + select(0.0, step.w, is_near)) * scale;
    state[item] = vec4(offset, height);
    if (params.last == 1u) {
        let peak = peaks[item];
        let whole = vec3(shift_of(peak / n.z / n.y, n.x), shift_of(peak / n.z % n.y, n.y), shift_of(peak % n.z, n.z));
        let shift = whole + offset;
        let first = item * (params.rank + 1u);
        if (params.rank == 3u) {
            output[first] = shift.x;
        }
        if (params.rank >= 2u) {
            output[first + params.rank - 2u] = shift.y;
        }
        output[first + params.rank - 1u] = shift.z;
        output[first + params.rank] = height;
    }
}
