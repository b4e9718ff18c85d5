//! A plan without its types, so that what is done with any plan is compiled once.

use super::build::Executable;
use crate::threads::Shareable;
use crate::verify::{Energy, Sample, Verification};

/// A plan without its types.
pub(crate) trait Untyped: Shareable {
    fn spec(&self) -> String;
    fn recipe(&self) -> String;
    fn executable(&self) -> &Executable;
    fn leaves_gaps(&self) -> bool;
    fn has_wgsl(&self) -> bool;
    fn samples(&self, input: &[u32]) -> Vec<Sample>;
    fn energy(&self, input: &[u32], output: &[u32]) -> Option<Energy>;
    fn verification(&self) -> Verification;
}
