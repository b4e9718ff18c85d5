//! Tests that run on every adapter found.

mod fft;
mod harness;
mod reduce;
mod transpose;
