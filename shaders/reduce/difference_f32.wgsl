// |x - y| of f32. Equal numbers, including infinities, have the distance 0. The distance from a NaN
// is a NaN.
//
// Rust twin: src/kernels/reduce/mod.rs

fn abs_difference(x: f32, y: f32) -> f32 {
    let largest = max(bitcast<u32>(x) & 0x7fffffffu, bitcast<u32>(y) & 0x7fffffffu);
    let difference = select(abs(x - y), 0.0, x == y);
    // Adapters may treat NaNs as numbers, but not their bits.
    return bitcast<f32>(select(bitcast<u32>(difference), largest, largest > 0x7f800000u));
}
