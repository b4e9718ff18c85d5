//! Specifications that several workers can share, and how a set of devices divides each of them.

mod fft;
mod reduce;
mod transpose;

#[cfg(feature = "mpi")]
pub(crate) use fft::operations;

use wgpu_fft::{Result, Spec};

use super::phase::Phase;
use super::set::DeviceSet;
use crate::strategy::Divisible;

/// A specification that several workers can share: [`C2c`](wgpu_fft::fft::C2c),
/// [`R2c`](wgpu_fft::fft::R2c), [`C2r`](wgpu_fft::fft::C2r), [`R2r`](wgpu_fft::fft::R2r),
/// [`Permute`](wgpu_fft::transpose::Permute) and [`Reduction`](wgpu_fft::reduce::Reduction), on
/// dense arrays. A cluster shares transforms only, and a set no `R2r`.
///
/// Transforms are those of f32, of f64 where all devices have it, and of f64 by sums of two f32.
/// The host computes the latter two in f64. Others do not compile, and the compiler says so:
///
/// ```compile_fail,E0277
/// # use wgpu_fft_distributed::{DeviceSet, Job, JobOptions, wgpu_fft::{fft::R2c, half::f16}};
/// # fn example(set: &DeviceSet) {
/// let wrong = Job::new(set, R2c::forward(1024).input_as::<f16>(), &JobOptions::default());
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "jobs of several workers do not compute `{Self}`",
    label = "cannot be divided",
    note = "jobs compute the Fourier transforms `C2c`, `R2c` and `C2r` without `input_as()` and `output_as()`; on a `DeviceSet` also \
            `Permute` and `Reduction`, and on a `Cluster` also `R2r`"
)]
pub trait Divide: Spec {
    /// The phases of the job on a set.
    #[doc(hidden)]
    fn divide(&self, set: &DeviceSet, cut: CutOptions) -> Result<Divided>;

    /// What each of so many ranks has.
    #[cfg(feature = "mpi")]
    #[doc(hidden)]
    fn division(&self, _options: &crate::JobOptions, _ranks: usize) -> crate::Result<crate::ranks::Division> {
        Err(crate::ranks::transforms_only(self))
    }

    /// The steps of the job on the ranks of a cluster, which have agreed that all ask for the same.
    #[cfg(feature = "mpi")]
    #[doc(hidden)]
    fn over_ranks(&self, _cluster: &crate::ranks::Cluster, _options: &crate::JobOptions) -> crate::Result<crate::ranks::RanksJob> {
        Err(crate::ranks::transforms_only(self))
    }
}

/// The caller's requirements for the phases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CutOptions {
    /// The axis along which the first phase is cut.
    pub(in crate::devices) axis: Option<usize>,
    /// The most bytes of a unit, input and output together, if possible.
    pub(in crate::devices) unit_bytes: u64,
}

/// A job divided into phases.
#[derive(Debug)]
pub struct Divided {
    pub(in crate::devices) phases: Vec<Phase>,
    /// The number of inputs of the operation.
    pub(in crate::devices) inputs: usize,
    /// The size of each input.
    pub(in crate::devices) input_bytes: usize,
    pub(in crate::devices) output_bytes: usize,
    /// The size of the array that holds data between phases if the output cannot.
    pub(in crate::devices) scratch_bytes: usize,
    /// Floating-point operations, or elements that are moved or combined.
    pub(in crate::devices) operations: f64,
}

impl Divided {
    /// What a strategy has to know about a phase.
    pub(in crate::devices) fn divisible(&self, phase: usize, workers: usize) -> Divisible {
        let own = &self.phases[phase];
        Divisible { phase, units: own.units(), alignment: own.alignment, operations: self.operations, workers }
    }
}
