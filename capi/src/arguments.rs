//! Arguments of C as Rust's.

use std::ffi::{CStr, CString, c_char};

use crate::status::{Failure, Outcome};

/// A text, or nothing for NULL.
///
/// # Safety
/// `text` must be NULL or end with a zero byte.
pub unsafe fn optional<'a>(name: &str, text: *const c_char) -> Result<Option<&'a str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|error| Failure::argument(format!("{name} is not UTF-8: {error}")))
}

/// A text that must be there.
///
/// # Safety
/// As [`optional`].
pub unsafe fn text<'a>(name: &str, text: *const c_char) -> Result<&'a str, Failure> {
    // SAFETY: the caller's.
    unsafe { optional(name, text) }?.ok_or_else(|| missing(name))
}

/// What a pointer points to, which must be there.
///
/// # Safety
/// `pointer` must be NULL, or valid and aligned while the result is used.
pub unsafe fn given<'a, T>(name: &str, pointer: *const T) -> Result<&'a T, Failure> {
    // SAFETY: the caller's.
    unsafe { pointer.as_ref() }.ok_or_else(|| missing(name))
}

/// A place for a result, which must be there.
///
/// # Safety
/// As [`given`], and nobody else may use it.
pub unsafe fn place<'a, T>(name: &str, pointer: *mut T) -> Result<&'a mut T, Failure> {
    // SAFETY: the caller's.
    unsafe { pointer.as_mut() }.ok_or_else(|| missing(name))
}

/// A structure of C's that begins with its size, which programs set to `sizeof`. Later versions may
/// add fields behind the others, which are zeros for programs of before.
///
/// # Safety
/// It is `repr(C)`, its first field is a `usize`, and zeros everywhere are a value of it.
pub unsafe trait Versioned: Copy {
    /// The name in C.
    const NAME: &'static str;
    /// Where the last field of the first version ends, which later ones do not change.
    const LEAST: usize;
}

/// A structure that is given, if it is.
///
/// # Safety
/// `pointer` must be NULL, or valid for reads of as many bytes as its first field says.
pub unsafe fn structure<T: Versioned>(name: &str, pointer: *const T) -> Result<Option<T>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    let known = size_of::<T>();
    // SAFETY: the caller's; of any version, the size comes first.
    let size = unsafe { pointer.cast::<usize>().read() };
    if !(T::LEAST..=known + 4096).contains(&size) {
        return Err(Failure::argument(format!("{name}.size is {size}: set it to sizeof({}), which is {known}", T::NAME)));
    }
    // SAFETY: the caller's.
    let given = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
    if given.iter().skip(known).any(|byte| *byte != 0) {
        let why = format!("{name} has {size} bytes, and what lies behind the {known} that this version of the library knows is not 0");
        return Err(Failure::unsupported(why));
    }
    let mut own = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: so many bytes are there on both sides, and zeros are a value.
    Ok(Some(unsafe {
        own.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(given.as_ptr(), size.min(known));
        own.assume_init()
    }))
}

/// Refuses what cannot be a place for so many bytes, which need not have values yet.
pub fn room(name: &str, data: *const u8, count: usize) -> Outcome {
    if data.is_null() {
        return Err(missing(name));
    }
    if isize::try_from(count).is_err() {
        return Err(Failure::argument(format!("{name} cannot have {count} bytes")));
    }
    Ok(())
}

/// The bytes of an array.
///
/// # Safety
/// `data` must be NULL, or so many bytes must be valid for reads while the result is used.
pub unsafe fn bytes<'a>(name: &str, data: *const u8, count: usize) -> Result<&'a [u8], Failure> {
    room(name, data, count)?;
    // SAFETY: the caller's.
    Ok(unsafe { std::slice::from_raw_parts(data, count) })
}

pub fn missing(name: &str) -> Failure {
    Failure::argument(format!("{name} is NULL"))
}

/// A text of ours as one of C's. No text of ours has a zero byte.
pub fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// Writes a text and its zero byte, cut to `size` bytes, and says how many bytes all of it needs.
///
/// # Safety
/// `size` bytes from `to` on must be valid for writes, and `needed` NULL or valid.
pub unsafe fn write_text(text: &str, to: *mut c_char, size: usize, needed: *mut usize) -> Outcome {
    let text = c_string(text);
    let all = text.as_bytes_with_nul();
    // SAFETY: the caller's.
    if let Some(needed) = unsafe { needed.as_mut() } {
        *needed = all.len();
    }
    if !to.is_null() && size > 0 {
        let kept = all.len().min(size);
        // SAFETY: the caller's; the last byte is zero again where the text was cut.
        unsafe {
            to.copy_from_nonoverlapping(text.as_ptr(), kept);
            *to.add(kept - 1) = 0;
        }
    }
    Ok(())
}
