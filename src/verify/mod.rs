//! Tells right results from wrong ones, without another device: for a search by measurement, and
//! for [`Plan::verify`](crate::Plan::verify).

mod compare;
mod format;
mod guarded;
pub(crate) mod sample;
mod verification;

#[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
pub(crate) use compare::disagreement;
pub(crate) use compare::{count_not_finite, fill};
pub(crate) use guarded::{Guarded, UNWRITTEN};

pub use format::Format;
pub use sample::{Energy, Known, Sample};
pub use verification::{TestInput, Tolerance, Verification};
