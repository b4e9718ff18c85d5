//! Chooses the fastest recipe for a device: by rules, by measurement, or from a record of earlier
//! measurements.
//!
//! The rules of this crate were made on few devices. On other devices a measurement may find a
//! better recipe. Trying never makes a transform slower or wrong: a candidate replaces the default
//! only if its result agrees and it is at least 3% faster in interleaved runs. `Tuning` says how
//! that works, and `Record` keeps the results.
//!
//! Both need the feature `tune`, which is on by default. Without it there are [`Choice`],
//! [`Searchable`] and [`rules`], and a [`Planner`](crate::Planner) chooses the same recipes as one
//! without a `Tuning` does with it. Only the dependencies for files are saved: serde, serde_json
//! and dirs.

mod any;
mod builtin;
mod choice;
pub mod rules;

#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
mod isolated;
#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
mod lab;
#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
mod measure;
#[cfg(feature = "tune")]
mod outcome;
#[cfg(feature = "tune")]
pub mod record;
#[cfg(feature = "tune")]
pub mod search;
#[cfg(feature = "tune")]
mod searchable;
#[cfg(feature = "tune")]
mod tunable;
#[cfg(feature = "tune")]
mod tuning;

#[cfg(feature = "tune")]
pub use crate::verify::{Known, Sample, TestInput, Tolerance, Verification};
pub(crate) use any::{Erased, any};
pub use choice::{Choice, Source};
pub(crate) use choice::{Chooser, Estimate};
#[cfg(feature = "tune")]
pub use outcome::{End, LEAST_GAIN, Outcome};
#[cfg(feature = "tune")]
pub use record::{DeviceIdentity, Record, RecordError};
#[cfg(feature = "tune")]
pub use searchable::Searchable;
#[cfg(feature = "tune")]
pub(crate) use searchable::{in_turns, others};
#[cfg(feature = "tune")]
pub use tunable::{Arrays, Bindings, Compiled, Recorder, Tunable};
#[cfg(feature = "tune")]
pub use tuning::{Progress, Rigor, Stage, Tuning};

/// A [`Spec`](crate::Spec) that a [`Planner`](crate::Planner) chooses recipes for: all
/// specifications of this crate. With the feature `tune`, it also says where a search starts and
/// where it goes next. The trait is sealed, as [`Spec`](crate::Spec) is.
#[cfg(not(feature = "tune"))]
pub trait Searchable: crate::Spec {}
