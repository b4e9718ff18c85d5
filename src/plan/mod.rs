//! The machinery that every operation uses: what to compute ([`Spec`]), exactly what to run
//! ([`Program`]), and a program built for one device ([`Plan`]).

mod any;
#[cfg(feature = "ndarray")]
mod arrays;
mod build;
mod encode;
mod once;
pub(crate) mod program;
mod run;
mod spec;
mod workspace;

pub(crate) use any::AnyValue;
#[cfg(feature = "ndarray")]
pub use arrays::{Arrangement, Shaped};
pub(crate) use build::Builder;
pub use encode::{Bound, Plan, StepTime};
pub(crate) use once::OnceMap;
pub use program::{Array, Program};
pub(crate) use spec::Sealed;
pub use spec::{Placement, Spec};
pub use workspace::Workspace;
