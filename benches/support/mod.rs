//! What the benchmarks share: the command line, the measurement and the report.
//!
//! # Method
//! A benchmark measures *contests*: the candidates for one case, among them the crate's own copy
//! kernel over the same bytes, and possibly host code.
//!
//! - **Rotating arrays.** Each candidate is bound to several pairs of arrays that take turns,
//!   together larger than the caches of a GPU (240 MiB; 64 MiB on software adapters). All device
//!   candidates of a contest use the same arrays. A plan has one workspace, which stays as warm as
//!   it does for a user who runs a plan again and again.
//! - **Warm-up.** An idle GPU clocks low and ramps slowly, so about a second of work comes first;
//!   software adapters run everything twice, the first time to compile. After host code a GPU
//!   works, unmeasured, for as long as it was idle.
//! - **Samples.** A sample is one compute pass with as many repetitions as fill 2 ms (1 ms on
//!   software adapters), between the timestamps of its begin and end; or, without timestamp
//!   queries, the wall time from submission to completion. Times that are not positive are measured
//!   again.
//! - **Interleaved rounds.** In each round every candidate gives one sample, so that all of them
//!   share whatever the machine does meanwhile. Reported are the median, the smallest, and the
//!   spread, which is (q90 - q10) / median.
//!
//! # Output
//! One line of JSON for each candidate on stdout; progress and a table on stderr.
#![allow(dead_code, unused_imports, reason = "each benchmark uses a part")]

mod arrays;
mod bench;
mod options;
mod report;
mod rounds;

pub use arrays::Arrays;
pub use bench::{Bench, Case, run};
pub use options::{Options, recipes_file};
pub use report::{Column, Format, Report, rounded};
pub use rounds::{Candidate, Samples};

/// Whatever stops a benchmark.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
