//! The machinery that every operation uses: what to compute ([`Spec`]), exactly what to run
//! ([`Program`]), and a program built for one device ([`Plan`]).

mod any;
mod arrays;
mod bound;
mod build;
#[cfg(feature = "signal")]
mod compose;
mod computation;
mod inputs;
#[cfg(feature = "ndarray")]
pub(crate) mod ndarray;
mod once;
mod planned;
pub(crate) mod precision;
pub(crate) mod program;
mod recipes;
mod run;
mod spec;
mod textures;
mod untyped;
mod verify;
mod watched;
mod workspace;

pub use crate::slot::Array;
pub(crate) use any::AnyValue;
pub use arrays::FragmentArrays;
pub use bound::Bound;
pub(crate) use build::{Builder, ROOM, compile_alone, filled};
pub(crate) use computation::{Computation, Search, typed};
pub use inputs::{Inputs, IntoHostInputs, IntoInputs, With};
#[cfg(feature = "ndarray")]
pub(crate) use ndarray::{Arrangement, Shaped};
pub(crate) use once::{OnceMap, Room};
pub use planned::Plan;
pub use program::{Placement, Program};
pub(crate) use recipes::{Fit, check_invocations, check_memory, check_workgroup, ensure, in_turns, others};
pub(crate) use spec::Sealed;
pub use spec::Spec;
pub(crate) use textures::Given;
pub use textures::{IntoOutput, TextureLevel};
pub(crate) use untyped::Untyped;
pub use verify::Verified;
pub(crate) use verify::verify;
pub(crate) use watched::{begun, run_into};
pub use workspace::Workspace;
