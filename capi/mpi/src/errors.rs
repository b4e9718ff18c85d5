//! The errors of distributed transforms as statuses.

use wgpu_fft_distributed::Error;

use crate::status::{Failure, Status, WGPU_FFT_ERROR_DEVICE_LOST, WGPU_FFT_ERROR_INTERNAL, WGPU_FFT_ERROR_NO_DEVICE};

/// A rank could not do its part, or the ranks asked for different things. All ranks get the same
/// message, which names the rank. The handles stay usable.
pub const WGPU_FFT_ERROR_RANK: Status = 11;
/// A rank does not answer. All later calls on the cluster fail so, and MPI cannot end without that
/// rank: call MPI_Abort.
pub const WGPU_FFT_ERROR_SILENT: Status = 12;

/// A function of wgpu_fft_mpi_set_progress has ended the run. All ranks get the same message, which names
/// the rank. The job can be run again.
pub const WGPU_FFT_ERROR_CANCELLED: Status = 13;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::Core(error) => return error.into(),
            Error::Cancelled { .. } => WGPU_FFT_ERROR_CANCELLED,
            Error::NoAdapter { .. } => WGPU_FFT_ERROR_NO_DEVICE,
            Error::NoAnswer { .. } => WGPU_FFT_ERROR_DEVICE_LOST,
            Error::OnRank { .. } | Error::RanksDiffer { .. } | Error::OutOfStep { .. } | Error::NoCommonRecipe { .. } => {
                WGPU_FFT_ERROR_RANK
            }
            // Of both only MPI_Abort is left.
            Error::RankSilent { .. } | Error::RunAbandoned => WGPU_FFT_ERROR_SILENT,
            // Sets of devices fail so, which this library has none of.
            _ => WGPU_FFT_ERROR_INTERNAL,
        };
        Self::new(status, error.to_string())
    }
}
