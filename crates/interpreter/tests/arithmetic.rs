//! Operators, functions and conversions against Rust, for every scalar type and values at the
//! edges.

use half::f16;
use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

/// `r[i] = EXPRESSION` of `x = a[i]`, `y = b[i]` and `z = c[i]`, which have the types and values of
/// `inputs`.
fn evaluate<R: bytemuck::AnyBitPattern>(expression: &str, result: &str, inputs: &[(&str, Buffer)], count: usize) -> Vec<R> {
    let mut text = format!("enable f16;\n@group(0) @binding(0) var<storage, read_write> r: array<{result}>;\n");
    let mut lets = String::new();
    let mut memory = Memory::new();
    let output = memory.add(Buffer::zeros((count * size_of::<R>()) as u64));
    let mut bindings = vec![Binding::whole(0, 0, output)];
    for (k, (ty, buffer)) in inputs.iter().enumerate() {
        let (array, value) = (["a", "b", "c"][k], ["x", "y", "z"][k]);
        text += &format!("@group(0) @binding({}) var<storage, read> {array}: array<{ty}>;\n", k + 1);
        lets += &format!("let {value} = {array}[i];\n");
        bindings.push(Binding::whole(0, k as u32 + 1, memory.add(buffer.clone())));
    }
    text += &format!(
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
            let i = id.x; if i < arrayLength(&r) {{ {lets} r[i] = {expression}; }} }}"
    );
    let shader = Shader::new(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let kernel = shader.entry("main").unwrap().compile().unwrap_or_else(|e| panic!("{e}\n{text}"));
    kernel.dispatch([count.div_ceil(64) as u32, 1, 1], &mut memory, &bindings, &Config::default()).map(|_| ()).unwrap();
    let size = count * size_of::<R>();
    memory[output].bytes()[..size].chunks_exact(size_of::<R>()).map(bytemuck::pod_read_unaligned).collect()
}

/// A number whose bits can be compared.
trait Number: bytemuck::Pod + std::fmt::Debug {
    const NAME: &'static str;
    fn same(self, other: Self) -> bool;
}

macro_rules! integers {
    ($($ty:ident),*) => {$(
        impl Number for $ty {
            const NAME: &'static str = stringify!($ty);
            fn same(self, other: Self) -> bool { self == other }
        }
    )*};
}
integers!(i32, u32, i64, u64);

macro_rules! floats {
    ($($ty:ident),*) => {$(
        impl Number for $ty {
            const NAME: &'static str = stringify!($ty);
            fn same(self, other: Self) -> bool { self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan() }
        }
    )*};
}
floats!(f16, f32, f64);

fn pairs<T: Copy>(values: &[T]) -> (Vec<T>, Vec<T>) {
    values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y))).unzip()
}

fn unary<T: Number, R: Number>(expression: &str, values: &[T], f: impl Fn(T) -> R) {
    let results: Vec<R> = evaluate(expression, R::NAME, &[(T::NAME, Buffer::from_slice(values))], values.len());
    for (&x, result) in values.iter().zip(results) {
        assert!(result.same(f(x)), "{expression} of {} {x:?}: {result:?}, should be {:?}", T::NAME, f(x));
    }
}

fn binary<T: Number, R: Number>(expression: &str, values: &[T], f: impl Fn(T, T) -> R) {
    let (xs, ys) = pairs(values);
    let inputs = [(T::NAME, Buffer::from_slice(&xs)), (T::NAME, Buffer::from_slice(&ys))];
    let results: Vec<R> = evaluate(expression, R::NAME, &inputs, xs.len());
    for ((&x, &y), result) in xs.iter().zip(&ys).zip(results) {
        assert!(result.same(f(x, y)), "{expression} of {} {x:?}, {y:?}: {result:?}, should be {:?}", T::NAME, f(x, y));
    }
}

