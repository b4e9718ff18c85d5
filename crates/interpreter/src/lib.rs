//! Runs WGSL compute shaders on the host, and checks them while they run.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod compile;
mod config;
mod error;
mod machine;
mod memory;
mod ops;
mod program;
mod races;
mod report;
mod shader;

pub use config::Config;
pub use error::Error;
pub use memory::{Binding, Buffer, BufferId, Memory};
pub use report::{AccessMode, Finding, FindingKind, Location, Report};
pub use shader::{EntryPoint, Kernel, Shader};
