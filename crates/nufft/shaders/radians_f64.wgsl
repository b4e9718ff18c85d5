// Angles in radians as parts of a turn, in integers: no digit of a coordinate is lost, however
// large.

// The words of 1/2π as a binary fraction, after 6 words of zeros.
@group(0) @binding(1) var<uniform> inverse: array<vec4<u32>, 11>;

// 32 bits from so many bits behind the begin of a word on.
fn bits_of(i: u32, shift: u32) -> u32 {
    let following = inverse[(i + 1u) / 4u][(i + 1u) % 4u];
    // A shift by 32 is none.
    return (inverse[i / 4u][i % 4u] << shift) | select(0u, following >> ((32u - shift) % 32u), shift > 0u);
}

// The angle of which these are the bits, in units of 2^-96 of a turn, without whole turns, up to 4
// units too small: the low word first.
fn turn_of(bits: vec2<u32>) -> vec3<u32> {
    let exponent = (bits.y >> 20u) & 0x7ffu;
    // Smaller numbers than 2^-1022 are 0 here.
    let is_normal = exponent > 0u;
    let low = select(0u, bits.x, is_normal);
    let high = select(0u, (bits.y & 0xfffffu) | 0x100000u, is_normal);
    // mantissa · 2^(exponent - 1075) / 2π: the bits of 1/2π that become whole units of the
    // mantissa's, and 160 below. Below 2^-139 there are none.
    let first = max(exponent, 883u) - 883u;
    let word = first / 32u;
    let shift = first % 32u;
    let a = bits_of(word, shift);
    let b = bits_of(word + 1u, shift);
    let c = bits_of(word + 2u, shift);
    let d = bits_of(word + 3u, shift);
    let e = bits_of(word + 4u, shift);
    // By words of the product, of which the two lowest are not needed.
    let low_d = product(low, d);
    let high_d = product(high, d);
    let low_c = product(low, c);
    let high_c = product(high, c);
    let low_b = product(low, b);
    let high_b = product(high, b);
    let third = added(added(added(vec2(low_d.y, 0u), product(high, e).y), low_c.x), high_d.x);
    let fourth = added(added(added(added(vec2(third.y, 0u), low_c.y), high_d.y), low_b.x), high_c.x);
    let fifth = fourth.y + low_b.y + high_c.y + low * a + high_b.x;
    let turn = vec3(third.x, fourth.x, fifth);
    let carry = vec3(1u, select(0u, 1u, turn.x == 0u), select(0u, 1u, (turn.x | turn.y) == 0u));
    return select(turn, ~turn + carry, bits.y >= 0x80000000u);
}

fn is_finite(bits: vec2<u32>) -> bool {
    return (bits.y & 0x7ff00000u) != 0x7ff00000u;
}
