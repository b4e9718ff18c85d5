//! How data goes between the host and a device: what callers may set.

use super::copy::copy_threads;

/// How data goes between the host and a device:
/// [`Gpu::with_transfers`](crate::Gpu::with_transfers).
///
/// ```
/// use wgpu_fft::{Gpu, gpu::Transfers};
///
/// /// Keeps no buffers between runs.
/// fn frugal(gpu: Gpu) -> Gpu {
///     gpu.with_transfers(Transfers::default().kept_bytes(0))
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct Transfers {
    pub(crate) piece_bytes: u64,
    pub(crate) in_flight: usize,
    pub(crate) copy_threads: usize,
    pub(crate) kept_bytes: u64,
}

impl Default for Transfers {
    fn default() -> Self {
        Self { piece_bytes: PIECE_BYTES, in_flight: IN_FLIGHT, copy_threads: copy_threads(1), kept_bytes: KEPT_BYTES }
    }
}

/// A piece this large still gives work to four copying threads, and is half of what was best for
/// pieces of jobs, in both directions together (crates/distributed).
const PIECE_BYTES: u64 = 32 << 20;

/// One that the host copies, one that the device copies, and one to spare.
const IN_FLIGHT: usize = 3;

/// Bytes of a staging buffer at least.
pub(super) const LEAST_STAGING: u64 = 256;

/// Both arrays of 2²⁵ complex numbers, and the staging buffers of both directions.
const KEPT_BYTES: u64 = 768 << 20;

impl Transfers {
    /// Bytes of a staging buffer: 32 MiB if this is not called. Rounded up to a power of two, from
    /// 256 bytes on.
    pub fn piece_bytes(self, bytes: u64) -> Self {
        Self { piece_bytes: bytes.clamp(LEAST_STAGING, 1 << 40).next_power_of_two(), ..self }
    }

    /// Pieces of an array under way at once: 3 if this is not called, at least 1.
    pub fn in_flight(self, pieces: usize) -> Self {
        Self { in_flight: pieces.max(1), ..self }
    }

    /// Threads that copy a piece: up to 4, and not more than half of the processors, if this is not
    /// called.
    pub fn copy_threads(self, threads: usize) -> Self {
        Self { copy_threads: threads.max(1), ..self }
    }

    /// Bytes of idle buffers that are kept for the next transfers: 768 MiB if this is not called.
    /// What was used last is kept, staging buffers rather than arrays; 0 keeps nothing.
    pub fn kept_bytes(self, bytes: u64) -> Self {
        Self { kept_bytes: bytes, ..self }
    }
}
