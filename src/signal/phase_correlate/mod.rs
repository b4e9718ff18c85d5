//! Registration: by how much a signal, a picture or a volume is shifted against another.

mod lower;
mod recipe;
mod spec;

pub use recipe::Recipe;
pub use spec::PhaseCorrelate;
