//! Tests that need no device: contracts between WGSL and Rust, recipes, and programs on the host.

mod adapted;
mod adjoint;
mod choices;
mod contract;
mod convolve;
mod custom;
mod divide;
mod dynamic;
mod f64;
mod f64_by_f32;
mod fast_lens;
mod filter;
mod fragment_corpus;
mod fragment_programs;
mod fragments;
mod fuzz;
mod guides;
mod half_numbers;
mod imports;
mod inline;
mod lanes;
mod mapped;
mod mutants;
mod neighbours;
mod nufft;
mod numpy;
mod oracles;
mod permutations;
mod phase_correlate;
mod power;
mod programs;
mod real_kinds;
mod recipes;
mod reduce;
mod reduce_fragments;
mod ring_means;
mod round_trips;
mod signal;
mod spectra;
mod spectral;
mod stft;
mod texts;
mod textures;
mod transforms;
mod tuning;
mod unsafe_code;
mod validators;
mod worked_example;

use wgpu_fft_tests::{
    absent, changes, convolutions, cores, division, double, filters, fragment_programs as drawn_fragments, frames, fuzz as targets, grids,
    halves, inlines, lists, mutated, numpy as numpy_results, oracles as oracles_by_fftw, paper, permute,
    real_kinds as real_kinds_by_definition, recipes as recipes_by_hand, reductions, reference, responses, rings, rolls, sanitized, shifts,
    subject, transforms as transform_cases, variants,
};
