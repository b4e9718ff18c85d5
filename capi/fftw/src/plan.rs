//! Plans, and their execution on the caller's arrays.

use std::ffi::c_uint;
use std::fmt;

use wgpu_fft::Error;
use wgpu_fft::dynamic::AnyPlan;

use crate::guard;
use crate::host::{self, Host};
use crate::library::{Choosing, forked, library};
use crate::original::Original;
use crate::precision::{self, Real};
use crate::problem::{Problem, Step};
use crate::process;

/// The first elements of the caller's arrays on one side; the second one is null unless the parts
/// of complex numbers are in arrays of their own.
pub type Inputs = [*const Real; 2];
pub type Outputs = [*mut Real; 2];

/// What `fftwf_plan` points to.
pub struct Plan {
    problem: Problem,
    body: Body,
    /// The arrays that were planned for.
    inputs: Inputs,
    outputs: Outputs,
    adapter: String,
}

// SAFETY: the pointers are only followed by `execute`, whose callers promise that they may be.
unsafe impl Send for Plan {}
// SAFETY: as above; nothing of a plan changes.
unsafe impl Sync for Plan {}

/// What is executed.
enum Body {
    Stages(Vec<Stage>),
    Original(Original),
}

/// A transform of dense arrays.
struct Stage {
    step: Step,
    place: Place,
}

/// Where it runs.
enum Place {
    Host(Host),
    Device {
        /// The plan for as many arrays of the batch as the device takes at once.
        plan: AnyPlan,
        at_once: usize,
        /// The plan for those that remain, if there are any.
        rest: Option<AnyPlan>,
    },
}

/// Which steps the host is to run.
fn on_host(steps: &[Step], choosing: Choosing) -> Result<Vec<bool>, Error> {
    // Moves alone need no device.
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let mut library = library();
    // A child of a process with a device has none.
    library.gpu()?;
    if choosing.recorded_only {
        return Ok(vec![false; steps.len()]);
    }
    steps.iter().map(|step| host::is_chosen(step, &mut library)).collect()
}

impl Stage {
    fn new(step: Step, on_host: bool, choosing: Choosing) -> Result<Self, Error> {
        let mut library = library();
        if on_host && let Some(host) = Host::new(&step) {
            return Ok(Self { step, place: Place::Host(host) });
        }
        let mut at_once = step.batch;
        let plan = loop {
            match library.plan(&step.spec(at_once), choosing) {
                // What a buffer cannot hold goes in parts.
                Err(Error::LimitExceeded { .. }) if at_once > 1 => at_once = at_once.div_ceil(2),
                other => break other?,
            }
        };
        let rest = match step.batch % at_once {
            0 => None,
            rest => Some(library.plan(&step.spec(rest), choosing)?),
        };
        Ok(Self { step, place: Place::Device { plan, at_once, rest } })
    }

    fn run(&self, input: &[Real], output: &mut [Real]) -> Result<(), Error> {
        let (plan, at_once, rest) = match &self.place {
            Place::Host(host) => {
                host.run(input, output);
                return Ok(());
            }
            Place::Device { plan, at_once, rest } => (plan, at_once, rest),
        };
        let parts = input.chunks(at_once * self.step.input).zip(output.chunks_mut(at_once * self.step.output));
        for (input, output) in parts {
            let whole = input.len() == at_once * self.step.input;
            let plan = rest.as_ref().filter(|_| !whole).unwrap_or(plan);
            plan.run_into(&[bytemuck::cast_slice(input)], bytemuck::cast_slice_mut(output))?;
        }
        Ok(())
    }

    fn output_len(&self) -> usize {
        self.step.batch * self.step.output
    }
}

