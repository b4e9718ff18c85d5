// The bin of each point, and how many points each bin has.
@group(0) @binding(0) var<uniform> grid: Grid;
// COORDINATES
@group(0) @binding(5) var<storage, read_write> keys: array<u32>;
@group(0) @binding(6) var<storage, read_write> indices: array<u32>;
@group(0) @binding(7) var<storage, read_write> counts: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = item_of(group, groups, local);
    if i >= grid.points {
        return;
    }
    var key = 0u;
    if all_finite(i) {
        let cells = cells_of(i);
        key = (cells.z * grid.n.y + cells.y) * grid.bins.x + cells.x / BIN;
    }
    keys[i] = key;
    indices[i] = i;
    atomicAdd(&counts[key], 1u);
}
