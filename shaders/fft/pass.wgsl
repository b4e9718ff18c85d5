// FFTs along one axis of an array, or one factor of them, with butterflies in registers (Stockham).
//
//   y[k] = scale * sum over j of x[j] * exp(-2 pi i j k / n)
//
// for each of params.lines lines. LANES invocations share a line, LINES lines a workgroup. Between stages the elements pass through
// workgroup memory. Where elements are loaded from and stored to, what is done to them there (complex or real numbers, two rows of
// reals as one, zeros past a limit, chirps, roots of a larger transform that this is a factor of), and the stages are straight-line text,
// made for each recipe by src/fft/stages.rs, which states the index rules. What stands between the markers below is the text for rows of 64 as 8 * 8.
//
// Grid: one workgroup per LINES lines; folded.
// Traffic: each element once in, once out, roots of unity in. Workgroup memory: n * LINES words (exchange=split) or twice that
// (exchange=whole), divided by the pieces of an exchange, and spare elements against bank conflicts.
// Requires: `roots` holds for the stage of radix r after p = product of the earlier radices exp(-2 pi i j k / (p r)) at
// p - 1 + (k - 1) * p + j, for k in 1 .. r and j in 0 .. p; and what other constants src/kernels/fft/pass.rs names.
// Source: C. Van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM 1992, section 1.7; N. K. Govindaraju et al., High Performance
// Discrete Fourier Transforms on Graphics Processors, SC 2008; D. H. Bailey, FFTs in External or Hierarchical Memory, J. Supercomputing 4 (1990) 23;
// L. I. Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451.
// Rust twin: src/kernels/fft/pass.rs
// Appended: grid.wgsl, fft/complex.wgsl

struct Params {
    lines: u32,
    scale: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> roots: array<vec2<f32>>;

@compute @workgroup_size(LANES * LINES)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    transform(workgroup_index(group_id, group_count), invocation);
}

/// Transforms the lines of workgroup `group`.
// <generated>
const LINES = 1u;
const LANES = 1u;

fn transform(group: u32, invocation: u32) {
}
// </generated>
