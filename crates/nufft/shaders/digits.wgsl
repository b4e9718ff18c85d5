// What the steps of a digit of the sort know of it, and the keys.
struct Digits {
    points: u32,
    shift: u32,
    blocks: u32,
    unused: u32,
}
@group(0) @binding(0) var<uniform> digits: Digits;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
