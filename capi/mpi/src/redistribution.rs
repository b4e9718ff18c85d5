//! Any parts of an array for any others, without a transform.

use std::ffi::c_void;

use wgpu_fft_distributed::{JobOptions, Redistribution as Ranks};

use crate::arguments::{given, place};
use crate::cluster::{Cluster, give_back};
use crate::job::{Arrays, Part};
use crate::process;
use crate::status::{Failure, Status, guarded};

/// Which rank sends which elements to which, where an array goes from some parts of the ranks to
/// others. Destroy it before MPI_Finalize.
pub struct Redistribution {
    ranks: Ranks,
}

/// Prepares to move an array from some parts of the ranks to others, without a transform: any box of
/// each rank before it, and any box after it. So it is a transpose over ranks, a change from slabs to
/// pencils, or a collection of halos. Collective. Destroy it with wgpu_fft_mpi_redistribution_destroy.
///
/// `before` and `after` are this rank's parts: those of a job, or any of your own. Of them are read
/// `element_bytes`, which may be any number, `rank`, `axes`, `begin`, `count`, `extent`, `padding` and
/// the batch, of which `batch_extent` 0 means that there is none. Both name the same axes with the same extents, each in
/// the order in which it is stored, slowest first: {0, 1} before and {1, 0} after is a transpose.
///
/// Every element that is wanted must come from exactly one rank, or it fails with WGPU_FFT_ERROR_RANK.
/// Parts after it may overlap, for halos, or leave something out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_redistribution_create(
    cluster: *const Cluster,
    before: *const Part,
    after: *const Part,
    redistribution: *mut *mut Redistribution,
) -> Status {
    guarded("wgpu_fft_mpi_redistribution_create", || {
        // SAFETY: the caller gives a handle, two parts, and a place for the handle.
        unsafe {
            let redistribution = place("redistribution", redistribution)?;
            *redistribution = std::ptr::null_mut();
            process::check().map_err(Failure::unsupported)?;
            let (before, after) = (given("before", before)?, given("after", after)?);
            let bytes = [before.element_bytes, after.element_bytes];
            // What is wrong on one rank goes to all, so that none waits for it: no element has 0 bytes.
            let parts = match (before.alone(), after.alone()) {
                (Ok(from), Ok(to)) if bytes[0] == bytes[1] => Ok((from, to)),
                (Ok(_), Ok(_)) => Err(Failure::argument(format!("element_bytes are {} before and {} after", bytes[0], bytes[1]))),
                (from, to) => Err(from.and(to).expect_err("one of them is wrong")),
            };
            let none = wgpu_fft_distributed::Part::of_box(&[1], std::slice::from_ref(&(0..0)));
            let (from, to, bytes) = parts.as_ref().map_or((&none, &none, 0), |(from, to)| (from, to, bytes[0]));
            let ranks = Ranks::new(&given("cluster", cluster)?.ranks, from, to, bytes, &JobOptions::default());
            let ranks = parts.and(ranks.map_err(Failure::from))?;
            *redistribution = Box::into_raw(Box::new(Redistribution { ranks }));
        }
        Ok(())
    })
}

/// Destroys what wgpu_fft_mpi_redistribution_create made. NULL does nothing. The last handle of a
/// cluster that is closed frees its communicator, so then this is collective. After MPI_Finalize it
/// leaks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_redistribution_destroy(redistribution: *mut Redistribution) {
    guarded("wgpu_fft_mpi_redistribution_destroy", || {
        // SAFETY: the caller gives a handle of ours, and does not use it again.
        unsafe { give_back(redistribution) };
        Ok(())
    });
}

/// Moves the array: reads this rank's part before it, and writes the one after it. Collective. Lengths,
/// NULL and an output in the memory of the input are as in wgpu_fft_mpi_run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_redistribute(
    redistribution: *const Redistribution,
    input: *const c_void,
    input_bytes: usize,
    output: *mut c_void,
    output_bytes: usize,
) -> Status {
    guarded("wgpu_fft_mpi_redistribute", || {
        process::check().map_err(Failure::unsupported)?;
        // SAFETY: the caller gives a handle, and arrays that stay while this function runs.
        unsafe {
            let redistribution = given("redistribution", redistribution)?;
            let mut arrays = Arrays::new((input.cast(), input_bytes), (output.cast(), output_bytes));
            let (source, target) = arrays.slices();
            redistribution.ranks.run(source, target)?;
            arrays.finish();
        }
        Ok(())
    })
}
