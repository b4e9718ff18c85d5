//! Buffers that the host maps: taken from those that are kept, waited for, filled, read and kept.

use std::future::poll_fn;

use super::answer::Answer;
use super::copy;
use super::settings::LEAST_STAGING;
use super::staging::{Staging, State};
use crate::error::{Error, Result};
use crate::gpu::device::Gpu;
use crate::gpu::fault::REFUSED;
use crate::gpu::progress::Progress;

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
        gpu.take_kept("array", bytes, usage)
    }

    /// Keeps it for its next use, unless it is of no more use.
    pub fn keep(mut self, gpu: &Gpu) {
        if self.map_for_writing(gpu, None).is_ok() {
            gpu.pool.put(self, gpu.transfers.kept_bytes);
        }
    }

    /// Asks for its first bytes to be mapped when the device has done with it.
    pub(crate) fn map(&mut self, gpu: &Gpu, mode: wgpu::MapMode, bytes: u64, submission: Option<&wgpu::SubmissionIndex>) -> Result<()> {
        // Of a device that was destroyed a moment ago the buffer is not valid any more.
        let answer = gpu.caught("mapping of a staging buffer", bytes, || Answer::of(gpu.steps.clone(), self.buffer(), mode, bytes))?;
        self.state = State::Asked(answer);
        self.submission = submission.cloned();
        Ok(())
    }

    /// Asks for it to be mapped for writing, if it can be and is not. `submission` is the last that
    /// uses it, if it is known.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn map_for_writing(&mut self, gpu: &Gpu, submission: Option<&wgpu::SubmissionIndex>) -> Result<()> {
        if self.can(wgpu::MapMode::Write) && matches!(self.state, State::Unmapped) {
            self.map(gpu, wgpu::MapMode::Write, self.buffer().size(), submission)?;
        }
        Ok(())
    }

    /// Waits for the mapping that was asked for.
    pub(crate) async fn arrive(&mut self, progress: &Progress) -> Result<()> {
        let State::Asked(answer) = &mut self.state else { return Ok(()) };
        let mut begun = false;
        let arrived = poll_fn(|context| {
            let state = answer.poll(context);
            if state.is_pending() && !std::mem::replace(&mut begun, true) {
                progress.wait_for(self.submission.clone());
            }
            state
        });
        arrived.await.map_err(lost)?;
        self.state = State::Mapped;
        Ok(())
    }

    /// Blocks until the mapping that was asked for is there.
    pub(crate) fn wait(&mut self, gpu: &Gpu) -> Result<()> {
        let progress = Progress::new(gpu, "a staging buffer", self.buffer().size());
        progress.block_on(self.arrive(&progress))
    }

    /// Copies slices to its begin with some threads, zeros to the end of the last 4 bytes, and
    /// unmaps it.
    pub(crate) fn fill(&mut self, gpu: &Gpu, slices: Vec<&[u8]>, threads: usize) -> Result<()> {
        gpu.steps.pass("access to mapped memory", 0).map_err(|_| lost(REFUSED.to_owned()))?;
        copy::fill(self.buffer(), slices, threads).map_err(|error| lost(error.to_string()))?;
        self.unmap();
        Ok(())
    }

    /// Hands its first bytes, which are mapped, to `read`, and unmaps it.
    pub(crate) fn read<R>(&mut self, gpu: &Gpu, bytes: u64, read: impl FnOnce(&[u8]) -> R) -> Result<R> {
        gpu.steps.pass("access to mapped memory", 0).map_err(|_| lost(REFUSED.to_owned()))?;
        let value = read(&self.buffer().get_mapped_range(..bytes).map_err(|error| lost(error.to_string()))?);
        self.unmap();
        Ok(value)
    }

    /// Leaves it to the device, whether it is mapped or not.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn release(&mut self, gpu: &Gpu) -> Result<()> {
        self.wait(gpu)?;
        if matches!(self.state, State::Mapped) {
            self.unmap();
        }
        Ok(())
    }
}

impl Gpu {
    /// A buffer of at least `bytes`; one for writing is mapped. It never waits for the device:
    /// where all are in use, it is a new one.
    fn take_kept(&self, what: &'static str, bytes: u64, usage: wgpu::BufferUsages) -> Result<Staging> {
        self.check_alive("a transfer")?;
        while let Some(kept) = self.pool.find(&self.device, bytes, usage) {
            let mut kept = kept.reuse();
            // The answer is there. If it is that there is no mapping, another buffer may do, and a
            // lost device makes none.
            if !kept.can(wgpu::MapMode::Write) || kept.wait(self).is_ok() {
                return Ok(kept);
            }
        }
        let make = || self.create_buffer(what, bytes, usage);
        let buffer = match make() {
            // What lies idle may be in the way.
            Err(Error::OutOfMemory { .. }) if self.pool.clear() => make()?,
            made => made?,
        };
        Ok(Staging::new(buffer))
    }

    /// A buffer to copy from or to, mapped for writing if that is what it is for. Their sizes are
    /// powers of two, so that arrays of different sizes share them.
    pub(super) fn take_staging(&self, mode: wgpu::MapMode, bytes: u64) -> Result<Staging> {
        use wgpu::BufferUsages;
        let (what, usage) = match mode {
            wgpu::MapMode::Write => ("upload", BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC),
            wgpu::MapMode::Read => ("download", BufferUsages::MAP_READ | BufferUsages::COPY_DST),
        };
        let size = bytes.next_power_of_two().clamp(LEAST_STAGING, self.profile.buffer_bytes.max(bytes));
        self.take_kept(what, size, usage)
    }

    /// Bytes of a piece at most.
    pub(super) fn piece_bytes(&self) -> u64 {
        self.transfers.piece_bytes.min(1 << self.profile.buffer_bytes.max(LEAST_STAGING).ilog2())
    }
}

/// What was mapped is not any more, or cannot be: the device is gone.
fn lost(message: String) -> Error {
    Error::DeviceLost { during: "mapping of a staging buffer", message }
}
