//! Chooses the fastest recipe for a device: by rules, by measurement, or from a record of earlier
//! measurements.
//!
//! The rules of this crate were made on few devices. On other devices a measurement may find a
//! better recipe. Trying never makes a transform slower or wrong: a candidate replaces the default
//! only if its result agrees and it is at least 3% faster in interleaved runs.
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
//! Recipes are compared on a second device of the same adapter. A recipe that crashes the driver,
//! hangs or loses that device harms none of the caller's plans. It is marked in the record, which
//! survives even a crash of the process, and is not tried again.
//!
//! The search is a hill climb. It starts from the estimate, from recipes that were good on other
//! devices, and from recipes of other kinds. It moves from the best of them to its neighbours;
//! `Patient` also climbs from the other starts. After one warm-up run, a candidate is timed in
//! rounds interleaved with the best recipe so far, each time often enough for the clock's
//! resolution. Times that are not positive are measured again or rejected.
//!
//! Before a recipe may win, its output on random numbers is compared with that of a baseline
//! recipe, and guard words before and after each array are checked. A search ends when no neighbour
//! is better, when the time is up, or, on a GPU, when data move as fast as in a plain copy. Final
//! rounds of the best few recipes against the estimate decide. On a GPU there are two sets of final
//! rounds: the winner must win again on newly allocated arrays.
//!
//! Measuring needs a second device on the adapter and blocks the calling thread. In a browser,
//! `Measure` and `Patient` behave like `Recorded`.

mod any;
mod builtin;
#[cfg(not(target_arch = "wasm32"))]
mod compare;
#[cfg(not(target_arch = "wasm32"))]
mod isolated;
#[cfg(not(target_arch = "wasm32"))]
mod lab;
#[cfg(not(target_arch = "wasm32"))]
mod measure;
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
