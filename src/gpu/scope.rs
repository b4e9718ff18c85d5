//! Turns errors that wgpu reports to a device's error scope into results.

use crate::error::Result;
#[cfg(not(target_arch = "wasm32"))]
use crate::error::{Cause, Error};

/// Runs `work` and returns its value. In the browser errors arrive later than this returns, see
/// [`late`](super::late).
#[cfg(target_arch = "wasm32")]
pub(crate) fn caught<T>(device: &wgpu::Device, during: &'static str, bytes: u64, work: impl FnOnce() -> T) -> Result<T> {
    Ok(super::late::observed(device, during, bytes, work))
}

/// Runs `work` and returns its value, or the first error that wgpu reported for it.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn caught<T>(device: &wgpu::Device, during: &'static str, bytes: u64, work: impl FnOnce() -> T) -> Result<T> {
    let scopes = Scopes::begin(device);
    let value = work();
    scopes.end(during, bytes).map(|()| value)
}

/// Scopes for every kind of error. They end in the order of the fields.
#[cfg(not(target_arch = "wasm32"))]
struct Scopes {
    validation: wgpu::ErrorScopeGuard,
    internal: wgpu::ErrorScopeGuard,
    memory: wgpu::ErrorScopeGuard,
}

#[cfg(not(target_arch = "wasm32"))]
impl Scopes {
    fn begin(device: &wgpu::Device) -> Self {
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        Self { validation, internal, memory }
    }

    fn end(self, during: &'static str, bytes: u64) -> Result<()> {
        // These futures are ready at once.
        let errors = [self.validation, self.internal, self.memory].map(|scope| pollster::block_on(scope.pop()));
        match errors.into_iter().flatten().next() {
            None => Ok(()),
            Some(wgpu::Error::OutOfMemory { .. }) => Err(Error::OutOfMemory { during, bytes }),
            Some(error) => Err(Error::Wgpu { during, source: Cause::new(error) }),
        }
    }
}
