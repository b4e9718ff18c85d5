//! The machine that every operation runs on: what to compute ([`Spec`]), exactly what to run
//! ([`Program`]), and that on one device ([`Plan`]).

mod any;
mod build;
mod encode;
mod once;
mod program;
mod spec;

pub(crate) use any::AnyValue;
pub(crate) use build::Builder;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use build::side_by_side;
pub use encode::{Bound, Plan, StepTime};
pub(crate) use once::OnceMap;
pub use program::{Array, Program, Table};
pub(crate) use spec::Sealed;
pub use spec::{Placement, Spec};
