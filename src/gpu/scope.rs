//! Turns errors that wgpu reports to a device's error scope into results.

use crate::error::{Cause, Error, Result};

/// Runs `work` and returns its value, or the first error that wgpu reported for it.
///
/// In the browser errors arrive later than the call returns, so nothing is caught there and they go
/// to the device's handler.
pub(crate) fn caught<T>(device: &wgpu::Device, during: &'static str, bytes: u64, work: impl FnOnce() -> T) -> Result<T> {
    if cfg!(target_arch = "wasm32") {
        return Ok(work());
    }
    let scopes = Scopes::begin(device);
    let value = work();
    scopes.end(during, bytes).map(|()| value)
}

/// Scopes for every kind of error. They end in the order of the fields.
struct Scopes {
    validation: wgpu::ErrorScopeGuard,
    internal: wgpu::ErrorScopeGuard,
    memory: wgpu::ErrorScopeGuard,
}

impl Scopes {
    fn begin(device: &wgpu::Device) -> Self {
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        Self { validation, internal, memory }
    }

    fn end(self, during: &'static str, bytes: u64) -> Result<()> {
        // Off the web these futures are ready at once.
        let errors = [self.validation, self.internal, self.memory].map(|scope| pollster::block_on(scope.pop()));
        match errors.into_iter().flatten().next() {
            None => Ok(()),
            Some(wgpu::Error::OutOfMemory { .. }) => Err(Error::OutOfMemory { during, bytes }),
            Some(error) => {
                // In the browser it may not go to another thread.
                #[cfg(target_arch = "wasm32")]
                let error = error.to_string();
                Err(Error::Wgpu { during, source: Cause::new(error) })
            }
        }
    }
}
