// |x - y| of complex numbers. Equal parts, including infinities, have the distance 0. The distance
// from a NaN is a NaN.
//
// Requires: scale.wgsl
// Rust twin: src/kernels/reduce/mod.rs

fn abs_difference(x: vec2<f32>, y: vec2<f32>) -> f32 {
    let bits = bitcast<vec4<u32>>(vec4<f32>(x, y)) & vec4<u32>(0x7fffffffu);
    let largest = max(max(bits.x, bits.y), max(bits.z, bits.w));
    let difference = magnitude(select(x - y, vec2<f32>(), x == y));
    // Adapters may treat NaNs as numbers, but not their bits.
    return bitcast<f32>(select(bitcast<u32>(difference), largest, largest > 0x7f800000u));
}
