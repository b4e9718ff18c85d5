//! One job on several unequal devices, from arrays of the host to arrays of the host, which may be
//! larger than any device.
//!
//! | | |
//! |---|---|
//! | [`DeviceSet`] | the devices, with the host's processors if one likes |
//! | [`Job`] | a specification for a set: [`run`](Job::run), [`run_in_place`](Job::run_in_place) |
//! | [`Strategy`] | who gets how much |
//! | [`Report`] | who did what, and how long it took |
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
//! A job is a sequence of phases, each of which takes units of one host array to units of another,
//! independently of each other. A phase's units are shared out, and every device has a thread that
//! takes its share piece by piece through a ring of buffers; what a failed device has left goes to
//! the others. The guide [several devices](crate::guides::several_devices) has the rest: what is
//! divided where, which bits come out, strategies, memory and failures.
//!
//! Not in browsers, which have no threads for it; [`partition`] is everywhere.

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

/// Failures on purpose, for tests.
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub use fault::{Failure, When};

/// Reductions in the order of a device, which tests compare with the kernels' text.
#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
#[doc(hidden)]
pub use ordered::run as reduce_on_host;
