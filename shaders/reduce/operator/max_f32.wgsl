// Largest f32, by the order of IEEE 754: -0 is less than +0. If there is a NaN, the first one is the result.
//
// The values travel as bits and are compared as integers: WGSL lets an adapter assume that no NaN occurs and flush denormal
// numbers to zero, and what min and max then return differs from adapter to adapter.
//
// Rust twin: src/kernels/reduce/operator.rs

alias Value = u32;

/// Maps the bits of an f32 to a u32 of the same order.
fn order(bits: u32) -> u32 {
    return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}

fn is_nan_bits(bits: u32) -> bool {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

fn combine(a: Value, b: Value) -> Value {
    if (is_nan_bits(a)) {
        return a;
    }
    if (is_nan_bits(b)) {
        return b;
    }
    return select(b, a, order(a) >= order(b));
}
