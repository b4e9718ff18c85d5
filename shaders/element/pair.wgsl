// An element of 8 bytes. Integers preserve the bits of NaNs and denormal numbers.
//
// Rust twin: src/kernels/element.rs

alias Element = vec2<u32>;
