// The places of points in the order of their bins.
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read> places: array<u32>;
@group(0) @binding(3) var<storage, read_write> sorted: array<u32>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let p = item_of(group, groups, local);
    if p >= grid.points {
        return;
    }
    let i = indices[p];
    for (var word = 0u; word < PLACE_WORDS; word++) {
        sorted[word * grid.points + p] = places[word * grid.points + i];
    }
}
