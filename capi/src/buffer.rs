//! Arrays on the device, and work on them that is queued.

use std::ffi::c_void;

use fft::{DeviceBuffer, FragmentArrays, Pending, View};

use crate::arguments::{bytes, given, place, room};
use crate::gpu::Gpu;
use crate::plan::Plan;
use crate::process;
use crate::status::{Failure, Status, guarded};

/// An array on the device. Any number of threads may use it at once.
pub struct Buffer {
    gpu: fft::Gpu,
    bytes: DeviceBuffer<u8>,
}

impl Buffer {
    /// Its first bytes.
    fn first(&self, count: usize) -> Result<View<'_, u8>, Failure> {
        let all = self.bytes.len();
        if count > all {
            return Err(Failure::length(format!("the buffer has {all} bytes, not {count}")));
        }
        Ok(self.bytes.slice(0..count)?)
    }

    /// Begins to copy the first bytes to the host.
    pub fn read(&self, count: usize) -> Result<Pending<Vec<u8>>, Failure> {
        Ok(self.gpu.download(self.first(count)?)?)
    }
}

/// Makes an array on the device of so many bytes, which are zeros. Destroy it with
/// wgpu_fft_buffer_destroy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_buffer_create(gpu: *const Gpu, bytes: usize, buffer: *mut *mut Buffer) -> Status {
    guarded("wgpu_fft_buffer_create", || {
        // SAFETY: the caller gives a handle and a place for the buffer.
        let (gpu, buffer) = unsafe { (given("gpu", gpu)?, place("buffer", buffer)?) };
        *buffer = std::ptr::null_mut();
        process::check().map_err(Failure::unsupported)?;
        let gpu = gpu.device().clone();
        *buffer = Box::into_raw(Box::new(Buffer { bytes: gpu.alloc(bytes)?, gpu }));
        Ok(())
    })
}

/// Destroys a buffer. What is queued with it still runs. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_buffer_destroy(buffer: *mut Buffer) {
    guarded("wgpu_fft_buffer_destroy", || {
        if !buffer.is_null() {
            // SAFETY: the caller gives a handle of ours, and does not use it again.
            process::give_back(unsafe { Box::from_raw(buffer) });
        }
        Ok(())
    });
}

/// Copies bytes of the host to the beginning of a buffer, after what was queued before: all of the
/// buffer, or a multiple of 4 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_buffer_write(buffer: *const Buffer, data: *const c_void, count: usize) -> Status {
    guarded("wgpu_fft_buffer_write", || {
        // SAFETY: the caller gives a handle and so many bytes.
        let (buffer, data) = unsafe { (given("buffer", buffer)?, self::bytes("data", data.cast(), count)?) };
        process::check().map_err(Failure::unsupported)?;
        let all = buffer.bytes.len();
        if count < all && !count.is_multiple_of(4) {
            return Err(Failure::argument(format!("a write of {count} of {all} bytes: a part is a multiple of 4 bytes")));
        }
        Ok(buffer.gpu.write(buffer.first(count)?, data)?)
    })
}

/// Copies bytes from the beginning of a buffer to the host, when everything queued before has run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_buffer_read(buffer: *const Buffer, data: *mut c_void, count: usize) -> Status {
    guarded("wgpu_fft_buffer_read", || {
        // SAFETY: the caller gives a handle and so many bytes.
        let buffer = unsafe { given("buffer", buffer)? };
        room("data", data.cast(), count)?;
        process::check().map_err(Failure::unsupported)?;
        let read = buffer.read(count)?.wait()?;
        // SAFETY: as above.
        unsafe { data.cast::<u8>().copy_from_nonoverlapping(read.as_ptr(), read.len()) };
        Ok(())
    })
}

/// Queues a plan on buffers, and returns at once. A submission costs more than a small transform, so
/// what is queued is submitted together: with the next call that reads or writes a buffer, by
/// wgpu_fft_flush, and where much is queued.
///
/// Each buffer has as many bytes as the plan's input or output, and none is both: a plan of a
/// specification that works in place takes no inputs, and its buffer is the output. Calls of all
/// threads run in their order.
///
/// An error may be of a plan that was queued earlier: then the message names it, and all others
/// have run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_enqueue(plan: *const Plan, inputs: *const *const Buffer, count: usize, output: *const Buffer) -> Status {
    guarded("wgpu_fft_enqueue", || {
        // SAFETY: the caller gives handles.
        let (plan, output) = unsafe { (given("plan", plan)?, given("output", output)?) };
        process::check().map_err(Failure::unsupported)?;
        if count > 16 || inputs.is_null() && count > 0 {
            return Err(Failure::argument(format!("{count} inputs at {inputs:?}: there are at most 2")));
        }
        // SAFETY: the caller gives so many handles.
        let inputs = (0..count).map(|i| unsafe { given("an input", *inputs.add(i)) }).collect::<Result<Vec<_>, _>>()?;
        plan.check_output(output.bytes.len())?;
        let views: Vec<_> = inputs.iter().map(|input| input.bytes.view()).collect();
        Ok(plan.plan.bind(&views, output.bytes.view(), &FragmentArrays::new())?.enqueue()?)
    })
}

/// Submits what is queued, if anything is, so that the device begins before anybody reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_flush(gpu: *const Gpu) -> Status {
    guarded("wgpu_fft_flush", || {
        // SAFETY: the caller gives a handle.
        let gpu = unsafe { given("gpu", gpu) }?;
        process::check().map_err(Failure::unsupported)?;
        Ok(gpu.device().flush()?)
    })
}
