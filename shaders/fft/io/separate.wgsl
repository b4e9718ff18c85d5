// Input and output of a row FFT in two buffers.
//
// Rust twin: src/kernels/fft/io.rs

@group(0) @binding(1) var<storage, read> input: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec2<f32>>;

fn load(i: u32) -> vec2<f32> {
    return input[i];
}

fn store(i: u32, value: vec2<f32>) {
    output[i] = value;
}
