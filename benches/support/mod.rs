//! Shared by the benchmarks: the command line, the measurement and the report.
//!
//! # Method
//! A benchmark measures *contests*. The candidates of a contest compute the same case. They include
//! the crate's own copy kernel over the same bytes, and possibly host code.
//!
//! - **Rotating arrays.** Each candidate is bound to several pairs of arrays, which it uses in
//!   rotation. Together they are larger than the caches of a GPU (240 MiB). On software adapters,
//!   which use the host's caches, there is one pair. All device candidates of a contest use the
//!   same arrays. A plan has one workspace, which stays as warm in the caches as it does for a user
//!   who runs a plan repeatedly.
//! - **Warm-up.** An idle GPU has a low clock that rises slowly, so the device first works for
//!   about a second. Software adapters run everything twice, the first time to compile. After host
//!   code, a GPU works unmeasured for as long as it was idle.
//! - **Samples.** A sample is one compute pass with enough repetitions to fill 2 ms (1 ms on
//!   software adapters). Its time is the difference of the timestamps at its beginning and end.
//!   Without timestamp queries, it is the wall time from submission to completion. Times that are
//!   not positive are measured again.
//! - **Interleaved rounds.** In each round every candidate gives one sample, so that all candidates
//!   are affected equally by other activity of the machine. The report contains the median, the
//!   smallest time, and the spread, which is (q90 - q10) / median.
//!
//! # Output
//! One line of JSON for each candidate on stdout; progress and a table on stderr.

mod arrays;
mod bench;
mod options;
mod report;
mod rounds;

pub use arrays::Arrays;
pub use bench::{Bench, Case, Program, Table};
pub use options::Options;
pub use report::{Column, Format, rounded};
pub use rounds::{Candidate, Samples, Schedule, median};

use wgpu_fft::{Gpu, wgpu};

/// Anything that stops a benchmark.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A pipeline of a shader of one's own, with wgpu's checks, for a measurement.
pub fn pipeline(gpu: &Gpu, label: &str, wgsl: &str, constants: &[(&str, f64)]) -> wgpu::ComputePipeline {
    let source = wgpu::ShaderSource::Wgsl(wgsl.into());
    let module = &gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source });
    gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(label),
        layout: None,
        module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions { constants, zero_initialize_workgroup_memory: false },
        cache: None,
    })
}
