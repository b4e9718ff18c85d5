// Row FFT with butterflies of radix 2 to 16 in registers (Stockham).
//
//   output[r, k] = scale * sum over j of input[r, j] * exp(-2 pi i j k / N)      (+ for INVERSE)
//
// LANES invocations share a row; each holds E = N / LANES elements and does E / radix butterflies a stage. Between stages the elements
// pass through workgroup memory. The stages are straight-line text, made for each recipe by src/fft/stages.rs, which states the
// index rules; what stands between the markers below is the text for rows of 64 as 8 * 8.
//
// Grid: one workgroup per ROWS rows, LANES invocations for each; folded.
// Traffic: each element once in, once out, roots of unity in. Workgroup memory: N * ROWS words (exchange=split) or twice that
// (exchange=whole), and spare elements against bank conflicts.
// Requires: `roots` holds for the stage of radix r after p = product of the earlier radices exp(-2 pi i j k / (p r)) at
// p - 1 + (k - 1) * p + j, for k in 1 .. r and j in 0 .. p.
// Source: C. Van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM 1992, section 1.7; N. K. Govindaraju et al., High Performance
// Discrete Fourier Transforms on Graphics Processors, SC 2008.
// Rust twin: src/kernels/fft/registers.rs
// Appended: grid.wgsl, fft/complex.wgsl, fft/io/separate.wgsl | fft/io/in_place.wgsl

struct Params {
    rows: u32,
    scale: f32,
}

override N: u32 = 64u;
override ROWS: u32 = 4u;
override LANES: u32 = 8u;
override INVERSE: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> roots: array<vec2<f32>>;

@compute @workgroup_size(LANES * ROWS)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    let line = invocation / LANES;
    let r = workgroup_index(group_id, group_count) * ROWS + line;
    transform(invocation % LANES, line, r * N, r < params.rows);
}

/// Transforms the row whose first element is `first`, as invocation `t` of LANES; `line` is the row's place in the workgroup.
// <generated>
// </generated>
