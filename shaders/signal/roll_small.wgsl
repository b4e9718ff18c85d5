// Cyclic shift of up to 5 axes of elements of 1 or 2 bytes: output[k] = input[(k - shift) mod
// extent] along each axis.
//
// An invocation fills one of the words that a row can touch, counted from the word in which the row
// begins. If the word's elements are neighbours in the input, they come from one or two words of
// it; otherwise each is looked up. A word that is shared with another row, or with bytes that are
// no elements, is changed by atomic operations in the row's own bits alone. So the order of the
// invocations does not matter.
//
// Grid: one workgroup per WIDTH words x HEIGHT rows; blocks along x, then y, then the other axes;
// folded.
// Traffic: each word of the output once, or twice if it is shared; each element of the input once.
// Rust twin: src/kernels/signal/roll_small.rs
// Appended: grid.wgsl, signal/roll_rows.wgsl

override WIDTH: u32 = 64u;
override HEIGHT: u32 = 4u;
/// Bytes of an element: 1 or 2.
override BYTES: u32 = 1u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<atomic<u32>>;

/// Bits of an element.
fn element_bits() -> u32 {
    return 8u * BYTES;
}

fn per_word() -> u32 {
    return 4u / BYTES;
}

/// Element k of a word: its bits in position and a mask of ones for them, or zeros if it is not in
/// the row.
fn element(k: u32, first: u32, source: u32) -> vec2<u32> {
    // Before the begin of the row this wraps around to a number that is too large.
    let x = first + k;
    if (k >= per_word() || x >= params.extent_x) {
        return vec2<u32>(0u);
    }
    let place = source + shifted(x, params.shift_x, params.extent_x);
    let mask = 0xffffffffu >> (32u - element_bits());
    let bits = (input[place / per_word()] >> (place % per_word() * element_bits())) & mask;
    return vec2<u32>(bits, mask) << vec2<u32>(k * element_bits());
}

/// A word of elements that are neighbours in the input.
fn neighbours(place: u32) -> u32 {
    let low = input[place / per_word()];
    let bits = place % per_word() * element_bits();
    if (bits == 0u) {
        return low;
    }
    return (low >> bits) | (input[place / per_word() + 1u] << (32u - bits));
}

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = workgroup_index(group_id, group_count);
    let row = row_of(index, HEIGHT, local.y);
    if (row.live) {
        let word = index % params.blocks_x * WIDTH + local.x;
        let first = word * per_word() - row.place % per_word();
        let place = row.place / per_word() + word;
        let begin = shifted(first, params.shift_x, params.extent_x);
        let last = first + per_word() - 1u;
        if (first < params.extent_x && last < params.extent_x && begin + per_word() <= params.extent_x) {
            atomicStore(&output[place], neighbours(row.source + begin));
        } else {
            let all = element(0u, first, row.source) | element(1u, first, row.source) | element(2u, first, row.source) | element(3u, first, row.source);
            if (all.y == 0xffffffffu) {
                atomicStore(&output[place], all.x);
            } else if (all.y != 0u) {
                atomicAnd(&output[place], ~all.y);
                atomicOr(&output[place], all.x);
            }
        }
    }
}
