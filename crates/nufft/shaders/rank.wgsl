// The points of each bin in the order in which the caller has them: the place of a point is the
// number of points of its bin with a smaller index. If a bin is crowded, all are sorted by digits
// afterwards.
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> scattered: array<u32>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(5) var<storage, read_write> sorted_indices: array<u32>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let p = item_of(group, groups, local);
    if p >= grid.points {
        return;
    }
    let i = scattered[p];
    let key = keys[i];
    let begin = starts[key];
    let end = starts[key + 1u];
    if end - begin > CROWD {
        return;
    }
    var place = begin;
    for (var other = begin; other < end; other++) {
        place += select(0u, 1u, scattered[other] < i);
    }
    sorted_keys[place] = key;
    sorted_indices[place] = i;
}
