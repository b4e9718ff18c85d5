//! What plans cost and look like, threads, and the library's name.

use std::ffi::{CString, c_char, c_double, c_int, c_void};
use std::ptr;
use std::time::Duration;

use libc::FILE;

use super::Handle;
use crate::guard::guarded;
use crate::library::{Library, library};

macro_rules! text {
    ($name:ident, $text:expr) => {
        #[unsafe(export_name = name!($name))]
        #[allow(non_upper_case_globals, reason = "FFTW's name")]
        pub static $name: [u8; $text.len()] = *$text.as_bytes().first_chunk().unwrap();
    };
}

text!(version, concat!("wgpu-fft-", env!("CARGO_PKG_VERSION"), "\0"));
text!(cc, "rustc\0");
text!(codelet_optim, "\0");

#[unsafe(export_name = name!(flops))]
pub unsafe extern "C" fn flops(plan: Handle, additions: *mut c_double, multiplications: *mut c_double, fused: *mut c_double) {
    // SAFETY: the caller gives a plan of ours or NULL.
    let (adds, muls) = unsafe { plan.as_ref() }.map_or((0.0, 0.0), |plan| plan.problem().operations());
    for (to, value) in [(additions, adds), (multiplications, muls), (fused, 0.0)] {
        // SAFETY: the caller gives places for three numbers; those that are NULL are left out.
        if let Some(to) = unsafe { to.as_mut() } {
            *to = value;
        }
    }
}

#[unsafe(export_name = name!(estimate_cost))]
pub unsafe extern "C" fn estimate_cost(plan: Handle) -> c_double {
    // SAFETY: the caller gives a plan of ours or NULL.
    unsafe { plan.as_ref() }.map_or(0.0, |plan| {
        let (additions, multiplications) = plan.problem().operations();
        additions + multiplications
    })
}

#[unsafe(export_name = name!(cost))]
pub unsafe extern "C" fn cost(plan: Handle) -> c_double {
    // SAFETY: the caller's.
    unsafe { estimate_cost(plan) }
}

/// The text of a plan.
unsafe fn text(plan: Handle) -> CString {
    // SAFETY: the caller gives a plan of ours or NULL.
    let text = unsafe { plan.as_ref() }.map_or_else(|| "(null)".to_owned(), ToString::to_string);
    CString::new(text).unwrap_or_default()
}

#[unsafe(export_name = name!(sprint_plan))]
pub unsafe extern "C" fn sprint_plan(plan: Handle) -> *mut c_char {
    guarded(name!(sprint_plan), ptr::null_mut(), || {
        // SAFETY: the text ends with a zero byte, and the caller frees the copy by free().
        unsafe { libc::strdup(text(plan).as_ptr()) }
    })
}

#[unsafe(export_name = name!(fprint_plan))]
pub unsafe extern "C" fn fprint_plan(plan: Handle, file: *mut FILE) {
    guarded(name!(fprint_plan), (), || {
        // SAFETY: the caller gives an open file.
        let _ = unsafe { libc::fputs(text(plan).as_ptr(), file) };
    });
}

#[unsafe(export_name = name!(print_plan))]
pub unsafe extern "C" fn print_plan(plan: Handle) {
    guarded(name!(print_plan), (), || {
        // SAFETY: a format, and the text that it names. What C programs print goes the same way.
        let _ = unsafe { libc::printf(c"%s".as_ptr(), text(plan).as_ptr()) };
    });
}

/// Negative numbers are no limit, `FFTW_NO_TIMELIMIT`.
#[unsafe(export_name = name!(set_timelimit))]
pub extern "C" fn set_timelimit(seconds: c_double) {
    guarded(name!(set_timelimit), (), || library().limit_time(Duration::try_from_secs_f64(seconds).ok()));
}

/// As before the first call. Plans that are still there keep what they need. A forked process has
/// nothing of its parent's to close here.
#[unsafe(export_name = name!(cleanup))]
pub extern "C" fn cleanup() {
    guarded(name!(cleanup), (), || {
        let before = std::mem::take(&mut *library());
        // Not under the lock: it closes the device.
        before.save();
    });
}

/// The device has threads of its own, so these only remember the number.
#[unsafe(export_name = name!(init_threads))]
pub extern "C" fn init_threads() -> c_int {
    1
}

#[unsafe(export_name = name!(plan_with_nthreads))]
pub extern "C" fn plan_with_nthreads(threads: c_int) {
    guarded(name!(plan_with_nthreads), (), || library().threads = threads.max(1));
}

#[unsafe(export_name = name!(planner_nthreads))]
pub extern "C" fn planner_nthreads() -> c_int {
    guarded(name!(planner_nthreads), 1, || library().threads.max(1))
}

#[unsafe(export_name = name!(cleanup_threads))]
pub extern "C" fn cleanup_threads() {
    cleanup();
}

/// The planner always is.
#[unsafe(export_name = name!(make_planner_thread_safe))]
pub extern "C" fn make_planner_thread_safe() {}

type Work = unsafe extern "C" fn(*mut c_char) -> *mut c_void;
type ParallelLoop = unsafe extern "C" fn(Option<Work>, *mut c_char, usize, c_int, *mut c_void);

/// There are no threads of the host's to start.
#[unsafe(export_name = name!(threads_set_callback))]
pub extern "C" fn threads_set_callback(_parallel_loop: Option<ParallelLoop>, _data: *mut c_void) {}

impl Library {
    /// Writes compiled pipelines into the file of `WGPU_FFT_PIPELINE_CACHE`, if there is one.
    fn save(&self) {
        if let Some(Ok(gpu)) = self.device()
            && gpu.pipeline_cache().is_some()
            && let Err(error) = gpu.save_pipeline_cache()
        {
            crate::guard::refused(format_args!("compiled pipelines were not saved: {error}"));
        }
    }
}
