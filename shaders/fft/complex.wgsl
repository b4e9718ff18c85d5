// Complex numbers as vec2(real, imaginary).
//
// Rust twin: src/kernels/fft/io.rs

fn complex_mul(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/// Exchanges real and imaginary part if `swap` is set. The inverse transform is the forward one
/// between two exchanges: with s(x) = i * conj(x), s(DFT(s(x))) is the inverse DFT of x without its
/// factor 1/n.
fn swap_if(swap: bool, a: vec2<f32>) -> vec2<f32> {
    return select(a, a.yx, swap);
}
