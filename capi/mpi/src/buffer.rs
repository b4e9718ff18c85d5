//! Arrays on this rank's device, and what a program does with them between two transforms.

use std::ffi::{c_char, c_void};
use std::rc::Rc;

use fft::num_complex::Complex32;
use fft::transpose::Permute;
use fft::{DeviceBuffer, Element, Fragment, FragmentArrays, Planner, View, With};

use crate::arguments::{bytes, given, place, room, text};
use crate::cluster::{Cluster, give_back};
use crate::job::Job;
use crate::process;
use crate::status::{Failure, Outcome, Status, guarded};

/// An array on this rank's device. Destroy it before the cluster is closed.
pub struct Buffer {
    planner: Rc<Planner>,
    /// None of no bytes.
    array: Option<DeviceBuffer<u8>>,
}

impl Buffer {
    fn bytes(&self) -> usize {
        self.array.as_ref().map_or(0, DeviceBuffer::len)
    }

    fn view(&self) -> Option<View<'_, u8>> {
        self.array.as_ref().map(DeviceBuffer::view)
    }

    fn check(&self, name: &str, count: usize) -> Outcome {
        process::check().map_err(Failure::unsupported)?;
        if count == self.bytes() {
            return Ok(());
        }
        Err(Failure::length(format!("{name} has {count} bytes, and the buffer {}", self.bytes())))
    }
}

/// Makes an array on this rank's device of so many bytes, which are zeros. 0 bytes are right for a part
/// without elements. Destroy it with wgpu_fft_mpi_buffer_destroy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_buffer_create(cluster: *const Cluster, bytes: usize, buffer: *mut *mut Buffer) -> Status {
    guarded("wgpu_fft_mpi_buffer_create", || {
        // SAFETY: the caller gives a place for the buffer.
        let buffer = unsafe { place("buffer", buffer) }?;
        *buffer = std::ptr::null_mut();
        // SAFETY: the caller gives a handle.
        let cluster = unsafe { given("cluster", cluster) }?;
        process::check().map_err(Failure::unsupported)?;
        let planner = Rc::clone(cluster.ranks.planner());
        let array = if bytes == 0 { None } else { Some(planner.gpu().alloc(bytes)?) };
        *buffer = Box::into_raw(Box::new(Buffer { planner, array }));
        Ok(())
    })
}

/// Destroys a buffer. NULL does nothing. After MPI_Finalize it leaks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_buffer_destroy(buffer: *mut Buffer) {
    guarded("wgpu_fft_mpi_buffer_destroy", || {
        // SAFETY: the caller gives a handle of ours, and does not use it again.
        unsafe { give_back(buffer) };
        Ok(())
    });
}

/// Copies bytes of the host to a buffer, which has as many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_buffer_write(buffer: *const Buffer, data: *const c_void, count: usize) -> Status {
    guarded("wgpu_fft_mpi_buffer_write", || {
        // SAFETY: the caller gives a handle.
        let buffer = unsafe { given("buffer", buffer)? };
        buffer.check("data", count)?;
        let Some(array) = &buffer.array else { return Ok(()) };
        // SAFETY: the caller gives so many bytes.
        Ok(buffer.planner.gpu().write(array, unsafe { bytes("data", data.cast(), count)? })?)
    })
}

/// Copies the bytes of a buffer to the host, which has room for as many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_buffer_read(buffer: *const Buffer, data: *mut c_void, count: usize) -> Status {
    guarded("wgpu_fft_mpi_buffer_read", || {
        // SAFETY: the caller gives a handle.
        let buffer = unsafe { given("buffer", buffer)? };
        buffer.check("data", count)?;
        let Some(array) = &buffer.array else { return Ok(()) };
        room("data", data.cast(), count)?;
        let read = buffer.planner.gpu().download(array)?.wait()?;
        // SAFETY: the caller gives room for so many bytes.
        unsafe { data.cast::<u8>().copy_from_nonoverlapping(read.as_ptr(), read.len()) };
        Ok(())
    })
}

/// As wgpu_fft_mpi_run, from one buffer to another. Collective. Between two transforms nothing but
/// what ranks exchange passes the host then: with WGPU_FFT_MPI_NATURAL the output of a forward
/// transform is part of that, and with parts of the caller's so are both.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_run_on_device(job: *const Job, input: *const Buffer, output: *const Buffer) -> Status {
    guarded("wgpu_fft_mpi_run_on_device", || {
        // SAFETY: the caller gives handles. A missing buffer is one of no bytes, so that all ranks learn of it.
        let (job, [input, output]) = unsafe { (given("job", job)?, [input.as_ref(), output.as_ref()]) };
        process::check().map_err(Failure::unsupported)?;
        let [input, output] = [input, output].map(|buffer| buffer.and_then(Buffer::view));
        Ok(job.job.run_on_device(input, output)?)
    })
}

fn view<T: Element>(array: &DeviceBuffer<u8>, len: usize) -> fft::Result<View<'_, T>> {
    View::new(array.buffer(), 0, len)
}

/// What wgpu_fft_mpi_map does for a type, which has this name in WGSL.
macro_rules! map {
    ($type:ty, $name:literal, $expression:expr, $arrays:expr) => {{
        let [input, factors, output] = $arrays;
        for (name, other) in [("factors", factors), ("output", output)] {
            input.check(name, other.bytes())?;
        }
        let size = size_of::<$type>();
        if !input.bytes().is_multiple_of(size) {
            return Err(Failure::length(format!("{} bytes are no elements of {size}", input.bytes())));
        }
        let [Some(from), Some(beside), Some(to)] = [&input.array, &factors.array, &output.array] else { return Ok(()) };
        let len = from.len() / size;
        let view = view::<$type>;
        let function = format!("fn element(value: {0}, factor: {0}, i0: u32) -> {0} {{ return {1}; }}", $name, $expression);
        let fragment = Fragment::new("element(value, factors[i0], i0)").functions(function).array::<$type>("factors", len);
        let plan = input.planner.plan(Permute::<$type>::new([len], [0]).map_input::<$type>(fragment)?)?;
        let factors = FragmentArrays::new().with("factors", view(beside, len)?);
        Ok(plan.bind(With(view(from, len)?, &factors), view(to, len)?)?.enqueue()?)
    }};
}

/// Computes every element of a buffer from those of two others at the same place: `expression` is
/// WGSL, such as `value * factor.x`, of `value`, an element of `input`, and `factor`, one of `factors`.
/// They are f32 if `element_reals` is 1, and complex numbers, vec2<f32>, if it is 2. All three have as
/// many bytes, and the output is neither of the others. `i0` is the index, a u32. Not collective: it
/// runs on this rank's device, in order with the transforms there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_map(
    expression: *const c_char,
    element_reals: usize,
    input: *const Buffer,
    factors: *const Buffer,
    output: *const Buffer,
) -> Status {
    guarded("wgpu_fft_mpi_map", || {
        // SAFETY: the caller gives a text and handles.
        let (expression, arrays) =
            unsafe { (text("expression", expression)?, [given("input", input)?, given("factors", factors)?, given("output", output)?]) };
        process::check().map_err(Failure::unsupported)?;
        match element_reals {
            1 => map!(f32, "f32", expression, arrays),
            2 => map!(Complex32, "vec2f", expression, arrays),
            other => Err(Failure::argument(format!("element_reals cannot be {other}"))),
        }
    })
}
