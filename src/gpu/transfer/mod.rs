//! Data between the host and the device: the one path of [`Gpu::write`](crate::Gpu::write),
//! [`Gpu::download`](crate::Gpu::download), [`Plan::run`](crate::Plan::run) and of jobs on several
//! devices.
//!
//! ```text
//! host slice ── copy.rs ──▶ staging buffer ── a copy on the device ──▶ array
//!               threads     pool.rs keeps     commands.rs submits
//! ```
//!
//! An array goes in pieces: while the device copies one, the host fills or empties the next.
//! Allocating and first touching a staging buffer takes longer than the copy itself, so the
//! [`Pool`] keeps those that are idle, and the arrays of runs with them. Where arrays can be mapped
//! themselves (software and integrated adapters), there is no staging buffer: the host copies
//! straight into the array and out of it.

mod answer;
mod commands;
mod copy;
mod download;
mod pool;
mod staging;

pub use commands::Commands;
pub use copy::{copy_threads, scatter};
pub use download::Download;
pub(super) use pool::Pool;
pub use staging::Staging;

use super::buffer::{UNIT, in_units};
use super::late::collected;
use super::{Gpu, Pending, Progress};
use crate::error::Result;

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
    pub(super) piece_bytes: u64,
    pub(super) in_flight: usize,
    pub(super) copy_threads: usize,
    pub(super) kept_bytes: u64,
}

impl Default for Transfers {
    fn default() -> Self {
        Self { piece_bytes: PIECE_BYTES, in_flight: IN_FLIGHT, copy_threads: copy::copy_threads(1), kept_bytes: KEPT_BYTES }
    }
}

/// A piece this large still gives work to four copying threads, and is half of what was best for
/// pieces of jobs, in both directions together (crates/distributed).
const PIECE_BYTES: u64 = 32 << 20;

/// One that the host copies, one that the device copies, and one to spare.
const IN_FLIGHT: usize = 3;

/// Bytes that [`Gpu::write`](crate::Gpu::write) copies itself at least. Fewer go by
/// `wgpu::Queue::write_buffer`, with the caller's next submission in place of one of their own,
/// which takes 0.1 to 0.2 ms on an H200.
const LEAST_STAGED: usize = 1 << 20;

/// Bytes of a staging buffer at least.
const LEAST_STAGING: u64 = 256;

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

    /// Threads that copy.
    pub(crate) fn threads(self) -> usize {
        self.copy_threads
    }

    /// Bytes of idle buffers that are kept for the next transfers: 768 MiB if this is not called.
    /// What was used last is kept, staging buffers rather than arrays; 0 keeps nothing.
    pub fn kept_bytes(self, bytes: u64) -> Self {
        Self { kept_bytes: bytes, ..self }
    }
}

/// What a plan does with an array of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It reads it.
    Input,
    /// It writes it.
    Output,
    /// It overwrites it.
    InPlace,
}

/// Whether arrays may be mapped. Discrete GPUs have the feature too, but their kernels would read
/// such arrays over the bus.
pub(super) fn maps_arrays(device: &wgpu::Device) -> bool {
    use wgpu::DeviceType::{Cpu, IntegratedGpu};
    cfg!(not(target_arch = "wasm32"))
        && device.features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS)
        && matches!(device.adapter_info().device_type, Cpu | IntegratedGpu)
}

impl Staging {
    /// An array for a run, mapped for writing where the host may write to it. Its contents are
    /// those of an earlier run.
    ///
    /// # Errors
    /// If the device has no memory for it, or is lost.
    pub fn array(gpu: &Gpu, role: Role, bytes: u64) -> Result<Self> {
        use wgpu::BufferUsages;
        let mut usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        if gpu.maps_arrays {
            // Memory for both is memory for writing on an integrated GPU, which a processor reads
            // slowly; so there the result of a plan in place goes through staging buffers.
            let cpu = gpu.profile.is_cpu();
            usage |= match role {
                Role::Input => BufferUsages::MAP_WRITE,
                Role::Output => BufferUsages::MAP_READ,
                Role::InPlace if cpu => BufferUsages::MAP_WRITE | BufferUsages::MAP_READ,
                Role::InPlace => BufferUsages::MAP_WRITE,
            };
        }
        gpu.pool.take(gpu, "array", bytes, usage)
    }

    /// Keeps it for its next use, unless it is of no more use.
    pub fn keep(mut self, gpu: &Gpu) {
        if self.map_for_writing(gpu, None).is_ok() {
            gpu.pool.put(self, gpu.transfers.kept_bytes);
        }
    }
}

