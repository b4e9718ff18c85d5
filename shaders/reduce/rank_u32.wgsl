// Ranks of u32: integers such that the largest rank belongs to the number that is searched for.
//
// Rust twin: src/kernels/reduce/mod.rs

/// For finding the largest number.
const RISING = 0u;
/// For finding the smallest number.
const FALLING = 0xffffffffu;

fn rank(x: u32, direction: u32) -> u32 {
    return x ^ direction;
}

/// The number with this rank.
fn unrank(rank: u32, direction: u32) -> u32 {
    return rank ^ direction;
}
