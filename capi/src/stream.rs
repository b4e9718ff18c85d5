//! Signals that come in blocks.

use std::mem::offset_of;
use std::sync::{Mutex, PoisonError};

use fft::signal::{ConvolveStream as Convolving, StreamConvolve};
use fft::tune::Rigor;

use crate::arguments::{Versioned, bytes, given, missing, place, room, structure};
use crate::gpu::Gpu;
use crate::process;
use crate::status::{Failure, Outcome, Status, guarded};

/// A convolution of a signal that comes in blocks.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct StreamConvolution {
    /// sizeof(wgpu_fft_stream_convolution).
    pub size: usize,
    /// Samples of a block, for each channel.
    pub block: usize,
    /// Taps of a kernel.
    pub taps: usize,
    /// Channels. 0 counts as 1.
    pub channels: usize,
    /// Whether each channel has a kernel of its own, one behind the other.
    pub kernel_for_each: bool,
}

// SAFETY: it is of numbers and a bool, with its size first.
unsafe impl Versioned for StreamConvolution {
    const NAME: &'static str = "wgpu_fft_stream_convolution";
    const LEAST: usize = offset_of!(Self, kernel_for_each) + size_of::<bool>();
}

/// A convolution of a stream on a device, with the blocks that its taps still reach. Threads that push
/// take turns.
pub struct ConvolveStream {
    stream: Mutex<Convolving>,
    /// Samples of a block of all channels.
    samples: usize,
    /// Taps of all kernels.
    taps: usize,
}

impl ConvolveStream {
    fn with(&self, work: impl FnOnce(&mut Convolving) -> fft::Result<()>) -> Outcome {
        process::check().map_err(Failure::unsupported)?;
        Ok(work(&mut self.stream.lock().unwrap_or_else(PoisonError::into_inner))?)
    }
}

/// So many floats of the caller's, which must be `expected`.
///
/// # Safety
/// They must be valid for reads while the result is used.
unsafe fn floats<'a>(name: &str, data: *const f32, count: usize, expected: usize) -> Result<&'a [f32], Failure> {
    if count != expected {
        return Err(Failure::length(format!("{name} has {count} numbers, and the stream takes {expected}")));
    }
    // SAFETY: the caller's.
    let bytes = unsafe { bytes(name, data.cast(), count.saturating_mul(size_of::<f32>())) }?;
    bytemuck::try_cast_slice(bytes).map_err(|why| Failure::argument(format!("{name}: {why}")))
}

/// Begins a convolution of a stream, with silence before its first block: y[t] is the sum of h[k] x[t-k]
/// over the taps h[k]. `kernel` has `count` floats: the taps, or those of each channel. Destroy the stream
/// with wgpu_fft_stream_convolve_destroy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_stream_convolve_open(
    gpu: *const Gpu,
    convolution: *const StreamConvolution,
    kernel: *const f32,
    count: usize,
    stream: *mut *mut ConvolveStream,
) -> Status {
    guarded("wgpu_fft_stream_convolve_open", || {
        // SAFETY: the caller gives a place for the stream, a handle and a structure.
        let (stream, gpu, given) = unsafe {
            let stream = place("stream", stream)?;
            *stream = std::ptr::null_mut();
            (stream, given("gpu", gpu)?, structure("convolution", convolution)?)
        };
        let StreamConvolution { block, taps, channels, kernel_for_each, .. } = given.ok_or_else(|| missing("convolution"))?;
        let channels = channels.max(1);
        let spec = StreamConvolve::new(block, taps).channels(channels);
        let (spec, taps) = if kernel_for_each { (spec.kernel_for_each(), taps.saturating_mul(channels)) } else { (spec, taps) };
        // SAFETY: the caller gives so many floats.
        let kernel = unsafe { floats("kernel", kernel, count, taps) }?;
        process::check().map_err(Failure::unsupported)?;
        let own = spec.stream(&gpu.planner(Rigor::Estimate, None), kernel)?;
        *stream = Box::into_raw(Box::new(ConvolveStream { stream: Mutex::new(own), samples: block * channels, taps }));
        Ok(())
    })
}

/// Takes the next block, and writes the same block of the results: `count` floats each, channels times
/// samples, with the samples of a channel side by side. It waits for the device. `output` may be `input`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_stream_convolve_push(
    stream: *const ConvolveStream,
    input: *const f32,
    output: *mut f32,
    count: usize,
) -> Status {
    guarded("wgpu_fft_stream_convolve_push", || {
        // SAFETY: the caller gives a handle and so many floats.
        let (stream, input) = unsafe {
            let stream = given("stream", stream)?;
            (stream, floats("input", input, count, stream.samples)?)
        };
        room("output", output.cast_const().cast(), size_of_val(input))?;
        let mut block = Vec::new();
        stream.with(|own| {
            block = own.push(input)?.wait()?;
            Ok(())
        })?;
        let block: &[u8] = bytemuck::cast_slice(&block);
        // SAFETY: the caller gives room for as many bytes.
        unsafe { output.cast::<u8>().copy_from_nonoverlapping(block.as_ptr(), block.len()) };
        Ok(())
    })
}

/// Exchanges the kernel for one with as many taps, for the blocks that come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_stream_convolve_set_kernel(stream: *const ConvolveStream, kernel: *const f32, count: usize) -> Status {
    guarded("wgpu_fft_stream_convolve_set_kernel", || {
        // SAFETY: the caller gives a handle and so many floats.
        let (stream, kernel) = unsafe {
            let stream = given("stream", stream)?;
            (stream, floats("kernel", kernel, count, stream.taps)?)
        };
        stream.with(|own| own.set_kernel(kernel))
    })
}

/// Forgets all blocks: the next one is the first again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_stream_convolve_reset(stream: *const ConvolveStream) -> Status {
    guarded("wgpu_fft_stream_convolve_reset", || {
        // SAFETY: the caller gives a handle.
        unsafe { given("stream", stream) }?.with(Convolving::reset)
    })
}

/// Destroys a stream. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_stream_convolve_destroy(stream: *mut ConvolveStream) {
    guarded("wgpu_fft_stream_convolve_destroy", || {
        if !stream.is_null() {
            // SAFETY: the caller gives a handle of ours, and does not use it again.
            process::give_back(unsafe { Box::from_raw(stream) });
        }
        Ok(())
    });
}
