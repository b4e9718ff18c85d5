// What the steps of a digit of the sort know of it, and the keys.
struct Digits {
    points: u32,
    shift: u32,
    blocks: u32,
    // Whether indices are those of the caller still, and not in an array.
    is_first: u32,
}
@group(0) @binding(0) var<uniform> digits: Digits;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
// Without a crowded bin nothing is left to sort.
@group(0) @binding(6) var<storage, read> crowded: array<u32>;
fn points() -> u32 {
    return select(0u, digits.points, crowded[0] != 0u);
}
