// An element of 4 bytes. Integers preserve the bits of NaNs and denormal numbers.
//
// Rust twin: src/kernels/element.rs

alias Element = u32;
