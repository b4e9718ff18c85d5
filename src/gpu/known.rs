//! What is known of the objects that were used on a device, so that each is asked for once.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Buffers that are remembered; then they are asked for anew. A hash takes some 16 bytes.
const MAX_KNOWN: usize = 1 << 16;

/// What is known of the objects that were used on a device.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The queue is the device's own.
    pub queue: AtomicBool,
    /// Buffers that belong to the device, by hashes of their number, size and usages. A foreign one
    /// with the hash of one of these would not be told from it by asking wgpu either.
    buffers: Mutex<HashSet<u64>>,
    /// The layout of bind groups that are made to ask.
    pub layout: OnceLock<wgpu::BindGroupLayout>,
    /// Where commands would copy that are made to ask, and are never submitted.
    pub target: OnceLock<wgpu::Buffer>,
}

impl Known {
    fn buffers(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Of a device that was opened together with its queue.
    pub fn own() -> Self {
        Self { queue: AtomicBool::new(true), ..Self::default() }
    }

    pub fn contains(&self, buffer: &wgpu::Buffer) -> bool {
        self.buffers().contains(&hash(buffer))
    }

    /// Remembers a buffer that is the device's own.
    pub fn add(&self, buffer: &wgpu::Buffer) {
        if cfg!(target_arch = "wasm32") {
            return;
        }
        let mut known = self.buffers();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(hash(buffer));
    }
}

fn hash(buffer: &wgpu::Buffer) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((buffer, buffer.size(), buffer.usage().bits()))
}
