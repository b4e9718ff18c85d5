//! Specifications that several devices can share.

use super::phase::Phase;
use super::set::DeviceSet;
use crate::error::Result;
use crate::plan::Spec;

/// A specification that several devices can share: [`C2c`](crate::fft::C2c),
/// [`R2c`](crate::fft::R2c), [`C2r`](crate::fft::C2r), [`Permute`](crate::transpose::Permute) and
/// [`Reduction`](crate::reduce::Reduction), on dense arrays.
pub trait Divide: Spec {
    /// The phases of the job.
    #[doc(hidden)]
    fn divide(&self, set: &DeviceSet, cut: Cut) -> Result<Divided>;
}

/// The caller's requirements for the phases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The axis along which the first phase is cut.
    pub(super) axis: Option<usize>,
    /// The most bytes of a unit, input and output together, if possible.
    pub(super) unit_bytes: u64,
}

/// A job divided into phases.
#[derive(Debug)]
pub struct Divided {
    pub(super) phases: Vec<Phase>,
    /// The number of inputs of the operation.
    pub(super) inputs: usize,
    /// The size of each input.
    pub(super) input_bytes: usize,
    pub(super) output_bytes: usize,
    /// The size of the array that holds data between phases if the output cannot.
    pub(super) scratch_bytes: usize,
}
