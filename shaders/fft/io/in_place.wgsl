// Input and output of a row FFT in one buffer. Every row is loaded whole before any of it is stored, by one workgroup.
//
// Rust twin: src/kernels/fft/io.rs

@group(0) @binding(2) var<storage, read_write> data: array<vec2<f32>>;

fn load(i: u32) -> vec2<f32> {
    return data[i];
}

fn store(i: u32, value: vec2<f32>) {
    data[i] = value;
}
