// The bin of each point, how many points each bin has, and the place of each point: along the
// fastest axis 7 bits of the cell, a mark of points that are not finite, and the fraction of a cell;
// along the others the fraction alone.
@group(0) @binding(0) var<uniform> grid: Grid;
// COORDINATES
@group(0) @binding(5) var<storage, read_write> keys: array<u32>;
// How many points of its bin came before each, in any order.
@group(0) @binding(6) var<storage, read_write> ranks: array<u32>;
@group(0) @binding(7) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> places: array<u32>;
// Whether a bin has more than CROWD points.
@group(0) @binding(9) var<storage, read_write> crowded: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = item_of(group, groups, local);
    if i >= grid.points {
        return;
    }
    let key = store_places(i);
    keys[i] = key;
    let rank = atomicAdd(&counts[key], 1u);
    ranks[i] = rank;
    if rank >= CROWD {
        atomicStore(&crowded[0], 1u);
    }
}
