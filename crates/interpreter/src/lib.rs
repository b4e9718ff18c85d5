//! Runs WGSL compute shaders on the host, and checks them while they run: what Oclgrind is for
//! OpenCL and compute-sanitizer for CUDA.
//!
//! A GPU does not say when a shader reads past the end of an array, forgets a barrier, or lets two
//! invocations write to one place. WebGPU makes such mistakes harmless for the rest of the system,
//! which hides them. This crate runs the text itself, as naga understands it, and reports them with
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
//! - [`Shader`] → [`EntryPoint`] (with values for overrides) → [`Kernel`], which runs as often as
//!   one likes.
//! - [`Memory`] holds [`Buffer`]s, which know which of their bytes have been written, from one
//!   dispatch to the next. A [`Binding`] is a buffer or a part of one, so that a sequence of
//!   dispatches shares its workspaces as on a device.
//! - [`Config`] sets the size of subgroups, the order of invocations, and what counts as a mistake.
//! - [`Report`] has the [`Finding`]s, and prints them.
//!
//! The [README](https://docs.rs/crate/wgsl-sanitizer) lists the checks, says what each of them can
//! and cannot see, and describes the command.
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

/// The examples of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use config::Config;
pub use error::Error;
pub use memory::{Binding, Buffer, BufferId, Memory};
pub use report::{AccessMode, Finding, FindingKind, Location, Report};
pub use shader::{EntryPoint, Kernel, Shader};