const F64: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    3.7,
    -3.7,
    0.1,
    65504.0,
    65520.0,
    1e-5,
    -6e-8,
    1e10,
    2147483648.0,
    -4294967296.0,
    1.0009765625,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn f32s() -> Vec<f32> {
    let mut values: Vec<f32> = F64.iter().map(|&x| x as f32).collect();
    values.extend([f32::MIN_POSITIVE, 1e-45, -1e-40, f32::MAX, 16777216.0, 8388607.5, 0.3]);
    values
}

fn f64s() -> Vec<f64> {
    let mut values = F64.to_vec();
    values.extend([f64::MIN_POSITIVE, 5e-324, f64::MAX, 1e300, 9007199254740993.0, 0.3]);
    values
}

/// The nearest f16, found among all of them.
fn nearest_f16(x: f64) -> f16 {
    if x.is_nan() {
        return f16::NAN;
    }
    let magnitude = x.abs();
    // From 65520 on, half a step past the largest.
    let mut bits = 0x7c00u16;
    if magnitude < 65520.0 {
        let value = |bits: u16| f16::from_bits(bits).to_f64();
        let (mut low, mut high) = (0u16, 0x7bffu16);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if value(middle) <= magnitude { low = middle } else { high = middle - 1 }
        }
        bits = low;
        if low < 0x7bff {
            let (below, above) = (magnitude - value(low), value(low + 1) - magnitude);
            if above < below || above == below && low % 2 == 1 {
                bits = low + 1;
            }
        } else if magnitude - value(low) >= 16.0 {
            bits = 0x7c00;
        }
    }
    f16::from_bits(bits | if x.is_sign_negative() { 0x8000 } else { 0 })
}

fn f16s() -> Vec<f16> {
    let mut values: Vec<f16> = F64.iter().map(|&x| nearest_f16(x)).collect();
    values.extend([0x0001, 0x03ff, 0x0400, 0x7bff, 0x3555, 0x1234, 0x9876].map(f16::from_bits));
    values
}

macro_rules! float_operators {
    ($values:expr, $round:expr, $wide:expr, $exponent:expr) => {{
        let (values, round, wide) = ($values, $round, $wide);
        binary("x + y", &values, |x, y| round(wide(x) + wide(y)));
        binary("x - y", &values, |x, y| round(wide(x) - wide(y)));
        binary("x * y", &values, |x, y| round(wide(x) * wide(y)));
        binary("x / y", &values, |x, y| round(wide(x) / wide(y)));
        binary("x % y", &values, |x, y| round(wide(x) % wide(y)));
        unary("-x", &values, |x| round(-wide(x)));
        unary("abs(x)", &values, |x| round(wide(x).abs()));
        unary("floor(x)", &values, |x| round(wide(x).floor()));
        unary("ceil(x)", &values, |x| round(wide(x).ceil()));
        unary("trunc(x)", &values, |x| round(wide(x).trunc()));
        unary("round(x)", &values, |x| round(wide(x).round_ties_even()));
        unary("sqrt(x)", &values, |x| round(wide(x).sqrt()));
        unary("fract(x)", &values, |x| round(wide(x) - wide(round(wide(x).floor()))));
        for (operator, f) in [
            ("<", (|x, y| x < y) as fn(f64, f64) -> bool),
            ("<=", |x, y| x <= y),
            (">", |x, y| x > y),
            (">=", |x, y| x >= y),
            ("==", |x, y| x == y),
            ("!=", |x, y| x != y),
        ] {
            binary(&format!("select(0u, 1u, x {operator} y)"), &values, |x, y| f(wide(x), wide(y)) as u32);
        }
        let finite: Vec<_> = values.iter().copied().filter(|&x| wide(x).is_finite() && wide(x) != 0.0).collect();
        binary("min(x, y)", &finite, |x, y| round(wide(x).min(wide(y))));
        binary("max(x, y)", &finite, |x, y| round(wide(x).max(wide(y))));
        binary("step(x, y)", &finite, |x, y| round((wide(x) <= wide(y)) as u32 as f64));
        unary("sign(x)", &finite, |x| round(wide(x).signum()));
        unary("saturate(x)", &finite, |x| round(wide(x).clamp(0.0, 1.0)));
        // naga gives f16 an exponent of i16, which the interpreter does not know.
        if $exponent != "" {
            unary(&format!("i32(frexp(x).{})", $exponent), &finite, |x| libm::frexp(wide(x)).1);
            unary("frexp(x).fract", &finite, |x| round(libm::frexp(wide(x)).0));
        }
        unary("modf(x).fract", &finite, |x| round(wide(x).fract()));
        unary("modf(x).whole", &finite, |x| round(wide(x).trunc()));
        unary("ldexp(x, 3)", &finite, |x| round(wide(x) * 8.0));
    }};
}

