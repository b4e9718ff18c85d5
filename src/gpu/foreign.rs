//! Detects objects that belong to another device or to another instance of wgpu.
//!
//! wgpu's handles are numbers within an instance, and wgpu does not compare instances. A handle
//! from another instance refers to whatever has its number here, or to nothing, and then wgpu
//! panics. This module compares what wgpu makes visible, at the first use of an object:
//!
//! - A buffer's handle carries the size and the usages that the buffer was made with. This module
//!   asks wgpu whether its own buffer of that number ends at the same 4 bytes and has these usages.
//!   Two buffers that agree in both cannot be distinguished.
//! - A queue runs a callback when its work is done, and polling a device runs only the callbacks of
//!   its own queue. If a queue's callback has not run although the device is idle, the queue
//!   belongs to another device.
//! - An encoder carries nothing to compare, and wgpu checks its commands only when it is finished.
//!   For encoders this module only turns wgpu's panic into an error.
//! - A view of a texture carries nothing to compare either. Here too, a panic becomes an error. A view
//!   that goes for another one may be of any size, so kernels with textures keep wgpu's checks.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::buffer::UNIT;
use super::device::Gpu;
use crate::error::{Error, Result};

const PROBE: wgpu::Label<'static> = Some("wgpu-fft probe");

/// The largest alignment of a binding that a device may ask for.
const LARGEST_ALIGNMENT: u64 = 256;

/// How long others are waited for that may be making a queue's calls just now, and work that is
/// under way on the device.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs `work`, in which wgpu may panic because the resource id is unknown or of another
/// generation, and returns its message then. Other panics go on.
pub(crate) fn without_panic<T>(work: impl FnOnce() -> T) -> std::result::Result<T, String> {
    without_panics_of("Cannot get ", work)
}

/// Runs `work` on an object that may be another device's, which is told of errors then: without a
/// handler of the caller's it panics. Errors of this device are in a scope and do not.
pub(crate) fn without_panic_of_others<T>(work: impl FnOnce() -> T) -> std::result::Result<T, String> {
    without_panics_of("wgpu error: ", || without_panic(work)).flatten()
}

/// Runs `work` and returns the message of a panic with this in it.
fn without_panics_of<T>(part: &str, work: impl FnOnce() -> T) -> std::result::Result<T, String> {
    // wgpu gives back its locks on the way, and nothing of ours is left half done: a bind group or
    // a command buffer is thrown away.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        match text {
            Some(text) if text.contains(part) => text,
            _ => resume_unwind(panic),
        }
    })
}

pub(crate) fn foreign(argument: &'static str, why: impl Into<String>) -> Error {
    Error::ForeignObject { argument, why: why.into() }
}

impl Gpu {
    /// Fails if a buffer is of another device or instance, as far as that can be seen; asks wgpu at
    /// the first use of a buffer alone. The browser tells instances apart itself.
    pub(crate) fn check_buffer(&self, argument: &'static str, buffer: &wgpu::Buffer) -> Result<()> {
        if cfg!(target_arch = "wasm32") {
            return Ok(());
        }
        if self.known.contains(buffer) {
            return Ok(());
        }
        let refused = |why: Error| match why {
            // A lost device has nothing to compare with.
            Error::Wgpu { source, .. } => foreign(argument, format!("wgpu says of the buffer: {source}")),
            other => other,
        };
        let inside = |more| self.asked(argument, buffer, more);
        inside(0)?.unwrap_or(Ok(())).map_err(refused)?;
        match inside(UNIT)? {
            None | Some(Err(Error::Wgpu { .. })) => {}
            Some(Err(other)) => return Err(other),
            // A lost device finds nothing wrong.
            Some(Ok(())) if !self.makes_buffers() => {
                return Err(Error::DeviceLost { during: "looking for a buffer", message: "it makes no buffers any more".to_owned() });
            }
            Some(Ok(())) => {
                let why = format!("its handle has {} bytes, but the buffer with its number on this device has more", buffer.size());
                return Err(foreign(argument, why));
            }
        }
        self.known.add(buffer);
        Ok(())
    }

