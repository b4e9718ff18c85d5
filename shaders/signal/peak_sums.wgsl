// A correlation between its elements, at one point: the value, the gradient and the second
// derivatives of the trigonometric polynomial, as sums over its spectrum.
//
// C = Σ Q[k] exp(2πi Σ k·x/n), where Q is Hermitian and half of it is given. Frequencies n/2 of even
// lengths are left out. Each workgroup adds a part of the spectrum; a step of peak_step.wgsl adds
// the parts.
//
// Grid: one workgroup for each part of each item, parts first; folded.
// Traffic: the spectrum once in, 48 bytes per part out. Workgroup memory: 3 KiB.
// Requires: fewer than 2^32 elements of spectra.
// Source: M. Guizar-Sicairos, S. T. Thurman and J. R. Fienup, Optics Letters 33 (2008) 156, who
// evaluate the same polynomial on a grid.
// Rust twin: src/kernels/signal/peak_sums.rs
// Appended: grid.wgsl, signal/turned.wgsl

const WORKGROUP = 64u;

struct Params {
    items: u32,
    /// Parts of an item.
    parts: u32,
    /// Elements of a part. The last one has the rest.
    chunk: u32,
    /// Extents of a correlation, slowest first; 1 for axes that are not there.
    extents_0: u32,
    extents_1: u32,
    extents_2: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
/// The spectra, with extents_2 / 2 + 1 elements on the last axis.
@group(0) @binding(1) var<storage, read> input: array<vec2<f32>>;
/// Of each part: the value and the gradient; second derivatives 00, 11, 22 and 01; 02 and 12.
@group(0) @binding(2) var<storage, read_write> output: array<vec4<f32>>;
/// The index of the largest element of each item.
@group(0) @binding(3) var<storage, read> peaks: array<u32>;
/// How far the point lies from it along each axis, at most 1, and a number that is not used.
@group(0) @binding(4) var<storage, read> state: array<vec4<f32>>;

/// Position / n as parts of 2^32.
struct Turn {
    whole: u32,
    rest: f32,
}

/// The position p + offset on an axis, where p < n < 2^31.
fn turn_of(p: u32, n: u32, offset: f32) -> Turn {
    var whole = 0u;
    var remainder = p;
    for (var bit = 0u; bit < 32u; bit++) {
        remainder *= 2u;
        whole *= 2u;
        if (remainder >= n) {
            remainder -= n;
            whole += 1u;
        }
    }
    return Turn(whole, f32(remainder) / f32(n) + offset * (4294967296.0 / f32(n)));
}

/// The signed frequency of element k.
fn signed(k: u32, n: u32) -> i32 {
    return bitcast<i32>(select(k, k - n, k >= (n + 1u) / 2u));
}

/// Radians per element.
fn radians_of(k: i32, n: u32) -> f32 {
    return f32(k) * (6.2831853 / f32(n));
}

var<workgroup> sums: array<array<vec4<f32>, 3>, 64>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let index = workgroup_index(group_id, group_count);
    let item = index / params.parts;
    if (item >= params.items) {
        return;
    }
    let n0 = params.extents_0;
    let n1 = params.extents_1;
    let n2 = params.extents_2;
    let half = n2 / 2u + 1u;
    let peak = peaks[item];
    let offset = state[item];
    let turn0 = turn_of(peak / n2 / n1, n0, offset.x);
    let turn1 = turn_of(peak / n2 % n1, n1, offset.y);
    let turn2 = turn_of(peak % n2, n2, offset.z);
    let count = n0 * n1 * half;
    let begin = index % params.parts * params.chunk;
    let end = min(begin + params.chunk, count);
    var first = vec4<f32>();
    var second = vec4<f32>();
    var third = vec4<f32>();
    for (var e = begin + t; e < end; e += WORKGROUP) {
        let k0 = signed(e / half / n1, n0);
        let k1 = signed(e / half % n1, n1);
        let k2 = bitcast<i32>(e % half);
        let q = input[item * count + e];
        let angle = angle_of(k0, turn0.whole, turn0.rest) + angle_of(k1, turn1.whole, turn1.rest) + angle_of(k2, turn2.whole, turn2.rest);
        let root = root_at(angle);
        // The other half of the spectrum adds the same.
        var weight = select(2.0, 1.0, k2 == 0);
        if (2u * bitcast<u32>(abs(k0)) == n0 || 2u * bitcast<u32>(abs(k1)) == n1 || 2u * bitcast<u32>(k2) == n2) {
            weight = 0.0;
        }
        let real = weight * (q.x * root.x - q.y * root.y);
        let imaginary = weight * (q.x * root.y + q.y * root.x);
        let w = vec3(radians_of(k0, n0), radians_of(k1, n1), radians_of(k2, n2));
        first += vec4(real, -imaginary * w);
        second -= real * vec4(w * w, w.x * w.y);
        third -= real * vec4(w.x * w.z, w.y * w.z, 0.0, 0.0);
    }
    sums[t] = array<vec4<f32>, 3>(first, second, third);
    for (var stride = WORKGROUP / 2u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (t < stride) {
            sums[t][0] += sums[t + stride][0];
            sums[t][1] += sums[t + stride][1];
            sums[t][2] += sums[t + stride][2];
        }
    }
    if (t == 0u) {
        output[index * 3u] = sums[0][0];
        output[index * 3u + 1u] = sums[0][1];
        output[index * 3u + 2u] = sums[0][2];
    }
}
