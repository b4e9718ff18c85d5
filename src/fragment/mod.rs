//! The caller's WGSL inside the kernels of this crate.

mod argument;
mod check;
mod checked;
mod declared;
mod element;
mod proof;
mod sizes;
mod source;
mod spec;
mod texels;
mod tokens;

#[cfg(test)]
mod tests;

pub(crate) use argument::Argument;
pub(crate) use check::TEXELS_ELSEWHERE;
pub(crate) use checked::{Checked, Maps, Side, declaring};
pub(crate) use declared::Declared;
pub(crate) use element::{Form, element_of, readable, writable};
pub use element::{Readable, Writable};
pub(crate) use proof::{Refusal, parsed};
pub(crate) use sizes::Sizes;
pub use spec::Fragment;
pub(crate) use texels::format_name;
pub use texels::{Texel, Texels, format_named};
pub(crate) use tokens::{Source, Wrong};
