//! Buffers that wait for their next use.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::staging::Staging;
use crate::gpu::buffer::given;

/// Idle buffers of a device, as many as [`Transfers`](super::settings::Transfers) say.
///
/// Only buffers that came through whole are put back; what an error or a dropped result leaves is
/// freed.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<Vec<Staging>>);

impl Pool {
    /// The one put back last comes last.
    fn lock(&self) -> MutexGuard<'_, Vec<Staging>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One of at least `bytes` that nobody waits for.
    pub fn find(&self, device: &wgpu::Device, bytes: u64, usage: wgpu::BufferUsages) -> Option<Staging> {
        // One that is much larger would be missed where it is needed.
        let most = bytes.saturating_add(bytes / 4);
        let usage = given(usage);
        let fits = |kept: &Staging| kept.buffer().usage() == usage && (bytes..=most).contains(&kept.buffer().size());
        let take = || {
            let mut idle = self.lock();
            let place = idle.iter_mut().rposition(|kept| fits(kept) && kept.is_settled());
            place.map(|place| idle.remove(place))
        };
        if let Some(kept) = take() {
            return Some(kept);
        }
        // The device may have done with one, but nobody has asked it since.
        let asked = self.lock().iter().any(fits);
        if !asked || cfg!(target_arch = "wasm32") {
            return None;
        }
        device.poll(wgpu::PollType::Poll).ok()?;
        take()
    }

    /// Keeps a buffer that is not mapped, or for writing. If they are too many, those that were put
    /// back the longest time ago are freed, arrays first: staging buffers serve arrays of every
    /// size, and take longer to come by.
    pub fn put(&self, staging: Staging, kept_bytes: u64) {
        let mut idle = self.lock();
        idle.push(staging);
        let mut bytes: u64 = idle.iter().map(|kept| kept.buffer().size()).sum();
        let mut freed = Vec::new();
        while bytes > kept_bytes {
            let oldest = idle.iter().position(|kept| !kept.is_staging()).unwrap_or(0);
            let kept = idle.remove(oldest);
            bytes -= kept.buffer().size();
            freed.push(kept);
        }
        drop(idle);
        drop(freed);
    }

    /// Frees all; whether there was any.
    pub fn clear(&self) -> bool {
        let freed = std::mem::take(&mut *self.lock());
        !freed.is_empty()
    }

    /// Bytes of all.
    pub fn bytes(&self) -> u64 {
        self.lock().iter().map(|kept| kept.buffer().size()).sum()
    }
}
