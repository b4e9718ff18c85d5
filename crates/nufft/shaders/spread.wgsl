// Adds up what the points spread over a tile. An invocation has a tile, or every CHUNK points of
// it: it walks the points that reach the tile, in their order, and keeps the cells in registers. So
// no two invocations add to one cell, and equal inputs give equal bits.
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> places: array<u32>;
// STRENGTHS
// For each tile, the items of work before its own; at the end, how many there are.
@group(0) @binding(4) var<storage, read> extra: array<u32>;
@group(0) @binding(5) var<storage, read_write> cells: array<vec2<Real>>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let item = item_of(group, groups, local);
    // ITEM
    let corner = corner_of(tile);
    let segments = ROWS_Y * ROWS_Z * segments_of(corner);
    // ACCUMULATORS
    var number = 0u;
    var segment = Segment(0u, 0u, 0u, 0i, 0i);
    for (var left = CHUNK; left > 0u; left--) {
        while segment.begin == segment.end && number < segments {
            segment = segment_of(corner, number);
            number++;
            let skipped = min(skip, segment.end - segment.begin);
            segment.begin += skipped;
            skip -= skipped;
        }
        if segment.begin == segment.end {
            break;
        }
        let p = segment.begin;
        segment.begin = p + 1u;
        let place = places[p];
        let value = strengths_at(group.z * grid.points + p);
        // The place of the tile's first cell in the window.
        let x = Real(i32((segment.base << 25u) - (place & 0xfe000000u)) >> 25u) + fraction_of(place, 0u, p);
        // ADD
    }
    // STORE
}
