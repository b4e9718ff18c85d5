//! FFTW's names for single precision, on the GPU.
//!
//! `../include/wgpu_fftw3f.h` declares what this library exports, `../README.md` says how programs
//! come to use it, and `docs/from_fftw.md` of the repository what differs. It is written from
//! FFTW's manual.
//!
//! A call becomes a [`Problem`](problem::Problem): axes with strides on either side, and loops
//! around them. The problem becomes one or more specifications of dense arrays, of up to three axes
//! each. The caller's arrays are gathered and scattered on the host ([`Side`](side::Side)).
//!
//! The modules in `calls` have all that C calls. Each function there turns its arguments into
//! Rust's and calls what is safe; [`guard`] is where panics end.

mod calls;
mod guard;
mod library;
mod plan;
mod problem;
#[path = "../../process.rs"]
mod process;
mod side;
