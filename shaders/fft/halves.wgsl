// Half-spectra of rows of n = 2m reals from the DFTs z of their halves x[2j] + i x[2j+1], or the
// reverse, for processors.
//
//   y[k] = scale * (z[k] + conj z[m-k] + (z[k] - conj z[m-k]) / i * exp(-2 pi i k / n)),  k = 0 to m
//   z[k] = y[k] + conj y[m-k] + i (y[k] - conj y[m-k]) * exp(2 pi i k / n),  k below m
//
// with z[m] = z[0], for every row. The imaginary parts of y[0] and y[m] are taken as 0. If the rows
// have been transformed along other axes too, what is conjugated belongs to the mirrored row, whose
// indices j on those axes are -j; y[0] and y[m] are then taken as their means with the conjugates of
// y[0] and y[m] of that row.
//
// The text between the markers is that of the first formula for dense rows of 128 reals; the text
// of the second differs in what it loads and stores. src/fft/emit/lanes/halves.rs writes both.
//
// A packed row is moved by V = 1, 2 or 4 neighbouring numbers, as by lanes.wgsl, and a half-spectrum
// number by number, because its rows are rarely aligned. An invocation takes block q of V numbers
// from the begin of a row and block q from the end of the mirrored one: elements k and m - k are
// made of the same terms.
//
// Grid: an invocation for every pair of blocks; folded. With mirrored rows some invocations have
// nothing to do.
// Traffic: the packed side in once and a half at most, or out once; the half-spectrum out once, or
// in 1 + 1/V times.
// Requires: packed rows that begin at multiples of V numbers; `roots` holds exp(-2 pi i x / n) at x,
// or its two tables (src/fft/roots.rs). Accesses of 64-bit integers need SHADER_INT64.
// Source: W. H. Press et al., Numerical Recipes, 3rd ed. (2007), section 12.3.
// Rust twin: src/kernels/fft/halves.rs
// Appended: grid.wgsl

struct Params {
    lines: u32,
    scale: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> roots: array<vec2<f32>>;

// <generated>
const INVOCATIONS = 64u;

@group(0) @binding(1) var<storage, read> input: array<vec4<u64>>;
@group(0) @binding(2) var<storage, read_write> output: array<u64>;

fn root_of(x: u32) -> vec2<f32> {
    return roots[x];
}

@compute @workgroup_size(INVOCATIONS)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) place: u32,
) {
    let line = workgroup_index(group_id, group_count) * INVOCATIONS + place;
    if (line < params.lines) {
        combine(line);
    }
}

