//! A file of measured results, which FFTW calls "wisdom".
//!
//! For each specification and device, a [`Record`] holds the best recipe that a search found
//! ([`Entry`]) and the recipes that must not be tried again ([`Mark`]).
//!
//! # Key
//! Specifications and recipes are stored as their printed text. Devices are stored as a
//! [`DeviceIdentity`]: hardware, driver, features and limits, but never an adapter's index. Among
//! entries with the same specification, device and [`Rigor`](crate::tune::Rigor), the newest
//! counts. Among marks with the same specification, recipe and device, the newest counts. An entry
//! answers only for exactly its device ([`Record::find`]). For other devices its recipe is a
//! starting point for a search ([`Record::seeds`]). Different versions of this crate can share a
//! record: [`wgsl_hash`] tells whether a recipe still means the program that was measured.
//!
//! # Format
//! The file is text with one line for each item. A line is a JSON object without spaces, at most 16
//! KiB long, with these names in this order:
//!
//! | name | what |
//! |---|---|
//! | `wgpu-fft` | number of the format, 1 |
//! | `kind` | `best` or `mark` |
//! | `spec`, `recipe` | as printed |
//! | `wgsl` | of `best`: the hash of the program's WGSL, 16 hexadecimal digits |
//! | `seconds`, `rules_seconds` | of `best`: time of the recipe and of the rules' choice |
//! | `timer`, `rigor` | of `best`: `timestamps` or `wall clock`; `measure` or `patient` |
//! | `why` | of `mark` |
//! | `version`, `time` | of this crate; seconds since 1970 |
//! | `device` | [`DeviceIdentity`]: `name`, `backend`, `id` (vendor, device), `type`, `driver`, `driver_info`, `subgroup_sizes`, the `features` that it has, and `limits`, an array in the order of the fields |
//! | `sum` | checksum of all that stands before `,"sum"`, 16 hexadecimal digits |
//!
//! A line is accepted only if its checksum is right, and any single flipped bit is detected. Lines
//! may end in `\n` or `\r\n`, and blank lines are allowed. Lines of another format or kind are not
//! read, but they are preserved. A file that is not blank and has no line that begins like a
//! record's is not ours, and it is never written to.
//!
//! # Guarantees
//! - Opening a record never fails, whatever the file contains. It allocates memory in proportion to
//!   what it reads, which is 64 MiB at most.
//! - Every damaged line is detected, and affects no other line.
//! - Any number of processes and threads may add items at the same time. Each line is appended by
//!   one write, under a lock on the file `<record>.lock`, which is never removed.
//! - A process that is killed loses at most the line that it is writing. [`Record::compact`] writes
//!   a complete new file and then replaces the old one.
//! - A recipe that crashes the process is marked the next time the record is opened ([`Trial`]).
//! - If anything goes wrong with the file, the record continues in memory and warns once.
//!
//! # What is not guaranteed
//! - Appended lines and trials are not synced to disk. A power failure or a system crash may lose
//!   or damage the last ones.
//! - On a network file system whose locks do not work between machines, lines that several machines
//!   write at once may be lost. On a file system without locks, nothing is written.
//! - The newest item is the one with the greatest time. If a clock is wrong, the wrong item may
//!   win.
//! - A checksum is not a signature. Keep the file where nobody else may write. Recipes from it are
//!   still checked like recipes written by hand.

mod error;
mod file;
mod hash;
mod identity;
mod import;
mod item;
mod journal;
mod line;
mod memory;
mod shared;
mod store;

#[cfg(not(target_arch = "wasm32"))]
use std::time::{SystemTime, UNIX_EPOCH};

#[cfg(target_arch = "wasm32")]
use web_time::{SystemTime, UNIX_EPOCH};

pub use error::RecordError;
pub use hash::{text_hash, wgsl_hash};
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
