// Permutation of elements of 1 or 2 bytes that share words in any way. Each word of the output
// gathers its elements, wherever they are in the input.
//
// A row is a contiguous run of the output: elements x of row (y, i). An invocation fills one of the
// params.words words that a row can touch, counted from the word in which the row begins. If all of
// the word's elements belong to the row, the word is stored as a whole. If the word is shared with
// another row, or with bytes that are no elements, only the row's own bits are changed, by atomic
// operations. So the order of the invocations does not matter.
//
// Grid: one workgroup per WIDTH words x HEIGHT rows; blocks along x, then y, then the other axes;
// folded.
// Traffic: each word of the output once, or twice if it is shared; each element of the input once.
// Rust twin: src/kernels/transpose/gather.rs
// Appended: grid.wgsl

struct Params {
    /// Elements of a row.
    extent_x: u32,
    /// Rows along the next axis.
    extent_y: u32,
    /// The most words that a row touches.
    words: u32,
    blocks_x: u32,
    blocks_y: u32,
    /// Workgroups that have work to do.
    groups: u32,
    /// Indices of the first elements.
    input: u32,
    output: u32,
    /// Extents of the other axes, except the last.
    outer_0: u32,
    outer_1: u32,
    outer_2: u32,
    /// Strides in the input.
    input_x: u32,
    input_y: u32,
    input_outer_0: u32,
    input_outer_1: u32,
    input_outer_2: u32,
    input_outer_3: u32,
    /// Strides in the output. The stride of x is 1.
    output_y: u32,
    output_outer_0: u32,
    output_outer_1: u32,
    output_outer_2: u32,
    output_outer_3: u32,
}

override WIDTH: u32 = 8u;
override HEIGHT: u32 = 32u;
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
    let place = source + x * params.input_x;
    let mask = 0xffffffffu >> (32u - element_bits());
    let bits = (input[place / per_word()] >> (place % per_word() * element_bits())) & mask;
    return vec2<u32>(bits, mask) << vec2<u32>(k * element_bits());
}

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = workgroup_index(group_id, group_count);
    let block_x = index % params.blocks_x;
    let block_y = (index / params.blocks_x) % params.blocks_y;
    let outer = index / (params.blocks_x * params.blocks_y);
    let i_0 = outer % params.outer_0;
    let rest_1 = outer / params.outer_0;
    let i_1 = rest_1 % params.outer_1;
    let rest_2 = rest_1 / params.outer_1;
    let i_2 = rest_2 % params.outer_2;
    let i_3 = rest_2 / params.outer_2;
    let word = block_x * WIDTH + local.x;
    let y = block_y * HEIGHT + local.y;
    if (index < params.groups && word < params.words && y < params.extent_y) {
        let source = params.input + y * params.input_y + i_0 * params.input_outer_0 + i_1 * params.input_outer_1 + i_2 * params.input_outer_2 + i_3 * params.input_outer_3;
        let row = params.output + y * params.output_y + i_0 * params.output_outer_0 + i_1 * params.output_outer_1 + i_2 * params.output_outer_2 + i_3 * params.output_outer_3;
        let first = word * per_word() - row % per_word();
        let all = element(0u, first, source) | element(1u, first, source) | element(2u, first, source) | element(3u, first, source);
        let place = row / per_word() + word;
        if (all.y == 0xffffffffu) {
            atomicStore(&output[place], all.x);
        } else if (all.y != 0u) {
            atomicAnd(&output[place], ~all.y);
            atomicOr(&output[place], all.x);
        }
    }
}