#[test]
fn operators_of_f32() {
    // Double rounding is harmless from f64 to f32 for one operation.
    float_operators!(f32s(), |x: f64| x as f32, |x: f32| x as f64, "exp");
    binary("fma(x, y, x)", &f32s(), |x, y| x.mul_add(y, x));
    binary("x * y + x", &f32s(), |x, y| x * y + x);
}

#[test]
fn operators_of_f16() {
    float_operators!(f16s(), nearest_f16, f16::to_f64, "");
    binary("x * y + x", &f16s(), |x, y| nearest_f16(nearest_f16(x.to_f64() * y.to_f64()).to_f64() + x.to_f64()));
    // The sum of a product and 2^-24 is no f64 here; it must be rounded once.
    let values = [0x3c01, 0x6bff, 0x4401, 0x0001, 0x7801, 0xa9ff].map(f16::from_bits);
    binary("fma(x, y, 0.00000006h)", &values, |x, y| {
        let (product, small) = (x.to_f64() * y.to_f64(), f16::from_bits(1).to_f64());
        // The product has 22 digits: what is added decides only where it lies between two f16
        // numbers or on one.
        nearest_f16(product + small.copysign(1.0))
    });
}

#[test]
fn operators_of_f64() {
    let values = f64s();
    float_operators!(values.clone(), |x: f64| x, |x: f64| x, "exp");
    binary("fma(x, y, x)", &values, |x, y| x.mul_add(y, x));
}

macro_rules! integer_operators {
    ($ty:ident, $values:expr) => {{
        let values: Vec<$ty> = $values;
        binary("x + y", &values, |x, y| x.wrapping_add(y));
        binary("x - y", &values, |x, y| x.wrapping_sub(y));
        binary("x * y", &values, |x, y| x.wrapping_mul(y));
        binary("x / y", &values, |x, y| if y == 0 { x } else { x.wrapping_div(y) });
        binary("x % y", &values, |x, y| if y == 0 { 0 } else { x.wrapping_rem(y) });
        binary("x & y", &values, |x, y| x & y);
        binary("x | y", &values, |x, y| x | y);
        binary("x ^ y", &values, |x, y| x ^ y);
        binary("x << (u32(y) & 31u)", &values, |x, y| x << (y & 31));
        binary("x >> (u32(y) & 31u)", &values, |x, y| x >> (y & 31));
        binary("min(x, y)", &values, |x, y| x.min(y));
        binary("max(x, y)", &values, |x, y| x.max(y));
        unary("~x", &values, |x| !x);
        unary("abs(x)", &values, |x| if (x as i128) < 0 { x.wrapping_neg() } else { x });
        binary("select(0u, 1u, x < y)", &values, |x, y| (x < y) as u32);
        binary("select(0u, 1u, x >= y)", &values, |x, y| (x >= y) as u32);
        binary("select(0u, 1u, x == y)", &values, |x, y| (x == y) as u32);
        unary("countOneBits(x)", &values, |x| x.count_ones() as $ty);
        unary("countLeadingZeros(x)", &values, |x| x.leading_zeros() as $ty);
        unary("countTrailingZeros(x)", &values, |x| x.trailing_zeros() as $ty);
        unary("reverseBits(x)", &values, |x| x.reverse_bits());
        unary("firstTrailingBit(x)", &values, |x| if x == 0 { !0 } else { x.trailing_zeros() as $ty });
        unary("firstLeadingBit(x)", &values, |x| {
            let significant = if (x as i128) < 0 { !x } else { x };
            if significant == 0 { !0 } else { ($ty::BITS - 1 - significant.leading_zeros()) as $ty }
        });
    }};
}

