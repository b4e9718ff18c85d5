//! Tests of wgsl-sanitizer, as one program: each of its own would link naga once more.

mod api;
mod arithmetic;
mod checks;
mod cli;
mod common;
mod flow;
mod kernels;
mod random;
mod speed;
