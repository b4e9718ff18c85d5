// Bilinear resize: output(x, y) = the picture at (x + 1/2, y + 1/2) * its size / size of the
// output - 1/2, between the four pixels around that.
//
// Pixels lie column by column: neighbours along y share memory. Past the edge the picture goes on
// as at the edge.
//
// Grid: an invocation per pixel of the output, in workgroups of WORKGROUP_X by WORKGROUP_Y.
// Rust: tests/support/paper/mod.rs

struct Params {
    /// Columns and rows of the output.
    size: vec2<u32>,
    /// Columns and rows of the picture.
    picture_size: vec2<u32>,
}

override WORKGROUP_X: u32 = 16u;
override WORKGROUP_Y: u32 = 16u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<storage, read> picture: array<f32>;

fn pixel(x: u32, y: u32) -> f32 {
    return picture[x * params.picture_size.y + y];
}

@compute @workgroup_size(WORKGROUP_X, WORKGROUP_Y)
fn main(@builtin(global_invocation_id) place: vec3<u32>) {
    if (place.x >= params.size.x || place.y >= params.size.y) {
        return;
    }
    let last = params.picture_size - vec2(1u);
    let scale = vec2<f32>(params.picture_size) / vec2<f32>(params.size);
    let at = clamp((vec2<f32>(place.xy) + 0.5) * scale - 0.5, vec2(0.0), vec2<f32>(last));
    let low = min(vec2<u32>(at), last);
    let high = min(low + vec2(1u), last);
    let weight = at - vec2<f32>(low);
    let top = mix(pixel(low.x, low.y), pixel(high.x, low.y), weight.x);
    let bottom = mix(pixel(low.x, high.y), pixel(high.x, high.y), weight.x);
    output[place.x * params.size.y + place.y] = mix(top, bottom, weight.y);
}
