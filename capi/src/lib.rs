//! Fourier transforms, transposes and reductions on the GPU, for C.
//!
//! `../include/wgpu_fft.h` declares what this library exports; `bindgen/` makes it from these files,
//! so their comments are what a C programmer reads. Each function turns its arguments into Rust's
//! and calls what is safe: [`status`] has the one place where panics end, and the messages.

mod arguments;
mod buffer;
mod execute;
mod gpu;
mod plan;
#[path = "../process.rs"]
mod process;
mod status;
mod transform;
