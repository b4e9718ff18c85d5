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
// registers 8.8 elements=8 rows=4 exchange=split banks=32 roots=products
var<workgroup> exchange: array<f32, 276>;

fn transform(t: u32, line: u32, first: u32, live: bool) {
    // Element t + m * 8 in register m.
    var v0 = vec2<f32>();
    var v1 = vec2<f32>();
    var v2 = vec2<f32>();
    var v3 = vec2<f32>();
    var v4 = vec2<f32>();
    var v5 = vec2<f32>();
    var v6 = vec2<f32>();
    var v7 = vec2<f32>();
    if (live) {
        v0 = swap_if(INVERSE, load(first + t));
        v1 = swap_if(INVERSE, load(first + t + 8u));
        v2 = swap_if(INVERSE, load(first + t + 16u));
        v3 = swap_if(INVERSE, load(first + t + 24u));
        v4 = swap_if(INVERSE, load(first + t + 32u));
        v5 = swap_if(INVERSE, load(first + t + 40u));
        v6 = swap_if(INVERSE, load(first + t + 48u));
        v7 = swap_if(INVERSE, load(first + t + 56u));
    }
    // Stage: radix 8, p = 1.
    let x0 = v0 + v4;
    let x1 = v0 - v4;
    let x2 = v1 + v5;
    let x3 = v1 - v5;
    let x4 = 0.70710678118654752 * vec2<f32>(x3.x + x3.y, x3.y - x3.x);
    let x5 = v2 + v6;
    let x6 = v2 - v6;
    let x7 = vec2<f32>(x6.y, -x6.x);
    let x8 = v3 + v7;
    let x9 = v3 - v7;
    let x10 = 0.70710678118654752 * vec2<f32>(x9.y - x9.x, -x9.x - x9.y);
    let x11 = x0 + x5;
    let x12 = x0 - x5;
    let x13 = x2 + x8;
    let x14 = x2 - x8;
    let x15 = vec2<f32>(x14.y, -x14.x);
    let x16 = x11 + x13;
    let x17 = x12 + x15;
    let x18 = x11 - x13;
    let x19 = x12 - x15;
    let x20 = x1 + x7;
    let x21 = x1 - x7;
    let x22 = x4 + x10;
    let x23 = x4 - x10;
    let x24 = vec2<f32>(x23.y, -x23.x);
    let x25 = x20 + x22;
    let x26 = x21 + x24;
    let x27 = x20 - x22;
    let x28 = x21 - x24;
    let x29 = t * 8u;
    let x30 = line * 69u + x29 + ((x29 >> 5u) << 2u);
    let x31 = line * 69u + t + ((t >> 5u) << 2u);
    exchange[x30] = x16.x;
    exchange[x30 + 1u] = x25.x;
    exchange[x30 + 2u] = x17.x;
    exchange[x30 + 3u] = x26.x;
    exchange[x30 + 4u] = x18.x;
    exchange[x30 + 5u] = x27.x;
    exchange[x30 + 6u] = x19.x;
    exchange[x30 + 7u] = x28.x;
    workgroupBarrier();
    let x32 = exchange[x31];
    let x33 = exchange[x31 + 8u];
    let x34 = exchange[x31 + 16u];
    let x35 = exchange[x31 + 24u];
    let x36 = exchange[x31 + 36u];
    let x37 = exchange[x31 + 44u];
    let x38 = exchange[x31 + 52u];
    let x39 = exchange[x31 + 60u];
    workgroupBarrier();
    exchange[x30] = x16.y;
    exchange[x30 + 1u] = x25.y;
    exchange[x30 + 2u] = x17.y;
    exchange[x30 + 3u] = x26.y;
    exchange[x30 + 4u] = x18.y;
    exchange[x30 + 5u] = x27.y;
    exchange[x30 + 6u] = x19.y;
    exchange[x30 + 7u] = x28.y;
    workgroupBarrier();
    let x40 = exchange[x31];
    let x41 = exchange[x31 + 8u];
    let x42 = exchange[x31 + 16u];
    let x43 = exchange[x31 + 24u];
    let x44 = exchange[x31 + 36u];
    let x45 = exchange[x31 + 44u];
    let x46 = exchange[x31 + 52u];
    let x47 = exchange[x31 + 60u];
    let x48 = vec2<f32>(x32, x40);
    let x49 = vec2<f32>(x33, x41);
    let x50 = vec2<f32>(x34, x42);
    let x51 = vec2<f32>(x35, x43);
    let x52 = vec2<f32>(x36, x44);
    let x53 = vec2<f32>(x37, x45);
    let x54 = vec2<f32>(x38, x46);
    let x55 = vec2<f32>(x39, x47);
    // Stage: radix 8, p = 8.
    let x56 = t % 8u + 7u;
    let x57 = roots[x56];
    let x58 = roots[x56 + 8u];
    let x59 = complex_mul(x58, x57);
    let x60 = roots[x56 + 24u];
    let x61 = complex_mul(x60, x57);
    let x62 = complex_mul(x60, x58);
    let x63 = complex_mul(x60, x59);
    let x64 = complex_mul(x49, x57);
    let x65 = complex_mul(x50, x58);
    let x66 = complex_mul(x51, x59);
    let x67 = complex_mul(x52, x60);
    let x68 = complex_mul(x53, x61);
    let x69 = complex_mul(x54, x62);
    let x70 = complex_mul(x55, x63);
    let x71 = x48 + x67;
    let x72 = x48 - x67;
    let x73 = x64 + x68;
    let x74 = x64 - x68;
    let x75 = 0.70710678118654752 * vec2<f32>(x74.x + x74.y, x74.y - x74.x);
    let x76 = x65 + x69;
    let x77 = x65 - x69;
    let x78 = vec2<f32>(x77.y, -x77.x);
    let x79 = x66 + x70;
    let x80 = x66 - x70;
    let x81 = 0.70710678118654752 * vec2<f32>(x80.y - x80.x, -x80.x - x80.y);
    let x82 = x71 + x76;
    let x83 = x71 - x76;
    let x84 = x73 + x79;
    let x85 = x73 - x79;
    let x86 = vec2<f32>(x85.y, -x85.x);
    let x87 = x82 + x84;
    let x88 = x83 + x86;
    let x89 = x82 - x84;
    let x90 = x83 - x86;
    let x91 = x72 + x78;
    let x92 = x72 - x78;
    let x93 = x75 + x81;
    let x94 = x75 - x81;
    let x95 = vec2<f32>(x94.y, -x94.x);
    let x96 = x91 + x93;
    let x97 = x92 + x95;
    let x98 = x91 - x93;
    let x99 = x92 - x95;
    if (live) {
        store(first + t, params.scale * swap_if(INVERSE, x87));
        store(first + t + 8u, params.scale * swap_if(INVERSE, x96));
        store(first + t + 16u, params.scale * swap_if(INVERSE, x88));
        store(first + t + 24u, params.scale * swap_if(INVERSE, x97));
        store(first + t + 32u, params.scale * swap_if(INVERSE, x89));
        store(first + t + 40u, params.scale * swap_if(INVERSE, x98));
        store(first + t + 48u, params.scale * swap_if(INVERSE, x90));
        store(first + t + 56u, params.scale * swap_if(INVERSE, x99));
    }
}
// </generated>
