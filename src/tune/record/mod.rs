//! A file of measured results, which FFTW calls "wisdom": see [`Record`].

mod file;
mod identity;
mod import;
mod item;
mod items;
mod journal;
mod memory;
mod shared;
mod store;
mod trial;

pub use identity::DeviceIdentity;
pub use import::Import;
pub use item::{CRATE_VERSION, Entry, Item, Mark, now};
pub use items::Items;
pub use store::Record;
pub use trial::Trial;
