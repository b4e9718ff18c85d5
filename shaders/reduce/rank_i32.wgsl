// Ranks of i32: integers of which the largest is that of the number that is looked for.
//
// Rust twin: src/kernels/reduce/mod.rs

/// For the largest number.
const RISING = 0u;
/// For the smallest number.
const FALLING = 0xffffffffu;

fn rank(x: i32, direction: u32) -> u32 {
    return bitcast<u32>(x) ^ 0x80000000u ^ direction;
}

/// The bits of the number of a rank.
fn unrank(rank: u32, direction: u32) -> u32 {
    return rank ^ direction ^ 0x80000000u;
}
