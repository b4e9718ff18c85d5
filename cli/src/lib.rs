//! What the program `wgpu-fft` reads and writes: arrays, pictures and sounds.
//!
//! This is a library so that the fuzzer can give it files (`fuzz/`). It promises nothing to other
//! programs.

pub mod array;
pub mod files;
pub mod sound;

/// An error says everything in its text.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// An error of the command line, not of a file or a device.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// See [`Usage`].
pub fn usage(text: impl Into<String>) -> Box<dyn std::error::Error> {
    Usage(text.into()).into()
}
