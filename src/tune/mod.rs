//! Chooses the fastest recipe for a device: by rules, by measurement, or from a record of earlier
//! measurements.
//!
//! The rules of this crate were made on few devices. On other devices a measurement may find a
//! better recipe. Trying never makes a transform slower or wrong: a candidate replaces the default
//! only if its result agrees and it is at least 3% faster in interleaved runs. `Tuning` says how
//! that works, and `Record` keeps the results.
//!
//! Both need the feature `tune`, which is on by default. Without it a [`Planner`](crate::Planner)
//! chooses the same recipes as one without a `Tuning` does with it. Only the dependencies for files
//! are saved: serde, serde_json and dirs. What a search consists of, also for kernels of your own,
//! is in [`low_level::tune`](crate::low_level::tune).

pub(crate) mod any;
mod builtin;
pub(crate) mod choice;
pub(crate) mod hash;
pub(crate) mod search;
pub(crate) mod tunable;

#[cfg(feature = "tune")]
pub(crate) mod coefficients;
#[cfg(feature = "tune")]
mod decide;
#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
mod isolated;
#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
mod lab;
#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
mod measure;
#[cfg(feature = "tune")]
pub(crate) mod outcome;
#[cfg(feature = "tune")]
pub(crate) mod record;
#[cfg(feature = "tune")]
mod rigor;
#[cfg(feature = "tune")]
pub(crate) mod tuning;

pub(crate) use builtin::Estimate;
pub use choice::Choice;
pub(crate) use choice::Chooser;
#[cfg(feature = "tune")]
pub use record::Record;
#[cfg(feature = "tune")]
pub use rigor::Rigor;
#[cfg(feature = "tune")]
pub use tuning::Tuning;
