// Orders in which workgroups process tiles. Each function returns the tile of a workgroup: its
// number along a, its number along b, and the index of the other axes. A kernel calls one of them.
// Rust twin: src/kernels/transpose/tiles.rs

/// Along the rows of the input.
fn tile_by_rows(index: u32) -> vec3<u32> {
    let rest = index / params.tiles_a;
    return vec3<u32>(index % params.tiles_a, rest % params.tiles_b, rest / params.tiles_b);
}

/// Along the rows of the input, where each row begins one tile later than the one before.
fn tile_by_diagonals(index: u32) -> vec3<u32> {
    let tile = tile_by_rows(index);
    return vec3<u32>((tile.x + tile.y) % params.tiles_a, tile.yz);
}

/// Along the rows of the output.
fn tile_by_columns(index: u32) -> vec3<u32> {
    let rest = index / params.tiles_b;
    return vec3<u32>(rest % params.tiles_a, index % params.tiles_b, rest / params.tiles_a);
}

/// Down the columns of bands of the input, each `rows` rows of tiles high. The last band may be
/// lower.
fn tile_by_bands(index: u32, rows: u32) -> vec3<u32> {
    let each = params.tiles_a * params.tiles_b;
    let within = index % each;
    let first = within / (rows * params.tiles_a) * rows;
    let height = min(rows, params.tiles_b - first);
    let own = within % (rows * params.tiles_a);
    return vec3<u32>(own / height, first + own % height, index / each);
}

/// In place: of each pair of tiles that exchange their elements, the one with the larger a. A row
/// of the grid combines two rows of the triangle of tiles, a long one and a short one.
fn tile_of_pair(index: u32) -> vec3<u32> {
    let width = params.tiles_a | 1u;
    let height = (params.tiles_a + 1u) / 2u;
    let row = index / width % height;
    let column = index % width;
    let length = params.tiles_a - row;
    let is_long = column < length;
    let b = select(length + params.tiles_a % 2u - 1u, row, is_long);
    return vec3<u32>(b + select(column - length, column, is_long), b, index / (width * height));
}
