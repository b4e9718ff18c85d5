//! Which recipe is the fastest on the device at hand: by rule, by measurement, and remembered.
//!
//! The rules of this crate were made on few devices. On one that nobody here has seen, measuring
//! may find a better recipe; it never makes anything slower by trying, since another recipe than
//! the rules' is taken only if it saves 3% in the same rounds, and it is never taken unless it
//! computes the same result.
//!
//! ```no_run
//! use wgpu_fft::tune::{Record, Tuning};
//! use wgpu_fft::{Gpu, GpuOptions, Planner, fft};
//!
//! # fn main() -> wgpu_fft::Result<()> {
//! let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
//! let tuning = Tuning::measure().record(Record::open_default());
//! let planner = Planner::new(&gpu).with_tuning(tuning);
//! // Takes two seconds the first time, and a look-up in any later run of the program.
//! let plan = planner.plan(fft::C2c::forward([1080, 1920]))?;
//! println!("{}", planner.choose(&fft::C2c::forward([1080, 1920]))?.source);
//! # Ok(())
//! # }
//! ```
//!
//! # Rigor
//! | | as FFTW's | takes | decides by |
//! |---|---|---|---|
//! | [`Rigor::Estimate`] | `FFTW_ESTIMATE` | nothing | what was measured on such a device by this crate's authors, or else the rules; the default |
//! | [`Rigor::Measure`] | `FFTW_MEASURE` | about 2 s for each specification | the record, or else a search around the estimate |
//! | [`Rigor::Patient`] | `FFTW_PATIENT` | up to a minute | the same, with more time |
//! | [`Rigor::Recorded`] | `FFTW_WISDOM_ONLY` | nothing | the record, or else as `Estimate` |
//!
//! # How it is measured
//! Recipes are compared on a second device of the same adapter, so that one that crashes the
//! driver, hangs or loses the device harms no plan of the caller's; it is marked in the record,
//! which outlives even a crash of the process, and not tried again. The search starts from the
//! estimate, what was good on other devices and recipes of other kinds, and goes from the best to
//! its neighbours; `Patient` goes on from the other starts. Candidates run in turns with the best
//! so far, after one run to warm up, often enough for the clock; times that are not positive are
//! measured again or refused. Before a recipe may win, its output is compared with that of a plain
//! one on random numbers, and so are guards before and after each array. A search ends when no
//! neighbour is better, when the time is up, or, on a GPU, when data move as fast as by a plain
//! copy. The last word have rounds of the best few against the estimate, on a GPU twice: what wins
//! must win on new arrays as well.
//!
//! Measuring needs a second device on the adapter and blocks its thread. In a browser `Measure` and
//! `Patient` do as `Recorded` does.

mod any;
mod builtin;
#[cfg(not(target_arch = "wasm32"))]
mod isolated;
#[cfg(not(target_arch = "wasm32"))]
mod lab;
#[cfg(not(target_arch = "wasm32"))]
mod measure;
#[cfg(not(target_arch = "wasm32"))]
mod numbers;
mod outcome;
pub mod record;
pub mod rules;
pub(crate) mod sample;
pub mod search;
mod searchable;
mod tunable;
mod tuning;

pub(crate) use any::{AnyTunable, any};
pub use outcome::{End, LEAST_GAIN, Outcome};
pub use record::{DeviceIdentity, Record};
pub use sample::{Known, Sample};
pub use searchable::{Searchable, TestInput, Tolerance, Verification};
pub(crate) use searchable::{in_turns, others};
pub use tunable::{Arrays, Bindings, Compiled, Recorder, Tunable};
pub use tuning::{Choice, Progress, Rigor, Source, Stage, Tuning};
