// FFTs of lines in the registers of subgroups, without workgroup memory or barriers; for subgroups
// of 8 in software drivers.
//
//   y[k] = scale * sum over j of x[j] * exp(-2 pi i j k / n)
//          (times exp(-2 pi i k m / N) in a pass of a longer transform that says so)
//
// for each of params.lines lines. A line belongs to 1, 2, 4 or 8 neighbouring lanes of a subgroup.
// Every access moves V = 1, 2 or 4 neighbouring complex numbers, along the line or across V lines.
// src/fft/emit/lanes/emit.rs writes the text for each recipe; src/fft/emit/lanes/mod.rs states the index
// rules. The text between the markers below is that for dense rows of 64 as 8 * 8 in 2 lanes with
// accesses of 4 numbers.
//
// It does not matter which invocations form a subgroup. But every subgroup must have SUBGROUP
// invocations, and the size of the workgroup must be a multiple of that.
//
// If a device has no subgroups of 8, the text has another entry point, and the lanes exchange the
// same values through workgroup memory, between barriers. Without 64-bit integers, an access of 4
// numbers moves two vectors of floats. The arithmetic on a line is the same in every form, so
// devices that round alike give equal bits. But the kernel is fast only with subgroups.
//
// Grid: one workgroup per SUBGROUPS subgroups, or per INVOCATIONS lanes; folded.
// Traffic: each element once in, once out; a few twiddle factors per invocation. Workgroup memory:
// none with subgroups. Otherwise, for lines in several lanes, one number from each invocation to
// each lane of its line, or a multiple of that if there is room.
// Requires: arrays that begin and end at multiples of V numbers; `roots` holds exp(-2 pi i x / n)
// at x. The form with subgroups needs the feature SUBGROUP, and accesses of 64-bit integers need
// SHADER_INT64.
// Source: D. H. Bailey, FFTs in External or Hierarchical Memory, J. Supercomputing 4 (1990) 23; I.
// J. Good, J. R. Statist. Soc. B 20 (1958) 361.
// Rust twin: src/kernels/fft/lanes.rs
// Appended: grid.wgsl

struct Params {
    lines: u32,
    scale: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> roots: array<vec2<f32>>;

// <generated>
const SUBGROUP = 8u;
const SUBGROUPS = 8u;
const LANES = 2u;

@group(0) @binding(1) var<storage, read> input: array<vec4<u64>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec4<u64>>;

@compute @workgroup_size(SUBGROUP * SUBGROUPS)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) invocation: u32,
) {
    let first = (workgroup_index(group_id, group_count) * SUBGROUPS + subgroup) * SUBGROUP;
    // Lines may end in the midst of a subgroup, which shuffles as a whole: it stays, and its text guards loads and stores.
    if (first >= params.lines * LANES) {
        return;
    }
    transform((first + invocation) / LANES, invocation % LANES);
}

