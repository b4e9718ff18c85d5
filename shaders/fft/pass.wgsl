// FFTs along one axis of an array, or one factor of them, with butterflies in registers (Stockham).
//
//   y[k] = scale * sum over j of x[j] * exp(-2 pi i j k / n)
//
// for each of params.lines lines. LANES invocations share a line, LINES lines a workgroup. Between stages the elements pass through
// workgroup memory. Where elements are loaded from and stored to, what is done to them there (complex or real numbers, two rows of
// reals as one, zeros past a limit, chirps, roots of a larger transform that this is a factor of), and the stages are straight-line text,
// made for each recipe by src/fft/stages/mod.rs, which states the index rules. What stands between the markers below is the text for rows of 64 as 8 * 8.
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
// registers 8.8 lanes=8 lines=4 exchange=split pieces=1 banks=32 roots=products
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
    let x0 = invocation % 8u;
    let x1 = invocation / 8u;
    let line0 = group * 4u + x1;
    let x2 = line0;
    let x3 = (x2) * 64u;
    let x4 = x3 + x0;
    let x5 = load(x4);
    let x6 = load(x4 + 8u);
    let x7 = load(x4 + 16u);
    let x8 = load(x4 + 24u);
    let x9 = load(x4 + 32u);
    let x10 = load(x4 + 40u);
    let x11 = load(x4 + 48u);
    let x12 = load(x4 + 56u);
    // Stage: radix 8, p = 1.
    let x13 = x5 + x9;
    let x14 = x5 - x9;
    let x15 = x6 + x10;
    let x16 = x6 - x10;
    let x17 = 0.70710678118654752 * vec2<f32>(x16.x + x16.y, x16.y - x16.x);
    let x18 = x7 + x11;
    let x19 = x7 - x11;
    let x20 = vec2<f32>(x19.y, -x19.x);
    let x21 = x8 + x12;
    let x22 = x8 - x12;
    let x23 = -0.70710678118654752 * vec2<f32>(x22.x - x22.y, x22.x + x22.y);
    let x24 = x13 + x18;
    let x25 = x13 - x18;
    let x26 = x15 + x21;
    let x27 = x15 - x21;
    let x28 = vec2<f32>(x27.y, -x27.x);
    let x29 = x24 + x26;
    let x30 = x25 + x28;
    let x31 = x24 - x26;
    let x32 = x25 - x28;
    let x33 = x14 + x20;
    let x34 = x14 - x20;
    let x35 = x17 + x23;
    let x36 = x17 - x23;
    let x37 = vec2<f32>(x36.y, -x36.x);
    let x38 = x33 + x35;
    let x39 = x34 + x37;
    let x40 = x33 - x35;
    let x41 = x34 - x37;
    let x42 = (x0) * 8u;
    let x43 = (x42) * 4u + x1;
    let x44 = x43 + ((x43 >> 5u) << 2u);
    let x45 = (x0) * 4u + x1;
    let x46 = x45 + ((x45 >> 5u) << 2u);
    exchange[x44] = x29.x;
    exchange[x44 + 4u] = x38.x;
    exchange[x44 + 8u] = x30.x;
    exchange[x44 + 12u] = x39.x;
    exchange[x44 + 16u] = x31.x;
    exchange[x44 + 20u] = x40.x;
    exchange[x44 + 24u] = x32.x;
    exchange[x44 + 28u] = x41.x;
    workgroupBarrier();
    let x47 = exchange[x46];
    let x48 = exchange[x46 + 36u];
    let x49 = exchange[x46 + 72u];
    let x50 = exchange[x46 + 108u];
    let x51 = exchange[x46 + 144u];
    let x52 = exchange[x46 + 180u];
    let x53 = exchange[x46 + 216u];
    let x54 = exchange[x46 + 252u];
    workgroupBarrier();
    exchange[x44] = x29.y;
    exchange[x44 + 4u] = x38.y;
    exchange[x44 + 8u] = x30.y;
    exchange[x44 + 12u] = x39.y;
    exchange[x44 + 16u] = x31.y;
    exchange[x44 + 20u] = x40.y;
    exchange[x44 + 24u] = x32.y;
    exchange[x44 + 28u] = x41.y;
    workgroupBarrier();
    let x55 = exchange[x46];
    let x56 = exchange[x46 + 36u];
    let x57 = exchange[x46 + 72u];
    let x58 = exchange[x46 + 108u];
    let x59 = exchange[x46 + 144u];
    let x60 = exchange[x46 + 180u];
    let x61 = exchange[x46 + 216u];
    let x62 = exchange[x46 + 252u];
    let x63 = vec2<f32>(x47, x55);
    let x64 = vec2<f32>(x48, x56);
    let x65 = vec2<f32>(x49, x57);
    let x66 = vec2<f32>(x50, x58);
    let x67 = vec2<f32>(x51, x59);
    let x68 = vec2<f32>(x52, x60);
    let x69 = vec2<f32>(x53, x61);
    let x70 = vec2<f32>(x54, x62);
    // Stage: radix 8, p = 8.
    let x71 = (x0) + 7u;
    let x72 = roots[x71];
    let x73 = roots[x71 + 8u];
    let x74 = complex_mul(x73, x72);
    let x75 = roots[x71 + 24u];
    let x76 = complex_mul(x75, x72);
    let x77 = complex_mul(x75, x73);
    let x78 = complex_mul(x75, x74);
    let x79 = complex_mul(x64, x72);
    let x80 = complex_mul(x65, x73);
    let x81 = complex_mul(x66, x74);
    let x82 = complex_mul(x67, x75);
    let x83 = complex_mul(x68, x76);
    let x84 = complex_mul(x69, x77);
    let x85 = complex_mul(x70, x78);
    let x86 = x63 + x82;
    let x87 = x63 - x82;
    let x88 = x79 + x83;
    let x89 = x79 - x83;
    let x90 = 0.70710678118654752 * vec2<f32>(x89.x + x89.y, x89.y - x89.x);
    let x91 = x80 + x84;
    let x92 = x80 - x84;
    let x93 = vec2<f32>(x92.y, -x92.x);
    let x94 = x81 + x85;
    let x95 = x81 - x85;
    let x96 = -0.70710678118654752 * vec2<f32>(x95.x - x95.y, x95.x + x95.y);
    let x97 = x86 + x91;
    let x98 = x86 - x91;
    let x99 = x88 + x94;
    let x100 = x88 - x94;
    let x101 = vec2<f32>(x100.y, -x100.x);
    let x102 = x97 + x99;
    let x103 = x98 + x101;
    let x104 = x97 - x99;
    let x105 = x98 - x101;
    let x106 = x87 + x93;
    let x107 = x87 - x93;
    let x108 = x90 + x96;
    let x109 = x90 - x96;
    let x110 = vec2<f32>(x109.y, -x109.x);
    let x111 = x106 + x108;
    let x112 = x107 + x110;
    let x113 = x106 - x108;
    let x114 = x107 - x110;
    let x115 = (x2) * 64u;
    let x116 = x115 + x0;
    store(x116, params.scale * x102);
    store(x116 + 8u, params.scale * x111);
    store(x116 + 16u, params.scale * x103);
    store(x116 + 24u, params.scale * x112);
    store(x116 + 32u, params.scale * x104);
    store(x116 + 40u, params.scale * x113);
    store(x116 + 48u, params.scale * x105);
    store(x116 + 56u, params.scale * x114);
}
// </generated>
