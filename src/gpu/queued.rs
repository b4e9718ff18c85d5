//! Work that is recorded now and submitted later, many runs at a time.
//!
//! A submission costs tens of microseconds, most of them in `CommandEncoder::finish`, whatever is in it;
//! a run of a small plan costs a few.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;
#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use super::buffer::UNIT;
use super::{Gpu, IntoView, scope};
use crate::element::Element;
use crate::error::{Error, Result};

/// What is submitted together at most: so many runs, which move so many bytes, of which the first
/// waited so long when the last one came. A device that moves the bytes, or works for that time, is busy
/// while the host records what comes next.
const MAX_RUNS: u32 = 64;
const MAX_BYTES: u64 = 256 << 20;
const MAX_AGE: Duration = Duration::from_micros(500);

/// What is recorded and not yet submitted.
#[derive(Debug)]
pub(super) struct Queued {
    device: wgpu::Device,
    queue: wgpu::Queue,
    open: Mutex<Option<Open>>,
}

#[derive(Debug)]
struct Open {
    encoder: wgpu::CommandEncoder,
    /// The pass in which runs are recorded one after the other.
    pass: Option<wgpu::ComputePass<'static>>,
    runs: u32,
    bytes: u64,
    begun: Instant,
}

impl Queued {
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        Self { device: device.clone(), queue: queue.clone(), open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn new(device: &wgpu::Device) -> Self {
        let encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-fft queue") });
        Self { encoder, pass: None, runs: 0, bytes: 0, begun: Instant::now() }
    }

    fn pass(&mut self) -> &mut wgpu::ComputePass<'static> {
        let Self { encoder, pass, .. } = self;
        pass.get_or_insert_with(|| {
            let descriptor = wgpu::ComputePassDescriptor { label: Some("wgpu-fft queue"), timestamp_writes: None };
            encoder.begin_compute_pass(&descriptor).forget_lifetime()
        })
    }

    fn submit(self, queue: &wgpu::Queue) -> wgpu::SubmissionIndex {
        let Self { encoder, pass, .. } = self;
        drop(pass);
        queue.submit([encoder.finish()])
    }

    fn is_long(&self) -> bool {
        self.runs >= MAX_RUNS || self.bytes >= MAX_BYTES || self.begun.elapsed() >= MAX_AGE
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        // Arrays outlive the device's handle, and may yet be read by the caller's own commands.
        if let Some(open) = self.open.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            let submitted = scope::caught(&self.device, "submission of what was queued", 0, || open.submit(&self.queue));
            if let Err(why) = submitted {
                log::error!("what was queued when the handle of the device was dropped has not run: {why}");
            }
        }
    }
}

impl Gpu {
    /// Records a copy of one array to another, and submits it with what else is queued, see
    /// [`Bound::enqueue`](crate::Bound::enqueue).
    ///
    /// # Errors
    /// [`Error::WrongLen`] if the target has another length; [`Error::MissingUsage`] if the source lacks
    /// `COPY_SRC` or the target `COPY_DST`; [`Error::Misaligned`] if one of them does not end at a
    /// multiple of 4 bytes; [`Error::Aliased`] if both are of one buffer; [`Error::ForeignObject`];
    /// [`Error::DeviceLost`].
    pub fn enqueue_copy<'a, T: Element>(&self, source: impl IntoView<'a, T>, target: impl IntoView<'a, T>) -> Result<()> {
        let (source, target) = (source.into_view(), target.into_view());
        if source.len() != target.len() {
            return Err(Error::WrongLen { argument: "target", expected: source.len(), actual: target.len() });
        }
        self.require("source", source.buffer(), wgpu::BufferUsages::COPY_SRC)?;
        self.require("target", target.buffer(), wgpu::BufferUsages::COPY_DST)?;
        for (argument, view) in [("source", &source), ("target", &target)] {
            let end = view.offset_bytes() + view.len_bytes();
            if !end.is_multiple_of(UNIT) {
                return Err(Error::Misaligned { argument, offset_bytes: end, alignment: UNIT });
            }
            self.check_buffer(argument, view.buffer())?;
        }
        if source.buffer() == target.buffer() {
            return Err(Error::Aliased { first: "source", second: "target" });
        }
        let bytes = source.len_bytes();
        self.queued_with(2 * bytes, |open| {
            open.pass = None;
            open.encoder.copy_buffer_to_buffer(source.buffer(), source.offset_bytes(), target.buffer(), target.offset_bytes(), bytes);
        })
    }

    /// Records a run that moves so many bytes in a compute pass, which it shares with those before it.
    pub(crate) fn enqueue(&self, bytes: u64, record: impl FnOnce(&mut wgpu::ComputePass<'static>)) -> Result<()> {
        self.queued_with(bytes, |open| record(open.pass()))
    }

    fn queued_with(&self, bytes: u64, record: impl FnOnce(&mut Open)) -> Result<()> {
        self.check_queue()?;
        let mut open = self.queued.open();
        let own = match &mut *open {
            Some(own) => {
                self.check_alive("recording")?;
                own
            }
            none => none.insert(self.caught("recording", 0, || Open::new(&self.device))?),
        };
        // wgpu keeps what is wrong until the encoder is finished.
        record(own);
        own.runs += 1;
        own.bytes = own.bytes.saturating_add(bytes);
        if own.is_long() { self.submit_queued(open) } else { Ok(()) }
    }

    /// Submits what is queued, if anything is.
    ///
    /// Before commands of your own, which this crate does not submit, touch arrays that queued runs
    /// touch, this must be called; and where the device should begin now, though nobody reads yet.
    ///
    /// # Errors
    /// [`Error::Wgpu`] if wgpu rejects the commands, of which none has run then;
    /// [`Error::DeviceLost`].
    pub fn flush(&self) -> Result<()> {
        self.submit_queued(self.queued.open())
    }

    /// Other threads queue nothing meanwhile, so that the order stays.
    fn submit_queued(&self, mut open: MutexGuard<'_, Option<Open>>) -> Result<()> {
        let Some(own) = open.take() else { return Ok(()) };
        let submission = self.caught("submission of what was queued", 0, || own.submit(&self.queue))?;
        self.submissions.add(&submission);
        Ok(())
    }
}
