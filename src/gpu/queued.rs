//! Work that is recorded now and submitted later, many runs at a time.
//!
//! A submission costs tens of microseconds, most of them in `CommandEncoder::finish`, and a few
//! more for each run in it; recording a run of a small plan costs a few. So what has become much is
//! submitted by a thread (`behind.rs`), while the host records what comes next.

#[cfg(not(target_arch = "wasm32"))]
use std::sync::OnceLock;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(not(target_arch = "wasm32"))]
use super::behind::Behind;
use super::calls::{Open, SUBMISSION};
use super::scope;
use crate::error::Error;

/// What is recorded and not yet submitted.
#[derive(Debug)]
pub(super) struct Queued {
    device: wgpu::Device,
    queue: wgpu::Queue,
    open: Mutex<Option<Open>>,
    /// The thread that submits, once there was much to submit; none where there are no threads.
    #[cfg(not(target_arch = "wasm32"))]
    pub behind: OnceLock<Option<Behind>>,
}

impl Queued {
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        Self {
            device: device.clone(),
            queue: queue.clone(),
            open: Mutex::default(),
            #[cfg(not(target_arch = "wasm32"))]
            behind: OnceLock::new(),
        }
    }

    pub fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        let said = |why: Error| log::error!("what was queued when the handle of the device was dropped has not run: {why}");
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(refused) = self.behind.take().flatten().and_then(Behind::end) {
            said(refused.error());
        }
        // Arrays outlive the device's handle, and may yet be read by the caller's own commands.
        if let Some(open) = self.open.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = scope::caught(&self.device, SUBMISSION, 0, || open.submit(&self.queue)).map_err(said);
        }
    }
}
