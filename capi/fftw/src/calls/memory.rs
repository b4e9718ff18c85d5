//! Memory.

use std::ffi::{c_int, c_void};
use std::ptr;

/// That of cache lines. Nothing here needs it, but programs may count on FFTW's, which is at least
/// 16.
const ALIGNMENT: usize = 64;

#[unsafe(no_mangle)]
pub extern "C" fn fftwf_malloc(bytes: usize) -> *mut c_void {
    let mut memory = ptr::null_mut();
    // SAFETY: the alignment is a power of two and a multiple of a pointer's size.
    match unsafe { libc::posix_memalign(&mut memory, ALIGNMENT, bytes.max(1)) } {
        0 => memory,
        _ => ptr::null_mut(),
    }
}

fn array(len: usize, element_bytes: usize) -> *mut f32 {
    len.checked_mul(element_bytes).map_or(ptr::null_mut(), |bytes| fftwf_malloc(bytes).cast())
}

#[unsafe(no_mangle)]
pub extern "C" fn fftwf_alloc_real(n: usize) -> *mut f32 {
    array(n, 4)
}

#[unsafe(no_mangle)]
pub extern "C" fn fftwf_alloc_complex(n: usize) -> *mut f32 {
    array(n, 8)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fftwf_free(memory: *mut c_void) {
    // SAFETY: the caller gives what `fftwf_malloc` returned, or NULL.
    unsafe { libc::free(memory) }
}

/// Every array is as good as any other for every plan, so all have the same alignment.
#[unsafe(no_mangle)]
pub extern "C" fn fftwf_alignment_of(_array: *mut f32) -> c_int {
    0
}
