//! Runs WGSL compute shaders on the host and checks them while they run, as Oclgrind does for
//! OpenCL and compute-sanitizer for CUDA.
//!
//! A GPU does not tell when a shader reads past the end of an array, forgets a barrier, or lets two
//! invocations write to one place. WebGPU makes such mistakes harmless for the rest of the system,
//! and thereby hides them. This crate runs the shader's text as naga understands it. It reports
//! mistakes with the line, the workgroup, the invocation and the values.
//! the line, the workgroup, the invocation and the values.
//!
//! ```
//! use wgsl_sanitizer::{Binding, Buffer, Config, FindingKind, Memory, Shader};
//!
//! let shader = Shader::new(
//!     "@group(0) @binding(0) var<storage, read> input: array<f32>;
//!      @group(0) @binding(1) var<storage, read_write> output: array<f32>;
//!
//!      @compute @workgroup_size(64)
//!      fn main(@builtin(global_invocation_id) id: vec3u) {
//!          output[id.x] = 2.0 * input[id.x];
//!      }",
//! )?;
//! let kernel = shader.entry("main")?.compile()?;
//!
//! // 100 elements, which are not a multiple of 64, and nobody compares the index with their number.
//! let mut memory = Memory::new();
//! let input = memory.add(Buffer::from_slice(&[1.5f32; 100]));
//! let output = memory.add(Buffer::unwritten(400));
//! let bindings = [Binding::whole(0, 0, input), Binding::whole(0, 1, output)];
//! let report = kernel.dispatch([2, 1, 1], &mut memory, &bindings, &Config::default())?;
//!
//! println!("{report}");
//! let finding = &report.findings()[0];
//! assert!(matches!(finding.kind, FindingKind::OutOfBounds { index: 100, length: 100, .. }));
//! assert_eq!((finding.location.line, finding.workgroup), (6, [1, 0, 0]));
//!
//! // Everything else went on: findings do not hide one another.
//! assert_eq!(memory[output].to_vec::<f32>(), [3.0; 100]);
//! # Ok::<(), wgsl_sanitizer::Error>(())
//! ```
//!
//! - [`Shader`] → [`EntryPoint`] (with values for overrides) → [`Kernel`], which can run any number
//!   of times.
//! - [`Memory`] holds [`Buffer`]s. These remember which of their bytes have been written, from one
//!   dispatch to the next. A [`Binding`] is a buffer or a part of one, so that several dispatches
//!   can share a workspace as on a device.
//! - [`Config`] sets the size of subgroups, the order of invocations, and what counts as a mistake.
//! - [`Report`] holds the [`Finding`]s and prints them.
//!
//! The [README](https://docs.rs/crate/wgsl-sanitizer) lists the checks, explains what each of them
//! can and cannot detect, and describes the command-line tool.
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

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use config::Config;
pub use error::Error;
pub use memory::{Binding, Buffer, BufferId, Memory};
pub use report::{AccessMode, Finding, FindingKind, Location, Report};
pub use shader::{EntryPoint, Kernel, Shader};
