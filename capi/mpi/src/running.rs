//! Transforms that go on while the program works.

use std::ffi::c_void;
use std::rc::Rc;

use wgpu_fft_distributed::Running;

use crate::arguments::{given, place};
use crate::cluster::check_mpi;
use crate::job::{Arrays, Job};
use crate::process;
use crate::status::{Failure, Status, guarded};

/// A transform that was started.
pub struct Run {
    /// Before what it borrows.
    run: Running<'static, ()>,
    arrays: Arrays,
    _job: Rc<wgpu_fft_distributed::AnyJob>,
}

/// Begins what wgpu_fft_mpi_run does and returns, so that the program works while the device computes
/// and messages travel. Collective. End it with wgpu_fft_mpi_wait, also if it has failed. Until then
/// the arrays must stay, nobody may touch the output or write to the input, and all other collective
/// calls on the cluster are refused.
///
/// It goes on by itself only where the device and MPI do. The next piece and the next message wait for
/// wgpu_fft_mpi_test: call it often, such as every 0.2 ms.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_start(
    job: *const Job,
    input: *const c_void,
    input_bytes: usize,
    output: *mut c_void,
    output_bytes: usize,
    run: *mut *mut Run,
) -> Status {
    guarded("wgpu_fft_mpi_start", || {
        // SAFETY: the caller gives a handle, arrays that stay until the run has ended, and a place.
        unsafe {
            let run = place("run", run)?;
            *run = std::ptr::null_mut();
            process::check().map_err(Failure::unsupported)?;
            let job = Rc::clone(&given("job", job)?.job);
            let mut arrays = Arrays::new((input.cast(), input_bytes), (output.cast(), output_bytes));
            // The job is kept beside the run, which is dropped first.
            let own: &'static wgpu_fft_distributed::AnyJob = &*Rc::as_ptr(&job);
            let (source, target) = arrays.slices();
            let begun = own.start(source, target)?;
            *run = Box::into_raw(Box::new(Run { run: begun, arrays, _job: job }));
        }
        Ok(())
    })
}

/// Goes on with what can be done without waiting, and says whether the run is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_test(run: *mut Run, is_done: *mut bool) -> Status {
    guarded("wgpu_fft_mpi_test", || {
        // SAFETY: the caller gives a place.
        let is_done = unsafe { place("is_done", is_done) }?;
        *is_done = false;
        process::check().map_err(Failure::unsupported)?;
        check_mpi()?;
        // SAFETY: the caller gives a handle.
        *is_done = unsafe { place("run", run) }?.run.test();
        Ok(())
    })
}

/// Waits until the run is done, and frees it. It fails as wgpu_fft_mpi_run does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_wait(run: *mut Run) -> Status {
    guarded("wgpu_fft_mpi_wait", || {
        // SAFETY: the caller gives a handle of wgpu_fft_mpi_start, and does not use it again.
        unsafe {
            place("run", run)?;
            process::check().map_err(Failure::unsupported)?;
            // The run leaks then, as jobs do.
            check_mpi()?;
            let Run { run, arrays, _job } = *Box::from_raw(run);
            run.wait()?;
            arrays.finish();
        }
        Ok(())
    })
}
