// FFTs along one axis of an array, along one factor of it, or along all axes of a small picture,
// with butterflies in registers (Stockham).
//
//   y[k] = scale * sum over j of x[j] * exp(-2 pi i j k / n)
//
// for each of params.lines lines. LANES invocations share a line, and a workgroup has LINES lines.
// Between stages, elements are exchanged through workgroup memory. src/fft/emit/stockham/mod.rs writes
// straight-line text for each recipe, and states the index rules. That text decides where elements
// are loaded and stored, contains the stages, and applies the prologue and the epilogue: real or
// complex numbers, two rows of reals as one, zeros past a limit, chirps, and twiddle factors of a
// larger transform that this is a factor of. The text between the markers below is that for rows of
// 64 as 8 * 8.
//
// Grid: one workgroup per LINES lines; folded.
// Traffic: each element once in, once out, and twiddle factors in. Workgroup memory: n * LINES
// words (exchange=split) or twice that (exchange=whole), divided by the number of pieces of an
// exchange, plus padding against bank conflicts.
// Requires: `roots` holds the twiddle factors. Those of the stage of radix r after p = product of
// the earlier radices are exp(-2 pi i j k / (p r)) at p - 1 + (k - 1) * p + j, for k in 1 .. r and
// j in 0 .. p. src/fft/roots.rs names the other constants that it may hold.
// Source: C. Van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM 1992, section
// 1.7; N. K. Govindaraju et al., High Performance Discrete Fourier Transforms on Graphics
// Processors, SC 2008; D. H. Bailey, FFTs in External or Hierarchical Memory, J. Supercomputing 4
// (1990) 23; L. I. Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451.
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

/// Returns `x`, but hides from compilers that it is a product: they cannot know that 0 is added to
/// its bits. No pass over two values or more has 2^31 lines, so the added number is 0. For results
/// that are dropped, src/fft/emit/codelets.rs says why this is needed.
fn opaque(x: vec2<f32>) -> vec2<f32> {
    return bitcast<vec2<f32>>(bitcast<vec2<u32>>(x) + vec2<u32>(params.lines >> 31u));
}

/// Transforms the lines of workgroup `group`.
// <generated>
// stockham 8.8 lanes=8 lines=4 exchange=split pieces=1 banks=32 roots=products
const LINES = 4u;
const LANES = 8u;

@group(0) @binding(1) var<storage, read> input: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec2<f32>>;

fn load(i: u32) -> vec2<f32> {
    return input[i];
}

fn store(i: u32, value: vec2<f32>) {
    output[i] = value;
}

var<workgroup> exchange: array<f32, 284>;

