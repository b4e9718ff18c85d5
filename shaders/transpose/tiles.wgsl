// Permutation by tiles: element [b, a] becomes element [a, b]. Here a is the fastest axis of the
// input and b that of the output; the other axes keep their places.
//
// A tile consists of blocks. An invocation loads a block as V accesses of 4 to 32 bytes, one from
// each of V neighbouring rows of the input. It transposes the block in registers, so that it holds
// V accesses to the output, and writes these to workgroup memory. After a barrier, the tile is
// stored along the rows of the output. So loads, stores and workgroup memory all use wide accesses
// along rows. Bank conflicts are avoided by padding at the end of each row of the tile, or by a
// swizzle: access c of the rows of block x lies at c ^ (s x), where s is 1 unless so few blocks lie
// along x that invocations with others along b store at the same time. The swizzle also separates
// rows that are 4 apart. Without workgroup memory, which is better on software drivers, blocks are
// stored directly.
//
// Elements of 1 and 2 bytes are packed in words and transposed by shifts. If their rows do not
// begin at whole accesses, one additional word is loaded and the words are shifted. They are stored
// shifted too, with atomic operations on those bits of a word that belong to the tile if the word
// is shared with another tile, another row or anything else.
//
// In place (square matrices), a workgroup exchanges a tile and its mirror image. It holds both in
// registers, and large ones take turns in workgroup memory. Nothing is stored before all that was
// loaded has gone through it.
//
// Grid: one workgroup per tile, in one of several orders; then by the other axes; folded. In place
// one workgroup per pair of tiles.
// Traffic: each element once in, once out. Workgroup memory: the tile with its padding; in place
// two of them, unless they are large.
// The text between the markers is written by src/transpose/emit.rs.
// Rust twin: src/kernels/transpose/tiles.rs
// Source: the tile is that of tiled.wgsl; transposing blocks of accesses in registers is common in
// CUDA kernels for 8-bit pictures.
// Appended: grid.wgsl, transpose/walks.wgsl

