//! A small typed language for kernels: expressions, statements and functions as data, and their
//! WGSL.
//!
//! What varies with a recipe is built with it; what never varies is a file in `shaders/`. An
//! expression knows its type, and of a `u32` its least and largest value. So integer constants
//! fold, a condition that always holds leaves no `if`, and `t % 64` is `t` where t is below 64: a
//! generator states the general rule, and what the case at hand does not need is not written.
//! Floats are written as they stand: nothing folds, nothing changes places, so that the bits of a
//! result are those of the arithmetic that the generator asks for.
//!
//! ```ignore
//! let mut module = Module::default();
//! let input = module.storage(1, "input", Access::Read, Type::array(F32));
//! let output = module.storage(2, "output", Access::ReadWrite, Type::array(F32));
//! let mut double = Function::new("double");
//! let t = double.parameter("t", U32);
//! let value = double.body.value("value", input.at(&t) + input.at(&t + 64));
//! double.body.assign(&output.at(t), value);
//! module.function(double);
//! ```
//! prints
//! ```wgsl
//! @group(0) @binding(1) var<storage, read> input: array<f32>;
//! @group(0) @binding(2) var<storage, read_write> output: array<f32>;
//!
//! fn double(t: u32) {
//!     let value = input[t] + input[t + 64u];
//!     output[t] = value;
//! }
//! ```
//!
//! A type that does not fit is a mistake of the generator, not of a caller: it panics, in every
//! test that reaches it.

mod body;
mod expr;
mod module;
mod print;
mod types;

#[cfg(test)]
mod tests;

pub(crate) use body::{Body, Writes};
pub(crate) use expr::{Expr, all, bitcast, boolean, call, construct, convert, float, max, min, param, raw, select, u32s, zero};
pub(crate) use module::{Access, Function, Module};
pub(crate) use types::{BOOL, F32, F64, I32, Scalar, Type, U32, vec2, vec4};
