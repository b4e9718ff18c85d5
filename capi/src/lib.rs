//! Fourier transforms, transposes and reductions on the GPU, for C.
//!
//! `../include/wgpu_fft.h` declares what this library exports; `bindgen/` makes it from these files,
//! so their comments are what a C programmer reads. Each function turns its arguments into Rust's
//! and calls what is safe: [`status`] has the one place where panics end, and the messages. The
//! library for MPI, in `../mpi/`, shares it and [`arguments`].

mod arguments;
mod buffer;
mod execute;
mod gpu;
mod pending;
mod plan;
#[path = "../process.rs"]
mod process;
mod status;
mod stream;
mod transform;

use std::ffi::{CStr, c_char};

/// Why the last function that failed in this thread did so: a sentence in UTF-8 with the numbers.
/// Empty if none has failed. It is there until the next function fails in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn wgpu_fft_error_message() -> *const c_char {
    status::message()
}

/// The version of the library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn wgpu_fft_version() -> *const c_char {
    const VERSION: &CStr = status::terminated(concat!(env!("CARGO_PKG_VERSION"), "\0"));
    VERSION.as_ptr()
}
