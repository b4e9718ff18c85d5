//! Jobs of one process: a set of devices works on arrays of the host.
//!
//! A job is a sequence of phases. Each phase computes units of one host array from units of
//! another, independently of each other. The units of a phase are divided among the devices. Each
//! device has a thread that sends the device's share through a ring of buffers, piece by piece. If
//! a device fails, the others take over the rest of its share.

mod balance;
mod divide;
mod engine;
pub(crate) mod fault;
#[cfg(feature = "cpu")]
mod host;
mod phase;
mod ring;
mod run;
mod schedule;
mod set;

pub use divide::Divide;
#[cfg(feature = "mpi")]
pub(crate) use divide::operations;
pub use run::DevicesJob;
pub use set::DeviceSet;
