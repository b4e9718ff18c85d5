// The points that reach a tile, as segments of the sorted points: the bins of each row of cells
// from which a window reaches into the tile. Where a row begins before the grid, it has a second
// segment, at the grid's other end.

const ROWS_Y = TILE_Y + (WIDTH - 1u) * DEEP_Y;
const ROWS_Z = TILE_Z + (WIDTH - 1u) * DEEP_Z;

struct Segment {
    begin: u32,
    end: u32,
    // The tile's first cell along the fastest axis, counted as the cells of the segment are.
    base: u32,
    // From the row's cell to the tile's first one.
    y: i32,
    z: i32,
}


// How many segments the rows of a tile have.
fn segments_of(corner: vec3<u32>) -> u32 {
    return select(1u, 2u, corner.x + 1u < WIDTH);
}

// The row's cell on an axis of n cells, or n if there is none.
fn row_cell(first: u32, row: u32, reach: u32, n: u32) -> u32 {
    var cell = first + row;
    cell = select(cell + n - reach, cell - reach, cell >= reach);
    return min(cell, n);
}

fn segment_of(corner: vec3<u32>, number: u32) -> Segment {
    let each = segments_of(corner);
    let row = number / each;
    let y = row_cell(corner.y, row % ROWS_Y, (WIDTH - 1u) * DEEP_Y, grid.n.y);
    let z = row_cell(corner.z, row / ROWS_Y, (WIDTH - 1u) * DEEP_Z, grid.n.z);
    if y == grid.n.y || z == grid.n.z {
        return Segment(0u, 0u, 0u, 0i, 0i);
    }
    let is_second = number % each == 1u;
    let n = grid.n.x;
    let first = select(corner.x + 1u - min(WIDTH, corner.x + 1u), n + corner.x + 1u - WIDTH, is_second);
    let last = select(min(corner.x + TILE_X, n), n, is_second) - 1u;
    let bins = (z * grid.n.y + y) * grid.bins.x;
    return Segment(
        starts[bins + first / BIN],
        starts[bins + last / BIN + 1u],
        select(corner.x, corner.x + n, is_second),
        i32((WIDTH - 1u) * DEEP_Y) - i32(row % ROWS_Y),
        i32((WIDTH - 1u) * DEEP_Z) - i32(row / ROWS_Y),
    );
}
