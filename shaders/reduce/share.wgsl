// part / all with the same bits on every device that rounds additions and products as IEEE 754
// does. WGSL leaves the last bits of a division to the device.
//
// Newton's iteration for 1 / all begins within 13% and squares its error three times. Each product
// is rounded by itself: its bits pass through an addition of zero, so no compiler can fuse it with
// the subtraction that follows. The result is within 4 units in the last place.
//
// Rust twin: src/kernels/reduce/mod.rs

fn rounded_product(a: f32, b: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(a * b) + params.zero);
}

/// The nearest number. Both halves are exact, and their sum is rounded once.
fn nearest(count: u32) -> f32 {
    return rounded_product(f32(count >> 16u), 65536.0) + f32(count & 0xffffu);
}

fn share(part: u32, all: u32) -> f32 {
    let n = nearest(all);
    var inverse = bitcast<f32>(0x7ef311c7u - bitcast<u32>(n));
    inverse = rounded_product(inverse, 2.0 - rounded_product(n, inverse));
    inverse = rounded_product(inverse, 2.0 - rounded_product(n, inverse));
    inverse = rounded_product(inverse, 2.0 - rounded_product(n, inverse));
    return rounded_product(nearest(part), inverse);
}
