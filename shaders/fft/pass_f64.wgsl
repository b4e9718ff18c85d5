// FFTs along one axis of an array of f64, or along one factor of it: the declarations that fft/pass
// has in f32. The text between the markers comes from the same generator, src/fft/emit/stockham/; here it
// is that for rows of 4.
//
//   y[k] = scale * sum over j of x[j] * exp(-2 pi i j k / n)
//
// Grid: one workgroup per LINES lines; folded.
// Traffic: as that of fft/pass, with twice the bytes.
// Requires: 64-bit floats (SHADER_F64), which are no part of WGSL: naga alone compiles this text.
// `roots` holds what fft/pass requires, in f64.
// Source: the sources of fft/pass.
// Rust twin: src/kernels/fft/pass_f64.rs
// Appended: grid.wgsl

struct Params {
    lines: u32,
    unused: u32,
    scale: f64,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> roots: array<vec2<f64>>;

@compute @workgroup_size(LANES * LINES)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    transform(workgroup_index(group_id, group_count), invocation);
}

fn complex_mul(a: vec2<f64>, b: vec2<f64>) -> vec2<f64> {
    return vec2<f64>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/// Returns `x`, but hides from compilers that it is a product: they cannot know that the condition
/// never holds. No pass over two values or more has 2^31 lines. Adding 0 to the bits, as fft/pass
/// does, needs 64-bit integers as well, which not every device with 64-bit floats has. Adding the
/// number 0 or multiplying by 1 hides nothing: such sums and products are reordered like others.
/// For results that are dropped, src/fft/emit/codelets.rs says why this is needed.
fn opaque(x: vec2<f64>) -> vec2<f64> {
    return select(x, vec2<f64>(params.scale), params.lines > 0x7fffffffu);
}

/// Transforms the lines of workgroup `group`.
// <generated>
// stockham 4 lanes=1 lines=4 exchange=split pieces=1 banks=32 roots=products
const LINES = 4u;
const LANES = 1u;

@group(0) @binding(1) var<storage, read> input: array<vec2<f64>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec2<f64>>;

fn load(i: u32) -> vec2<f64> {
    return input[i];
}

fn store(i: u32, value: vec2<f64>) {
    output[i] = value;
}

fn transform(group: u32, invocation: u32) {
    let line = group * 4u + invocation;
    let base = line * 4u;
    let x0 = load(base);
    let x1 = load(base + 1u);
    let x2 = load(base + 2u);
    let x3 = load(base + 3u);
    // Stage: radix 4, p = 1.
    let even_sum = x0 + x2;
    let even_difference = x0 - x2;
    let odd_sum = x1 + x3;
    let odd_difference = x1 - x3;
    let odd_difference_turned = vec2<f64>(odd_difference.y, -odd_difference.x);
    let y0 = even_sum + odd_sum;
    let y1 = even_difference + odd_difference_turned;
    let y2 = even_sum - odd_sum;
    let y3 = even_difference - odd_difference_turned;
    let base_2 = line * 4u;
    store(base_2, params.scale * y0);
    store(base_2 + 1u, params.scale * y1);
    store(base_2 + 2u, params.scale * y2);
    store(base_2 + 3u, params.scale * y3);
}
// </generated>
