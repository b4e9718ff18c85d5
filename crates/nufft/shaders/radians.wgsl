// Angles in radians as parts of a turn, in integers: no digit of a coordinate is lost, however
// large.

// A word of 1/2π as a binary fraction, after 5 words of zeros. A processor's shaders compare faster
// than they load.
fn word_at(i: u32) -> u32 {
    var word = select(0u, 0x28be60dbu, i == 5u);
    word = select(word, 0x9391054au, i == 6u);
    word = select(word, 0x7f09d5f4u, i == 7u);
    word = select(word, 0x7d4d3770u, i == 8u);
    word = select(word, 0x36d8a566u, i == 9u);
    word = select(word, 0x4f10e410u, i == 10u);
    return select(word, 0x7f9458eau, i == 11u);
}

// 32 bits from so many bits behind the begin of the first word on.
fn bits_of(word: u32, following: u32, shift: u32) -> u32 {
    // A shift by 32 is none.
    return (word << shift) | select(0u, following >> ((32u - shift) % 32u), shift > 0u);
}

// The angle of which these are the bits, in units of 2^-64 of a turn, without whole turns: the low
// word first.
fn turn_of(bits: u32) -> vec2<u32> {
    let exponent = (bits >> 23u) & 0xffu;
    // Smaller numbers than 2^-126 are 0 here.
    let mantissa = select(0u, (bits & 0x7fffffu) | 0x800000u, exponent > 0u);
    // mantissa · 2^(exponent - 150) / 2π: the bits of 1/2π that become whole units, and 64 below.
    let first = exponent + 10u;
    let shift = first % 32u;
    let words = vec4(word_at(first / 32u), word_at(first / 32u + 1u), word_at(first / 32u + 2u), word_at(first / 32u + 3u));
    let middle = product(mantissa, bits_of(words.y, words.z, shift));
    let below = product(mantissa, bits_of(words.z, words.w, shift)).y;
    let low = middle.x + below;
    let high = mantissa * bits_of(words.x, words.y, shift) + middle.y + select(0u, 1u, low < below);
    return select(vec2(low, high), vec2(0u - low, select(~high, 0u - high, low == 0u)), bits >= 0x80000000u);
}

fn is_finite(bits: u32) -> bool {
    return (bits & 0x7f800000u) != 0x7f800000u;
}
