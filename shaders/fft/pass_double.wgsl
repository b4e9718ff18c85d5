// FFTs along one axis of an array of 64-bit floats, or along one factor of it, on devices without
// 64-bit floats: each number is a sum of two f32. The declarations are those that fft/pass has in
// f32. The text between the markers comes from the same generator, src/fft/emit/stockham/; here it is that
// for rows of 4.
//
//   y[k] = scale * sum over j of x[j] * exp(-2 pi i j k / n)
//
// Grid: one workgroup per LINES lines; folded.
// Traffic: as that of fft/pass, with twice the bytes.
// Requires: arithmetic that compilers leave as it is written, see fft/double. `roots` holds what
// fft/pass requires, each number in two f32.
// Source: the sources of fft/pass and fft/double.
// Rust twin: src/kernels/fft/pass_double.rs
// Appended: grid.wgsl, fft/double.wgsl

struct Params {
    lines: u32,
    scale_0: f32,
    scale_1: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> roots: array<vec4<f32>>;

@compute @workgroup_size(LANES * LINES)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    transform(workgroup_index(group_id, group_count), invocation);
}

/// The factor on every output.
fn scale() -> vec2<f32> {
    return vec2<f32>(params.scale_0, params.scale_1);
}

/// Returns `x`, of which fft/double hides already how it was computed.
fn opaque(x: vec4<f32>) -> vec4<f32> {
    return x;
}

/// Transforms the lines of workgroup `group`.
// <generated>
// stockham 4 lanes=1 lines=4 exchange=split pieces=1 banks=32 roots=products
const LINES = 4u;
const LANES = 1u;

@group(0) @binding(1) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec4<u32>>;

fn load(i: u32) -> vec4<f32> {
    return complex_of_bits(input[i]);
}

fn store(i: u32, value: vec4<f32>) {
    output[i] = bits_of_complex(value);
}

fn transform(group: u32, invocation: u32) {
    let line = group * 4u + invocation;
    let base = line * 4u;
    let x0 = load(base);
    let x1 = load(base + 1u);
    let x2 = load(base + 2u);
    let x3 = load(base + 3u);
    // Stage: radix 4, p = 1.
    let even_sum = complex_add(x0, x2);
    let even_difference = complex_subtract(x0, x2);
    let odd_sum = complex_add(x1, x3);
    let odd_difference = complex_subtract(x1, x3);
    let odd_difference_turned = vec4<f32>(odd_difference.zw, -odd_difference.xy);
    let y0 = complex_add(even_sum, odd_sum);
    let y1 = complex_add(even_difference, odd_difference_turned);
    let y2 = complex_subtract(even_sum, odd_sum);
    let y3 = complex_subtract(even_difference, odd_difference_turned);
    let base_2 = line * 4u;
    store(base_2, complex_scale(scale(), y0));
    store(base_2 + 1u, complex_scale(scale(), y1));
    store(base_2 + 2u, complex_scale(scale(), y2));
    store(base_2 + 3u, complex_scale(scale(), y3));
}
// </generated>
