// The strengths of the points in the order of their bins, and 0 for points that are not finite.
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read> places: array<u32>;
@group(0) @binding(3) var<storage, read> input: array<vec2<Real>>;
@group(0) @binding(4) var<storage, read_write> strengths: array<vec2<Real>>;
// FACTORS

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let p = item_of(group, groups, local);
    if p >= grid.points {
        return;
    }
    let value = multiplied(input[group.z * grid.points + indices[p]], indices[p]);
    strengths[group.z * grid.points + p] = select(vec2<Real>(), value, (places[p] & 0x1000000u) == 0u);
}
