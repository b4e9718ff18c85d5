// Transpose through a tile in workgroup memory: output[b, c, r] = input[b, r, c].
//
// A workgroup loads a TILE x TILE piece of the input along its rows, waits at a barrier, and stores
// it along the rows of the output. So both sides access contiguous memory. Overrides select the
// variants:
//   3  PADDING = 0, ELEMENTS = 1  invocations that read a tile column conflict in one memory bank
//   4  PADDING = 1, ELEMENTS = 1  a padding element per tile row puts the column into other banks
//   5  PADDING = 1, ELEMENTS > 1  an invocation moves ELEMENTS elements, TILE / ELEMENTS rows apart
//
// With (gx, gy) the tile, (lx, ly) the invocation, and element (x, y) = (gx, gy) * TILE + (lx, ly):
//   load   input[y * columns + x]           -> tile[ly * (TILE + PADDING) + lx]
//   store  tile[lx * (TILE + PADDING) + ly] -> output[(gx * TILE + ly) * rows + gy * TILE + lx]
//
// Grid: one workgroup of TILE x TILE / ELEMENTS invocations per tile; tiles left to right, then
// down, then by matrix; folded.
// Traffic: each element once in, once out. Workgroup memory: TILE * (TILE + PADDING) elements.
// Requires: ELEMENTS divides TILE, ELEMENTS <= 16. The calls of load and store are written out. As
// loops that contain the bounds checks, they cost a third of the bandwidth on an H200 (2100 against
// 3130 GB/s). Written out, the checks cost nothing.
// Source: the index rules are those of an OpenCL 2D FFT that processes columns by transposing; see
// tests/host/worked_example.rs.
// Rust twin: src/kernels/transpose/tiled.rs
// Appended: grid.wgsl, element/word.wgsl | element/pair.wgsl | element/quad.wgsl

struct Params {
    rows: u32,
    columns: u32,
    batch: u32,
    /// Tiles along a row of the input.
    tiles_x: u32,
    /// Tiles along a column of the input.
    tiles_y: u32,
}

override TILE: u32 = 16u;
override PADDING: u32 = 1u;
override ELEMENTS: u32 = 1u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<Element>;
@group(0) @binding(2) var<storage, read_write> output: array<Element>;

var<workgroup> tile: array<Element, TILE * (TILE + PADDING)>;

/// The position of an invocation and its tile.
struct Place {
    /// Index of the matrix's first element.
    matrix: u32,
    /// Upper left corner of the tile in the input: column, row.
    corner: vec2<u32>,
    /// Position of the invocation in the workgroup.
    local: vec2<u32>,
    /// Rows of the tile between two elements of one invocation.
    step: u32,
    /// False in a surplus workgroup of a folded grid.
    live: bool,
}

fn load(place: Place, k: u32) {
    let ly = place.local.y + k * place.step;
    let c = place.corner.x + place.local.x;
    let r = place.corner.y + ly;
    if (k < ELEMENTS && place.live && r < params.rows && c < params.columns) {
        tile[ly * (TILE + PADDING) + place.local.x] = input[place.matrix + r * params.columns + c];
    }
}

fn store(place: Place, k: u32) {
    let ly = place.local.y + k * place.step;
    let c = place.corner.x + ly;
    let r = place.corner.y + place.local.x;
    if (k < ELEMENTS && place.live && r < params.rows && c < params.columns) {
        output[place.matrix + c * params.rows + r] = tile[place.local.x * (TILE + PADDING) + ly];
    }
}

@compute @workgroup_size(TILE, TILE / ELEMENTS)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = workgroup_index(group_id, group_count);
    let tile_x = index % params.tiles_x;
    let tile_y = (index / params.tiles_x) % params.tiles_y;
    let b = index / (params.tiles_x * params.tiles_y);
    var place: Place;
    place.matrix = b * params.rows * params.columns;
    place.corner = vec2<u32>(tile_x, tile_y) * TILE;
    place.local = local.xy;
    place.step = TILE / ELEMENTS;
    place.live = b < params.batch;

    load(place, 0u);
    load(place, 1u);
    load(place, 2u);
    load(place, 3u);
    load(place, 4u);
    load(place, 5u);
    load(place, 6u);
    load(place, 7u);
    load(place, 8u);
    load(place, 9u);
    load(place, 10u);
    load(place, 11u);
    load(place, 12u);
    load(place, 13u);
    load(place, 14u);
    load(place, 15u);
    workgroupBarrier();
    store(place, 0u);
    store(place, 1u);
    store(place, 2u);
    store(place, 3u);
    store(place, 4u);
    store(place, 5u);
    store(place, 6u);
    store(place, 7u);
    store(place, 8u);
    store(place, 9u);
    store(place, 10u);
    store(place, 11u);
    store(place, 12u);
    store(place, 13u);
    store(place, 14u);
    store(place, 15u);
}
