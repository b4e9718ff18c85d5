// Input and output of a row FFT in one buffer. A workgroup loads all of a row before it stores any
// of it.
//
// Rust twin: src/kernels/fft/io.rs

@group(0) @binding(2) var<storage, read_write> data: array<vec2<f32>>;

fn load(i: u32) -> vec2<f32> {
    return data[i];
}

fn store(i: u32, value: vec2<f32>) {
    data[i] = value;
}
