//! From the device to the host.

use std::collections::VecDeque;

use super::commands::Commands;
use super::copy;
use super::staging::Staging;
use crate::error::Result;
use crate::gpu::device::Gpu;
use crate::gpu::late::Late;
use crate::gpu::progress::Progress;

/// Bytes on their way from the device to the host: made, [recorded](Self::record) into the commands
/// that compute them, [begun](Self::begin) when those are submitted, and read.
///
/// An array of a run belongs to it, so each of its pieces is copied when a staging buffer is free.
/// A buffer of the caller's may change after the call, so all of its pieces are copied at once.
#[derive(Debug)]
pub struct Download {
    gpu: Gpu,
    /// What is read, and from which byte on.
    source: (wgpu::Buffer, u64),
    /// In units of 4.
    bytes: u64,
    /// Bytes for which a copy was submitted.
    begun: u64,
    /// Pieces that the device copies, the oldest first, and their bytes.
    under_way: VecDeque<(Staging, u64)>,
    /// The array that is read, if it is one of a run.
    array: Option<Staging>,
    progress: Progress,
    /// What the browser has to say about the calls that began it.
    late: Late,
}

impl Download {
    /// Of the first bytes of an array of a run.
    #[must_use]
    pub fn of_array(gpu: &Gpu, array: Staging, bytes: u64) -> Self {
        let own = Self::of_buffer(gpu, array.buffer(), 0, bytes);
        Self { array: Some(array), progress: Progress::new(gpu, "the result of a run", bytes), ..own }
    }

    /// Of a part of the caller's buffer.
    pub(crate) fn of_buffer(gpu: &Gpu, source: &wgpu::Buffer, offset: u64, bytes: u64) -> Self {
        let source = (source.clone(), offset);
        let (progress, late) = (Progress::new(gpu, "a download", bytes), Late::default());
        Self { gpu: gpu.clone(), source, bytes, begun: 0, under_way: VecDeque::new(), array: None, progress, late }
    }

    /// The same with errors that are to come, which are asked for before anything is read.
    pub(crate) fn with_late(self, late: Late) -> Self {
        Self { late, ..self }
    }

    /// The same, awaited together with another one.
    pub(crate) fn driven_by(self, other: &Self) -> Self {
        Self { progress: other.progress.clone(), ..self }
    }

    /// What it waits for.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whether the host reads the array itself.
    fn is_direct(&self) -> bool {
        self.array.as_ref().is_some_and(|array| array.can(wgpu::MapMode::Read))
    }

    /// Records the copy of the first piece behind what computes it.
    ///
    /// # Errors
    /// If the device has no memory for a staging buffer, or is lost.
    pub fn record(&mut self, commands: &mut Commands<'_>) -> Result<()> {
        if self.is_direct() { Ok(()) } else { self.record_piece(commands, None) }
    }

    fn record_piece(&mut self, commands: &mut Commands<'_>, free: Option<Staging>) -> Result<()> {
        let bytes = self.gpu.piece_bytes().min(self.bytes - self.begun);
        let staging = match free {
            Some(free) => free,
            None => self.gpu.take_staging(wgpu::MapMode::Read, bytes)?,
        };
        let (source, offset) = &self.source;
        commands.encoder.copy_buffer_to_buffer(source, offset + self.begun, staging.buffer(), 0, bytes);
        self.under_way.push_back((staging, bytes));
        self.begun += bytes;
        Ok(())
    }

    /// Goes on after the submission of what was recorded.
    ///
    /// # Errors
    /// Those of [`record`](Self::record).
    pub fn begin(&mut self, submission: &wgpu::SubmissionIndex) -> Result<()> {
        if self.is_direct() {
            self.begun = self.bytes;
            self.under_way.extend(self.array.take().map(|array| (array, self.bytes)));
        }
        for (staging, bytes) in &mut self.under_way {
            staging.map(&self.gpu, wgpu::MapMode::Read, *bytes, Some(submission))?;
        }
        let most = if self.array.is_some() { self.gpu.transfers.in_flight } else { usize::MAX };
        while self.begun < self.bytes && self.under_way.len() < most {
            self.begin_piece(None)?;
        }
        Ok(())
    }

    fn begin_piece(&mut self, free: Option<Staging>) -> Result<()> {
        let gpu = self.gpu.clone();
        let mut commands = Commands::new(&gpu)?;
        self.record_piece(&mut commands, free)?;
        let submission = commands.submit()?;
        let Some((staging, bytes)) = self.under_way.back_mut() else { return Ok(()) };
        staging.map(&gpu, wgpu::MapMode::Read, *bytes, Some(&submission))
    }

    /// Waits until the first piece has arrived.
    ///
    /// # Errors
    /// If the device is lost.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait_for_first(&mut self) -> Result<()> {
        self.under_way.front_mut().map_or(Ok(()), |(staging, _)| staging.wait(&self.gpu))
    }

    /// Writes all that arrives over slices, one after the other, with some threads. They have as
    /// many bytes as there are, but for the rest of the last unit.
    pub(crate) async fn read(&mut self, mut targets: Vec<&mut [u8]>, threads: usize) -> Result<()> {
        while let Some((mut staging, bytes)) = self.under_way.pop_front() {
            staging.arrive(&self.progress).await?;
            let mut own = copy::split_off(&mut targets, bytes as usize);
            let length = own.iter().map(|slice| slice.len()).sum::<usize>();
            staging.read(&self.gpu, bytes, |mapped| copy::scatter(&mapped[..length], &mut own, threads))?;
            self.progress.add_copied(bytes);
            if self.begun < self.bytes {
                self.begin_piece(Some(staging))?;
            } else if staging.is_staging() {
                staging.keep(&self.gpu);
            } else {
                self.array = Some(staging);
            }
        }
        Ok(())
    }

    /// Writes all that arrives over slices, one after the other, and blocks until all is there.
    /// They have as many bytes as there are, but for the rest of the last unit of 4. `threads`
    /// threads copy.
    ///
    /// # Errors
    /// If the device is lost.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn read_now(&mut self, targets: Vec<&mut [u8]>, threads: usize) -> Result<()> {
        let progress = self.progress.clone();
        progress.block_on(self.read(targets, threads))
    }

    /// The array that was read, for its next use.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn take_array(&mut self) -> Option<Staging> {
        self.array.take()
    }

    /// Keeps the array for the next run.
    pub(crate) fn finish(mut self) {
        if let Some(array) = self.array.take() {
            array.keep(&self.gpu);
        }
    }

    /// Reads all to the begin of one slice, and keeps the array for the next run.
    pub(crate) async fn read_all(mut self, target: &mut [u8]) -> Result<()> {
        let threads = self.gpu.transfers.copy_threads;
        if let Err(error) = std::mem::take(&mut self.late).outcome().await {
            // Buffers that were never made may be among those that are kept.
            self.gpu.free_kept();
            return Err(error);
        }
        self.read(vec![target], threads).await?;
        self.finish();
        Ok(())
    }
}