#[test]
fn operators_of_integers() {
    integer_operators!(u32, vec![0, 1, 2, 3, 31, 255, 65535, 0x7fff_ffff, 0x8000_0000, 0xdead_beef, u32::MAX]);
    integer_operators!(i32, vec![0, 1, -1, 2, -7, 31, 65536, i32::MAX, i32::MIN, 0x1234_5678]);
    integer_operators!(u64, vec![0, 1, 2, 31, 1 << 32, u32::MAX as u64, 1 << 63, 0xdead_beef_0bad_cafe, u64::MAX]);
    integer_operators!(i64, vec![0, 1, -1, 31, -7, 1 << 32, i64::MAX, i64::MIN, 0x1234_5678_9abc_def0]);
    unary("-x", &[0, 1, -5, i32::MIN, i32::MAX], i32::wrapping_neg);
    unary("-x", &[0, 1, -5, i64::MIN, i64::MAX], i64::wrapping_neg);
    unary("sign(x)", &[0, 1, -5, i32::MIN, i32::MAX], i32::signum);
    unary("clamp(x, -3, 4)", &[0, 1, -5, i32::MIN, i32::MAX], |x: i32| x.clamp(-3, 4));
}

#[test]
fn bits() {
    let values = [0u32, 1, 0xdead_beef, u32::MAX, 0x8000_0001];
    for offset in [0u32, 1, 5, 31, 32, 40] {
        for count in [0u32, 1, 8, 27, 32, 50] {
            let (o, c) = (offset.min(32), count.min(32 - offset.min(32)));
            let mask = ((1u64 << c) - 1) as u32;
            unary(&format!("extractBits(x, {offset}u, {count}u)"), &values, |x: u32| (x as u64 >> o) as u32 & mask);
            unary(&format!("extractBits(bitcast<i32>(x), {offset}u, {count}u)"), &values, |x: u32| {
                let field = (x as u64 >> o) as u32 & mask;
                if c > 0 && field >> (c - 1) & 1 == 1 { (field | !mask) as i32 } else { field as i32 }
            });
            unary(&format!("insertBits(x, 0x5a5a5a5au, {offset}u, {count}u)"), &values, |x: u32| {
                let mask = ((mask as u64) << o) as u32;
                x & !mask | ((0x5a5a_5a5au64 << o) as u32) & mask
            });
        }
    }
}

