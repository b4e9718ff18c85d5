// Ranks of f32: integers such that the largest rank belongs to the number that is searched for.
// Every NaN has the largest rank of all, and -0 is less than +0.
//
// Rust twin: src/kernels/reduce/mod.rs

/// For finding the largest number.
const RISING = 0u;
/// For finding the smallest number.
const FALLING = 0xffffffffu;

fn rank(x: f32, direction: u32) -> u32 {
    let bits = bitcast<u32>(x);
    let ordered = bits ^ (bitcast<u32>(bitcast<i32>(bits) >> 31u) | 0x80000000u);
    return select(ordered ^ direction, 0xffffffffu, (bits & 0x7fffffffu) > 0x7f800000u);
}

/// The bits of the number with this rank. For the largest rank they are those of the NaN that
/// represents all NaNs.
fn unrank(rank: u32, direction: u32) -> u32 {
    let ordered = rank ^ direction;
    let bits = select(~ordered, ordered & 0x7fffffffu, (ordered & 0x80000000u) != 0u);
    return select(bits, 0x7fc00000u, rank == 0xffffffffu);
}
