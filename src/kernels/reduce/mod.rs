//! Twins of `shaders/reduce/**.wgsl`.

pub mod operator;
pub mod tree;
