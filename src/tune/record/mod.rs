//! What was measured, kept in a file: "wisdom" in FFTW's word.
//!
//! A [`Record`] holds for a specification and a device the best recipe that a search found
//! ([`Entry`]), and the recipes that must not be tried again ([`Mark`]).
//!
//! # Key
//! Specifications and recipes are kept as their printed text, devices as a [`DeviceIdentity`]:
//! hardware, driver, features and limits, never the number of an adapter. Of entries with the same
//! specification, device and [`Rigor`](crate::tune::Rigor) the newest counts, of marks those with
//! the same specification, recipe and device. An entry answers on exactly its device
//! ([`Record::find`]); elsewhere its recipe is one to begin a search with ([`Record::seeds`]).
//! Versions of this crate share a record: whether a recipe still means the program that was
//! measured is decided by [`wgsl_hash`].
//!
//! # Format
//! Text, a line for each item: a JSON object without spaces, of at most 16 KiB, in this order:
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
//! A line counts if its checksum is right, and no flipped bit leaves it so. Ends may be `\n` or
//! `\r\n`, and lines may be blank. Lines of another format or kind are never read and never lost. A
//! file with anything in it but no line that begins as ours do is somebody else's, and never
//! written.
//!
//! # Guarantees
//! - Opening a record never fails, whatever the file holds, and allocates in proportion to what it
//!   reads: 64 MiB at most.
//! - Every damaged line is noticed, and costs nothing but itself.
//! - Any number of processes and threads may add at once: each line is appended by one write, under
//!   a lock on the file `<record>.lock`, which stays.
//! - A process that is killed at any moment loses at most the line that it is writing.
//!   [`Record::compact`] puts a new file in the place of the old one when it is complete.
//! - A recipe that ends the process is marked when the record is opened next ([`Trial`]).
//! - Whatever goes wrong with the file, the record works from memory and warns once.
//!
//! # What is not guaranteed
//! - Appended lines and trials are not synced to the disk, so a loss of power or a crash of the
//!   system may lose the last ones, and damage them.
//! - A network file system whose locks do not hold between machines may lose lines that several
//!   machines write at once. Where there are no locks at all, nothing is written.
//! - The newest item is the one with the greatest time: a clock that goes wrong makes the wrong one
//!   win.
//! - A checksum is no signature. Keep the file where nobody else may write; a recipe from it is
//!   still checked like one by hand.

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

pub use hash::{text_hash, wgsl_hash};
pub use identity::DeviceIdentity;
pub use import::Import;
pub use item::{Entry, Item, Mark};
pub use journal::Trial;
pub use store::Record;

/// The version of this crate, as it stands in entries and marks.
pub const CRATE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Seconds since 1970; 0 where there is no clock.
#[must_use]
pub fn now() -> u64 {
    // A browser's clock is not behind std's functions, which panic there.
    if cfg!(all(target_arch = "wasm32", target_os = "unknown")) {
        return 0;
    }
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