fn transform(group: u32, invocation: u32) {
    let lane = invocation % 8u;
    let row = invocation / 8u;
    let line = group * 4u + row;
    let base = line * 64u;
    let at = base + lane;
    let x0 = load(at);
    let x1 = load(at + 8u);
    let x2 = load(at + 16u);
    let x3 = load(at + 24u);
    let x4 = load(at + 32u);
    let x5 = load(at + 40u);
    let x6 = load(at + 48u);
    let x7 = load(at + 56u);
    // Stage: radix 8, p = 1.
    let a0 = x0 + x4;
    let a1 = x0 - x4;
    let b0 = x1 + x5;
    let b1 = x1 - x5;
    let b1_turned = 0.7071067811865476 * vec2<f32>(b1.x + b1.y, b1.y - b1.x);
    let c0 = x2 + x6;
    let c1 = x2 - x6;
    let c1_turned = vec2<f32>(c1.y, -c1.x);
    let d0 = x3 + x7;
    let d1 = x3 - x7;
    let d1_turned = -0.7071067811865476 * vec2<f32>(d1.x - d1.y, d1.x + d1.y);
    let even_sum = a0 + c0;
    let even_difference = a0 - c0;
    let odd_sum = b0 + d0;
    let odd_difference = b0 - d0;
    let odd_difference_turned = vec2<f32>(odd_difference.y, -odd_difference.x);
    let y0 = even_sum + odd_sum;
    let y2 = even_difference + odd_difference_turned;
    let y4 = even_sum - odd_sum;
    let y6 = even_difference - odd_difference_turned;
    let even_sum_2 = a1 + c1_turned;
    let even_difference_2 = a1 - c1_turned;
    let odd_sum_2 = b1_turned + d1_turned;
    let odd_difference_2 = b1_turned - d1_turned;
    let odd_difference_2_turned = vec2<f32>(odd_difference_2.y, -odd_difference_2.x);
    let y1 = even_sum_2 + odd_sum_2;
    let y3 = even_difference_2 + odd_difference_2_turned;
    let y5 = even_sum_2 - odd_sum_2;
    let y7 = even_difference_2 - odd_difference_2_turned;
    let first = lane * 8u;
    let stored_at = first * 4u + row;
    let stored_at_2 = stored_at + ((stored_at >> 5u) << 2u);
    let loaded_at = lane * 4u + row;
    exchange[stored_at_2] = y0.x;
    exchange[stored_at_2 + 4u] = y1.x;
    exchange[stored_at_2 + 8u] = y2.x;
    exchange[stored_at_2 + 12u] = y3.x;
    exchange[stored_at_2 + 16u] = y4.x;
    exchange[stored_at_2 + 20u] = y5.x;
    exchange[stored_at_2 + 24u] = y6.x;
    exchange[stored_at_2 + 28u] = y7.x;
    workgroupBarrier();
    let re0 = exchange[loaded_at];
    let re1 = exchange[loaded_at + 36u];
    let re2 = exchange[loaded_at + 72u];
    let re3 = exchange[loaded_at + 108u];
    let re4 = exchange[loaded_at + 144u];
    let re5 = exchange[loaded_at + 180u];
    let re6 = exchange[loaded_at + 216u];
    let re7 = exchange[loaded_at + 252u];
    workgroupBarrier();
    exchange[stored_at_2] = y0.y;
    exchange[stored_at_2 + 4u] = y1.y;
    exchange[stored_at_2 + 8u] = y2.y;
    exchange[stored_at_2 + 12u] = y3.y;
    exchange[stored_at_2 + 16u] = y4.y;
    exchange[stored_at_2 + 20u] = y5.y;
    exchange[stored_at_2 + 24u] = y6.y;
    exchange[stored_at_2 + 28u] = y7.y;
    workgroupBarrier();
    let im0 = exchange[loaded_at];
    let im1 = exchange[loaded_at + 36u];
    let im2 = exchange[loaded_at + 72u];
    let im3 = exchange[loaded_at + 108u];
    let im4 = exchange[loaded_at + 144u];
    let im5 = exchange[loaded_at + 180u];
    let im6 = exchange[loaded_at + 216u];
    let im7 = exchange[loaded_at + 252u];
    let x0_2 = vec2<f32>(re0, im0);
    let x1_2 = vec2<f32>(re1, im1);
    let x2_2 = vec2<f32>(re2, im2);
    let x3_2 = vec2<f32>(re3, im3);
    let x4_2 = vec2<f32>(re4, im4);
    let x5_2 = vec2<f32>(re5, im5);
    let x6_2 = vec2<f32>(re6, im6);
    let x7_2 = vec2<f32>(re7, im7);
    // Stage: radix 8, p = 8.
    let root_at = lane + 7u;
    let root1 = roots[root_at];
    let root2 = roots[root_at + 8u];
    let root3 = complex_mul(root2, root1);
    let root4 = roots[root_at + 24u];
    let root5 = complex_mul(root4, root1);
    let root6 = complex_mul(root4, root2);
    let root7 = complex_mul(root4, root3);
    let x1_3 = complex_mul(x1_2, root1);
    let x2_3 = complex_mul(x2_2, root2);
    let x3_3 = complex_mul(x3_2, root3);
    let x4_3 = complex_mul(x4_2, root4);
    let x5_3 = complex_mul(x5_2, root5);
    let x6_3 = complex_mul(x6_2, root6);
    let x7_3 = complex_mul(x7_2, root7);
    let a0_2 = x0_2 + x4_3;
    let a1_2 = x0_2 - x4_3;
    let b0_2 = x1_3 + x5_3;
    let b1_2 = x1_3 - x5_3;
    let b1_2_turned = 0.7071067811865476 * vec2<f32>(b1_2.x + b1_2.y, b1_2.y - b1_2.x);
    let c0_2 = x2_3 + x6_3;
    let c1_2 = x2_3 - x6_3;
    let c1_2_turned = vec2<f32>(c1_2.y, -c1_2.x);
    let d0_2 = x3_3 + x7_3;
    let d1_2 = x3_3 - x7_3;
    let d1_2_turned = -0.7071067811865476 * vec2<f32>(d1_2.x - d1_2.y, d1_2.x + d1_2.y);
    let even_sum_3 = a0_2 + c0_2;
    let even_difference_3 = a0_2 - c0_2;
    let odd_sum_3 = b0_2 + d0_2;
    let odd_difference_3 = b0_2 - d0_2;
    let odd_difference_3_turned = vec2<f32>(odd_difference_3.y, -odd_difference_3.x);
    let y0_2 = even_sum_3 + odd_sum_3;
    let y2_2 = even_difference_3 + odd_difference_3_turned;
    let y4_2 = even_sum_3 - odd_sum_3;
    let y6_2 = even_difference_3 - odd_difference_3_turned;
    let even_sum_4 = a1_2 + c1_2_turned;
    let even_difference_4 = a1_2 - c1_2_turned;
    let odd_sum_4 = b1_2_turned + d1_2_turned;
    let odd_difference_4 = b1_2_turned - d1_2_turned;
    let odd_difference_4_turned = vec2<f32>(odd_difference_4.y, -odd_difference_4.x);
    let y1_2 = even_sum_4 + odd_sum_4;
    let y3_2 = even_difference_4 + odd_difference_4_turned;
    let y5_2 = even_sum_4 - odd_sum_4;
    let y7_2 = even_difference_4 - odd_difference_4_turned;
    let base_2 = line * 64u;
    let at_2 = base_2 + lane;
    store(at_2, params.scale * y0_2);
    store(at_2 + 8u, params.scale * y1_2);
    store(at_2 + 16u, params.scale * y2_2);
    store(at_2 + 24u, params.scale * y3_2);
    store(at_2 + 32u, params.scale * y4_2);
    store(at_2 + 40u, params.scale * y5_2);
    store(at_2 + 48u, params.scale * y6_2);
    store(at_2 + 56u, params.scale * y7_2);
}
// </generated>
