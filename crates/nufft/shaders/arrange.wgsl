// The places of points in the order of their bins: along the fastest axis 7 bits of the cell, a
// mark of points that are not finite, and the fraction of a cell; along the others the fraction
// alone.
@group(0) @binding(0) var<uniform> grid: Grid;
// COORDINATES
@group(0) @binding(5) var<storage, read> indices: array<u32>;
@group(0) @binding(6) var<storage, read_write> places: array<u32>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let p = item_of(group, groups, local);
    if p >= grid.points {
        return;
    }
    let i = indices[p];
    store_places(p, i, select(0x1000000u, 0u, all_finite(i)));
}
