//! Arrays in files, of which each rank reads and writes its own part.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;

use wgpu_fft_distributed::FileOptions as Options;

use crate::arguments::{Versioned, given, structure, text};
use crate::job::Job;
use crate::process;
use crate::status::{Failure, Status, guarded};

/// The file holds the input of a job.
pub const WGPU_FFT_MPI_INPUT: i32 = 0;
/// The file holds the output of a job.
pub const WGPU_FFT_MPI_OUTPUT: i32 = 1;

/// A file as NumPy's `save` makes it: a header, and the elements.
pub const WGPU_FFT_MPI_NPY: i32 = 0;
/// Nothing but the elements, from the byte `begin` to the end of the file.
pub const WGPU_FFT_MPI_RAW: i32 = 1;

/// In the file the last axis is the fastest one.
pub const WGPU_FFT_MPI_C_ORDER: i32 = 0;
/// In the file the first axis is the fastest one, and a batch is faster still.
pub const WGPU_FFT_MPI_FORTRAN_ORDER: i32 = 1;

/// How an array lies in a file. With zeros behind the size it means the same as NULL in its place. All
/// ranks give the same.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FileOptions {
    /// sizeof(wgpu_fft_mpi_file_options).
    pub size: usize,
    /// WGPU_FFT_MPI_NPY or WGPU_FFT_MPI_RAW.
    pub format: i32,
    /// WGPU_FFT_MPI_C_ORDER or WGPU_FFT_MPI_FORTRAN_ORDER. A file of NumPy that is read says so itself.
    pub order: i32,
    /// The byte at which the elements of a raw file begin. 0 for one that is written.
    pub begin: u64,
    /// 1 to replace a file that is there, which is an error otherwise.
    pub replace: i32,
    /// 0.
    pub reserved: i32,
}

// SAFETY: it is of numbers, with its size first.
unsafe impl Versioned for FileOptions {
    const NAME: &'static str = "wgpu_fft_mpi_file_options";
    const LEAST: usize = offset_of!(Self, reserved) + size_of::<i32>();
}

/// # Safety
/// `options` must be NULL or valid.
unsafe fn file_options(options: *const FileOptions) -> Result<Options, Failure> {
    let wrong = |what: &str, value: i32| Err(Failure::argument(format!("{what} cannot be {value}")));
    let own = Options::default();
    // SAFETY: the caller's.
    let Some(options) = unsafe { structure("options", options) }? else { return Ok(own) };
    let own = match options.format {
        WGPU_FFT_MPI_NPY => own,
        WGPU_FFT_MPI_RAW => own.raw(options.begin),
        other => return wrong("format", other),
    };
    let own = match options.order {
        WGPU_FFT_MPI_C_ORDER => own,
        WGPU_FFT_MPI_FORTRAN_ORDER => own.fortran_order(),
        other => return wrong("order", other),
    };
    match options.replace {
        0 => Ok(own),
        1 => Ok(own.replace()),
        other => wrong("replace", other),
    }
}

fn is_input(side: i32) -> Result<bool, Failure> {
    match side {
        WGPU_FFT_MPI_INPUT => Ok(true),
        WGPU_FFT_MPI_OUTPUT => Ok(false),
        other => Err(Failure::argument(format!("side cannot be {other}"))),
    }
}

/// What is wrong with the length of one rank all ranks must learn, so NULL has the length 0.
fn len<T>(array: *const T, bytes: usize) -> usize {
    if array.is_null() || isize::try_from(bytes).is_err() { 0 } else { bytes }
}

/// Reads this rank's part of the input of a job from a file, or of its output: WGPU_FFT_MPI_INPUT or
/// WGPU_FFT_MPI_OUTPUT. Collective. All ranks name the same file, and each reads only what it has.
///
/// The file holds the array in the order of the transform's axes, with the batch in front, whatever
/// the order in which a part lies in memory. Elements are not converted: the file must have those of
/// the job, and its shape. `options` may be NULL. If it fails, what the array holds means nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_read(
    job: *const Job,
    side: i32,
    path: *const c_char,
    options: *const FileOptions,
    array: *mut c_void,
    array_bytes: usize,
) -> Status {
    guarded("wgpu_fft_mpi_read", || {
        process::check().map_err(Failure::unsupported)?;
        let len = len(array, array_bytes);
        // SAFETY: the caller gives a handle, a text, options or NULL, and an array. A slice without
        // elements may begin anywhere but at NULL.
        unsafe {
            let bytes = if len == 0 { &mut [][..] } else { std::slice::from_raw_parts_mut(array.cast(), len) };
            Ok(given("job", job)?.job.read(is_input(side)?, text("path", path)?, bytes, &file_options(options)?)?)
        }
    })
}

/// Writes this rank's part of the input of a job to a new file, or of its output, for wgpu_fft_mpi_read
/// or NumPy's `load`. Collective. Every element must be in exactly one rank's part.
///
/// The ranks write beside it. The file is there when all is on the disk: what a failure leaves is what
/// was there before. A file that is there already is an error on all ranks, unless `replace` is 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_write(
    job: *const Job,
    side: i32,
    path: *const c_char,
    options: *const FileOptions,
    array: *const c_void,
    array_bytes: usize,
) -> Status {
    guarded("wgpu_fft_mpi_write", || {
        process::check().map_err(Failure::unsupported)?;
        let len = len(array, array_bytes);
        // SAFETY: as in wgpu_fft_mpi_read.
        unsafe {
            let bytes = if len == 0 { &[][..] } else { std::slice::from_raw_parts(array.cast(), len) };
            Ok(given("job", job)?.job.write(is_input(side)?, text("path", path)?, bytes, &file_options(options)?)?)
        }
    })
}
