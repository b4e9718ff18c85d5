// What the steps of a prefix sum know of its numbers, and the sums of the invocations' shares.
struct Numbers {
    len: u32,
    has_begins: u32,
    unused: vec2<u32>,
}
@group(0) @binding(0) var<uniform> numbers: Numbers;

var<workgroup> shares: array<u32, SIZE>;
