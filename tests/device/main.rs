//! Tests that run on every adapter found.

mod fft;
mod harness;
