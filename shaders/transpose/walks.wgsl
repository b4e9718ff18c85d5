// Orders of tiles: the tile of a workgroup, as its number along a, its number along b, and the
// index of the other axes. A kernel calls one of these functions.
// Rust twin: src/kernels/transpose/tiles.rs

/// Along the rows of the input.
fn tile_by_rows(index: u32) -> vec3<u32> {
    let rest = index / params.tiles_a;
    return vec3<u32>(index % params.tiles_a, rest % params.tiles_b, rest / params.tiles_b);
}

/// Along the rows of the input, each row beginning one tile later.
fn tile_by_diagonals(index: u32) -> vec3<u32> {
    let tile = tile_by_rows(index);
    return vec3<u32>((tile.x + tile.y) % params.tiles_a, tile.yz);
}

/// Along the rows of the output.
fn tile_by_columns(index: u32) -> vec3<u32> {
    let rest = index / params.tiles_b;
    return vec3<u32>(rest % params.tiles_a, index % params.tiles_b, rest / params.tiles_a);
}

/// Down the columns of bands of so many rows of tiles of the input. The last band may be lower.
fn tile_by_bands(index: u32, rows: u32) -> vec3<u32> {
    let each = params.tiles_a * params.tiles_b;
    let within = index % each;
    let first = within / (rows * params.tiles_a) * rows;
    let height = min(rows, params.tiles_b - first);
    let own = within % (rows * params.tiles_a);
    return vec3<u32>(own / height, first + own % height, index / each);
}

/// In place: one of each pair of tiles that exchange their elements, the one with the larger a.
/// Two rows of the triangle follow one another in one row of the grid, a long one and a short one.
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
