//! A published transpose of a picture of 1920 x 1080 pixels, with two mistakes.
//!
//! 1080 is not a multiple of 16, so the last row of tiles has invocations without a pixel. They
//! return before the barrier, which then waits for invocations that never come, or does not wait at
//! all. Besides, they check the bounds of the input only. In the transposed tile other invocations
//! are at the edge, so some pixels of the output are never written.

use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

const TRANSPOSE: &str = "
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

const WIDTH = 1920u;
const HEIGHT = 1080u;
const TILE = 16u;
var<workgroup> tile: array<array<u32, 17>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
    let x = group.x * TILE + local.x;
    let y = group.y * TILE + local.y;
    if x >= WIDTH || y >= HEIGHT {
        return;
    }
    tile[local.y][local.x] = input[y * WIDTH + x];
    workgroupBarrier();
    let column = group.y * TILE + local.x;
    let row = group.x * TILE + local.y;
    output[row * HEIGHT + column] = tile[local.x][local.y];
}
";

fn main() -> Result<(), wgsl_sanitizer::Error> {
    let pixels: Vec<u32> = (0..1920 * 1080).map(|i| i % 251).collect();
    let kernel = Shader::new(TRANSPOSE)?.entry("main")?.compile()?;
    let mut memory = Memory::new();
    let input = memory.add(Buffer::from_slice(&pixels));
    let output = memory.add(Buffer::unwritten(1920 * 1080 * 4));
    let bindings = [Binding::whole(0, 0, input), Binding::whole(0, 1, output)];
    let report = kernel.dispatch([1920 / 16, 1080u32.div_ceil(16), 1], &mut memory, &bindings, &Config::default())?;
    print!("{report}");
    let transposed: Vec<u32> = memory[output].to_vec();
    let wrong = (0..1920 * 1080).filter(|&i| transposed[i % 1920 * 1080 + i / 1920] != pixels[i]).count();
    println!("{wrong} pixels are lost");
    Ok(())
}
