//! FFTW's names on the GPU: for single precision, and with `cfg(double)`, which the package in
//! `double` sets, for double precision.
//!
//! `../include/wgpu_fftw3f.h` and `wgpu_fftw3.h` declare what this library exports, `../README.md` says
//! how programs come to use it, and `docs/from_fftw.md` of the repository what differs. It is written
//! from FFTW's manual.
//!
//! A call becomes a `Problem`: axes with strides on either side, and loops around them. The problem
//! becomes one or more specifications of dense arrays, of up to three axes each, for the device or, if
//! they are small, for the `host`. The caller's arrays are gathered and scattered on the host (`Side`).
//!
//! Where a program was linked with FFTW and this library was preloaded, FFTW itself (`original`) takes
//! what stays on the host, and what has no plan here.
//!
//! The modules in `calls` have all that C calls. Each function there turns its arguments into Rust's
//! and calls what is safe; `guard` is where panics end.

#[macro_use]
mod precision;
mod calls;
mod guard;
mod host;
mod library;
mod original;
mod plan;
mod problem;
#[path = "../../process.rs"]
mod process;
mod side;