    /// Asks wgpu whether the last bytes of a buffer, and `more` behind them, are in what it has of
    /// the buffer's number, and whether that has the same usages: by a bind group and by commands
    /// that are thrown away. Nothing if there is no way to ask.
    fn asked(&self, argument: &'static str, buffer: &wgpu::Buffer, more: u64) -> Result<Option<Result<()>>> {
        let alignment = u64::from(self.profile.storage_alignment).clamp(UNIT, LARGEST_ALIGNMENT);
        // Whole units, as far as there are any.
        let end = buffer.size() / UNIT * UNIT;
        let offset = end.saturating_sub(UNIT) / alignment * alignment;
        let size = end - offset + more;
        if end == 0 {
            return Ok(None);
        }
        let usage = buffer.usage();
        // Where there are no compute shaders, there are no storage bindings to ask by.
        let binds = usage.contains(wgpu::BufferUsages::STORAGE) && self.profile.invocations > 0 && self.profile.storage_buffers > 0;
        if !binds && !usage.intersects(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC) {
            return Ok(None);
        }
        let ask = || {
            if binds {
                let layout = self.known.layout.get_or_init(|| self.probe_layout());
                let binding = wgpu::BufferBinding { buffer, offset, size: wgpu::BufferSize::new(size) };
                let entries = [wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(binding) }];
                drop(self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: PROBE, layout, entries: &entries }));
            }
            // One way is enough to ask where the buffer ends.
            if !binds || more == 0 {
                let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: PROBE });
                if usage.contains(wgpu::BufferUsages::COPY_DST) {
                    encoder.clear_buffer(buffer, offset, Some(size));
                }
                if usage.contains(wgpu::BufferUsages::COPY_SRC) {
                    encoder.copy_buffer_to_buffer(buffer, offset, self.known.target.get_or_init(|| self.probe_target()), 0, size);
                }
                drop(encoder.finish());
            }
        };
        let asked = without_panic(|| self.caught("looking for a buffer", 0, ask));
        asked.map(Some).map_err(|message| foreign(argument, format!("wgpu says: {message}")))
    }

    fn probe_target(&self) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::COPY_DST;
        self.device.create_buffer(&wgpu::BufferDescriptor { label: PROBE, size: 2 * LARGEST_ALIGNMENT, usage, mapped_at_creation: false })
    }

    fn probe_layout(&self) -> wgpu::BindGroupLayout {
        let ty = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let entries = [wgpu::BindGroupLayoutEntry { binding: 0, visibility: wgpu::ShaderStages::COMPUTE, ty, count: None }];
        self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: PROBE, entries: &entries })
    }

    /// Fails if the queue is another device's. It is asked once.
    pub(crate) fn check_queue(&self) -> Result<()> {
        if cfg!(target_arch = "wasm32") || self.known.queue.load(Ordering::Relaxed) {
            return Ok(());
        }
        let called = Arc::new(AtomicBool::new(false));
        let call = Arc::clone(&called);
        self.queue.on_submitted_work_done(move || call.store(true, Ordering::Release));
        let is_idle = |poll| matches!(self.device.poll(poll), Ok(status) if status.is_queue_empty());
        let mut idle = is_idle(wgpu::PollType::Poll);
        if !idle && !called.load(Ordering::Acquire) {
            idle = self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(PATIENCE) }).is_ok();
        }
        let begin = Instant::now();
        while idle && !called.load(Ordering::Acquire) && begin.elapsed() < PATIENCE {
            // Another thread that polls may have the call in hand.
            std::thread::sleep(Duration::from_millis(1));
            is_idle(wgpu::PollType::Poll);
        }
        if called.load(Ordering::Acquire) {
            self.known.queue.store(true, Ordering::Relaxed);
            return Ok(());
        }
        // A device that is busy for so long, or lost, tells nothing: it is asked again.
        if !idle || !self.makes_buffers() {
            return Ok(());
        }
        Err(foreign("queue", "it does not answer when the device is polled, so it belongs to another device"))
    }
}
