// Row FFT with radix 2 in workgroup memory: the plain Stockham transform, kept readable.
//
//   output[r, k] = scale * sum over j of input[r, j] * exp(-2 pi i j k / N)      (+ for INVERSE)
//
// Stockham's form of the fast Fourier transform sorts as it goes, so there is no bit reversal. With
// p the product of the earlier radices (1, 2, 4, ..., N/2), butterfly j in 0 .. N/2 of a stage
// computes
//   a = x[j],  w = x[j + N/2] * exp(-2 pi i (j mod p) / 2p)
//   y[2j - (j mod p)] = a + w,  y[2j - (j mod p) + p] = a - w
// Then x and y are exchanged. They are two arrays in workgroup memory, with one barrier per stage.
//
// Grid: one workgroup per ROWS rows, LANES invocations for each; folded.
// Traffic: each element once in, once out, N - 1 twiddle factors in. Workgroup memory: 2 * N * ROWS
// complex numbers.
// Requires: N is a power of two (1 is a scaled copy). `roots` holds the twiddle factors of each
// stage: exp(-2 pi i j / 2p) at p - 1 + j, for j < p.
// Source: C. Van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM 1992,
// section 1.7.
// Rust twin: src/kernels/fft/radix2.rs
// Appended: grid.wgsl, fft/complex.wgsl, fft/io/separate.wgsl | fft/io/in_place.wgsl

struct Params {
    rows: u32,
    scale: f32,
}

override N: u32 = 64u;
override ROWS: u32 = 2u;
override LANES: u32 = 32u;
override INVERSE: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> roots: array<vec2<f32>>;

var<workgroup> values: array<vec2<f32>, 2u * N * ROWS>;

@compute @workgroup_size(LANES, ROWS)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let t = local.x;
    let r = workgroup_index(group_id, group_count) * ROWS + local.y;
    let live = r < params.rows;
    var x = local.y * 2u * N;
    var y = x + N;

    for (var j = t; j < N; j += LANES) {
        if (live) {
            values[x + j] = swap_if(INVERSE, load(r * N + j));
        } else {
            values[x + j] = vec2<f32>();
        }
    }
    workgroupBarrier();

    for (var p = 1u; p < N; p *= 2u) {
        for (var j = t; j < N / 2u; j += LANES) {
            let a = values[x + j];
            let w = complex_mul(values[x + j + N / 2u], roots[p - 1u + j % p]);
            let k = 2u * j - j % p;
            values[y + k] = a + w;
            values[y + k + p] = a - w;
        }
        workgroupBarrier();
        let earlier = x;
        x = y;
        y = earlier;
    }

    for (var k = t; k < N; k += LANES) {
        if (live) {
            store(r * N + k, params.scale * swap_if(INVERSE, values[x + k]));
        }
    }
}
