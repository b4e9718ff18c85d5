//! Results that have not come yet.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fft::Pending as Waiting;

use crate::arguments::{given, place, room};
use crate::buffer::Buffer;
use crate::execute::{Array, inputs};
use crate::plan::Plan;
use crate::process;
use crate::status::{Failure, Outcome, Status, guarded};

/// What the device computes meanwhile: the result of wgpu_fft_execute_start, or what
/// wgpu_fft_buffer_read_start reads. One thread at a time waits for it.
pub struct Pending {
    state: Mutex<State>,
    bytes: usize,
}

enum State {
    Coming(Waiting<Vec<u8>>),
    There(Vec<u8>),
    Taken,
}

impl State {
    /// Waits for the end, or for so long at most. Returns whether it is there.
    fn wait(&mut self, most: Option<Duration>) -> Result<bool, Failure> {
        let result = match (std::mem::replace(self, Self::Taken), most) {
            (Self::Taken, _) => return Err(Failure::argument("the result has been taken, or there was an error in its place")),
            (Self::There(result), _) => result,
            (Self::Coming(waiting), None) => waiting.wait()?,
            (Self::Coming(mut waiting), Some(most)) => match waiting.wait_timeout(most)? {
                Some(result) => result,
                None => {
                    *self = Self::Coming(waiting);
                    return Ok(false);
                }
            },
        };
        *self = Self::There(result);
        Ok(true)
    }

    fn take(&mut self, to: *mut c_void, count: usize) -> Outcome {
        self.wait(None)?;
        let Self::There(result) = std::mem::replace(self, Self::Taken) else { return Ok(()) };
        // SAFETY: the caller of wgpu_fft_pending_take gives so many bytes, and has the right count.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(result.as_ptr(), count) };
        Ok(())
    }
}

impl Pending {
    fn new(waiting: Waiting<Vec<u8>>, bytes: usize) -> *mut Self {
        Box::into_raw(Box::new(Self { state: Mutex::new(State::Coming(waiting)), bytes }))
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> Result<T, Failure>) -> Result<T, Failure> {
        process::check().map_err(Failure::unsupported)?;
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Begins to execute a plan on arrays of the host, and returns as soon as the inputs are copied:
/// they may change then. Take the result with wgpu_fft_pending_take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_execute_start(
    plan: *const Plan,
    arrays: *const Array,
    count: usize,
    pending: *mut *mut Pending,
) -> Status {
    guarded("wgpu_fft_execute_start", || {
        // SAFETY: the caller gives a place for the result.
        let pending = unsafe { place("pending", pending) }?;
        *pending = std::ptr::null_mut();
        // SAFETY: the caller gives a handle and so many arrays.
        let (plan, inputs) = unsafe { (given("plan", plan)?, inputs(arrays, count)?) };
        process::check().map_err(Failure::unsupported)?;
        *pending = Pending::new(plan.plan.run(&inputs)?, plan.output_bytes());
        Ok(())
    })
}

/// Begins to copy bytes from the beginning of a buffer to the host, as they are when everything queued
/// before has run. Take them with wgpu_fft_pending_take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_buffer_read_start(buffer: *const Buffer, count: usize, pending: *mut *mut Pending) -> Status {
    guarded("wgpu_fft_buffer_read_start", || {
        // SAFETY: the caller gives a place for the result.
        let pending = unsafe { place("pending", pending) }?;
        *pending = std::ptr::null_mut();
        // SAFETY: the caller gives a handle.
        let buffer = unsafe { given("buffer", buffer) }?;
        process::check().map_err(Failure::unsupported)?;
        *pending = Pending::new(buffer.read(count)?, count);
        Ok(())
    })
}

/// Waits for a result, but no longer than so many seconds: 0 asks whether it is there, and INFINITY waits
/// for it. `done` becomes whether it is. While another thread waits for it, this waits for that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_pending_wait(pending: *const Pending, seconds: f64, done: *mut bool) -> Status {
    guarded("wgpu_fft_pending_wait", || {
        // SAFETY: the caller gives a place for the answer.
        let done = unsafe { place("done", done) }?;
        *done = false;
        // SAFETY: the caller gives a handle.
        let pending = unsafe { given("pending", pending) }?;
        let most = match seconds {
            f64::INFINITY => None,
            _ => Some(Duration::try_from_secs_f64(seconds).map_err(|why| Failure::argument(format!("seconds {seconds}: {why}")))?),
        };
        *done = pending.with(|state| state.wait(most))?;
        Ok(())
    })
}

/// Waits for a result, and copies all of its bytes to the host. It can be taken once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_pending_take(pending: *const Pending, data: *mut c_void, count: usize) -> Status {
    guarded("wgpu_fft_pending_take", || {
        // SAFETY: the caller gives a handle.
        let pending = unsafe { given("pending", pending) }?;
        room("data", data.cast(), count)?;
        if count != pending.bytes {
            return Err(Failure::length(format!("the result has {} bytes, not {count}", pending.bytes)));
        }
        pending.with(|state| state.take(data, count))
    })
}

/// The bytes of a result. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_pending_bytes(pending: *const Pending) -> usize {
    // SAFETY: the caller gives a handle or NULL.
    unsafe { pending.as_ref() }.map_or(0, |pending| pending.bytes)
}

/// Destroys what wgpu_fft_execute_start and wgpu_fft_buffer_read_start made, taken or not: what has
/// not come by then is nobody's, and nothing waits for it. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_pending_destroy(pending: *mut Pending) {
    guarded("wgpu_fft_pending_destroy", || {
        if !pending.is_null() {
            // SAFETY: the caller gives a handle of ours, and does not use it again.
            process::give_back(unsafe { Box::from_raw(pending) });
        }
        Ok(())
    });
}
