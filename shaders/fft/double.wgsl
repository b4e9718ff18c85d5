// Arithmetic with numbers of two f32: a number is high + low, where low is at most half a unit in
// the last place of high. The error of a sum is at most 2^-45 of the size of its operands, that of
// a product 2^-45 of its own size.
//
// A complex number is a vec4: high and low of the real part, then high and low of the imaginary
// part. Inside of these functions, the two parts of a complex number are computed side by side: one
// vec2 has both high parts, and one both low parts. Real numbers take the first component alone,
// and compilers drop the other one.
//
// All of it depends on what rounding takes away, which compilers must not compute as if sums were
// exact: a + b - a is not b here. WGSL lets them do so, and some do. So each step that must be
// exact is hidden from them (`hidden`). Sums and products of low parts are not: in whichever order
// they are computed, with or without fused multiply-add, their errors are as small. Whether that is
// enough on a device, src/plan/precision.rs finds out.
//
// Source: T. J. Dekker, A Floating-Point Technique for Extending the Available Precision, Numer.
// Math. 18 (1971) 224; M. Joldes, J.-M. Muller and V. Popescu, Tight and Rigorous Error Bounds for
// Basic Building Blocks of Double-Word Arithmetic, ACM Trans. Math. Softw. 44 (2017) 15, algorithms
// 5 and 10.
// Rust twin: src/kernels/fft/mod.rs

/// Two numbers.
struct Doubles {
    high: vec2<f32>,
    low: vec2<f32>,
}

/// Returns `x`, but hides from compilers how it was computed: they cannot know that 0 is added to
/// its bits. No pass over two values or more has 2^31 lines.
fn hidden(x: vec2<f32>) -> vec2<f32> {
    return bitcast<vec2<f32>>(bitcast<vec2<u32>>(x) + vec2<u32>(params.lines >> 31u));
}

/// a + b, where b is at most some units in the last place of a.
fn joined(a: vec2<f32>, b: vec2<f32>) -> Doubles {
    let high = hidden(a + b);
    let of_b = hidden(high - a);
    return Doubles(high, b - of_b);
}

/// The sum of two numbers, whose low parts may be some units in the last place of the high ones.
fn sum_of(a: Doubles, b: Doubles) -> Doubles {
    let sum = hidden(a.high + b.high);
    let of_b = hidden(sum - a.high);
    let of_a = hidden(sum - of_b);
    // What rounding took away.
    let rest_of_a = hidden(a.high - of_a);
    let rest_of_b = hidden(b.high - of_b);
    return joined(sum, (rest_of_a + rest_of_b) + (a.low + b.low));
}

/// The upper 12 bits. What is left has 12 bits as well.
fn upper(x: vec2<f32>) -> vec2<f32> {
    return bitcast<vec2<f32>>(bitcast<vec2<u32>>(x) & vec2<u32>(0xfffff000u));
}

/// The product of two numbers, whose low part may be some units in the last place of the high one.
fn loose_product_of(a: Doubles, b: Doubles) -> Doubles {
    let product = hidden(a.high * b.high);
    // The products of halves are exact, and so are the differences in this order.
    let a1 = upper(a.high);
    let b1 = upper(b.high);
    let a2 = a.high - a1;
    let b2 = b.high - b1;
    let rest = hidden(hidden(hidden(a1 * b1 - product) + a1 * b2) + a2 * b1) + a2 * b2;
    return Doubles(product, rest + (a.high * b.low + a.low * b.high));
}

fn product_of(a: Doubles, b: Doubles) -> Doubles {
    let product = loose_product_of(a, b);
    return joined(product.high, product.low);
}

fn of_complex(z: vec4<f32>) -> Doubles {
    return Doubles(z.xz, z.yw);
}

/// The same real number twice.
fn of_real(x: vec2<f32>) -> Doubles {
    return Doubles(x.xx, x.yy);
}

fn complex_of(parts: Doubles) -> vec4<f32> {
    return vec4<f32>(parts.high.x, parts.low.x, parts.high.y, parts.low.y);
}

fn complex_add(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return complex_of(sum_of(of_complex(a), of_complex(b)));
}

fn complex_subtract(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return complex_add(a, -b);
}

fn complex_mul(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let by_real = loose_product_of(of_real(a.xy), of_complex(b));
    let by_imaginary = loose_product_of(of_real(a.zw), Doubles(vec2<f32>(-b.z, b.x), vec2<f32>(-b.w, b.y)));
    return complex_of(sum_of(by_real, by_imaginary));
}

