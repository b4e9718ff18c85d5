//! Waiting for a device, but not for ever.

use std::time::Duration;

use wgpu_fft::{Error, Gpu, Result, wgpu};

/// How long a worker is waited for unless the caller says otherwise. A whole slab on a software
/// adapter may take minutes, and so may compiling for one.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(600);

/// Waits until a submission is done, but no longer than `most`. Returns whether it is done.
///
/// A driver that does not return from the call itself cannot be left: no thread can be ended from
/// outside.
///
/// # Errors
/// [`Error::DeviceLost`].
pub(crate) fn answers(gpu: &Gpu, submission: &wgpu::SubmissionIndex, most: Duration) -> Result<bool> {
    match gpu.device().poll(wgpu::PollType::Wait { submission_index: Some(submission.clone()), timeout: Some(most) }) {
        Ok(_) => Ok(true),
        Err(wgpu::PollError::Timeout) => Ok(false),
        Err(error) => Err(Error::DeviceLost { during: "waiting for the device", message: error.to_string() }),
    }
}
