// How many items of work each tile has besides its first: one for every CHUNK points that reach it.
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
// One for each tile, and a 0 behind.
@group(0) @binding(2) var<storage, read_write> extra: array<u32>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let tile = item_of(group, groups, local);
    if tile > grid.tiles.w {
        return;
    }
    var points = 0u;
    if tile < grid.tiles.w {
        let corner = corner_of(tile);
        let segments = ROWS_Y * ROWS_Z * segments_of(corner);
        for (var number = 0u; number < segments; number++) {
            let segment = segment_of(corner, number);
            points += segment.end - segment.begin;
        }
    }
    extra[tile] = (max(points, 1u) - 1u) / CHUNK;
}
