//! Progress of runs, and their end before it.

use std::ffi::c_void;
use std::ops::ControlFlow;
use std::rc::Rc;

use wgpu_fft_distributed::Progress as Ranks;

use crate::arguments::{c_string, place};
use crate::job::Job;
use crate::process;
use crate::status::{Failure, Status, guarded};

/// How far a run is, on this rank.
#[repr(C)]
pub struct Progress {
    /// What is done at the moment, such as `rows` or `exchange`. It is there while the function runs.
    pub label: *const std::ffi::c_char,
    /// The index of the phase, from 0, and how many there are.
    pub phase: usize,
    pub phases: usize,
    /// The bytes of the phase's output that are done, and all of them.
    pub done: u64,
    pub total: u64,
}

/// A listener of the caller's to a job. Its runs call it on the thread that runs or tests them, and on no other.
struct Listener {
    function: unsafe extern "C" fn(*mut c_void, *const Progress) -> i32,
    user: *mut c_void,
}

// SAFETY: a job is used by one thread at a time, as MPI is; the function is called there.
unsafe impl Send for Listener {}
// SAFETY: as above.
unsafe impl Sync for Listener {}

impl Listener {
    fn call(&self, progress: Ranks<'_>) -> ControlFlow<()> {
        let label = c_string(progress.label);
        let Ranks { phase, phases, done, total, .. } = progress;
        let progress = Progress { label: label.as_ptr(), phase, phases, done, total };
        // SAFETY: the caller of wgpu_fft_mpi_set_progress gave a function for this.
        match unsafe { (self.function)(self.user, &raw const progress) } {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

/// Lets the runs of a job call a function with their progress: at the begin and the end of each phase, and
/// after each message or piece, on the thread that runs or tests them. `user` is handed to it. NULL calls
/// none any more. It is this rank's own matter, and not collective.
///
/// If it returns anything but 0, the run ends with the phase, on all ranks, with
/// WGPU_FFT_ERROR_CANCELLED. What the output holds then means nothing. The job can be run again. The
/// function must not call this library, nor leave by longjmp.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_set_progress(
    job: *mut Job,
    listener: Option<unsafe extern "C" fn(user: *mut c_void, progress: *const Progress) -> i32>,
    user: *mut c_void,
) -> Status {
    guarded("wgpu_fft_mpi_set_progress", || {
        process::check().map_err(Failure::unsupported)?;
        // SAFETY: the caller gives a handle.
        let job = unsafe { place("job", job) }?;
        let job = Rc::get_mut(&mut job.job).ok_or_else(|| Failure::argument("a run of this job is under way: wait for it first"))?;
        match listener {
            Some(function) => {
                let listener = Listener { function, user };
                job.on_progress(move |progress| listener.call(progress));
            }
            None => job.on_progress(|_| ()),
        }
        Ok(())
    })
}
