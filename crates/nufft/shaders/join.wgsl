// Adds to a tile what its further items of work have found, in their order. An invocation has a
// cell of an item, and those of a tile's first item do it.
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> extra: array<u32>;
@group(0) @binding(2) var<storage, read> parts: array<vec2<Real>>;
@group(0) @binding(3) var<storage, read_write> cells: array<vec2<Real>>;

const TILE = TILE_X * TILE_Y * TILE_Z;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = item_of(group, groups, local);
    let item = i / TILE;
    if item >= min(extra[grid.tiles.w], grid.extra) {
        return;
    }
    let tile = tile_of(item);
    let cell = i % TILE;
    let place = corner_of(tile) + vec3(cell % TILE_X, cell / TILE_X % TILE_Y, cell / (TILE_X * TILE_Y));
    if extra[tile] != item || any(place >= grid.n.xyz) {
        return;
    }
    let target_cell = group.z * grid.n.w + (place.z * grid.n.y + place.y) * grid.n.x + place.x;
    var sum = cells[target_cell];
    // In two loops, because one of more than 65,535 turns ends early on older Mesa.
    for (var first = item; first < extra[tile + 1u]; first += 4096u) {
        for (var other = first; other < min(first + 4096u, extra[tile + 1u]); other++) {
            sum += parts[(group.z * grid.extra + other) * TILE + cell];
        }
    }
    cells[target_cell] = sum;
}
