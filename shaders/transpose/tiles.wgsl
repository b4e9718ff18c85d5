// Permutation by tiles: element [b, a] becomes element [a, b], for a the fastest axis of the input and b that of the output; the other axes keep their places.
//
// A tile consists of blocks. An invocation loads a block as V accesses of 4 to 32 bytes, from V neighbouring rows of the input; turns it in registers, so that
// it has accesses to the output; puts them into workgroup memory; and after the barrier the tile is stored along the rows of the output. So both sides move
// wide accesses along their rows, and workgroup memory too. Its banks are kept apart by spare accesses at the end of each row, or by a swizzle (access c of the
// rows of block x lies at c ^ x), which also parts rows that are 4 apart. Without workgroup memory, for processors, blocks are stored where they are.
//
// Elements of 1 and 2 bytes are packed in words and turned by shifts. Where their rows do not begin at whole accesses, words are loaded one more than there
// are and shifted; and stored shifted, with atomic operations on the own bits of words that belong to two tiles, to two rows or to something else.
//
// In place (square matrices) a workgroup exchanges a tile and its mirror image.
//
// Grid: one workgroup per tile, in one of several orders; then by the other axes; folded. In place one per pair of tiles.
// Traffic: each element once in, once out. Workgroup memory: the tile with its padding; in place two.
// The text between the markers is written by src/transpose/text.rs.
// Rust twin: src/kernels/transpose/tiles.rs
// Source: the tile is that of tiled.wgsl; turning blocks of accesses in registers is common in CUDA kernels for 8-bit pictures.
// Appended: grid.wgsl

struct Params {
    extent_a: u32,
    extent_b: u32,
    tiles_a: u32,
    tiles_b: u32,
    /// Workgroups that have something to do.
    groups: u32,
    /// Places and strides, in accesses of their side, or in elements where these are shifted.
    input: u32,
    output: u32,
    input_b: u32,
    output_a: u32,
    /// Extents of the other axes but the last.
    outer_0: u32,
    outer_1: u32,
    input_0: u32,
    input_1: u32,
    input_2: u32,
    output_0: u32,
    output_1: u32,
    output_2: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

/// The word that begins so many bits, 0 to 32, after the first.
fn joined(first: u32, second: u32, bits: u32) -> u32 {
    let shift = bits % 32u;
    return select((first >> shift) | (second << ((32u - shift) % 32u)), select(first, second, bits == 32u), shift == 0u);
}

/// Ones from bit `begin` to before bit `end`.
fn bits_between(begin: u32, end: u32) -> u32 {
    let below = select((1u << (end % 32u)) - 1u, 0xffffffffu, end == 32u);
    return select(0u, below & (0xffffffffu << (begin % 32u)), begin < end);
}

// <generated>
@group(0) @binding(1) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec4<u32>>;
var<workgroup> memory: array<vec4<u32>, 1024>;

@compute @workgroup_size(256u)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let index = workgroup_index(group_id, group_count);
    let rest = index / params.tiles_a;
    let tile_b = rest % params.tiles_b;
    let tile_a = index % params.tiles_a;
    let outer = rest / params.tiles_b;
    let extent_a = select(0u, params.extent_a, index < params.groups);
    let input_begin = params.input;
    let output_begin = params.output;
    let a0 = tile_a * 64u;
    let b0 = tile_b * 64u;
    let from0 = input_begin + b0 * params.input_b + tile_a * 16u;
    let to0 = output_begin + a0 * params.output_a + tile_b * 16u;
    let qa00 = t % 16u;
    let qb00 = t / 16u;
    var x00_0: vec4<u32>;
    var x00_1: vec4<u32>;
    var x00_2: vec4<u32>;
    var x00_3: vec4<u32>;
    if (a0 + qa00 * 4u < extent_a && b0 + qb00 * 4u < params.extent_b) {
        let x00 = from0 + qb00 * 4u * params.input_b + qa00;
        x00_0 = input[x00];
        x00_1 = input[x00 + params.input_b];
        x00_2 = input[x00 + 2u * params.input_b];
        x00_3 = input[x00 + 3u * params.input_b];
    }
    memory[qa00 * 4u * 16u + ((qb00) ^ (qa00 & 15u))] = vec4<u32>(x00_0.x, x00_1.x, x00_2.x, x00_3.x);
    memory[(qa00 * 4u + 1u) * 16u + ((qb00) ^ (qa00 & 15u))] = vec4<u32>(x00_0.y, x00_1.y, x00_2.y, x00_3.y);
    memory[(qa00 * 4u + 2u) * 16u + ((qb00) ^ (qa00 & 15u))] = vec4<u32>(x00_0.z, x00_1.z, x00_2.z, x00_3.z);
    memory[(qa00 * 4u + 3u) * 16u + ((qb00) ^ (qa00 & 15u))] = vec4<u32>(x00_0.w, x00_1.w, x00_2.w, x00_3.w);
    workgroupBarrier();
    {
        let row = t / 16u;
        let column = t % 16u;
        if (a0 + row < extent_a && b0 + column * 4u < params.extent_b) {
            output[to0 + row * params.output_a + column] = memory[row * 16u + ((column) ^ ((row / 4u) & 15u))];
        }
    }
    {
        let row = (t / 16u + 16u);
        let column = t % 16u;
        if (a0 + row < extent_a && b0 + column * 4u < params.extent_b) {
            output[to0 + row * params.output_a + column] = memory[row * 16u + ((column) ^ ((row / 4u) & 15u))];
        }
    }
    {
        let row = (t / 16u + 32u);
        let column = t % 16u;
        if (a0 + row < extent_a && b0 + column * 4u < params.extent_b) {
            output[to0 + row * params.output_a + column] = memory[row * 16u + ((column) ^ ((row / 4u) & 15u))];
        }
    }
    {
        let row = (t / 16u + 48u);
        let column = t % 16u;
        if (a0 + row < extent_a && b0 + column * 4u < params.extent_b) {
            output[to0 + row * params.output_a + column] = memory[row * 16u + ((column) ^ ((row / 4u) & 15u))];
        }
    }
}
// </generated>
