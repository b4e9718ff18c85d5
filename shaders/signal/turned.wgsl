// Roots of unity of any order, without the device's sine: angles are integers, which wrap as turns
// do.
//
// Rust twin: src/kernels/signal/peak_sums.rs

/// k·(whole + rest) parts of 2^32 of a turn.
fn angle_of(k: i32, whole: u32, rest: f32) -> u32 {
    return bitcast<u32>(k) * whole + bitcast<u32>(i32(round(f32(k) * rest)));
}

/// The cosine and the sine of an angle.
fn root_at(angle: u32) -> vec2<f32> {
    // The nearest quarter of a turn, and what is left: at most an eighth.
    let quarter = (angle + 0x20000000u) >> 30u;
    let r = f32(bitcast<i32>(angle - (quarter << 30u))) * 1.4629180792671596e-9;
    let s = r * r;
    let sine = r * (1.0 + s * (-0.16666667 + s * (0.008333333 + s * (-0.00019841270 + s * 0.0000027557319))));
    let cosine = 1.0 + s * (-0.5 + s * (0.041666667 + s * (-0.0013888889 + s * (0.000024801587 - s * 0.00000027557319))));
    let is_odd = (quarter & 1u) == 1u;
    let sign = select(1.0, -1.0, quarter >= 2u);
    return sign * vec2(select(cosine, -sine, is_odd), select(sine, cosine, is_odd));
}
