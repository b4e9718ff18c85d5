//! A plan without its types, so that what is done with any plan is compiled once.

use super::build::Executable;
use super::spec::Sealed;
use crate::threads::Shareable;

/// A plan without its types.
pub(crate) trait Untyped: Shareable {
    fn spec(&self) -> String;
    fn recipe(&self) -> String;
    fn executable(&self) -> &Executable;
    /// What is known of the specification.
    fn sealed(&self) -> &dyn Sealed;
}
