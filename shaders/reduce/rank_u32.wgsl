// Ranks of u32: integers of which the largest is that of the number that is looked for.
//
// Rust twin: src/kernels/reduce/mod.rs

/// For the largest number.
const RISING = 0u;
/// For the smallest number.
const FALLING = 0xffffffffu;

fn rank(x: u32, direction: u32) -> u32 {
    return x ^ direction;
}

/// The number of a rank.
fn unrank(rank: u32, direction: u32) -> u32 {
    return rank ^ direction;
}