/// Transforms line `line` as its lane `lane`.
fn transform(line: u32, lane: u32) {
    let upper1 = lane != 0u;
    let input_place = line * 16u + lane;
    let output_place = line * 16u + lane;
    let loaded = input[input_place];
    let x0_re = bitcast<vec4<f32>>(vec4<u32>(loaded));
    let x0_im = bitcast<vec4<f32>>(vec4<u32>(loaded >> vec4<u32>(32u, 32u, 32u, 32u)));
    let loaded_2 = input[input_place + 2u];
    let x8_re = bitcast<vec4<f32>>(vec4<u32>(loaded_2));
    let x8_im = bitcast<vec4<f32>>(vec4<u32>(loaded_2 >> vec4<u32>(32u, 32u, 32u, 32u)));
    let loaded_3 = input[input_place + 4u];
    let x16_re = bitcast<vec4<f32>>(vec4<u32>(loaded_3));
    let x16_im = bitcast<vec4<f32>>(vec4<u32>(loaded_3 >> vec4<u32>(32u, 32u, 32u, 32u)));
    let loaded_4 = input[input_place + 6u];
    let x24_re = bitcast<vec4<f32>>(vec4<u32>(loaded_4));
    let x24_im = bitcast<vec4<f32>>(vec4<u32>(loaded_4 >> vec4<u32>(32u, 32u, 32u, 32u)));
    let loaded_5 = input[input_place + 8u];
    let x32_re = bitcast<vec4<f32>>(vec4<u32>(loaded_5));
    let x32_im = bitcast<vec4<f32>>(vec4<u32>(loaded_5 >> vec4<u32>(32u, 32u, 32u, 32u)));
    let loaded_6 = input[input_place + 10u];
    let x40_re = bitcast<vec4<f32>>(vec4<u32>(loaded_6));
    let x40_im = bitcast<vec4<f32>>(vec4<u32>(loaded_6 >> vec4<u32>(32u, 32u, 32u, 32u)));
    let loaded_7 = input[input_place + 12u];
    let x48_re = bitcast<vec4<f32>>(vec4<u32>(loaded_7));
    let x48_im = bitcast<vec4<f32>>(vec4<u32>(loaded_7 >> vec4<u32>(32u, 32u, 32u, 32u)));
    let loaded_8 = input[input_place + 14u];
    let x56_re = bitcast<vec4<f32>>(vec4<u32>(loaded_8));
    let x56_im = bitcast<vec4<f32>>(vec4<u32>(loaded_8 >> vec4<u32>(32u, 32u, 32u, 32u)));
    let a0_re = x0_re + x32_re;
    let a0_im = x0_im + x32_im;
    let a1_re = x0_re - x32_re;
    let a1_im = x0_im - x32_im;
    let b0_re = x8_re + x40_re;
    let b0_im = x8_im + x40_im;
    let b1_re = x8_re - x40_re;
    let b1_im = x8_im - x40_im;
    let sum = b1_re + b1_im;
    let difference = b1_im - b1_re;
    let turned_re = 0.7071067811865476 * sum;
    let turned_im = 0.7071067811865476 * difference;
    let c0_re = x16_re + x48_re;
    let c0_im = x16_im + x48_im;
    let c1_re = x16_re - x48_re;
    let c1_im = x16_im - x48_im;
    let d0_re = x24_re + x56_re;
    let d0_im = x24_im + x56_im;
    let d1_re = x24_re - x56_re;
    let d1_im = x24_im - x56_im;
    let sum_2 = d1_im - d1_re;
    let difference_2 = d1_re + d1_im;
    let turned_re_2 = -0.7071067811865476 * sum_2;
    let turned_im_2 = -0.7071067811865476 * difference_2;
    let even_sum_re = a0_re + c0_re;
    let even_sum_im = a0_im + c0_im;
    let even_difference_re = a0_re - c0_re;
    let even_difference_im = a0_im - c0_im;
    let odd_sum_re = b0_re + d0_re;
    let odd_sum_im = b0_im + d0_im;
    let odd_difference_re = b0_re - d0_re;
    let odd_difference_im = b0_im - d0_im;
    let y0_re = even_sum_re + odd_sum_re;
    let y0_im = even_sum_im + odd_sum_im;
    let y2_re = even_difference_re + odd_difference_im;
    let y2_im = even_difference_im - odd_difference_re;
    let y4_re = even_sum_re - odd_sum_re;
    let y4_im = even_sum_im - odd_sum_im;
    let y6_re = even_difference_re - odd_difference_im;
    let y6_im = even_difference_im + odd_difference_re;
    let even_sum_re_2 = a1_re + c1_im;
    let even_sum_im_2 = a1_im - c1_re;
    let even_difference_re_2 = a1_re - c1_im;
    let even_difference_im_2 = a1_im + c1_re;
    let odd_sum_re_2 = turned_re - turned_re_2;
    let odd_sum_im_2 = turned_im + turned_im_2;
    let odd_difference_re_2 = turned_re + turned_re_2;
    let odd_difference_im_2 = turned_im - turned_im_2;
    let y1_re = even_sum_re_2 + odd_sum_re_2;
    let y1_im = even_sum_im_2 + odd_sum_im_2;
    let y3_re = even_difference_re_2 + odd_difference_im_2;
    let y3_im = even_difference_im_2 - odd_difference_re_2;
    let y5_re = even_sum_re_2 - odd_sum_re_2;
    let y5_im = even_sum_im_2 - odd_sum_im_2;
    let y7_re = even_difference_re_2 - odd_difference_im_2;
    let y7_im = even_difference_im_2 + odd_difference_re_2;
    let other = subgroupShuffleXor(select(y4_re, y0_re, upper1), 1u);
    let low = select(y0_re, other, upper1);
    let high = select(other, y4_re, upper1);
    let other_2 = subgroupShuffleXor(select(y4_im, y0_im, upper1), 1u);
    let low_2 = select(y0_im, other_2, upper1);
    let high_2 = select(other_2, y4_im, upper1);
    let other_3 = subgroupShuffleXor(select(y5_re, y1_re, upper1), 1u);
    let low_3 = select(y1_re, other_3, upper1);
    let high_3 = select(other_3, y5_re, upper1);
    let other_4 = subgroupShuffleXor(select(y5_im, y1_im, upper1), 1u);
    let low_4 = select(y1_im, other_4, upper1);
    let high_4 = select(other_4, y5_im, upper1);
    let other_5 = subgroupShuffleXor(select(y6_re, y2_re, upper1), 1u);
    let low_5 = select(y2_re, other_5, upper1);
    let high_5 = select(other_5, y6_re, upper1);
    let other_6 = subgroupShuffleXor(select(y6_im, y2_im, upper1), 1u);
    let low_6 = select(y2_im, other_6, upper1);
    let high_6 = select(other_6, y6_im, upper1);
    let other_7 = subgroupShuffleXor(select(y7_re, y3_re, upper1), 1u);
    let low_7 = select(y3_re, other_7, upper1);
    let high_7 = select(other_7, y7_re, upper1);
    let other_8 = subgroupShuffleXor(select(y7_im, y3_im, upper1), 1u);
    let low_8 = select(y3_im, other_8, upper1);
    let high_8 = select(other_8, y7_im, upper1);
    let x_re = vec4<f32>(low.x, low_3.x, low_5.x, low_7.x);
    let x_im = vec4<f32>(low_2.x, low_4.x, low_6.x, low_8.x);
    let x_re_2 = vec4<f32>(low.y, low_3.y, low_5.y, low_7.y);
    let x_im_2 = vec4<f32>(low_2.y, low_4.y, low_6.y, low_8.y);
    let root = roots[lane * 4u];
    let root_re = root.x;
    let root_im = root.y;
    let product = vec4<f32>(1.0, 0.9951847266721969, 0.9807852804032304, 0.9569403357322088) * root_re;
    let product_2 = vec4<f32>(-0.0, -0.0980171403295606, -0.19509032201612825, -0.29028467725446233) * root_im;
    let product_3 = vec4<f32>(-0.0, -0.0980171403295606, -0.19509032201612825, -0.29028467725446233) * root_re;
    let product_4 = vec4<f32>(1.0, 0.9951847266721969, 0.9807852804032304, 0.9569403357322088) * root_im;
    let turned_re_3 = product - product_2;
    let turned_im_3 = product_3 + product_4;
    let product_5 = x_re_2 * turned_re_3;
    let product_6 = x_im_2 * turned_im_3;
    let product_7 = x_re_2 * turned_im_3;
    let product_8 = x_im_2 * turned_re_3;
    let x_re_3 = product_5 - product_6;
    let x_im_3 = product_7 + product_8;
    let x_re_4 = vec4<f32>(low.z, low_3.z, low_5.z, low_7.z);
    let x_im_4 = vec4<f32>(low_2.z, low_4.z, low_6.z, low_8.z);
    let root_2 = roots[lane * 8u];
    let root_re_2 = root_2.x;
    let root_im_2 = root_2.y;
    let product_9 = vec4<f32>(1.0, 0.9807852804032304, 0.9238795325112867, 0.8314696123025452) * root_re_2;
    let product_10 = vec4<f32>(-0.0, -0.19509032201612825, -0.3826834323650898, -0.5555702330196022) * root_im_2;
    let product_11 = vec4<f32>(-0.0, -0.19509032201612825, -0.3826834323650898, -0.5555702330196022) * root_re_2;
    let product_12 = vec4<f32>(1.0, 0.9807852804032304, 0.9238795325112867, 0.8314696123025452) * root_im_2;
    let turned_re_4 = product_9 - product_10;
    let turned_im_4 = product_11 + product_12;
    let product_13 = x_re_4 * turned_re_4;
    let product_14 = x_im_4 * turned_im_4;
    let product_15 = x_re_4 * turned_im_4;
    let product_16 = x_im_4 * turned_re_4;
    let x_re_5 = product_13 - product_14;
    let x_im_5 = product_15 + product_16;
    let x_re_6 = vec4<f32>(low.w, low_3.w, low_5.w, low_7.w);
    let x_im_6 = vec4<f32>(low_2.w, low_4.w, low_6.w, low_8.w);
    let product_17 = root_re * root_re_2;
    let product_18 = root_im * root_im_2;
    let product_19 = root_re * root_im_2;
    let product_20 = root_im * root_re_2;
    let root_re_3 = product_17 - product_18;
    let root_im_3 = product_19 + product_20;
    let product_21 = vec4<f32>(1.0, 0.9569403357322088, 0.8314696123025452, 0.6343932841636455) * root_re_3;
    let product_22 = vec4<f32>(-0.0, -0.29028467725446233, -0.5555702330196022, -0.773010453362737) * root_im_3;
    let product_23 = vec4<f32>(-0.0, -0.29028467725446233, -0.5555702330196022, -0.773010453362737) * root_re_3;
    let product_24 = vec4<f32>(1.0, 0.9569403357322088, 0.8314696123025452, 0.6343932841636455) * root_im_3;
    let turned_re_5 = product_21 - product_22;
    let turned_im_5 = product_23 + product_24;
    let product_25 = x_re_6 * turned_re_5;
    let product_26 = x_im_6 * turned_im_5;
    let product_27 = x_re_6 * turned_im_5;
    let product_28 = x_im_6 * turned_re_5;
    let x_re_7 = product_25 - product_26;
    let x_im_7 = product_27 + product_28;
    let x_re_8 = vec4<f32>(high.x, high_3.x, high_5.x, high_7.x);
    let x_im_8 = vec4<f32>(high_2.x, high_4.x, high_6.x, high_8.x);
    let root_3 = roots[lane * 16u];
    let root_re_4 = root_3.x;
    let root_im_4 = root_3.y;
    let product_29 = 0.9238795325112867 * root_re_4;
    let product_30 = 0.3826834323650898 * root_im_4;
    let product_31 = 0.3826834323650898 * root_re_4;
    let product_32 = 0.9238795325112867 * root_im_4;
    let turned_re_6 = product_29 + product_30;
    let turned_im_6 = product_32 - product_31;
    let sum_3 = root_re_4 + root_im_4;
    let difference_3 = root_im_4 - root_re_4;
    let turned_re_7 = 0.7071067811865476 * sum_3;
    let turned_im_7 = 0.7071067811865476 * difference_3;
    let product_33 = 0.3826834323650898 * root_re_4;
    let product_34 = 0.9238795325112867 * root_im_4;
    let product_35 = 0.9238795325112867 * root_re_4;
    let product_36 = 0.3826834323650898 * root_im_4;
    let turned_re_8 = product_33 + product_34;
    let turned_im_8 = product_36 - product_35;
    let turned_re_9 = vec4<f32>(root_re_4, turned_re_6, turned_re_7, turned_re_8);
    let turned_im_9 = vec4<f32>(root_im_4, turned_im_6, turned_im_7, turned_im_8);
    let product_37 = x_re_8 * turned_re_9;
    let product_38 = x_im_8 * turned_im_9;
    let product_39 = x_re_8 * turned_im_9;
    let product_40 = x_im_8 * turned_re_9;
    let x_re_9 = product_37 - product_38;
    let x_im_9 = product_39 + product_40;
    let x_re_10 = vec4<f32>(high.y, high_3.y, high_5.y, high_7.y);
    let x_im_10 = vec4<f32>(high_2.y, high_4.y, high_6.y, high_8.y);
    let product_41 = root_re * root_re_4;
    let product_42 = root_im * root_im_4;
    let product_43 = root_re * root_im_4;
    let product_44 = root_im * root_re_4;
    let root_re_5 = product_41 - product_42;
    let root_im_5 = product_43 + product_44;
    let product_45 = vec4<f32>(1.0, 0.881921264348355, 0.5555702330196022, 0.0980171403295606) * root_re_5;
    let product_46 = vec4<f32>(-0.0, -0.47139673682599764, -0.8314696123025452, -0.9951847266721969) * root_im_5;
    let product_47 = vec4<f32>(-0.0, -0.47139673682599764, -0.8314696123025452, -0.9951847266721969) * root_re_5;
    let product_48 = vec4<f32>(1.0, 0.881921264348355, 0.5555702330196022, 0.0980171403295606) * root_im_5;
    let turned_re_10 = product_45 - product_46;
    let turned_im_10 = product_47 + product_48;
    let product_49 = x_re_10 * turned_re_10;
    let product_50 = x_im_10 * turned_im_10;
    let product_51 = x_re_10 * turned_im_10;
    let product_52 = x_im_10 * turned_re_10;
    let x_re_11 = product_49 - product_50;
    let x_im_11 = product_51 + product_52;
    let x_re_12 = vec4<f32>(high.z, high_3.z, high_5.z, high_7.z);
    let x_im_12 = vec4<f32>(high_2.z, high_4.z, high_6.z, high_8.z);
    let product_53 = root_re_2 * root_re_4;
    let product_54 = root_im_2 * root_im_4;
    let product_55 = root_re_2 * root_im_4;
    let product_56 = root_im_2 * root_re_4;
    let root_re_6 = product_53 - product_54;
    let root_im_6 = product_55 + product_56;
    let product_57 = vec4<f32>(1.0, 0.8314696123025452, 0.3826834323650898, -0.19509032201612825) * root_re_6;
    let product_58 = vec4<f32>(-0.0, -0.5555702330196022, -0.9238795325112867, -0.9807852804032304) * root_im_6;
    let product_59 = vec4<f32>(-0.0, -0.5555702330196022, -0.9238795325112867, -0.9807852804032304) * root_re_6;
    let product_60 = vec4<f32>(1.0, 0.8314696123025452, 0.3826834323650898, -0.19509032201612825) * root_im_6;
    let turned_re_11 = product_57 - product_58;
    let turned_im_11 = product_59 + product_60;
    let product_61 = x_re_12 * turned_re_11;
    let product_62 = x_im_12 * turned_im_11;
    let product_63 = x_re_12 * turned_im_11;
    let product_64 = x_im_12 * turned_re_11;
    let x_re_13 = product_61 - product_62;
    let x_im_13 = product_63 + product_64;
    let x_re_14 = vec4<f32>(high.w, high_3.w, high_5.w, high_7.w);
    let x_im_14 = vec4<f32>(high_2.w, high_4.w, high_6.w, high_8.w);
    let product_65 = root_re_3 * root_re_4;
    let product_66 = root_im_3 * root_im_4;
    let product_67 = root_re_3 * root_im_4;
    let product_68 = root_im_3 * root_re_4;
    let root_re_7 = product_65 - product_66;
    let root_im_7 = product_67 + product_68;
    let product_69 = vec4<f32>(1.0, 0.773010453362737, 0.19509032201612825, -0.47139673682599764) * root_re_7;
    let product_70 = vec4<f32>(-0.0, -0.6343932841636455, -0.9807852804032304, -0.881921264348355) * root_im_7;
    let product_71 = vec4<f32>(-0.0, -0.6343932841636455, -0.9807852804032304, -0.881921264348355) * root_re_7;
    let product_72 = vec4<f32>(1.0, 0.773010453362737, 0.19509032201612825, -0.47139673682599764) * root_im_7;
    let turned_re_12 = product_69 - product_70;
    let turned_im_12 = product_71 + product_72;
    let product_73 = x_re_14 * turned_re_12;
    let product_74 = x_im_14 * turned_im_12;
    let product_75 = x_re_14 * turned_im_12;
    let product_76 = x_im_14 * turned_re_12;
    let x_re_15 = product_73 - product_74;
    let x_im_15 = product_75 + product_76;
    let a0_re_2 = x_re + x_re_9;
    let a0_im_2 = x_im + x_im_9;
    let a1_re_2 = x_re - x_re_9;
    let a1_im_2 = x_im - x_im_9;
    let b0_re_2 = x_re_3 + x_re_11;
    let b0_im_2 = x_im_3 + x_im_11;
    let b1_re_2 = x_re_3 - x_re_11;
    let b1_im_2 = x_im_3 - x_im_11;
    let sum_4 = b1_re_2 + b1_im_2;
    let difference_4 = b1_im_2 - b1_re_2;
    let turned_re_13 = 0.7071067811865476 * sum_4;
    let turned_im_13 = 0.7071067811865476 * difference_4;
    let c0_re_2 = x_re_5 + x_re_13;
    let c0_im_2 = x_im_5 + x_im_13;
    let c1_re_2 = x_re_5 - x_re_13;
    let c1_im_2 = x_im_5 - x_im_13;
    let d0_re_2 = x_re_7 + x_re_15;
    let d0_im_2 = x_im_7 + x_im_15;
    let d1_re_2 = x_re_7 - x_re_15;
    let d1_im_2 = x_im_7 - x_im_15;
    let sum_5 = d1_im_2 - d1_re_2;
    let difference_5 = d1_re_2 + d1_im_2;
    let turned_re_14 = -0.7071067811865476 * sum_5;
    let turned_im_14 = -0.7071067811865476 * difference_5;
    let even_sum_re_3 = a0_re_2 + c0_re_2;
    let even_sum_im_3 = a0_im_2 + c0_im_2;
    let even_difference_re_3 = a0_re_2 - c0_re_2;
    let even_difference_im_3 = a0_im_2 - c0_im_2;
    let odd_sum_re_3 = b0_re_2 + d0_re_2;
    let odd_sum_im_3 = b0_im_2 + d0_im_2;
    let odd_difference_re_3 = b0_re_2 - d0_re_2;
    let odd_difference_im_3 = b0_im_2 - d0_im_2;
    let z0_re = even_sum_re_3 + odd_sum_re_3;
    let z0_im = even_sum_im_3 + odd_sum_im_3;
    let z2_re = even_difference_re_3 + odd_difference_im_3;
    let z2_im = even_difference_im_3 - odd_difference_re_3;
    let z4_re = even_sum_re_3 - odd_sum_re_3;
    let z4_im = even_sum_im_3 - odd_sum_im_3;
    let z6_re = even_difference_re_3 - odd_difference_im_3;
    let z6_im = even_difference_im_3 + odd_difference_re_3;
    let even_sum_re_4 = a1_re_2 + c1_im_2;
    let even_sum_im_4 = a1_im_2 - c1_re_2;
    let even_difference_re_4 = a1_re_2 - c1_im_2;
    let even_difference_im_4 = a1_im_2 + c1_re_2;
    let odd_sum_re_4 = turned_re_13 - turned_re_14;
    let odd_sum_im_4 = turned_im_13 + turned_im_14;
    let odd_difference_re_4 = turned_re_13 + turned_re_14;
    let odd_difference_im_4 = turned_im_13 - turned_im_14;
    let z1_re = even_sum_re_4 + odd_sum_re_4;
    let z1_im = even_sum_im_4 + odd_sum_im_4;
    let z3_re = even_difference_re_4 + odd_difference_im_4;
    let z3_im = even_difference_im_4 - odd_difference_re_4;
    let z5_re = even_sum_re_4 - odd_sum_re_4;
    let z5_im = even_sum_im_4 - odd_sum_im_4;
    let z7_re = even_difference_re_4 - odd_difference_im_4;
    let z7_im = even_difference_im_4 + odd_difference_re_4;
    output[output_place] = vec4<u64>(bitcast<vec4<u32>>(z0_re)) | (vec4<u64>(bitcast<vec4<u32>>(z0_im)) << vec4<u32>(32u, 32u, 32u, 32u));
    output[output_place + 2u] = vec4<u64>(bitcast<vec4<u32>>(z1_re)) | (vec4<u64>(bitcast<vec4<u32>>(z1_im)) << vec4<u32>(32u, 32u, 32u, 32u));
    output[output_place + 4u] = vec4<u64>(bitcast<vec4<u32>>(z2_re)) | (vec4<u64>(bitcast<vec4<u32>>(z2_im)) << vec4<u32>(32u, 32u, 32u, 32u));
    output[output_place + 6u] = vec4<u64>(bitcast<vec4<u32>>(z3_re)) | (vec4<u64>(bitcast<vec4<u32>>(z3_im)) << vec4<u32>(32u, 32u, 32u, 32u));
    output[output_place + 8u] = vec4<u64>(bitcast<vec4<u32>>(z4_re)) | (vec4<u64>(bitcast<vec4<u32>>(z4_im)) << vec4<u32>(32u, 32u, 32u, 32u));
    output[output_place + 10u] = vec4<u64>(bitcast<vec4<u32>>(z5_re)) | (vec4<u64>(bitcast<vec4<u32>>(z5_im)) << vec4<u32>(32u, 32u, 32u, 32u));
    output[output_place + 12u] = vec4<u64>(bitcast<vec4<u32>>(z6_re)) | (vec4<u64>(bitcast<vec4<u32>>(z6_im)) << vec4<u32>(32u, 32u, 32u, 32u));
    output[output_place + 14u] = vec4<u64>(bitcast<vec4<u32>>(z7_re)) | (vec4<u64>(bitcast<vec4<u32>>(z7_im)) << vec4<u32>(32u, 32u, 32u, 32u));
}
// </generated>
