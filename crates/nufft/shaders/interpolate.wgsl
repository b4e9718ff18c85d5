// The values at the points, from the cells around each.
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> indices: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
// CELLS
@group(0) @binding(5) var<storage, read_write> output: array<vec2<Real>>;
// FACTORS

// The cell so many behind another one, around the end of the axis.
fn next_cell(first: u32, steps: u32, n: u32) -> u32 {
    let cell = first + steps;
    return select(cell, cell - n, cell >= n);
}

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let p = item_of(group, groups, local);
    if p >= grid.points {
        return;
    }
    let place = places[p];
    let row = keys[p] / grid.bins.x;
    // The low bits of the cell are those of its place, and the others those of its bin.
    let first = vec3(keys[p] % grid.bins.x * BIN + (place >> 25u) % BIN, row % grid.n.y, row / grid.n.y);
    // SUM
    let i = indices[p];
    output[group.z * grid.points + i] = select(vec2<Real>(), multiplied(sum, i), (place & 0x1000000u) == 0u);
}
