//! FFTs over several MPI processes.
#![warn(missing_docs)]
#![deny(unsafe_code)]

mod arithmetic;
mod cluster;
mod error;
mod job;
mod link;
mod local;
mod measure;
mod phase;
mod plan;
mod report;
mod root;
mod slabs;
mod spec;
mod strategy;

pub use arithmetic::{Arithmetic, Recipes};
pub use cluster::{Adapter, Cluster, Emulate, Member, RankOptions};
pub use error::{Error, Result};
pub use mpi;
pub use phase::Phase;
pub use plan::{Options, Plan, Progress};
pub use report::{Entry, RankReport, Report};
pub use slabs::{Shares, Slab};
pub use spec::{C2c, C2r, Order, R2c, Transform};
pub use strategy::Strategy;
pub use wgpu_fft;
pub use wgpu_fft::Complex32;
pub use wgpu_fft::fft::Scale;
