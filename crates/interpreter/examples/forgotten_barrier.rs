//! A transpose through workgroup memory that forgets its barrier.
//!
//! If a device happens to run the 64 invocations of a workgroup in lockstep, the result is right. On
//! another device it may be wrong.

use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

const TRANSPOSE: &str = "
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

const SIZE = 64u;
var<workgroup> tile: array<array<f32, 9>, 8>;

@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
    let source = group.xy * 8u + local.xy;
    tile[local.y][local.x] = input[source.y * SIZE + source.x];
    // workgroupBarrier() belongs here.
    let place = group.yx * 8u + local.xy;
    output[place.y * SIZE + place.x] = tile[local.x][local.y];
}
";

fn main() -> Result<(), wgsl_sanitizer::Error> {
    let numbers: Vec<f32> = (0..64 * 64).map(|i| i as f32).collect();
    for text in [TRANSPOSE.to_owned(), TRANSPOSE.replace("// workgroupBarrier() belongs here.", "workgroupBarrier();")] {
        let kernel = Shader::new(&text)?.entry("main")?.compile()?;
        let mut memory = Memory::new();
        let input = memory.add(Buffer::from_slice(&numbers));
        let output = memory.add(Buffer::unwritten(64 * 64 * 4));
        let bindings = [Binding::whole(0, 0, input), Binding::whole(0, 1, output)];
        let report = kernel.dispatch([8, 8, 1], &mut memory, &bindings, &Config { lockstep: 32, ..Config::default() })?;
        println!("{report}");
    }
    Ok(())
}
