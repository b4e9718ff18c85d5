//! Wisdom: the record of measurements as text.
//!
//! The text begins with a line of its own and ends with one, so that it can stand in a file with
//! other things. Between them are lines of the crate's record.

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libc::FILE;
use wgpu_fft::low_level::files;
use wgpu_fft::tune::Record;

use crate::guard::guarded;
use crate::library::library;

const BEGIN: &str = "(wgpu-fft-wisdom 1";
const END: &str = ")";
/// What `read_char` and `fgetc` return where nothing follows.
const EOF: c_int = -1;
/// More than any record. What never ends is no wisdom.
const MAX_BYTES: usize = 256 << 20;

fn exported() -> CString {
    let lines = library().record().export_text(|_| true);
    CString::new(format!("{BEGIN}\n{lines}{END}\n")).unwrap_or_default()
}

/// Adds wisdom from a text that is read byte by byte, up to its last line. Returns whether it is
/// wisdom of ours.
fn import(mut next: impl FnMut() -> Option<u8>) -> bool {
    let (mut lines, mut line, mut bytes) = (Vec::new(), Vec::new(), 0_usize);
    let mut begun = false;
    while let Some(byte) = next().filter(|_| bytes < MAX_BYTES) {
        bytes += 1;
        if byte != b'\n' {
            line.push(byte);
            continue;
        }
        let text = line.trim_ascii();
        match (begun, text) {
            (false, []) => {}
            (false, text) if text == BEGIN.as_bytes() => begun = true,
            (true, text) if text == END.as_bytes() => return take(&lines),
            (true, _) => {
                lines.extend_from_slice(&line);
                lines.push(b'\n');
            }
            (false, _) => return false,
        }
        line.clear();
    }
    begun && line.trim_ascii() == END.as_bytes() && take(&lines)
}

fn take(lines: &[u8]) -> bool {
    let mut library = library();
    let found = library.record().import_text(lines, None, &|_| false);
    library.forget_choices();
    found.unread == 0
}

#[unsafe(export_name = name!(export_wisdom_to_string))]
pub extern "C" fn export_wisdom_to_string() -> *mut c_char {
    guarded(name!(export_wisdom_to_string), ptr::null_mut(), || {
        // SAFETY: the text ends with a zero byte, and the caller frees the copy by free().
        unsafe { libc::strdup(exported().as_ptr()) }
    })
}

#[unsafe(export_name = name!(export_wisdom_to_file))]
pub unsafe extern "C" fn export_wisdom_to_file(file: *mut FILE) {
    guarded(name!(export_wisdom_to_file), (), || {
        // SAFETY: the caller gives an open file.
        let _ = unsafe { libc::fputs(exported().as_ptr(), file) };
    });
}

#[unsafe(export_name = name!(export_wisdom_to_filename))]
pub unsafe extern "C" fn export_wisdom_to_filename(name: *const c_char) -> c_int {
    guarded(name!(export_wisdom_to_filename), 0, || {
        // SAFETY: the caller gives a text or NULL.
        unsafe { path(name) }.is_some_and(|path| files::write(path, |out| out.write_all(exported().as_bytes())).is_ok()).into()
    })
}

#[unsafe(export_name = name!(export_wisdom))]
pub unsafe extern "C" fn export_wisdom(write_char: Option<unsafe extern "C" fn(c_char, *mut c_void)>, data: *mut c_void) {
    guarded(name!(export_wisdom), (), || {
        let Some(write_char) = write_char else { return };
        for &byte in exported().as_bytes() {
            // SAFETY: the caller's function takes any byte, and the caller's data.
            unsafe { write_char(byte.cast_signed() as c_char, data) };
        }
    });
}

#[unsafe(export_name = name!(import_wisdom_from_string))]
pub unsafe extern "C" fn import_wisdom_from_string(text: *const c_char) -> c_int {
    guarded(name!(import_wisdom_from_string), 0, || {
        if text.is_null() {
            return 0;
        }
        // SAFETY: the caller gives a text.
        let mut bytes = unsafe { CStr::from_ptr(text) }.to_bytes().iter().copied();
        import(|| bytes.next()).into()
    })
}

#[unsafe(export_name = name!(import_wisdom_from_file))]
pub unsafe extern "C" fn import_wisdom_from_file(file: *mut FILE) -> c_int {
    guarded(name!(import_wisdom_from_file), 0, || {
        if file.is_null() {
            return 0;
        }
        // SAFETY: the caller gives an open file.
        import(|| u8::try_from(unsafe { libc::fgetc(file) }).ok()).into()
    })
}

#[unsafe(export_name = name!(import_wisdom_from_filename))]
pub unsafe extern "C" fn import_wisdom_from_filename(name: *const c_char) -> c_int {
    guarded(name!(import_wisdom_from_filename), 0, || {
        // SAFETY: the caller gives a text or NULL.
        let Some(Ok(text)) = unsafe { path(name) }.map(std::fs::read) else { return 0 };
        let mut bytes = text.into_iter();
        import(|| bytes.next()).into()
    })
}

#[unsafe(export_name = name!(import_wisdom))]
pub unsafe extern "C" fn import_wisdom(read_char: Option<unsafe extern "C" fn(*mut c_void) -> c_int>, data: *mut c_void) -> c_int {
    guarded(name!(import_wisdom), 0, || {
        let Some(read_char) = read_char else { return 0 };
        // SAFETY: the caller's function takes the caller's data.
        import(|| Some(unsafe { read_char(data) }).filter(|&c| c != EOF).map(|c| c as u8)).into()
    })
}

/// The record that the crate keeps for the user in a file, or the one that `WGPU_FFT_RECORD` names.
#[unsafe(export_name = name!(import_system_wisdom))]
pub extern "C" fn import_system_wisdom() -> c_int {
    guarded(name!(import_system_wisdom), 0, || {
        let system = Record::open_default();
        if system.path().is_none_or(|path| !path.exists()) {
            return 0;
        }
        take(system.export_text(|_| true).as_bytes()).into()
    })
}

#[unsafe(export_name = name!(forget_wisdom))]
pub extern "C" fn forget_wisdom() {
    guarded(name!(forget_wisdom), (), || library().forget_record());
}

/// # Safety
/// `name` must be a text or NULL.
unsafe fn path<'a>(name: *const c_char) -> Option<&'a Path> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    #[cfg(unix)]
    let name = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes);
    #[cfg(not(unix))]
    let name = OsStr::new(std::str::from_utf8(bytes).ok()?);
    Some(Path::new(name))
}
