// An element of 4 bytes. Integers, so that the bits of NaNs and denormal numbers arrive unchanged.
//
// Rust twin: src/kernels/element.rs

alias Element = u32;
