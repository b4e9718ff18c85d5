// Matrix product: output[y, x] = sum over i of left[y, i] * right[i, x], all of them row by row.
//
// Neighbours along x share a row of the left matrix and load neighbouring elements of the right
// one.
//
// Grid: an invocation per element of the output, in workgroups of WORKGROUP_X by WORKGROUP_Y.
// Rust: tests/support/paper/mod.rs

struct Params {
    /// Columns and rows of the output.
    size: vec2<u32>,
    /// Columns of the left matrix, which are rows of the right one.
    inner: u32,
    padding: u32,
}

override WORKGROUP_X: u32 = 16u;
override WORKGROUP_Y: u32 = 16u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<storage, read> left: array<f32>;
@group(0) @binding(3) var<storage, read> right: array<f32>;

@compute @workgroup_size(WORKGROUP_X, WORKGROUP_Y)
fn main(@builtin(global_invocation_id) place: vec3<u32>) {
    if (place.x >= params.size.x || place.y >= params.size.y) {
        return;
    }
    var sum = 0.0;
    for (var i = 0u; i < params.inner; i++) {
        sum += left[place.y * params.inner + i] * right[i * params.size.x + place.x];
    }
    output[place.y * params.size.x + place.x] = sum;
}