/// A real number times a complex number.
fn complex_scale(factor: vec2<f32>, z: vec4<f32>) -> vec4<f32> {
    return complex_of(product_of(of_real(factor), of_complex(z)));
}

fn double_add(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return complex_of(sum_of(of_real(a), of_real(b))).xy;
}

fn double_subtract(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return double_add(a, -b);
}

fn double_multiply(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return complex_of(product_of(of_real(a), of_real(b))).xy;
}

/// The number of a 64-bit float, whose lower word comes first. Beyond the range of f32 it is
/// infinite, and below it 0. Texts call it for each element, so it has no branches: SwiftShader takes
/// much longer to compile calls of a function that returns early.
fn double_of_bits(bits: vec2<u32>) -> vec2<f32> {
    let sign = bits.y & 0x80000000u;
    // Of f32 it is smaller by 896.
    let exponent = (bits.y >> 20u) & 0x7ffu;
    let is_zero = exponent <= 896u;
    let fraction = ((bits.y & 0xfffffu) << 3u) | (bits.x >> 29u);
    let rest = bits.x & 0x1fffffffu;
    // Whether the upper 24 bits are rounded up.
    let up = rest >> 28u;
    let is_nan = exponent == 0x7ffu && (fraction | rest) != 0u;
    let beyond = select(0x7f800000u, 0x7fc00000u, is_nan);
    let high = select(beyond, ((exponent - 896u) << 23u) + fraction + up, exponent < 1151u);
    let distance = i32(rest) - i32(up << 29u);
    let scaled = bitcast<u32>(f32(distance));
    // Its unit is the last place of the 64-bit float: 52 places below the exponent, which is off by
    // 1023.
    let low_exponent = ((scaled >> 23u) & 0xffu) + exponent;
    let has_low = !is_zero && distance != 0 && low_exponent > 1075u && high < 0x7f800000u;
    let low = sign ^ (scaled + ((exponent - 1075u) << 23u));
    return bitcast<vec2<f32>>(vec2<u32>(sign | select(high, 0u, is_zero), select(0u, low, has_low)));
}

/// The 64-bit float that is nearest to a number, or next to the nearest. Without branches, as above.
fn bits_of_double(value: vec2<f32>) -> vec2<u32> {
    let high = bitcast<u32>(value.x);
    let low = bitcast<u32>(value.y);
    let sign = high & 0x80000000u;
    let exponent = (high >> 23u) & 0xffu;
    let fraction = high & 0x7fffffu;
    let upper_word = ((exponent + 896u) << 20u) + (fraction >> 3u);
    let lower_word = fraction << 29u;
    // The low part in units of the last place of the 64-bit float, which are half as large
    // below a power of two.
    let is_opposite = ((high ^ low) >> 31u) == 1u;
    let finer = select(0u, 1u, is_opposite && fraction == 0u);
    let low_exponent = (low >> 23u) & 0xffu;
    let significand = (low & 0x7fffffu) | 0x800000u;
    let places = i32(29u + finer + low_exponent) - i32(exponent);
    let many = significand << u32(clamp(places, 0, 7));
    let few = (significand + (1u << u32(clamp(-places - 1, 0, 23)))) >> u32(clamp(-places, 0, 24));
    let in_units = select(select(0u, few, places >= -24), many, places >= 0);
    let units = select(0u, in_units, low_exponent > 0u);
    let sum = vec2<u32>(lower_word + units, upper_word + select(0u, 1u, lower_word + units < units));
    let difference = vec2<u32>(lower_word - units, upper_word - select(0u, 1u, units > lower_word));
    let normal = select(sum, difference, is_opposite);
    // Zeros and subnormal numbers become 0.
    let special = vec2<u32>(0u, select(select(0x7ff80000u, 0x7ff00000u, fraction == 0u), 0u, exponent == 0u));
    return vec2<u32>(0u, sign) | select(special, normal, exponent != 0u && exponent != 255u);
}

fn complex_of_bits(bits: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(double_of_bits(bits.xy), double_of_bits(bits.zw));
}

fn bits_of_complex(z: vec4<f32>) -> vec4<u32> {
    return vec4<u32>(bits_of_double(z.xy), bits_of_double(z.zw));
}