struct Params {
    extent_a: u32,
    extent_b: u32,
    tiles_a: u32,
    tiles_b: u32,
    /// Workgroups that have work to do.
    groups: u32,
    /// Indices of the first elements and strides, in accesses of their side, or in elements if
    /// words are shifted.
    input: u32,
    output: u32,
    input_b: u32,
    output_a: u32,
    /// Extents of the other axes, except the last.
    outer_0: u32,
    outer_1: u32,
    input_outer_0: u32,
    input_outer_1: u32,
    input_outer_2: u32,
    output_outer_0: u32,
    output_outer_1: u32,
    output_outer_2: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

/// Ones from bit `begin` up to, but not including, bit `end`.
fn bits_between(begin: u32, end: u32) -> u32 {
    let below = select((1u << (end % 32u)) - 1u, 0xffffffffu, end == 32u);
    return select(0u, below & (0xffffffffu << (begin % 32u)), begin < end);
}

/// The bits of a word that change. The word is number j of those that `count` elements of `bits`
/// bits touch, beginning with element `first`.
fn own_bits(first: u32, j: u32, count: u32, bits: u32) -> u32 {
    let per_word = 32u / bits;
    let skipped = first % per_word;
    let begin = select(0u, skipped, j == 0u);
    let end = min(max(count + skipped, j * per_word) - j * per_word, per_word);
    return bits_between(begin * bits, end * bits);
}

/// Transposes two words of two elements each.
fn turn_halves(x: vec2<u32>) -> vec2<u32> {
    return vec2<u32>((x.x & 0xffffu) | (x.y << 16u), (x.x >> 16u) | (x.y & 0xffff0000u));
}

/// Transposes four words of four elements each.
fn turn_bytes(x: vec4<u32>) -> vec4<u32> {
    let even = (x.xz & vec2<u32>(0x00ff00ffu)) | ((x.yw << vec2<u32>(8u)) & vec2<u32>(0xff00ff00u));
    let odd = ((x.xz >> vec2<u32>(8u)) & vec2<u32>(0x00ff00ffu)) | (x.yw & vec2<u32>(0xff00ff00u));
    let columns = vec4<u32>(turn_halves(even), turn_halves(odd));
    return columns.xzyw;
}

/// Where index `outer` of the other axes begins in the input and in the output, for no such axes,
/// one, two and three.
fn begins_0(outer: u32) -> vec2<u32> {
    return vec2<u32>(params.input, params.output);
}

fn begins_1(outer: u32) -> vec2<u32> {
    return begins_0(0u) + outer * vec2<u32>(params.input_outer_0, params.output_outer_0);
}

fn begins_2(outer: u32) -> vec2<u32> {
    let rest = outer / params.outer_0;
    return begins_1(outer % params.outer_0) + rest * vec2<u32>(params.input_outer_1, params.output_outer_1);
}

fn begins_3(outer: u32) -> vec2<u32> {
    let rest = outer / params.outer_0;
    let strides_1 = vec2<u32>(params.input_outer_1, params.output_outer_1);
    let strides_2 = vec2<u32>(params.input_outer_2, params.output_outer_2);
    return begins_1(outer % params.outer_0) + rest % params.outer_1 * strides_1 + rest / params.outer_1 * strides_2;
}

// <generated>
@group(0) @binding(1) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec4<u32>>;
var<workgroup> memory: array<vec4<u32>, 1024>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let index = workgroup_index(group_id, group_count);
    let extent_a = select(0u, params.extent_a, index < params.groups);
    let tile = tile_by_rows(index);
    let begins = begins_0(tile.z);
    let a = tile.x * 64u;
    let b = tile.y * 64u;
    let load_from = begins.x + b * params.input_b + tile.x * 16u;
    let store_to = begins.y + a * params.output_a + tile.y * 16u;
    let block_a = t % 16u;
    let block_b = t / 16u;
    var x0 = vec4<u32>();
    var x1 = vec4<u32>();
    var x2 = vec4<u32>();
    var x3 = vec4<u32>();
    if (a + block_a * 4u < extent_a && b + block_b * 4u < params.extent_b) {
        let place = load_from + block_b * 4u * params.input_b + block_a;
        x0 = input[place];
        x1 = input[place + params.input_b];
        x2 = input[place + params.input_b * 2u];
        x3 = input[place + params.input_b * 3u];
    }
    memory[block_a * 64u + (block_b ^ block_a)] = vec4<u32>(x0.x, x1.x, x2.x, x3.x);
    memory[(block_a * 4u + 1u) * 16u + (block_b ^ block_a)] = vec4<u32>(x0.y, x1.y, x2.y, x3.y);
    memory[(block_a * 4u + 2u) * 16u + (block_b ^ block_a)] = vec4<u32>(x0.z, x1.z, x2.z, x3.z);
    memory[(block_a * 4u + 3u) * 16u + (block_b ^ block_a)] = vec4<u32>(x0.w, x1.w, x2.w, x3.w);
    workgroupBarrier();
    let column = t % 16u;
    let row = t / 16u;
    let row_2 = t / 16u + 16u;
    let row_3 = t / 16u + 32u;
    let row_4 = t / 16u + 48u;
    if (a + row < extent_a && b + column * 4u < params.extent_b) {
        output[store_to + row * params.output_a + column] = memory[row * 16u + (column ^ (row / 4u))];
    }
    if (a + row_2 < extent_a && b + column * 4u < params.extent_b) {
        output[store_to + row_2 * params.output_a + column] = memory[row_2 * 16u + (column ^ (row_2 / 4u))];
    }
    if (a + row_3 < extent_a && b + column * 4u < params.extent_b) {
        output[store_to + row_3 * params.output_a + column] = memory[row_3 * 16u + (column ^ (row_3 / 4u))];
    }
    if (a + row_4 < extent_a && b + column * 4u < params.extent_b) {
        output[store_to + row_4 * params.output_a + column] = memory[row_4 * 16u + (column ^ (row_4 / 4u))];
    }
}
// </generated>