impl Gpu {
    /// A buffer to copy from or to, mapped for writing if that is what it is for. Their sizes are
    /// powers of two, so that arrays of different sizes share them.
    fn take_staging(&self, mode: wgpu::MapMode, bytes: u64) -> Result<Staging> {
        use wgpu::BufferUsages;
        let (what, usage) = match mode {
            wgpu::MapMode::Write => ("upload", BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC),
            wgpu::MapMode::Read => ("download", BufferUsages::MAP_READ | BufferUsages::COPY_DST),
        };
        let size = bytes.next_power_of_two().clamp(LEAST_STAGING, self.profile.buffer_bytes.max(bytes));
        self.pool.take(self, what, size, usage)
    }

    /// Bytes of a piece at most.
    fn piece_bytes(&self) -> u64 {
        self.transfers.piece_bytes.min(1 << self.profile.buffer_bytes.max(LEAST_STAGING).ilog2())
    }

    /// Submits what `record` records, which fills a staging buffer of `bytes`, and converts those
    /// bytes when they arrive.
    pub(crate) fn read_back<R: 'static>(
        &self,
        bytes: u64,
        record: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
        convert: impl FnOnce(&[u8]) -> R + Send + 'static,
    ) -> Result<Pending<R>> {
        self.flush()?;
        let mut staging = self.take_staging(wgpu::MapMode::Read, bytes)?;
        let mut commands = Commands::new(self)?;
        record(&mut commands.encoder, staging.buffer());
        let submission = commands.submit()?;
        staging.map(self, wgpu::MapMode::Read, bytes, Some(&submission))?;
        let (gpu, progress) = (self.clone(), Progress::new(self, "the results of a measurement", bytes));
        let own_progress = progress.clone();
        let result = async move {
            staging.arrive(&own_progress).await?;
            let value = staging.read(&gpu, bytes, convert)?;
            own_progress.add_copied(bytes);
            staging.keep(&gpu);
            Ok(value)
        };
        Ok(Pending::new(&progress, result))
    }

    /// A new array that the host fills before the device has it.
    pub(super) fn mapped_upload(&self, label: &str, data: &[u8]) -> Result<wgpu::Buffer> {
        use wgpu::BufferUsages;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST | BufferUsages::MAP_WRITE;
        self.check_queue()?;
        let mut array = Staging::new(self.create_labelled(label, "array", in_units(data.len() as u64), usage)?);
        array.fill(self, vec![data], self.transfers.copy_threads)?;
        Ok(array.buffer().clone())
    }

    /// Copies bytes into a buffer, before what is submitted afterwards. The last 4 bytes are filled
    /// up with zeros.
    pub(super) fn write_bytes(&self, target: &wgpu::Buffer, offset: u64, data: &[u8]) -> Result<()> {
        if data.len() < LEAST_STAGED || cfg!(target_arch = "wasm32") {
            return self.caught("write", data.len() as u64, || self.write_by_queue(target, offset, data));
        }
        let mut commands = Commands::new(self)?;
        commands.upload(target, offset, vec![data], self.transfers.copy_threads)?;
        commands.submit().map(drop)
    }

    /// The same by wgpu's own staging buffers, with the next submission.
    fn write_by_queue(&self, target: &wgpu::Buffer, offset: u64, data: &[u8]) {
        let (units, rest) = data.as_chunks::<{ UNIT as usize }>();
        self.queue.write_buffer(target, offset, units.as_flattened());
        if !rest.is_empty() {
            let mut last = [0; UNIT as usize];
            last[..rest.len()].copy_from_slice(rest);
            self.queue.write_buffer(target, offset + units.as_flattened().len() as u64, &last);
        }
    }

    /// Copies a part of a buffer to the host, in its state after everything submitted so far.
    pub(super) fn begin_download(&self, source: &wgpu::Buffer, offset: u64, bytes: u64) -> Result<Download> {
        let (download, late) = collected(|| self.begun_download(source, offset, bytes));
        Ok(download?.with_late(late))
    }

    fn begun_download(&self, source: &wgpu::Buffer, offset: u64, bytes: u64) -> Result<Download> {
        self.flush()?;
        let mut download = Download::of_buffer(self, source, offset, bytes);
        let mut commands = Commands::new(self)?;
        download.record(&mut commands)?;
        let submission = commands.submit()?;
        download.begin(&submission)?;
        Ok(download)
    }
}