/// Combines blocks `line % PAIRS` from both ends of a row.
fn combine(line: u32) {
    let pair = line % 8u;
    let rest = line / 8u;
    let packed_row = rest * 16u;
    let spectrum_row = rest * 65u;
    let first = pair * 4u;
    let other = 15u - pair;
    let own = input[packed_row + pair];
    let own_re = bitcast<vec4<f32>>(vec4<u32>(own));
    let own_im = bitcast<vec4<f32>>(vec4<u32>(own >> vec4<u32>(32u, 32u, 32u, 32u)));
    let mirrored = input[packed_row + other];
    let mirrored_re = bitcast<vec4<f32>>(vec4<u32>(mirrored));
    let mirrored_im = bitcast<vec4<f32>>(vec4<u32>(mirrored >> vec4<u32>(32u, 32u, 32u, 32u)));
    let behind = input[packed_row + pair + 1u];
    let behind_re = bitcast<vec4<f32>>(vec4<u32>(behind));
    let behind_im = bitcast<vec4<f32>>(vec4<u32>(behind >> vec4<u32>(32u, 32u, 32u, 32u)));
    let opposite = input[packed_row + select(other + 1u, 0u, pair == 0u)];
    let opposite_re = bitcast<vec4<f32>>(vec4<u32>(opposite));
    let opposite_im = bitcast<vec4<f32>>(vec4<u32>(opposite >> vec4<u32>(32u, 32u, 32u, 32u)));
    let root = root_of(first);
    let root_re = root.x;
    let root_im = root.y;
    let sum_re = own_re.x + opposite_re.x;
    let sum_im = own_im.x - opposite_im.x;
    let difference_re = own_re.x - opposite_re.x;
    let difference_im = own_im.x + opposite_im.x;
    let product = difference_im * root_re;
    let product_2 = difference_re * root_im;
    let product_3 = difference_im * root_im;
    let product_4 = difference_re * root_re;
    let sum_re_2 = own_re.y + mirrored_re.w;
    let sum_im_2 = own_im.y - mirrored_im.w;
    let difference_re_2 = own_re.y - mirrored_re.w;
    let difference_im_2 = own_im.y + mirrored_im.w;
    let product_5 = 0.9987954562051724 * root_re;
    let product_6 = 0.049067674327418015 * root_im;
    let product_7 = 0.049067674327418015 * root_re;
    let product_8 = 0.9987954562051724 * root_im;
    let turned_re = product_5 + product_6;
    let turned_im = product_8 - product_7;
    let product_9 = difference_im_2 * turned_re;
    let product_10 = difference_re_2 * turned_im;
    let product_11 = difference_im_2 * turned_im;
    let product_12 = difference_re_2 * turned_re;
    let sum_re_3 = own_re.z + mirrored_re.z;
    let sum_im_3 = own_im.z - mirrored_im.z;
    let difference_re_3 = own_re.z - mirrored_re.z;
    let difference_im_3 = own_im.z + mirrored_im.z;
    let product_13 = 0.9951847266721969 * root_re;
    let product_14 = 0.0980171403295606 * root_im;
    let product_15 = 0.0980171403295606 * root_re;
    let product_16 = 0.9951847266721969 * root_im;
    let turned_re_2 = product_13 + product_14;
    let turned_im_2 = product_16 - product_15;
    let product_17 = difference_im_3 * turned_re_2;
    let product_18 = difference_re_3 * turned_im_2;
    let product_19 = difference_im_3 * turned_im_2;
    let product_20 = difference_re_3 * turned_re_2;
    let sum_re_4 = own_re.w + mirrored_re.y;
    let sum_im_4 = own_im.w - mirrored_im.y;
    let difference_re_4 = own_re.w - mirrored_re.y;
    let difference_im_4 = own_im.w + mirrored_im.y;
    let product_21 = 0.989176509964781 * root_re;
    let product_22 = 0.14673047445536175 * root_im;
    let product_23 = 0.14673047445536175 * root_re;
    let product_24 = 0.989176509964781 * root_im;
    let turned_re_3 = product_21 + product_22;
    let turned_im_3 = product_24 - product_23;
    let product_25 = difference_im_4 * turned_re_3;
    let product_26 = difference_re_4 * turned_im_3;
    let product_27 = difference_im_4 * turned_im_3;
    let product_28 = difference_re_4 * turned_re_3;
    let sum_re_5 = behind_re.x + mirrored_re.x;
    let sum_im_5 = behind_im.x - mirrored_im.x;
    let difference_re_5 = behind_re.x - mirrored_re.x;
    let difference_im_5 = behind_im.x + mirrored_im.x;
    let product_29 = 0.9807852804032304 * root_re;
    let product_30 = 0.19509032201612825 * root_im;
    let product_31 = 0.19509032201612825 * root_re;
    let product_32 = 0.9807852804032304 * root_im;
    let turned_re_4 = product_29 + product_30;
    let turned_im_4 = product_32 - product_31;
    let product_33 = difference_im_5 * turned_re_4;
    let product_34 = difference_re_5 * turned_im_4;
    let product_35 = difference_im_5 * turned_im_4;
    let product_36 = difference_re_5 * turned_re_4;
    let part = sum_re + product;
    let plus = part + product_2;
    let part_2 = sum_im + product_3;
    let plus_2 = part_2 - product_4;
    let part_3 = sum_re_2 + product_9;
    let plus_3 = part_3 + product_10;
    let part_4 = sum_im_2 + product_11;
    let plus_4 = part_4 - product_12;
    let part_5 = sum_re_3 + product_17;
    let plus_5 = part_5 + product_18;
    let part_6 = sum_im_3 + product_19;
    let plus_6 = part_6 - product_20;
    let part_7 = sum_re_4 + product_25;
    let plus_7 = part_7 + product_26;
    let part_8 = sum_im_4 + product_27;
    let plus_8 = part_8 - product_28;
    let part_9 = sum_re - product;
    let minus = part_9 - product_2;
    let part_10 = sum_im - product_3;
    let minus_2 = part_10 + product_4;
    let part_11 = sum_re_2 - product_9;
    let minus_3 = part_11 - product_10;
    let part_12 = sum_im_2 - product_11;
    let minus_4 = part_12 + product_12;
    let part_13 = sum_re_3 - product_17;
    let minus_5 = part_13 - product_18;
    let part_14 = sum_im_3 - product_19;
    let minus_6 = part_14 + product_20;
    let part_15 = sum_re_4 - product_25;
    let minus_7 = part_15 - product_26;
    let part_16 = sum_im_4 - product_27;
    let minus_8 = part_16 + product_28;
    let part_17 = sum_re_5 - product_33;
    let minus_9 = part_17 - product_34;
    let part_18 = sum_im_5 - product_35;
    let minus_10 = part_18 + product_36;
    let scaled = params.scale * plus;
    let scaled_2 = params.scale * plus_2;
    output[spectrum_row + first] = u64(bitcast<u32>(scaled)) | (u64(bitcast<u32>(scaled_2)) << 32u);
    let scaled_3 = params.scale * plus_3;
    let scaled_4 = params.scale * plus_4;
    output[spectrum_row + (first + 1u)] = u64(bitcast<u32>(scaled_3)) | (u64(bitcast<u32>(scaled_4)) << 32u);
    let scaled_5 = params.scale * plus_5;
    let scaled_6 = params.scale * plus_6;
    output[spectrum_row + (first + 2u)] = u64(bitcast<u32>(scaled_5)) | (u64(bitcast<u32>(scaled_6)) << 32u);
    let scaled_7 = params.scale * plus_7;
    let scaled_8 = params.scale * plus_8;
    output[spectrum_row + (first + 3u)] = u64(bitcast<u32>(scaled_7)) | (u64(bitcast<u32>(scaled_8)) << 32u);
    let scaled_9 = params.scale * minus_9;
    let scaled_10 = params.scale * -minus_10;
    output[spectrum_row + other * 4u] = u64(bitcast<u32>(scaled_9)) | (u64(bitcast<u32>(scaled_10)) << 32u);
    let scaled_11 = params.scale * minus_7;
    let scaled_12 = params.scale * -minus_8;
    output[spectrum_row + other * 4u + 1u] = u64(bitcast<u32>(scaled_11)) | (u64(bitcast<u32>(scaled_12)) << 32u);
    let scaled_13 = params.scale * minus_5;
    let scaled_14 = params.scale * -minus_6;
    output[spectrum_row + other * 4u + 2u] = u64(bitcast<u32>(scaled_13)) | (u64(bitcast<u32>(scaled_14)) << 32u);
    let scaled_15 = params.scale * minus_3;
    let scaled_16 = params.scale * -minus_4;
    output[spectrum_row + other * 4u + 3u] = u64(bitcast<u32>(scaled_15)) | (u64(bitcast<u32>(scaled_16)) << 32u);
    if (pair == 0u) {
        let scaled_17 = params.scale * minus;
        let scaled_18 = params.scale * -minus_2;
        output[spectrum_row + 64u] = u64(bitcast<u32>(scaled_17)) | (u64(bitcast<u32>(scaled_18)) << 32u);
    }
}
// </generated>
