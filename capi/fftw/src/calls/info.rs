//! What plans cost and look like, threads, and the library's name.

use std::ffi::{CString, c_char, c_double, c_int, c_void};
use std::ptr;
use std::time::Duration;

use libc::FILE;

use wgpu_fft::gpu::PipelineCacheStatus;

use super::Handle;
use crate::guard::guarded;
use crate::library::{Library, library};

macro_rules! text {
    ($name:ident, $text:expr) => {
        #[unsafe(no_mangle)]
        #[allow(non_upper_case_globals, reason = "FFTW's name")]
        pub static $name: [u8; $text.len()] = *$text.as_bytes().first_chunk().unwrap();
    };
}

text!(fftwf_version, concat!("wgpu-fft-", env!("CARGO_PKG_VERSION"), "\0"));
text!(fftwf_cc, "rustc\0");
text!(fftwf_codelet_optim, "\0");

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_flops(plan: Handle, additions: *mut c_double, multiplications: *mut c_double, fused: *mut c_double) {
    // SAFETY: the caller gives a plan of ours or NULL.
    let (adds, muls) = unsafe { plan.as_ref() }.map_or((0.0, 0.0), |plan| plan.problem().operations());
    for (to, value) in [(additions, adds), (multiplications, muls), (fused, 0.0)] {
        // SAFETY: the caller gives places for three numbers; those that are NULL are left out.
        if let Some(to) = unsafe { to.as_mut() } {
            *to = value;
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_estimate_cost(plan: Handle) -> c_double {
    // SAFETY: the caller gives a plan of ours or NULL.
    unsafe { plan.as_ref() }.map_or(0.0, |plan| {
        let (additions, multiplications) = plan.problem().operations();
        additions + multiplications
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_cost(plan: Handle) -> c_double {
    // SAFETY: the caller's.
    unsafe { fftwf_estimate_cost(plan) }
}

/// The text of a plan.
unsafe fn text(plan: Handle) -> CString {
    // SAFETY: the caller gives a plan of ours or NULL.
    let text = unsafe { plan.as_ref() }.map_or_else(|| "(null)".to_owned(), ToString::to_string);
    CString::new(text).unwrap_or_default()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_sprint_plan(plan: Handle) -> *mut c_char {
    guarded("fftwf_sprint_plan", ptr::null_mut(), || {
        // SAFETY: the text ends with a zero byte, and the caller frees the copy by free().
        unsafe { libc::strdup(text(plan).as_ptr()) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_fprint_plan(plan: Handle, file: *mut FILE) {
    guarded("fftwf_fprint_plan", (), || {
        // SAFETY: the caller gives an open file.
        let _ = unsafe { libc::fputs(text(plan).as_ptr(), file) };
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_print_plan(plan: Handle) {
    guarded("fftwf_print_plan", (), || {
        // SAFETY: a format, and the text that it names. What C programs print goes the same way.
        let _ = unsafe { libc::printf(c"%s".as_ptr(), text(plan).as_ptr()) };
    });
}

/// Negative numbers are no limit, `FFTW_NO_TIMELIMIT`.
#[unsafe(no_mangle)]
pub extern "C" fn fftwf_set_timelimit(seconds: c_double) {
    guarded("fftwf_set_timelimit", (), || library().limit_time(Duration::try_from_secs_f64(seconds).ok()));
}

/// As before the first call. Plans that are still there keep what they need. A forked process has
/// nothing of its parent's to close here.
#[unsafe(no_mangle)]
pub extern "C" fn fftwf_cleanup() {
    guarded("fftwf_cleanup", (), || {
        let before = std::mem::take(&mut *library());
        // Not under the lock: it closes the device.
        before.save();
    });
}

/// The device has threads of its own, so these only remember the number.
#[unsafe(no_mangle)]
pub extern "C" fn fftwf_init_threads() -> c_int {
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn fftwf_plan_with_nthreads(threads: c_int) {
    guarded("fftwf_plan_with_nthreads", (), || library().threads = threads.max(1));
}

#[unsafe(no_mangle)]
pub extern "C" fn fftwf_planner_nthreads() -> c_int {
    guarded("fftwf_planner_nthreads", 1, || library().threads.max(1))
}

#[unsafe(no_mangle)]
pub extern "C" fn fftwf_cleanup_threads() {
    fftwf_cleanup();
}

/// The planner always is.
#[unsafe(no_mangle)]
pub extern "C" fn fftwf_make_planner_thread_safe() {}

type Work = unsafe extern "C" fn(*mut c_char) -> *mut c_void;
type ParallelLoop = unsafe extern "C" fn(Option<Work>, *mut c_char, usize, c_int, *mut c_void);

/// There are no threads of the host's to start.
#[unsafe(no_mangle)]
pub extern "C" fn fftwf_threads_set_callback(_parallel_loop: Option<ParallelLoop>, _data: *mut c_void) {}

impl Library {
    /// Writes compiled pipelines into the file of `WGPU_FFT_PIPELINE_CACHE`, if there is one.
    fn save(&self) {
        if let Some(Ok(gpu)) = self.device()
            && !matches!(gpu.pipeline_cache(), PipelineCacheStatus::Off)
            && let Err(error) = gpu.save_pipeline_cache()
        {
            crate::guard::refused(format_args!("compiled pipelines were not saved: {error}"));
        }
    }
}
