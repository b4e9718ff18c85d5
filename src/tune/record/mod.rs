//! A file of measured results, which FFTW calls "wisdom": see [`Record`].

mod error;
mod file;
mod identity;
mod import;
mod item;
mod journal;
mod memory;
mod shared;
mod store;

#[cfg(not(target_arch = "wasm32"))]
use std::time::{SystemTime, UNIX_EPOCH};

#[cfg(target_arch = "wasm32")]
use web_time::{SystemTime, UNIX_EPOCH};

pub use error::RecordError;
pub use identity::DeviceIdentity;
pub use import::Import;
pub use item::{Entry, Item, Mark};
pub use journal::Trial;
pub use store::Record;

/// The version of this crate, as stored in entries and marks.
pub const CRATE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Seconds since 1970; 0 if the clock says less.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
