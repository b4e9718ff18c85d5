// Multiplication by a root of unity of any order, without the device's sine.

/// z * exp(-2πi·k·d/n), where d/n is `whole` + `rest` parts of 2^32: angles wrap as integers do. At
/// the frequency n/2, which is -n/2 as well, the mean of both.
fn turned(z: vec2<f32>, k: i32, n: u32, whole: u32, rest: f32) -> vec2<f32> {
    // A turn is 2^32. The nearest quarter of it, and what is left: at most an eighth.
    let angle = bitcast<u32>(k) * whole + bitcast<u32>(i32(round(f32(k) * rest)));
    let quarter = (angle + 0x20000000u) >> 30u;
    let r = f32(bitcast<i32>(angle - (quarter << 30u))) * 1.4629180792671596e-9;
    let s = r * r;
    let sine = r * (1.0 + s * (-0.16666667 + s * (0.008333333 + s * (-0.00019841270 + s * 0.0000027557319))));
    let cosine = 1.0 + s * (-0.5 + s * (0.041666667 + s * (-0.0013888889 + s * (0.000024801587 - s * 0.00000027557319))));
    let is_odd = (quarter & 1u) == 1u;
    let sign = select(1.0, -1.0, quarter >= 2u);
    let x = sign * select(cosine, -sine, is_odd);
    // The frequency n/2 is both n/2 and -n/2.
    let y = select(sign * select(sine, cosine, is_odd), 0.0, 2u * bitcast<u32>(abs(k)) == n);
    return vec2(z.x * x + z.y * y, z.y * x - z.x * y);
}
