//! Error codes, and the messages behind them.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use fft::Error;

/// What functions return: WGPU_FFT_OK, or why there is no result.
pub type Status = i32;

/// All is well.
pub const WGPU_FFT_OK: Status = 0;
/// An argument makes no sense: NULL where something must be, a text that is not UTF-8, a number
/// that means nothing.
pub const WGPU_FFT_ERROR_ARGUMENT: Status = 1;
/// An array has another length than the plan needs.
pub const WGPU_FFT_ERROR_LENGTH: Status = 2;
/// A text is no specification, recipe or the like.
pub const WGPU_FFT_ERROR_TEXT: Status = 3;
/// The combination is not supported, on this device or at all.
pub const WGPU_FFT_ERROR_UNSUPPORTED: Status = 4;
/// Something is larger than the device or its indices allow.
pub const WGPU_FFT_ERROR_LIMIT: Status = 5;
/// No adapter matches, or it could not be opened.
pub const WGPU_FFT_ERROR_NO_DEVICE: Status = 6;
/// The device does not have enough memory.
pub const WGPU_FFT_ERROR_MEMORY: Status = 7;
/// The device was lost. Open it again, and plan again.
pub const WGPU_FFT_ERROR_DEVICE_LOST: Status = 8;
/// A file could not be read or written.
pub const WGPU_FFT_ERROR_FILE: Status = 9;
/// A bug of the library or of the driver.
pub const WGPU_FFT_ERROR_INTERNAL: Status = 10;

/// Why a function fails.
pub struct Failure {
    status: Status,
    message: String,
}

impl Failure {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    pub fn argument(message: impl Into<String>) -> Self {
        Self::new(WGPU_FFT_ERROR_ARGUMENT, message)
    }

    pub fn length(message: impl Into<String>) -> Self {
        Self::new(WGPU_FFT_ERROR_LENGTH, message)
    }

    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(WGPU_FFT_ERROR_UNSUPPORTED, message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let reason = if let Error::Queued { source, .. } = &error { source } else { &error };
        let status = match reason {
            Error::NoAdapter { .. } | Error::NoDevice { .. } => WGPU_FFT_ERROR_NO_DEVICE,
            Error::WrongLen { .. } | Error::WrongShape { .. } => WGPU_FFT_ERROR_LENGTH,
            Error::Empty { .. }
            | Error::WrongInputs { .. }
            | Error::WrongArrays { .. }
            | Error::WrongPlacement { .. }
            | Error::Aliased { .. }
            | Error::Misaligned { .. }
            | Error::ForeignObject { .. } => WGPU_FFT_ERROR_ARGUMENT,
            Error::Parse { .. } => WGPU_FFT_ERROR_TEXT,
            Error::Unsupported { .. } | Error::UnfitRecipe { .. } => WGPU_FFT_ERROR_UNSUPPORTED,
            Error::LimitExceeded { .. } => WGPU_FFT_ERROR_LIMIT,
            Error::OutOfMemory { .. } => WGPU_FFT_ERROR_MEMORY,
            Error::File { .. } => WGPU_FFT_ERROR_FILE,
            Error::DeviceLost { .. } => WGPU_FFT_ERROR_DEVICE_LOST,
            // The others are about objects of wgpu's that callers of Rust pass, which C has none of.
            _ => WGPU_FFT_ERROR_INTERNAL,
        };
        Self::new(status, error.to_string())
    }
}

pub type Outcome = Result<(), Failure>;

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Runs what a function of the interface does. A panic would be undefined behaviour in C, so it
/// ends here.
pub fn guarded(function: &str, work: impl FnOnce() -> Outcome) -> Status {
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let message = format!("{function} has panicked, which is a bug: stderr has the reason");
        Err(Failure::new(WGPU_FFT_ERROR_INTERNAL, message))
    });
    let Err(Failure { status, message }) = outcome else { return WGPU_FFT_OK };
    let text = CString::new(format!("{function}: {message}").replace('\0', " ")).unwrap_or_default();
    MESSAGE.with(|last| *last.borrow_mut() = text);
    status
}

/// Why the last function that failed in this thread did so, until the next one fails.
pub fn message() -> *const c_char {
    MESSAGE.with(|last| last.borrow().as_ptr())
}

/// A text that ends with a zero byte as one of C's.
pub const fn terminated(text: &str) -> &CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    }
}
