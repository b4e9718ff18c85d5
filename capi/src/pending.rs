//! Results that have not come yet.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fft::Pending as Waiting;

use crate::arguments::{bytes, given, place};
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
        let Self::Coming(waiting) = self else { return Ok(true) };
        loop {
            // An end of an hour is none.
            match waiting.wait_timeout(most.unwrap_or(Duration::from_secs(3600))) {
                Ok(None) if most.is_some() => return Ok(false),
                Ok(None) => {}
                Ok(Some(result)) => {
                    *self = Self::There(result);
                    return Ok(true);
                }
                Err(error) => {
                    *self = Self::Taken;
                    return Err(error.into());
                }
            }
        }
    }

    fn take(&mut self, to: *mut c_void, count: usize) -> Outcome {
        self.wait(None)?;
        let Self::There(result) = std::mem::replace(self, Self::Taken) else {
            return Err(Failure::argument("the result has been taken, or there was an error in its place"));
        };
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
        // SAFETY: the caller gives a handle, so many arrays, and a place for the result.
        let (plan, inputs, pending) = unsafe { (given("plan", plan)?, inputs(arrays, count)?, place("pending", pending)?) };
        *pending = std::ptr::null_mut();
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
        // SAFETY: the caller gives a handle and a place for the result.
        let (buffer, pending) = unsafe { (given("buffer", buffer)?, place("pending", pending)?) };
        *pending = std::ptr::null_mut();
        process::check().map_err(Failure::unsupported)?;
        *pending = Pending::new(buffer.read(count)?, count);
        Ok(())
    })
}

/// Waits for a result, but no longer than so many seconds: 0 asks whether it is there. `done` becomes
/// whether it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_pending_wait(pending: *const Pending, seconds: f64, done: *mut bool) -> Status {
    guarded("wgpu_fft_pending_wait", || {
        // SAFETY: the caller gives a handle and a place for the answer.
        let (pending, done) = unsafe { (given("pending", pending)?, place("done", done)?) };
        *done = false;
        let most = Duration::try_from_secs_f64(seconds).map_err(|why| Failure::argument(format!("seconds {seconds}: {why}")))?;
        *done = pending.with(|state| state.wait(Some(most)))?;
        Ok(())
    })
}

/// Waits for a result, and copies all of its bytes to the host. It can be taken once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_pending_take(pending: *const Pending, data: *mut c_void, count: usize) -> Status {
    guarded("wgpu_fft_pending_take", || {
        // SAFETY: the caller gives a handle and so many bytes. The second result says no more than
        // whether the place can be one.
        let pending = unsafe { (given("pending", pending)?, bytes("data", data.cast(), count)?) }.0;
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
