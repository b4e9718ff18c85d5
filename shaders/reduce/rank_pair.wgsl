// Ranks of 64-bit floats: integers such that the largest rank belongs to the number that is
// searched for. Every NaN has the largest rank of all, and -0 is less than +0. Numbers are bits
// with the low word first; ranks have the high word first.
//
// Rust twin: src/kernels/reduce/mod.rs

/// For finding the largest number.
const RISING = 0u;
/// For finding the smallest number.
const FALLING = 0xffffffffu;

fn rank(x: vec2<u32>, direction: u32) -> vec2<u32> {
    let high = x.y & 0x7fffffffu;
    let is_nan = high > 0x7ff00000u || (high == 0x7ff00000u && x.x != 0u);
    let ordered = select(vec2<u32>(x.y | 0x80000000u, x.x), ~x.yx, (x.y & 0x80000000u) != 0u);
    return select(ordered ^ vec2<u32>(direction), vec2<u32>(0xffffffffu), is_nan);
}

/// The bits of the number with this rank. For the largest rank they are those of the NaN that
/// represents all NaNs.
fn unrank(rank: vec2<u32>, direction: u32) -> vec2<u32> {
    let ordered = rank ^ vec2<u32>(direction);
    let bits = select(~ordered, ordered & vec2<u32>(0x7fffffffu, 0xffffffffu), (ordered.x & 0x80000000u) != 0u);
    return select(bits.yx, vec2<u32>(0u, 0x7ff80000u), all(rank == vec2<u32>(0xffffffffu)));
}
