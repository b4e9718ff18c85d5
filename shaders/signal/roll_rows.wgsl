// The rows of a cyclic shift: which row an invocation has, and where it comes from.
//
// The arrays are dense and have the same strides. A row is a run along x, the fastest axis.
//
// Rust twin: src/kernels/signal/mod.rs

struct Params {
    extent_x: u32,
    extent_y: u32,
    /// Extents of the other axes, fastest first.
    outer_0: u32,
    outer_1: u32,
    outer_2: u32,
    /// By how much each axis is shifted; less than its extent.
    shift_x: u32,
    shift_y: u32,
    shift_outer_0: u32,
    shift_outer_1: u32,
    shift_outer_2: u32,
    /// Strides. That of x is 1.
    stride_y: u32,
    stride_outer_0: u32,
    stride_outer_1: u32,
    stride_outer_2: u32,
    /// Indices of the first elements.
    input: u32,
    output: u32,
    blocks_x: u32,
    blocks_y: u32,
    /// Workgroups that have work to do.
    groups: u32,
}

struct Row {
    /// Index of its first element in the input, if x were not shifted.
    source: u32,
    /// Index of its first element in the output.
    place: u32,
    /// Whether there is such a row.
    live: bool,
}

/// Where element k of an axis comes from.
fn shifted(k: u32, shift: u32, extent: u32) -> u32 {
    return select(k - shift, k + (extent - shift), k < shift);
}

/// Row `local_y` of a workgroup that has `height` rows.
fn row_of(index: u32, height: u32, local_y: u32) -> Row {
    let y = (index / params.blocks_x) % params.blocks_y * height + local_y;
    let outer = index / (params.blocks_x * params.blocks_y);
    let i_0 = outer % params.outer_0;
    let i_1 = (outer / params.outer_0) % params.outer_1;
    let i_2 = outer / (params.outer_0 * params.outer_1);
    let source = params.input
        + shifted(y, params.shift_y, params.extent_y) * params.stride_y
        + shifted(i_0, params.shift_outer_0, params.outer_0) * params.stride_outer_0
        + shifted(i_1, params.shift_outer_1, params.outer_1) * params.stride_outer_1
        + shifted(i_2, params.shift_outer_2, params.outer_2) * params.stride_outer_2;
    let place = params.output
        + y * params.stride_y
        + i_0 * params.stride_outer_0
        + i_1 * params.stride_outer_1
        + i_2 * params.stride_outer_2;
    return Row(source, place, index < params.groups && y < params.extent_y);
}
