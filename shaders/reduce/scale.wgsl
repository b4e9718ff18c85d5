// Numbers at a scale of their own, so that their squares neither overflow nor vanish.
//
// The two highest bits of a number's exponent are its level. A level has 64 binades and a power of
// two as its scale, under which its numbers are below 2^46, and those of levels 1 to 3 are at least
// 2^-18. So the sum of 2^33 squares is below 2^126. Scaling by powers of two rounds nothing.
//
// Source: the levels are the accumulators of J. L. Blue, ACM TOMS 4 (1978) 15.
// Rust twin: src/kernels/reduce/mod.rs

/// The level of a number, given its bits without the sign.
fn level_of(size: u32) -> u32 {
    return size & 0x60000000u;
}

/// A number at the scale of a level.
fn scaled(x: f32, level: u32) -> f32 {
    return x * bitcast<f32>(0x76000000u - level);
}

/// A number that was scaled.
fn unscaled(x: f32, level: u32) -> f32 {
    return x * bitcast<f32>(0x09000000u + level);
}

/// The factor from the scale of a level to that of one that is not lower. Beside numbers two levels
/// above, nothing is left.
fn lowered(level: u32, to: u32) -> f32 {
    return bitcast<f32>(0x3f800000u - min(to - level, 0x3f800000u));
}

/// |z|, wherever it is no more than the largest number.
fn magnitude(z: vec2<f32>) -> f32 {
    let bits = bitcast<vec2<u32>>(z) & vec2<u32>(0x7fffffffu);
    let largest = max(bits.x, bits.y);
    let level = level_of(largest);
    let x = scaled(z.x, level);
    let y = scaled(z.y, level);
    let size = unscaled(sqrt(x * x + y * y), level);
    // Infinite is also what has one infinite part, beside a NaN too.
    return select(size, bitcast<f32>(min(largest, 0x7f800000u)), any(bits == vec2<u32>(0x7f800000u)));
}
