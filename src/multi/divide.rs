//! Specifications that can be divided.

use super::phase::Phase;
use super::set::DeviceSet;
use crate::error::Result;
use crate::plan::Spec;

/// A specification that several devices can share: [`C2c`](crate::fft::C2c),
/// [`R2c`](crate::fft::R2c), [`C2r`](crate::fft::C2r), [`Permute`](crate::transpose::Permute) and
/// [`Reduction`](crate::reduce::Reduction), of dense arrays.
pub trait Divide: Spec {
    /// The phases of the job.
    #[doc(hidden)]
    fn divide(&self, set: &DeviceSet, cut: Cut) -> Result<Divided>;
}

/// What the caller asks of the phases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The axis to cut the first phase along.
    pub(super) axis: Option<usize>,
    /// Bytes of a unit at most, input and output, if that can be had.
    pub(super) unit_bytes: u64,
}

/// A job in phases.
#[derive(Debug)]
pub struct Divided {
    pub(super) phases: Vec<Phase>,
    /// Inputs that the operation takes.
    pub(super) inputs: usize,
    /// Of each input.
    pub(super) input_bytes: usize,
    pub(super) output_bytes: usize,
    /// Of what is kept between phases apart from the output.
    pub(super) scratch_bytes: usize,
}
