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
mod mapping;
mod pool;
mod settings;
mod staging;

pub use commands::Commands;
pub use copy::{copy_threads, scatter};
pub use download::Download;
pub use mapping::Role;
pub(super) use pool::Pool;
pub use settings::Transfers;
pub use staging::Staging;

use super::buffer::in_units;
use super::device::Gpu;
use super::late::collected;
use super::pending::Pending;
use super::progress::Progress;
use crate::error::Result;

/// Bytes that [`Gpu::write`](crate::Gpu::write) copies itself at least. Fewer go by
/// `wgpu::Queue::write_buffer`, with the caller's next submission in place of one of their own,
/// which takes 0.1 to 0.2 ms on an H200.
const LEAST_STAGED: usize = 1 << 20;

impl Gpu {
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
