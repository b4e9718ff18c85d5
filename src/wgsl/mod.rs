//! A small typed language for kernels: expressions, statements and functions as data, printed as
//! WGSL.
//!
//! The parts of a kernel that vary with a recipe are built with it; the parts that never vary are
//! files in `shaders/`. An expression knows its type, and a `u32` its smallest and largest possible
//! value. So integer constants are folded, a condition that always holds leaves no `if`, and
//! `t % 64` is `t` if t is below 64. A generator therefore states the general rule, and the printed
//! text contains only what the case at hand needs. Float operations are neither folded nor
//! reordered, so that the result has the bits of the arithmetic that the generator asks for.
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
//! A type mismatch is an error of the generator, not of the caller. It panics, in every test that
//! reaches it.

mod body;
mod expr;
mod module;
mod operators;
mod print;
mod types;

#[cfg(test)]
mod tests;

/// Whether a text consists of letters, digits and `_`, and begins with a letter.
pub(crate) fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && text.starts_with(|c: char| c.is_ascii_alphabetic())
}

pub(crate) use body::{Body, Writes};
pub(crate) use expr::{Expr, bitcast, boolean, call, construct, convert, float, max, min, param, raw, select, u32s, zero};
pub(crate) use module::{Access, Function, Module};
pub(crate) use operators::all;
pub(crate) use types::{BOOL, F32, F64, I32, Scalar, Type, U32, two_f32, vec2, vec4};
