// Coordinates in f64 as whole numbers of a unit, less their middle, and these times parts of a turn,
// without whole turns. The lowest word of a number is first.
struct Axis {
    // The exponent of the unit.
    unit: i32,
    // The middle with the other sign.
    origin: vec4<u32>,
    // What is added to places.
    begin: vec4<u32>,
    // By which a place and a phase grow with each unit, in units of 2^-32 to the power 2 * WORDS.
    fractions: array<vec4<u32>, 4>,
}
@group(0) @binding(1) var<uniform> axes: array<Axis, 3>;

const PLACE = 0u;
const PHASE = 1u;

struct Offset {
    size: Words,
    is_negative: bool,
}

// 32 bits of a number of 64 from one on, which may lie outside of it.
fn bits_from(low: u32, high: u32, first: i32) -> u32 {
    let at = u32(clamp(first, -32i, 64i) + 32i);
    let own = select(select(0u, low, at / 32u == 1u), high, at / 32u == 2u);
    let next = select(select(0u, low, at / 32u == 0u), high, at / 32u == 1u);
    return (own >> (at % 32u)) | ((next << 1u) << (31u - at % 32u));
}

fn signed(size: Words, is_negative: bool) -> Words {
    return plus(size ^ Words(select(0u, 0xffffffffu, is_negative)), Words(), select(0u, 1u, is_negative));
}

// The coordinate of which these are the bits, less the middle.
fn offset_of(bits: vec2<u32>, axis: u32) -> Offset {
    let exponent = (bits.y >> 20u) & 0x7ffu;
    let high = (bits.y & 0xfffffu) | select(0u, 0x100000u, exponent > 0u);
    let whole = shifted(bits.x, high, i32(max(exponent, 1u)) - 1075i - axes[axis].unit);
    let is_below = bits.y >= 0x80000000u;
    let words = plus(whole ^ Words(select(0u, 0xffffffffu, is_below)), words_of(axes[axis].origin), select(0u, 1u, is_below));
    let is_negative = highest(words).y >= 0x80000000u;
    return Offset(signed(words, is_negative), is_negative);
}

// That many times a part of a turn, which is PLACE or PHASE.
fn turns_of(offset: Offset, axis: u32, which: u32) -> Words {
    let turns = product_of(offset.size, axes[axis].fractions[2u * which], axes[axis].fractions[2u * which + 1u]);
    return signed(turns, offset.is_negative);
}

// The place of a coordinate on the circle.
fn turn_of(bits: vec2<u32>, axis: u32) -> Words {
    return plus(turns_of(offset_of(bits, axis), axis, PLACE), words_of(axes[axis].begin), 0u);
}
