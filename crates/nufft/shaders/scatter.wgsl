// The points of each bin side by side, in the order in which they were counted.
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> ranks: array<u32>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> scattered: array<u32>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = item_of(group, groups, local);
    if i < grid.points {
        scattered[starts[keys[i]] + ranks[i]] = i;
    }
}
