// Sums, differences and products of two complex numbers by fft/double, which the host compares with
// exact ones: whether the device's compiler leaves the arithmetic as it is written.
//
// Of each pair a, b: a + b, a - b, a * b, a.re * b, and the real number a.re * b.re with a.im +
// b.im.
//
// Grid: an invocation per pair; folded.
// Traffic: two complex numbers in, five out.
// Rust twin: src/kernels/fft/probe_double.rs
// Appended: grid.wgsl, fft/double.wgsl

struct Params {
    lines: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    let i = workgroup_index(group_id, group_count) * 64u + invocation;
    if (i >= params.lines) {
        return;
    }
    let a = complex_of_bits(input[2u * i]);
    let b = complex_of_bits(input[2u * i + 1u]);
    output[5u * i] = bits_of_complex(complex_add(a, b));
    output[5u * i + 1u] = bits_of_complex(complex_subtract(a, b));
    output[5u * i + 2u] = bits_of_complex(complex_mul(a, b));
    output[5u * i + 3u] = bits_of_complex(complex_scale(a.xy, b));
    output[5u * i + 4u] = bits_of_complex(vec4<f32>(double_multiply(a.xy, b.xy), double_add(a.zw, b.zw)));
}
