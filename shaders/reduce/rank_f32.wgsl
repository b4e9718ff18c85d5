// Ranks of f32: integers of which the largest is that of the number that is looked for. Of every NaN it is the largest of all; -0 is
// less than +0.
//
// Rust twin: src/kernels/reduce/mod.rs

/// For the largest number.
const RISING = 0u;
/// For the smallest number.
const FALLING = 0xffffffffu;

fn rank(x: f32, direction: u32) -> u32 {
    let bits = bitcast<u32>(x);
    let ordered = bits ^ (bitcast<u32>(bitcast<i32>(bits) >> 31u) | 0x80000000u);
    return select(ordered ^ direction, 0xffffffffu, (bits & 0x7fffffffu) > 0x7f800000u);
}

/// The bits of the number of a rank: of the largest one those of the NaN that stands for all.
fn unrank(rank: u32, direction: u32) -> u32 {
    let ordered = rank ^ direction;
    let bits = select(~ordered, ordered & 0x7fffffffu, (ordered & 0x80000000u) != 0u);
    return select(bits, 0x7fc00000u, rank == 0xffffffffu);
}
