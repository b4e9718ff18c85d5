//! A device, and data transfers to and from it. Only this folder,
//! `plan/{bound,build,textures}.rs` and `tune/lab.rs` call wgpu.

mod arrays;
#[cfg(not(target_arch = "wasm32"))]
mod behind;
mod buffer;
mod cache;
mod calls;
pub(crate) mod device;
mod distinct;
mod enqueue;
pub(crate) mod fault;
mod foreign;
mod known;
pub(crate) mod late;
mod open;
mod options;
pub(crate) mod pending;
mod profile;
pub(crate) mod progress;
mod queued;
pub(crate) mod registers;
mod saved;
mod scope;
pub(crate) mod stopwatch;
mod submissions;
mod times;
pub(crate) mod transfer;
mod unchecked;

pub(crate) use buffer::AnyView;
pub use buffer::{DeviceBuffer, IntoView, View};
pub(crate) use buffer::{in_units, input_name};
pub(crate) use calls::{Caller, Recorded};
pub use device::Gpu;
pub use distinct::distinct_adapters;
pub(crate) use foreign::{foreign, without_panic, without_panic_of_others};
pub use options::{GpuOptions, adapters};
pub use pending::Pending;
pub(crate) use pending::cannot_block;
pub use profile::DeviceProfile;
pub(crate) use progress::wait_for;
pub(crate) use registers::Registers;
pub(crate) use stopwatch::Stopwatch;
pub(crate) use times::{OfDevice, Times};
pub use transfer::Transfers;
pub(crate) use transfer::{Commands, Download, Role, Staging};
