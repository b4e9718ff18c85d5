//! Tests that need no device: contracts between WGSL and Rust, recipes, and programs on the host.

mod adapted;
#[path = "../support/changes.rs"]
mod changes;
mod contract;
#[path = "../support/convolutions.rs"]
mod convolutions;
mod convolve;
#[path = "../support/cores.rs"]
mod cores;
mod divide;
#[path = "../support/division.rs"]
mod division;
#[path = "../support/double.rs"]
mod double;
#[path = "../support/fragment_programs.rs"]
mod drawn_fragments;
mod dynamic;
mod f64;
mod f64_by_f32;
#[path = "../support/f64.rs"]
mod f64_cases;
mod filter;
#[path = "../support/filters.rs"]
mod filters;
mod fragment_corpus;
mod fragment_programs;
mod fragments;
#[path = "../support/frames.rs"]
mod frames;
mod fuzz;
#[path = "../support/grids.rs"]
mod grids;
mod guides;
mod half_numbers;
#[path = "../support/halves.rs"]
mod halves;
mod lanes;
#[path = "../support/lists.rs"]
mod lists;
mod mapped;
mod mutants;
#[path = "../support/mutated.rs"]
mod mutated;
mod neighbours;
mod numpy;
#[path = "../support/numpy.rs"]
mod numpy_results;
mod oracles;
#[path = "../support/oracles.rs"]
mod oracles_by_fftw;
#[path = "../support/paper/mod.rs"]
mod paper;
mod permutations;
#[path = "../support/permute.rs"]
mod permute;
mod phase_correlate;
mod power;
mod programs;
mod real_kinds;
#[path = "../support/real_kinds.rs"]
mod real_kinds_by_definition;
mod recipes;
#[path = "../support/recipes.rs"]
mod recipes_by_hand;
mod reduce;
mod reduce_fragments;
#[path = "../support/reductions.rs"]
mod reductions;
#[path = "../support/reference.rs"]
mod reference;
#[path = "../support/responses.rs"]
mod responses;
mod ring_means;
#[path = "../support/rings.rs"]
mod rings;
#[path = "../support/rolls.rs"]
mod rolls;
mod round_trips;
#[path = "../support/sanitized.rs"]
mod sanitized;
#[path = "../support/shifts.rs"]
mod shifts;
mod signal;
mod spectra;
mod spectral;
mod stft;
#[path = "../support/subject.rs"]
mod subject;
#[path = "../support/fuzz.rs"]
mod targets;
mod texts;
mod transforms;
mod tuning;
mod unsafe_code;
mod validators;
#[path = "../support/variants.rs"]
mod variants;
mod worked_example;