#[test]
fn conversions() {
    let f32s = f32s();
    // The largest f32 below 2^31 and 2^32.
    unary("i32(x)", &f32s, |x: f32| x.clamp(-2147483648.0, 2147483520.0) as i32);
    unary("u32(x)", &f32s, |x: f32| x.clamp(0.0, 4294967040.0) as u32);
    unary("i64(x)", &f32s, |x: f32| x.clamp(-9223372036854775808.0, 9223371487098961920.0) as i64);
    unary("f16(x)", &f32s, |x: f32| nearest_f16(x as f64));
    unary("quantizeToF16(x)", &f32s, |x: f32| nearest_f16(x as f64).to_f32());
    unary("f64(x)", &f32s, |x: f32| x as f64);
    unary("select(0u, 1u, bool(x))", &f32s, |x: f32| (x != 0.0) as u32);
    unary("bitcast<u32>(x)", &[1.5f32, -0.0, 1e-40], f32::to_bits);
    unary("i32(x)", &f16s(), |x: f16| if x.is_nan() { 0 } else { x.to_f32().clamp(-65504.0, 65504.0) as i32 });
    unary("f32(x)", &f16s(), f16::to_f32);
    unary("f32(x)", &f64s(), |x: f64| x as f32);
    // Digits below those of f32 decide here.
    unary("f16(x)", &[1.00048828125 + 1e-12, 1.00048828125, 1.00146484375 - 1e-13, 65519.999999999], nearest_f16);
    unary("i32(x)", &f64s(), |x: f64| x as i32);
    let integers = [0u32, 1, 16777217, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    unary("f32(x)", &integers, |x: u32| x as f32);
    unary("f16(x)", &integers, |x: u32| nearest_f16(x as f64));
    unary("i32(x)", &integers, |x: u32| x as i32);
    unary("u64(x)", &integers, |x: u32| x as u64);
    unary("i64(bitcast<i32>(x))", &integers, |x: u32| x as i32 as i64);
    unary("f32(bitcast<i32>(x))", &integers, |x: u32| x as i32 as f32);
    unary("f64(x)", &integers, |x: u32| x as f64);
    let wide = [0u64, 1, 1 << 40, (1 << 53) + 1, 1 << 63, u64::MAX];
    unary("u32(x)", &wide, |x: u64| x as u32);
    unary("f32(x)", &wide, |x: u64| x as f32);
    unary("f64(x)", &wide, |x: u64| x as f64);
    unary("i64(x)", &wide, |x: u64| x as i64);
    unary("bitcast<f64>(x)", &wide, f64::from_bits);
}

#[test]
fn transcendental_functions() {
    let close = |expression: &str, values: &[f32], f: fn(f64) -> f64| {
        let results: Vec<f32> = evaluate(expression, "f32", &[("f32", Buffer::from_slice(values))], values.len());
        for (&x, result) in values.iter().zip(results) {
            let expected = f(x as f64) as f32;
            assert!(
                result == expected || (result - expected).abs() <= 2e-7 * expected.abs() || result.is_nan() && expected.is_nan(),
                "{expression} of {x}: {result}, {expected}"
            );
        }
    };
    let values = [0.1f32, 0.5, 0.9, 1.0, -0.3, 2.0, 7.5, -4.0];
    for (name, f) in [
        ("sin", f64::sin as fn(f64) -> f64),
        ("cos", f64::cos),
        ("tan", f64::tan),
        ("sinh", f64::sinh),
        ("cosh", f64::cosh),
        ("tanh", f64::tanh),
        ("asin", f64::asin),
        ("acos", f64::acos),
        ("atan", f64::atan),
        ("asinh", f64::asinh),
        ("acosh", f64::acosh),
        ("atanh", f64::atanh),
        ("exp", f64::exp),
        ("exp2", f64::exp2),
        ("log", f64::ln),
        ("log2", f64::log2),
        ("radians", f64::to_radians),
        ("degrees", f64::to_degrees),
    ] {
        close(&format!("{name}(x)"), &values, f);
    }
    close("inverseSqrt(x)", &values, |x| 1.0 / x.sqrt());
    close("pow(x, 2.5)", &values, |x| x.powf(2.5));
    close("atan2(x, -2.0)", &values, |x| x.atan2(-2.0));
    close("mix(x, 3.0, 0.25)", &values, |x| x * 0.75 + 0.75);
    close("smoothstep(0.0, 2.0, x)", &values, |x| {
        let t = (x / 2.0).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    });
    close("length(vec3f(x, 2.0, 3.0))", &values, |x| (x * x + 13.0).sqrt());
    close("distance(vec2f(x, 1.0), vec2f(0.0, 2.0))", &values, |x| (x * x + 1.0).sqrt());
    close("normalize(vec2f(x, 1.0)).x", &values, |x| x / (x * x + 1.0).sqrt());
    close("cross(vec3f(x, 1.0, 2.0), vec3f(3.0, x, 4.0)).z", &values, |x| x * x - 3.0);
    close("dot(vec3f(x, 1.0, 2.0), vec3f(3.0, x, 4.0))", &values, |x| 4.0 * x + 8.0);
    close("faceForward(x, vec2f(1.0, 0.0), vec2f(1.0, 0.0)).x".replace("(x,", "(vec2f(x),").as_str(), &values, |x| -x);
    close("reflect(vec2f(x, 1.0), vec2f(0.0, 1.0)).y", &values, |_| -1.0);
    close("refract(vec2f(x, -1.0), vec2f(0.0, 1.0), 1.0).x", &values, |x| x);
    close("determinant(mat3x3f(x, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 1.0))", &values, |x| -43.0 * x + 2.0 * 38.0 + 3.0 * -3.0);
    close("transpose(mat2x3f(x, 2.0, 3.0, 4.0, 5.0, 6.0))[1].y", &values, |_| 5.0);
    close("(mat2x2f(x, 2.0, 3.0, 4.0) * vec2f(5.0, 6.0)).y", &values, |_| 34.0);
    close("(vec2f(5.0, 6.0) * mat2x2f(x, 2.0, 3.0, 4.0)).x", &values, |x| 5.0 * x + 12.0);
    close("(mat2x2f(x, 2.0, 3.0, 4.0) * mat2x2f(1.0, 2.0, 3.0, 4.0))[1].x", &values, |x| 3.0 * x + 12.0);
}

#[test]
fn packing() {
    let words = [0u32, u32::MAX, 0x8000_7fff, 0x1234_5678, 0x3c00_bc00, 0x80ff_017f];
    unary("pack4x8snorm(unpack4x8snorm(x))", &words, |x: u32| u32::from_le_bytes(x.to_le_bytes().map(|b| if b == 128 { 129 } else { b })));
    unary("pack4x8unorm(unpack4x8unorm(x))", &words, |x: u32| x);
    unary("pack2x16unorm(unpack2x16unorm(x))", &words, |x: u32| x);
    unary("pack2x16snorm(unpack2x16snorm(x))", &words, |x: u32| {
        if x & 0xffff == 0x8000 {
            x + 1
        } else if x >> 16 == 0x8000 {
            x + 0x10000
        } else {
            x
        }
    });
    unary("pack2x16float(unpack2x16float(x))", &[0u32, 0x1234_5678, 0x3c00_bc00, 0x7c00_0001], |x: u32| x);
    unary("pack4xI8(unpack4xI8(x))", &words, |x: u32| x);
    unary("pack4xU8(unpack4xU8(x))", &words, |x: u32| x);
    unary("unpack4xI8(x).z", &words, |x: u32| (x >> 16) as i8 as i32);
    unary("unpack4xU8(x).w", &words, |x: u32| x >> 24);
    unary("unpack2x16float(x).y", &[0x3c00_bc00u32, 0x7bff_0000], |x: u32| f16::from_bits((x >> 16) as u16).to_f32());
    unary("pack4xI8Clamp(vec4i(bitcast<i32>(x), 1, -200, 200))", &words, |x: u32| {
        u32::from_le_bytes([(x as i32).clamp(-128, 127) as u8, 1, 128, 127])
    });
    unary("pack4xU8Clamp(vec4u(x, 1u, 300u, 200u))", &words, |x: u32| u32::from_le_bytes([x.min(255) as u8, 1, 255, 200]));
    unary("pack2x16float(vec2f(x, 1.0))", &[0.1f32, 70000.0, 1e-7, -2.5], |x: f32| nearest_f16(x as f64).to_bits() as u32 | 0x3c00_0000);
    binary("dot4U8Packed(x, y)", &words, |x: u32, y: u32| {
        x.to_le_bytes().iter().zip(y.to_le_bytes()).map(|(&a, b)| a as u32 * b as u32).sum::<u32>()
    });
    binary("dot4I8Packed(x, y)", &words, |x: u32, y: u32| {
        x.to_le_bytes().iter().zip(y.to_le_bytes()).map(|(&a, b)| a as i8 as i32 * b as i8 as i32).sum::<i32>()
    });
}
