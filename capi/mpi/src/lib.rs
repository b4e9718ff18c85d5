//! Fourier transforms over the ranks of an MPI communicator, for C.
//!
//! `../include/wgpu_fft_mpi.h` declares what this library exports; `../bindgen/` makes it from these
//! files, so their comments are what a C programmer reads. Arguments, statuses and the end of panics
//! are those of `../src/`.

#[allow(dead_code, reason = "the other library for C uses more of it")]
#[path = "../../src/arguments.rs"]
mod arguments;
mod buffer;
mod cluster;
mod errors;
mod files;
mod job;
#[path = "../../process.rs"]
mod process;
mod progress;
mod redistribution;
mod running;
#[allow(dead_code, reason = "the other library for C uses more of it")]
#[path = "../../src/status.rs"]
mod status;

use std::ffi::{CStr, c_char};

/// Why the last function that failed in this thread did so: a sentence in UTF-8 with the numbers.
/// Empty if none has failed. It is there until the next function fails in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn wgpu_fft_mpi_error_message() -> *const c_char {
    status::message()
}

/// The version of the library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn wgpu_fft_mpi_version() -> *const c_char {
    const VERSION: &CStr = status::terminated(concat!(env!("CARGO_PKG_VERSION"), "\0"));
    VERSION.as_ptr()
}
