//! Runs one job on several unequal devices. Inputs and outputs are arrays on the host, which may be
//! larger than any device's memory.
//!
//! | | |
//! |---|---|
//! | [`DeviceSet`] | the devices, optionally with the host's processors |
//! | [`Job`] | a specification for a set: [`run`](Job::run), [`run_in_place`](Job::run_in_place) |
//! | [`Strategy`] | how the work is divided |
//! | [`Report`] | what each device did, and how long it took |
//! | [`partition`] | the arithmetic of shares |
//!
//! ```no_run
//! use wgpu_fft::multi::{DeviceSet, Job, Strategy};
//! use wgpu_fft::{Complex32, GpuOptions, fft};
//!
//! # fn example(pictures: &[Complex32], spectra: &mut [Complex32]) -> wgpu_fft::Result<()> {
//! let set = pollster::block_on(DeviceSet::request(&GpuOptions::default()))?;
//! let job = Job::new(&set, fft::C2c::forward([512, 512]).batch(1000))?.strategy(Strategy::Auto)?;
//! println!("{}", job.run(pictures, spectra)?);
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//! A job is a sequence of phases. Each phase computes units of one host array from units of
//! another, independently of each other. The units of a phase are divided among the devices. Each
//! device has a thread that sends the device's share through a ring of buffers, piece by piece. If
//! a device fails, the others take over the rest of its share. The guide [several
//! devices](crate::guides::several_devices) explains how each operation is divided, which results
//! are bit-identical, the strategies, memory use and failures.
//!
//! This module is not available in browsers, because it needs threads; only [`partition`] is
//! available everywhere.

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
#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
mod ordered;
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

/// Deliberate failures, for tests.
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub use fault::{Failure, When};

/// Reductions on the host in the order of a device. Tests compare them with the kernels.
#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
#[doc(hidden)]
pub use ordered::run as reduce_on_host;
