//! One job on several unequal devices.

pub mod partition;

#[cfg(not(target_arch = "wasm32"))]
mod balance;
#[cfg(not(target_arch = "wasm32"))]
mod divide;
#[cfg(not(target_arch = "wasm32"))]
mod engine;
#[cfg(not(target_arch = "wasm32"))]
mod fault;
#[cfg(not(target_arch = "wasm32"))]
mod fft;
#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
mod host;
#[cfg(not(target_arch = "wasm32"))]
mod job;
#[cfg(not(target_arch = "wasm32"))]
mod phase;
#[cfg(not(target_arch = "wasm32"))]
mod reduce;
#[cfg(not(target_arch = "wasm32"))]
mod report;
#[cfg(not(target_arch = "wasm32"))]
mod ring;
#[cfg(not(target_arch = "wasm32"))]
mod schedule;
#[cfg(not(target_arch = "wasm32"))]
mod set;
#[cfg(not(target_arch = "wasm32"))]
mod slab;
#[cfg(not(target_arch = "wasm32"))]
mod strategy;
#[cfg(not(target_arch = "wasm32"))]
mod transpose;

#[cfg(not(target_arch = "wasm32"))]
pub use {
    divide::Divide,
    job::{Job, Progress},
    report::{DeviceReport, PhaseReport, Rate, Report, Work},
    set::DeviceSet,
    strategy::Strategy,
};

/// Failures on purpose, for tests.
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub use fault::{Failure, When};
