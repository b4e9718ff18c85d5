//! A buffer that the host maps.

use std::future::poll_fn;

use super::answer::Answer;
use super::copy;
use crate::error::{Error, Result};
use crate::gpu::fault::REFUSED;
use crate::gpu::{Gpu, Progress};

#[derive(Debug)]
enum State {
    /// The device may use it.
    Unmapped,
    Asked(Answer),
    Mapped,
}

/// A buffer that is kept for its next use, and whether it is mapped: a staging buffer, or an array
/// of a run, which not every device can map.
#[derive(Debug)]
pub struct Staging {
    buffer: wgpu::Buffer,
    state: State,
    /// The last that uses it.
    submission: Option<wgpu::SubmissionIndex>,
    new: bool,
}

impl Staging {
    /// A new buffer, mapped if it can be written to.
    pub(super) fn new(buffer: wgpu::Buffer) -> Self {
        let state = if buffer.usage().contains(wgpu::BufferUsages::MAP_WRITE) { State::Mapped } else { State::Unmapped };
        Self { buffer, state, submission: None, new: true }
    }

    /// The buffer itself.
    #[must_use]
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Whether it was just made, and holds zeros.
    pub(crate) fn is_new(&self) -> bool {
        self.new
    }

    pub(super) fn reuse(mut self) -> Self {
        self.new = false;
        self
    }

    /// Whether it can be mapped in this way.
    pub(crate) fn can(&self, mode: wgpu::MapMode) -> bool {
        self.buffer.usage().contains(match mode {
            wgpu::MapMode::Read => wgpu::BufferUsages::MAP_READ,
            wgpu::MapMode::Write => wgpu::BufferUsages::MAP_WRITE,
        })
    }

    /// Whether it is no array, which kernels use.
    pub(super) fn is_staging(&self) -> bool {
        !self.buffer.usage().contains(wgpu::BufferUsages::STORAGE)
    }

    /// Asks for its first bytes to be mapped when the device has done with it.
    pub(crate) fn map(&mut self, gpu: &Gpu, mode: wgpu::MapMode, bytes: u64, submission: Option<&wgpu::SubmissionIndex>) -> Result<()> {
        // Of a device that was destroyed a moment ago the buffer is not valid any more.
        let answer = gpu.caught("mapping of a staging buffer", bytes, || Answer::of(gpu, &self.buffer, mode, bytes))?;
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
            self.map(gpu, wgpu::MapMode::Write, self.buffer.size(), submission)?;
        }
        Ok(())
    }

    /// Whether no mapping is waited for, also if it failed.
    pub(super) fn is_settled(&mut self) -> bool {
        if let State::Asked(answer) = &mut self.state { answer.is_given() } else { true }
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
        let progress = Progress::new(gpu, "a staging buffer", self.buffer.size());
        progress.block_on(self.arrive(&progress))
    }

    /// Copies slices to its begin with some threads, zeros to the end of the last 4 bytes, and
    /// unmaps it.
    pub(crate) fn fill(&mut self, gpu: &Gpu, slices: Vec<&[u8]>, threads: usize) -> Result<()> {
        gpu.step("access to mapped memory", 0).map_err(|_| lost(REFUSED.to_owned()))?;
        copy::fill(&self.buffer, slices, threads).map_err(|error| lost(error.to_string()))?;
        self.unmap();
        Ok(())
    }

    /// Hands its first bytes, which are mapped, to `read`, and unmaps it.
    pub(crate) fn read<R>(&mut self, gpu: &Gpu, bytes: u64, read: impl FnOnce(&[u8]) -> R) -> Result<R> {
        gpu.step("access to mapped memory", 0).map_err(|_| lost(REFUSED.to_owned()))?;
        let value = read(&self.buffer.get_mapped_range(..bytes).map_err(|error| lost(error.to_string()))?);
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

    fn unmap(&mut self) {
        self.buffer.unmap();
        self.state = State::Unmapped;
    }
}

/// What was mapped is not any more, or cannot be: the device is gone.
fn lost(message: String) -> Error {
    Error::DeviceLost { during: "mapping of a staging buffer", message }
}
