//! Commands with the staging buffers that they read.

use std::collections::VecDeque;

use super::copy;
use super::staging::Staging;
use crate::error::Result;
use crate::gpu::buffer::{UNIT, in_units};
use crate::gpu::device::Gpu;

/// Commands that are being recorded. Uploads that take several pieces submit all but the last on
/// the way.
pub struct Commands<'g> {
    gpu: &'g Gpu,
    /// Records what else is to be done.
    pub encoder: wgpu::CommandEncoder,
    /// What they read.
    staging: Vec<Staging>,
}

impl std::fmt::Debug for Commands<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Commands").field("staging", &self.staging).finish_non_exhaustive()
    }
}

impl<'g> Commands<'g> {
    /// Begins to record.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn new(gpu: &'g Gpu) -> Result<Self> {
        gpu.check_queue()?;
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("wgpu-fft") };
        let encoder = gpu.caught("transfer", 0, || gpu.device().create_command_encoder(&descriptor))?;
        Ok(Self { gpu, encoder, staging: Vec::new() })
    }

    /// Makes the first bytes of an array zero.
    pub(crate) fn clear(&mut self, array: &Staging, bytes: u64) {
        self.encoder.clear_buffer(array.buffer(), 0, Some(bytes));
    }

    /// Copies slices, one after the other, into a buffer, before what is recorded afterwards. The
    /// last 4 bytes are filled up with zeros.
    pub(crate) fn upload(&mut self, target: &wgpu::Buffer, offset: u64, slices: Vec<&[u8]>, threads: usize) -> Result<()> {
        let gpu = self.gpu;
        if cfg!(target_arch = "wasm32") {
            // Nothing may wait for a staging buffer there.
            let data = slices.concat();
            return gpu.caught("write", data.len() as u64, || gpu.write_by_queue(target, offset, &data));
        }
        let pieces = copy::in_parts(slices, gpu.piece_bytes() as usize);
        let last = pieces.len() - 1;
        let mut under_way: VecDeque<Staging> = VecDeque::new();
        let mut begin = offset;
        for (i, slices) in pieces.into_iter().enumerate() {
            let bytes = in_units(slices.iter().map(|slice| slice.len() as u64).sum());
            let oldest = if under_way.len() < gpu.transfers.in_flight { None } else { under_way.pop_front() };
            let mut staging = match oldest {
                Some(mut oldest) => {
                    oldest.wait(gpu)?;
                    oldest
                }
                None => gpu.take_staging(wgpu::MapMode::Write, bytes)?,
            };
            staging.fill(gpu, slices, threads)?;
            let copy = |commands: &mut Self, staging: Staging| {
                commands.encoder.copy_buffer_to_buffer(staging.buffer(), 0, target, begin, bytes);
                commands.staging.push(staging);
            };
            if i == last {
                copy(self, staging);
            } else {
                let mut own = Self::new(gpu)?;
                copy(&mut own, staging);
                under_way.extend(own.finish()?.1);
            }
            begin += bytes;
        }
        under_way.into_iter().for_each(|staging| staging.keep(gpu));
        Ok(())
    }

    /// Copies slices, one after the other, to the begin of an [array](Staging::array), before what
    /// is recorded afterwards. `threads` threads copy.
    ///
    /// # Errors
    /// If the device has no memory for staging buffers, or is lost.
    pub fn fill(&mut self, array: &mut Staging, slices: Vec<&[u8]>, threads: usize) -> Result<()> {
        if !array.can(wgpu::MapMode::Write) {
            return self.upload(array.buffer(), 0, slices, threads);
        }
        array.wait(self.gpu)?;
        array.fill(self.gpu, slices, threads)
    }

    /// Copies bytes of another buffer to the begin of an [array](Staging::array), which the host
    /// does not touch any more until it maps it.
    ///
    /// # Errors
    /// If the device is lost.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn copy_to(&mut self, array: &mut Staging, (source, offset): (&wgpu::Buffer, u64), bytes: u64) -> Result<()> {
        array.release(self.gpu)?;
        self.encoder.copy_buffer_to_buffer(source, offset, array.buffer(), 0, bytes);
        Ok(())
    }

    /// Submits the commands.
    ///
    /// # Errors
    /// If wgpu refuses them, or the device is lost.
    pub fn submit(self) -> Result<wgpu::SubmissionIndex> {
        let gpu = self.gpu;
        let (submission, staging) = self.finish()?;
        staging.into_iter().for_each(|staging| staging.keep(gpu));
        Ok(submission)
    }

    fn finish(self) -> Result<(wgpu::SubmissionIndex, Vec<Staging>)> {
        let Self { gpu, encoder, mut staging } = self;
        let submission = gpu.caught("submission", 0, || gpu.queue().submit([encoder.finish()]))?;
        gpu.submissions.add(&submission);
        for staging in &mut staging {
            staging.map_for_writing(gpu, Some(&submission))?;
        }
        Ok((submission, staging))
    }
}

impl Gpu {
    /// Copies bytes into a buffer by wgpu's own staging buffers, with the next submission.
    pub(super) fn write_by_queue(&self, target: &wgpu::Buffer, offset: u64, data: &[u8]) {
        let (units, rest) = data.as_chunks::<{ UNIT as usize }>();
        self.queue.write_buffer(target, offset, units.as_flattened());
        if !rest.is_empty() {
            let mut last = [0; UNIT as usize];
            last[..rest.len()].copy_from_slice(rest);
            self.queue.write_buffer(target, offset + units.as_flattened().len() as u64, &last);
        }
    }
}
