//! Running plans on arrays of the caller's.

use std::ffi::c_void;

use crate::arguments::{bytes, given, room};
use crate::plan::Plan;
use crate::process;
use crate::status::{Failure, Outcome, Status, guarded};

/// An array to read.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Array {
    /// Its first byte.
    pub data: *const c_void,
    /// How many there are.
    pub bytes: usize,
}

/// The inputs of a plan.
///
/// # Safety
/// There must be so many arrays, whose bytes are valid while the result is used.
pub unsafe fn inputs<'a>(arrays: *const Array, count: usize) -> Result<Vec<&'a [u8]>, Failure> {
    if arrays.is_null() || count > 16 {
        return Err(Failure::argument(format!("{count} inputs at {arrays:?}: there are 1 or 2")));
    }
    // SAFETY: the caller's.
    let arrays = unsafe { std::slice::from_raw_parts(arrays, count) };
    // SAFETY: the caller's.
    arrays.iter().map(|array| unsafe { bytes("an input", array.data.cast(), array.bytes) }).collect()
}

/// # Safety
/// The arrays must be there.
unsafe fn run(plan: *const Plan, arrays: *const Array, count: usize, output: *mut c_void, output_bytes: usize) -> Outcome {
    // SAFETY: the caller's.
    let plan = unsafe { given("plan", plan) }?;
    process::check().map_err(Failure::unsupported)?;
    // SAFETY: the caller's.
    let inputs = unsafe { inputs(arrays, count) }?;
    room("the output", output.cast(), output_bytes)?;
    let first = output.cast_const().cast::<u8>();
    let places = first..first.wrapping_add(output_bytes);
    plan.check_output(output_bytes)?;
    let overlaps = |input: &&[u8]| input.as_ptr() < places.end && places.start < input.as_ptr_range().end;
    if inputs.iter().any(overlaps) {
        // What is read may be what is written: the result comes into memory of its own first.
        let results = plan.plan.run(&inputs)?.wait()?;
        // SAFETY: the caller's; nobody looks at the inputs any more.
        unsafe { output.cast::<u8>().copy_from_nonoverlapping(results.as_ptr(), results.len()) };
        return Ok(());
    }
    // SAFETY: the caller's; no input is part of it.
    let output = unsafe { std::slice::from_raw_parts_mut(output.cast::<u8>(), output_bytes) };
    Ok(plan.plan.run_into(&inputs, output)?)
}

/// Executes a plan with one input on arrays of the host, and returns when the output is written.
/// The output may be the input. If it fails, what the output holds means nothing.
///
/// Any number of threads may execute plans at once, also the same plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_execute(
    plan: *const Plan,
    input: *const c_void,
    input_bytes: usize,
    output: *mut c_void,
    output_bytes: usize,
) -> Status {
    guarded("wgpu_fft_execute", || {
        // SAFETY: the caller gives a handle and arrays.
        unsafe { run(plan, &Array { data: input, bytes: input_bytes }, 1, output, output_bytes) }
    })
}

/// Executes a plan with any number of inputs, as wgpu_fft_execute does one with one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_execute_many(
    plan: *const Plan,
    inputs: *const Array,
    count: usize,
    output: *mut c_void,
    output_bytes: usize,
) -> Status {
    guarded("wgpu_fft_execute_many", || {
        // SAFETY: the caller gives so many arrays, a handle and an output.
        unsafe { run(plan, inputs, count, output, output_bytes) }
    })
}
