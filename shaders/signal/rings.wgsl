// Sums over rings of frequencies: output[b, p, r] = (Σ x, count), over the elements of array b that
// are in ring r and in part p of its lines. A line is contiguous in memory; a part is some lines.
//
// Lengths of frequencies are integers: 2 * weight * |k| along each axis, in units in which rings are
// 2 * unit wide. So ring r has the elements with (2r-1) * unit <= length < (2r+1) * unit, which is
// decided for squares in 64 bits, with the same result on every device. In a line these are runs of
// columns, one on either side of frequency 0. Their bounds come from a square root, estimated in
// f32 and then corrected in integers.
//
// Neighbouring invocations have neighbouring rings, whose runs lie next to each other. Each adds in
// the order of lines and columns. Sums are stored as their bits.
//
// Grid: one workgroup per WORKGROUP rings of a part; rings fastest, then parts, then arrays; folded.
// Traffic: each element of a ring once in, in pieces of a few elements; a pair per ring and part
// out.
// Requires: weights and unit such that every length is below 2^32 (src/signal/rings/geometry.rs);
// less than 2^15 lines in a part.
// The text between the markers is written by src/signal/rings/emit.rs.
// Rust twin: src/kernels/signal/rings.rs
// Appended: grid.wgsl

override WORKGROUP: u32 = 64u;

struct Params {
    /// Lines of an array along its first and its second axis.
    lines_of_0: u32,
    lines_of_1: u32,
    /// Elements of a line.
    columns: u32,
    /// Where frequency 0 is on each axis.
    zero_0: u32,
    zero_1: u32,
    zero_2: u32,
    /// Frequencies 0, 1, … and -1, -2, … of a line.
    positive: u32,
    negative: u32,
    /// Frequency -c is in this column, less c, or if it is 0, in that of frequency c.
    mirror: u32,
    weight_0: u32,
    weight_1: u32,
    weight_2: u32,
    unit: u32,
    rings: u32,
    parts: u32,
    /// Lines of a part.
    lines: u32,
    /// Workgroups of a part.
    blocks: u32,
    /// Workgroups that have work to do.
    groups: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> output: array<vec2<u32>>;

// <generated>
@group(0) @binding(1) var<storage, read> input: array<vec2<f32>>;

fn wgpu_fft_map_input(value: vec2<f32>) -> f32 {
    return (
dot(value, value)
    );
}

/// The element at this place, with these indices.
fn element(at: u32, batch: u32, i0: u32, i1: u32, i2: u32) -> f32 {
    let value = input[at];
    return wgpu_fft_map_input(value);
}
// </generated>

/// a * b in 64 bits, the lower word first.
fn product(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
    return vec2<u32>((second << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u));
}

fn square(a: u32) -> vec2<u32> {
    return product(a, a);
}

fn sum_of(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

/// a - b, which is at least 0.
fn difference(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn is_less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

/// About a.
fn rounded(a: vec2<u32>) -> f32 {
    return f32(a.y) * 4294967296.0 + f32(a.x);
}

/// One more than a number whose square is too small.
fn next(root: u32, a: vec2<u32>) -> u32 {
    return root + select(0u, 1u, is_less(square(root), a));
}

/// The least number whose square is at least a, for 0 < a < 2^64 - 2^35.
fn root_of(a: vec2<u32>) -> u32 {
    // Its relative error is some 2^-22, so a step of Newton's method leaves less than 2.
    let estimate = max(u32(sqrt(rounded(a))), 1u);
    let own = square(estimate);
    let twice = 2.0 * f32(estimate);
    var root = estimate;
    if (is_less(own, a)) {
        root += u32(rounded(difference(a, own)) / twice);
    } else {
        root -= min(u32(rounded(difference(own, a)) / twice), estimate);
    }
    root -= min(root, 2u);
    return next(next(next(next(root, a), a), a), a);
}

/// |k| at index i of an axis, where frequency 0 is at index `zero`.
fn frequency(i: u32, zero: u32, extent: u32) -> u32 {
    let distance = max(i, zero) - min(i, zero);
    return min(distance, extent - distance);
}

/// The first frequency of a line that is outside of a circle. `others` is the square of the length
/// along the other axes.
fn first_outside(circle: vec2<u32>, others: vec2<u32>) -> u32 {
    if (!is_less(others, circle)) {
        return 0u;
    }
    return (root_of(difference(circle, others)) - 1u) / (2u * params.weight_2) + 1u;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = workgroup_index(group_id, group_count);
    let ring = index % params.blocks * WORKGROUP + local.x;
    if (index >= params.groups || ring >= params.rings) {
        return;
    }
    let part = index / params.blocks % params.parts;
    let batch = index / (params.blocks * params.parts);
    let inner = square((2u * max(ring, 1u) - 1u) * select(params.unit, 0u, ring == 0u));
    let outer = square((2u * ring + 1u) * params.unit);
    let lines = params.lines_of_0 * params.lines_of_1;
    let begin = part * params.lines;
    let count_of_lines = min(params.lines, lines - begin);
    var sum = 0.0;
    var count = 0u;
    for (var k = 0u; k < count_of_lines; k++) {
        let line = begin + k;
        let i = vec2<u32>(line / params.lines_of_1, line % params.lines_of_1);
        let others = sum_of(
            square(2u * params.weight_0 * frequency(i.x, params.zero_0, params.lines_of_0)),
            square(2u * params.weight_1 * frequency(i.y, params.zero_1, params.lines_of_1)),
        );
        if (is_less(others, outer)) {
            let place = (batch * lines + line) * params.columns;
            let first = first_outside(inner, others);
            let end = min(first_outside(outer, others), max(params.positive, params.negative + 1u));
            for (var c = first; c < end; c++) {
                if (c < params.positive) {
                    let column = params.zero_2 + c;
                    sum += element(place + column, batch, i.x, i.y, column);
                    count += 1u;
                }
                if (c > 0u && c <= params.negative) {
                    let column = select(params.mirror - c, c, params.mirror == 0u);
                    sum += element(place + column, batch, i.x, i.y, column);
                    count += 1u;
                }
            }
        }
    }
    output[(batch * params.parts + part) * params.rings + ring] = vec2<u32>(bitcast<u32>(sum), count);
}
