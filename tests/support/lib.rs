//! What the tests of the crate share: cases, references, and runs under wgsl-sanitizer. It is a crate
//! so that it is compiled once.

#![allow(clippy::len_without_is_empty, reason = "cases have elements")]

pub mod absent;
pub mod bits;
pub mod calls;
pub mod changes;
pub mod convolutions;
pub mod cores;
pub mod division;
pub mod double;
pub mod filters;
pub mod fragment_programs;
pub mod frames;
pub mod fuzz;
pub mod grids;
pub mod halves;
pub mod inlines;
pub mod lists;
pub mod memory;
pub mod mutated;
pub mod numpy;
pub mod oracles;
pub mod paper;
pub mod permute;
pub mod progress;
pub mod real_kinds;
pub mod recipes;
pub mod reductions;
pub mod reference;
pub mod responses;
pub mod rings;
pub mod rolls;
pub mod sanitized;
pub mod shifts;
pub mod subject;
pub mod transforms;
pub mod variants;