impl Plan {
    /// Nothing, with the reason told, if there can be none.
    pub fn new(problem: Option<Problem>, choosing: Choosing, flags: c_uint, inputs: Inputs, outputs: Outputs) -> Option<Self> {
        let Some(problem) = problem else {
            guard::refused("there is no transform of these extents, strides and kinds");
            return None;
        };
        let original = || Original::new(&problem, flags, inputs, outputs).map(Body::Original);
        let steps = problem.steps();
        let on_host = on_host(&steps, choosing);
        // What is to run on the host, FFTW itself runs best.
        let all = matches!(&on_host, Ok(all) if !all.is_empty() && !all.contains(&false));
        let body = if all { original() } else { None };
        let body = body.or_else(|| {
            let stage = |(step, on_host)| Stage::new(step, on_host, choosing);
            let stages = on_host.and_then(|on_host| steps.into_iter().zip(on_host).map(stage).collect());
            match stages.map(Body::Stages) {
                Ok(stages) => Some(stages),
                Err(error) => {
                    let passed = original();
                    if passed.is_some() {
                        guard::once("FFTW itself plans what has no plan here", &error);
                    } else if precision::is_told(&error) {
                        guard::once("no plan", &error);
                    } else {
                        guard::refused(error);
                    }
                    passed
                }
            }
        })?;
        let plan = Self { problem, body, inputs, outputs, adapter: library().adapter() };
        guard::planned(&plan);
        Some(plan)
    }

    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Executes the plan on the arrays that it was made for.
    ///
    /// # Safety
    /// As [`execute`](Self::execute).
    pub unsafe fn execute_own(&self) {
        // SAFETY: the caller's.
        unsafe { self.execute(self.inputs, self.outputs) }
    }

    /// Executes the plan on arrays. If that fails, it says so, and the results are NaN.
    ///
    /// # Safety
    /// Every element of the arrays must be there, and nobody else may use those that are written,
    /// or write those that are read.
    pub unsafe fn execute(&self, inputs: Inputs, outputs: Outputs) {
        let Problem { input, output, .. } = &self.problem;
        let missing = inputs[..input.pointers()].iter().any(|p| p.is_null()) || outputs[..output.pointers()].iter().any(|p| p.is_null());
        if missing {
            return guard::failed("an array is NULL");
        }
        let stages = match &self.body {
            // SAFETY: the caller's.
            Body::Original(original) => return unsafe { original.execute(inputs, outputs) },
            Body::Stages(stages) => stages,
        };
        // SAFETY: the caller's.
        if let Err(error) = unsafe { self.run(stages, inputs, outputs) } {
            guard::failed(error);
            // SAFETY: the caller's.
            unsafe { output.scatter(&vec![Real::NAN; output.dense_len()], outputs) };
        }
    }

    unsafe fn run(&self, stages: &[Stage], inputs: Inputs, outputs: Outputs) -> Result<(), Error> {
        let Problem { input, output, .. } = &self.problem;
        let gathered;
        let first: &[Real] = if input.is_dense() {
            // SAFETY: the caller's; the elements are neighbours, and `first` ends before anything
            // is written that might be among them.
            unsafe { std::slice::from_raw_parts(inputs[0], input.dense_len()) }
        } else {
            let mut dense = vec![0.0; input.dense_len()];
            // SAFETY: the caller's.
            unsafe { input.gather(inputs, &mut dense) };
            gathered = dense;
            &gathered
        };
        let Some((last, before)) = stages.split_last() else {
            // Nothing but places changes. What is read may be what is written.
            let moved = first.to_vec();
            // SAFETY: the caller's.
            unsafe { output.scatter(&moved, outputs) };
            return Ok(());
        };
        process::check().map_err(forked)?;
        let mut between: Option<Vec<Real>> = None;
        for stage in before {
            let mut results = vec![0.0; stage.output_len()];
            stage.run(between.as_deref().unwrap_or(first), &mut results)?;
            between = Some(results);
        }
        let source = between.as_deref().unwrap_or(first);
        if output.is_dense() && !input.overlaps(inputs, output, outputs) {
            // SAFETY: the caller's; the elements are neighbours, and none is an input.
            let results = unsafe { std::slice::from_raw_parts_mut(outputs[0], output.dense_len()) };
            return last.run(source, results);
        }
        let mut results = vec![0.0; last.output_len()];
        last.run(source, &mut results)?;
        // SAFETY: the caller's. The inputs are no longer looked at.
        unsafe { output.scatter(&results, outputs) };
        Ok(())
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages = match &self.body {
            Body::Original(original) => return write!(f, "(FFTW {})", original.text()),
            Body::Stages(stages) => stages,
        };
        f.write_str("(wgpu-fft")?;
        if stages.is_empty() {
            f.write_str(" copy")?;
        }
        for stage in stages {
            match &stage.place {
                Place::Host(_) => write!(f, " ({}: rustfft on the host)", stage.step.spec(stage.step.batch))?,
                Place::Device { plan, at_once, .. } => {
                    write!(f, " ({}: {})", plan.spec(), plan.recipe())?;
                    if *at_once < stage.step.batch {
                        write!(f, ", {at_once} of {} at once", stage.step.batch)?;
                    }
                }
            }
        }
        write!(f, " on {})", self.adapter)
    }
}
