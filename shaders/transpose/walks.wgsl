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

/// In place: of each pair of tiles that exchange their elements, the one with the larger a.
fn tile_of_pair(index: u32) -> vec3<u32> {
    let each = params.tiles_a * (params.tiles_a + 1u) / 2u;
    return vec3<u32>(tile_of_triangle(index % each, params.tiles_a), index / each);
}

/// The tiles of a triangle, which has `side` of them in its first row and one in its last. A row of
/// the grid combines two rows of the triangle, a long one and a short one.
fn tile_of_triangle(index: u32, side: u32) -> vec2<u32> {
    let width = side | 1u;
    let row = index / width;
    let column = index % width;
    let length = side - row;
    let is_long = column < length;
    let b = select(length + side % 2u - 1u, row, is_long);
    return vec2<u32>(b + select(column - length, column, is_long), b);
}

/// Like `tile_of_pair`, but down the columns of bands of the triangle, each `rows` rows of tiles
/// high. So workgroups that run at the same time are neighbours in both tiles of their pairs. The
/// bands too are taken in pairs, a long one and a short one; the rows that are left after the last
/// band are a triangle of their own.
fn tile_of_pair_by_bands(index: u32, rows: u32) -> vec3<u32> {
    let side = params.tiles_a;
    let each = side * (side + 1u) / 2u;
    let bands = side / rows;
    let left = side % rows;
    var own = index % each;
    let after_bands = each - left * (left + 1u) / 2u;
    // Tiles of a band where it begins to be a triangle, and of a pair of bands.
    let corner = rows * (rows + 1u) / 2u;
    let two_bands = 2u * corner + rows * (2u * side - (bands + 1u) * rows);
    let is_left = own >= after_bands;
    let first_band = own / max(two_bands, 1u);
    own = select(own - first_band * two_bands, own - after_bands, is_left);
    let first_length = corner + rows * (side - (first_band + 1u) * rows);
    let is_first = own < first_length;
    let band = select(select(bands - 1u - first_band, first_band, is_first), bands, is_left);
    own -= select(first_length, 0u, is_first || is_left);
    let start = band * rows;
    let beside = select(rows * (side - start - rows), 0u, is_left);
    if (own < beside) {
        return vec3<u32>(start + rows + own / rows, start + own % rows, index / each);
    }
    return vec3<u32>(start + tile_of_triangle(own - beside, select(rows, left, is_left)), index / each);
}
