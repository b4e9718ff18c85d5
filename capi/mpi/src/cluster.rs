//! The ranks of a communicator, with their devices.

use std::ffi::{CString, c_char, c_int};
use std::mem::offset_of;
use std::time::Duration;

use wgpu_fft_distributed::mpi::topology::SimpleCommunicator;
use wgpu_fft_distributed::mpi::{self, ffi, raw::FromRaw};
use wgpu_fft_distributed::{Adapter, Cluster as Ranks, RankOptions};

use crate::arguments::{Versioned, c_string, optional, place, structure};
use crate::process;
use crate::status::{Failure, Outcome, Status, guarded};

/// The ranks of a communicator, each with a device. Close it before MPI_Finalize.
pub struct Cluster {
    pub ranks: Ranks,
    device: CString,
}

/// Which device this rank opens. With zeros behind the size it means the same as NULL in its place: the
/// i-th process of a machine takes the i-th GPU. Ranks may have different options.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OpenOptions {
    /// sizeof(wgpu_fft_mpi_open_options).
    pub size: usize,
    /// Part of the name of the adapter or of its driver, in any case. The i-th process of a machine
    /// takes the i-th adapter with its name, modulo their number. May be NULL.
    pub adapter_name: *const c_char,
    /// In place of a name: the PCI address of a card, such as `0000:65:00.0`. May be NULL.
    pub pci_bus: *const c_char,
    /// In place of both: which of the machine's best adapters, counted from 1. 0 means none.
    pub adapter_number: usize,
    /// Seconds to wait for other ranks that open their devices and plan. 0 is the default, 600.
    pub timeout: f64,
}

// SAFETY: it is of numbers and pointers, with its size first.
unsafe impl Versioned for OpenOptions {
    const NAME: &'static str = "wgpu_fft_mpi_open_options";
    const LEAST: usize = offset_of!(Self, timeout) + size_of::<f64>();
}

/// Seconds of C; 0 is the default.
pub fn seconds(name: &str, value: f64) -> Result<Option<Duration>, Failure> {
    if value == 0.0 {
        return Ok(None);
    }
    Duration::try_from_secs_f64(value).map(Some).map_err(|why| Failure::argument(format!("{name} {value}: {why}")))
}

/// Opens a device on every rank of a communicator. Collective: all of its ranks call it. Close it with
/// wgpu_fft_mpi_close.
///
/// `comm` is the communicator as Fortran has it, MPI_Comm_c2f(comm) in C, so this header needs
/// no mpi.h. MPI must have begun, and be the one that this library was built with. The library
/// sends on a duplicate of the communicator, from the thread that calls it: MPI_THREAD_FUNNELED
/// suffices.
///
/// Fails with WGPU_FFT_ERROR_NO_DEVICE on all ranks if one has no adapter; the message names it,
/// and lists the adapters that are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_open(comm: c_int, options: *const OpenOptions, cluster: *mut *mut Cluster) -> Status {
    guarded("wgpu_fft_mpi_open", || {
        // SAFETY: the caller gives options or NULL, with texts or NULL, and a place for the handle.
        let cluster = unsafe { place("cluster", cluster) }?;
        *cluster = std::ptr::null_mut();
        // SAFETY: as above.
        let options = unsafe { structure("options", options) }?;
        let mut wanted = RankOptions::default();
        if let Some(options) = options {
            // SAFETY: as above.
            let (name, bus) = unsafe { (optional("adapter_name", options.adapter_name)?, optional("pci_bus", options.pci_bus)?) };
            let number = options.adapter_number.checked_sub(1).map(Adapter::Index);
            let adapter =
                number.or(bus.map(|bus| Adapter::PciBus(bus.to_owned()))).or(name.map(|name| Adapter::Names(vec![name.to_owned()])));
            wanted = adapter.into_iter().fold(wanted, RankOptions::adapter);
            wanted = seconds("timeout", options.timeout)?.into_iter().fold(wanted, RankOptions::timeout);
        }
        if !mpi::is_initialized() || mpi::is_finalized() {
            return Err(Failure::argument("MPI has not begun, or has ended"));
        }
        process::enter().map_err(Failure::unsupported)?;
        // SAFETY: the caller gives a communicator, which stays its own: what is wrapped is a duplicate.
        let comm = unsafe {
            let (theirs, mut own, mut is_inter) = (ffi::RSMPI_Comm_f2c(comm), ffi::RSMPI_COMM_NULL, 0);
            if theirs == ffi::RSMPI_COMM_NULL {
                return Err(Failure::argument("comm is MPI_COMM_NULL"));
            }
            ffi::MPI_Comm_test_inter(theirs, &mut is_inter);
            if is_inter != 0 {
                return Err(Failure::argument("comm joins two groups: an intracommunicator is needed"));
            }
            let status = ffi::MPI_Comm_dup(theirs, &mut own);
            if status != ffi::MPI_SUCCESS as c_int || own == ffi::RSMPI_COMM_NULL {
                return Err(Failure::unsupported(format!("MPI_Comm_dup failed with {status}")));
            }
            SimpleCommunicator::from_raw(own)
        };
        let ranks = Ranks::open(&comm, &wanted)?;
        let device = c_string(&ranks.members()[ranks.rank()].adapter);
        *cluster = Box::into_raw(Box::new(Cluster { ranks, device }));
        Ok(())
    })
}

/// Closes the devices. Jobs that are still there keep them open until they are destroyed. NULL does
/// nothing. Collective, as MPI_Comm_free is; after MPI_Finalize it leaks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_close(cluster: *mut Cluster) {
    guarded("wgpu_fft_mpi_close", || {
        // SAFETY: the caller gives a handle of wgpu_fft_mpi_open, and does not use it again.
        unsafe { give_back(cluster) };
        Ok(())
    });
}

/// Drops what a handle points to, or leaks it where that could not be.
///
/// # Safety
/// The handle must be NULL or come from a box, and never be used again.
pub unsafe fn give_back<T>(handle: *mut T) {
    if !handle.is_null() && !mpi::is_finalized() {
        // SAFETY: the caller's.
        process::give_back(unsafe { Box::from_raw(handle) });
    }
}

/// Refuses what sends or receives once MPI has ended, which would end the program.
pub fn check_mpi() -> Outcome {
    if mpi::is_finalized() { Err(Failure::argument("MPI has ended")) } else { Ok(()) }
}

/// The name of this rank's adapter, which is there as long as the handle. Empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_device(cluster: *const Cluster) -> *const c_char {
    // SAFETY: the caller gives a handle or NULL.
    unsafe { cluster.as_ref() }.map_or(c"".as_ptr(), |cluster| cluster.device.as_ptr())
}
