//! The caller's WGSL inside the kernels of this crate.

mod argument;
mod check;
mod checked;
mod declared;
mod element;
mod proof;
mod source;
mod spec;
mod texels;
mod tokens;

pub(crate) use argument::Argument;
pub(crate) use check::TEXELS_ELSEWHERE;
pub(crate) use checked::{Checked, Maps, Side};
pub(crate) use declared::Declared;
pub(crate) use element::{Form, element_of, readable, writable};
pub use element::{Readable, Writable};
pub(crate) use proof::{Refusal, parsed};
pub use spec::Fragment;
pub(crate) use texels::format_name;
pub use texels::{Texel, Texels, format_named};
pub(crate) use tokens::{Sizes, Source, Wrong};
