// Transposes square matrices of elements of 1 or 2 bytes in place, where rows do not begin at whole
// words. Each invocation exchanges one element with its mirror image. It changes only its own bits,
// by an exclusive or with the difference of the two elements. So it does not matter which other
// invocations change the same words.
//
// Grid: one workgroup per WIDTH x HEIGHT block of a matrix, where blocks below the diagonal have no
// work; blocks along x, then y, then by matrix; folded.
// Traffic: two atomic operations for each element off the diagonal.
// Rust twin: src/kernels/transpose/swap.rs
// Appended: grid.wgsl

struct Params {
    /// Number of rows and columns.
    extent: u32,
    blocks_x: u32,
    blocks_y: u32,
    /// Workgroups that have work to do.
    groups: u32,
    /// Index of the first element.
    data: u32,
    /// Distance between two rows in elements.
    row: u32,
    /// Extents of the other axes, except the last.
    outer_0: u32,
    outer_1: u32,
    /// Their strides.
    data_outer_0: u32,
    data_outer_1: u32,
    data_outer_2: u32,
}

override WIDTH: u32 = 32u;
override HEIGHT: u32 = 8u;
/// Bytes of an element: 1 or 2.
override BYTES: u32 = 1u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> data: array<atomic<u32>>;

/// Bits of an element.
fn element_bits() -> u32 {
    return 8u * BYTES;
}

fn per_word() -> u32 {
    return 4u / BYTES;
}

fn element(place: u32) -> u32 {
    return (atomicLoad(&data[place / per_word()]) >> (place % per_word() * element_bits())) & (0xffffffffu >> (32u - element_bits()));
}

fn change(place: u32, difference: u32) {
    atomicXor(&data[place / per_word()], difference << (place % per_word() * element_bits()));
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
    let i_1 = (outer / params.outer_0) % params.outer_1;
    let i_2 = outer / (params.outer_0 * params.outer_1);
    let c = block_x * WIDTH + local.x;
    let r = block_y * HEIGHT + local.y;
    if (index < params.groups && r < c && c < params.extent) {
        let matrix = params.data + i_0 * params.data_outer_0 + i_1 * params.data_outer_1 + i_2 * params.data_outer_2;
        let above = matrix + r * params.row + c;
        let below = matrix + c * params.row + r;
        let difference = element(above) ^ element(below);
        change(above, difference);
        change(below, difference);
    }
}
