//! Memory.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::original;
use crate::precision::Real;

/// That of cache lines. Nothing here needs it, but programs may count on FFTW's, which is at least
/// 16.
const ALIGNMENT: usize = 64;

#[unsafe(export_name = name!(malloc))]
pub extern "C" fn malloc(bytes: usize) -> *mut c_void {
    let mut memory = ptr::null_mut();
    // SAFETY: the alignment is a power of two and a multiple of a pointer's size.
    match unsafe { libc::posix_memalign(&mut memory, ALIGNMENT, bytes.max(1)) } {
        0 => memory,
        _ => ptr::null_mut(),
    }
}

fn array(len: usize, element_bytes: usize) -> *mut Real {
    len.checked_mul(element_bytes).map_or(ptr::null_mut(), |bytes| malloc(bytes).cast())
}

#[unsafe(export_name = name!(alloc_real))]
pub extern "C" fn alloc_real(n: usize) -> *mut Real {
    array(n, size_of::<Real>())
}

#[unsafe(export_name = name!(alloc_complex))]
pub extern "C" fn alloc_complex(n: usize) -> *mut Real {
    array(n, 2 * size_of::<Real>())
}

#[unsafe(export_name = name!(free))]
pub unsafe extern "C" fn free(memory: *mut c_void) {
    // SAFETY: the caller gives what `malloc` returned, or NULL.
    unsafe { libc::free(memory) }
}

/// Every array is as good as any other for every plan of ours, so all have the same alignment.
#[unsafe(export_name = name!(alignment_of))]
pub extern "C" fn alignment_of(array: *mut Real) -> c_int {
    original::alignment_of(array).unwrap_or(0)
}
