// Divides modes by the window's transform: each is multiplied by a factor of each axis.
@group(0) @binding(0) var<uniform> grid: Grid;
// Those of the fastest axis first.
@group(0) @binding(1) var<storage, read> factors: array<Real>;
@group(0) @binding(2) var<storage, read> input: array<vec2<Real>>;
@group(0) @binding(3) var<storage, read_write> output: array<vec2<Real>>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let k = item_of(group, groups, local);
    if k >= grid.n.w {
        return;
    }
    let row = k / grid.n.x;
    let y = grid.n.x + row % grid.n.y;
    let z = grid.n.x + grid.n.y + row / grid.n.y;
    let i = group.z * grid.n.w + k;
    output[i] = input[i] * (factors[k % grid.n.x] * factors[y] * factors[z]);
}
