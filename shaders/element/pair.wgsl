// An element of 8 bytes. Integers, so that the bits of NaNs and denormal numbers arrive unchanged.
//
// Rust twin: src/kernels/element.rs

alias Element = vec2<u32>;
