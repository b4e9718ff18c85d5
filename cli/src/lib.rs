//! What the program `wgpu-fft` reads and writes: arrays, pictures and sounds.
//!
//! This is a library so that the fuzzer can give it files (`fuzz/`). It promises nothing to other
//! programs.

pub mod array;
pub mod files;
pub mod sound;

/// An error says everything in its text.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
