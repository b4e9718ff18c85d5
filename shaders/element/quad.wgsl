// An element of 16 bytes. Integers preserve the bits of NaNs and denormal numbers.
//
// Rust twin: src/kernels/element.rs

alias Element = vec4<u32>;
