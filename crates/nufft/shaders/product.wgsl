// The 64 bits of a product, the low word first.
fn product(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return vec2((other << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

// A number of 64 bits, the low word first, and one of 32.
fn added(sum: vec2<u32>, term: u32) -> vec2<u32> {
    let low = sum.x + term;
    return vec2(low, sum.y + select(0u, 1u, low < term));
}
