//! Plans.

use std::ffi::{CString, c_char, c_void};
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fft::dynamic::{AnyPlan, AnySpec};
use fft::low_level::tune::Progress;
use fft::tune::Rigor;

use crate::arguments::{Versioned, c_string, given, optional, place, structure, text};
use crate::gpu::Gpu;
use crate::process;
use crate::status::{Failure, Outcome, Status, guarded};
use crate::transform::Transform;

/// By the rules, or by what this library's authors measured. It takes no time.
pub const WGPU_FFT_ESTIMATE: i32 = 0;
/// By the record of measurements, or else as WGPU_FFT_ESTIMATE. It takes no time.
pub const WGPU_FFT_RECORDED: i32 = 1;
/// By the record, or else by a search of about 2 seconds, whose result the record keeps.
pub const WGPU_FFT_MEASURE: i32 = 2;
/// By the record, or else by a search of up to a minute.
pub const WGPU_FFT_PATIENT: i32 = 3;

/// How a specification is computed. With zeros behind the size it means the same as NULL in its place.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PlanOptions {
    /// sizeof(wgpu_fft_plan_options).
    pub size: usize,
    /// WGPU_FFT_ESTIMATE and the like.
    pub rigor: i32,
    /// How long a search may take, in seconds. 0 is the default of the rigor.
    pub time_limit: f64,
    /// The text of a recipe, as wgpu_fft_plan_recipe returned it, in place of any choice.
    pub recipe: *const c_char,
    /// Called with the progress of a search, on the thread that plans, between measurements. If it
    /// returns anything but 0, the search ends: the plan is by the best recipe so far, and the record
    /// does not keep it. May be NULL. It must not call this library, nor leave by longjmp.
    pub listener: Option<unsafe extern "C" fn(user: *mut c_void, search: *const Search) -> i32>,
    /// What the listener gets first.
    pub user: *mut c_void,
}

/// How far a search for a recipe is.
#[repr(C)]
pub struct Search {
    /// What is planned. It is there while the listener runs.
    pub spec: *const c_char,
    /// The recipe that is tried, or NULL. It is there while the listener runs.
    pub recipe: *const c_char,
    /// How many recipes have been measured.
    pub measured: usize,
    /// The time of the best one over that of the recipe by the rules: 1 or less.
    pub best: f64,
    /// Seconds since the search began, and its limit.
    pub elapsed: f64,
    pub limit: f64,
}

/// A listener of the caller's to a search.
struct Listener {
    function: unsafe extern "C" fn(*mut c_void, *const Search) -> i32,
    user: *mut c_void,
    ended: Arc<AtomicBool>,
}

// SAFETY: the function is called on the thread that gave it, while it plans, and never after.
unsafe impl Send for Listener {}
// SAFETY: as above.
unsafe impl Sync for Listener {}

impl Listener {
    fn call(&self, progress: &Progress<'_>) {
        let (spec, recipe) = (c_string(progress.spec), progress.recipe.map(c_string));
        let search = Search {
            spec: spec.as_ptr(),
            recipe: recipe.as_ref().map_or(std::ptr::null(), |recipe| recipe.as_ptr()),
            measured: progress.measured,
            best: progress.best,
            elapsed: progress.elapsed.as_secs_f64(),
            limit: progress.limit.as_secs_f64(),
        };
        // SAFETY: the caller of wgpu_fft_plan_text gave a function for this.
        if unsafe { (self.function)(self.user, &raw const search) } != 0 {
            self.ended.store(true, Ordering::Relaxed);
        }
    }
}

// SAFETY: it is of numbers and pointers, with its size first.
unsafe impl Versioned for PlanOptions {
    const NAME: &'static str = "wgpu_fft_plan_options";
    // Those before had no listener.
    const LEAST: usize = offset_of!(Self, recipe) + size_of::<*const c_char>();
}

/// Something to compute, ready on a device. Any number of threads may execute it at once.
pub struct Plan {
    pub plan: AnyPlan,
    spec: CString,
    recipe: CString,
    /// Of input and output.
    elements: [CString; 2],
}

impl Plan {
    /// The size of an output.
    pub fn output_bytes(&self) -> usize {
        self.plan.program().output().len * self.plan.output().bytes()
    }

    /// Refuses an output of another size.
    pub fn check_output(&self, bytes: usize) -> Outcome {
        let expected = self.output_bytes();
        if bytes == expected {
            return Ok(());
        }
        Err(Failure::length(format!("the output has {bytes} bytes, and the plan `{}` writes {expected}", self.plan.spec())))
    }
}

/// # Safety
/// `options` must be NULL or valid, with a text or NULL.
unsafe fn planned(gpu: &Gpu, spec: &AnySpec, options: *const PlanOptions) -> Result<Box<Plan>, Failure> {
    let (mut rigor, mut limit, mut recipe, mut listener) = (Rigor::Estimate, None, None, None);
    // SAFETY: the caller's.
    if let Some(options) = unsafe { structure("options", options) }? {
        rigor = match options.rigor {
            WGPU_FFT_ESTIMATE => Rigor::Estimate,
            WGPU_FFT_RECORDED => Rigor::Recorded,
            WGPU_FFT_MEASURE => Rigor::Measure,
            WGPU_FFT_PATIENT => Rigor::Patient,
            other => return Err(Failure::argument(format!("rigor cannot be {other}"))),
        };
        if options.time_limit != 0.0 {
            let seconds = options.time_limit;
            limit = Some(Duration::try_from_secs_f64(seconds).map_err(|why| Failure::argument(format!("time_limit {seconds}: {why}")))?);
        }
        listener = options.listener.map(|function| Listener { function, user: options.user, ended: Arc::default() });
        // SAFETY: the caller's.
        recipe = unsafe { optional("recipe", options.recipe) }?;
    }
    process::check().map_err(Failure::unsupported)?;
    let planner = match listener {
        None => gpu.planner(rigor, limit),
        Some(listener) => gpu.listened(rigor, limit, |tuning| {
            tuning.cancelled_by(Arc::clone(&listener.ended)).on_progress(move |progress| listener.call(progress))
        }),
    };
    let plan = spec.plan(&planner, recipe)?;
    let elements = [plan.input(), plan.output()].map(|element| c_string(element.name()));
    Ok(Box::new(Plan { spec: c_string(&plan.spec()), recipe: c_string(&plan.recipe()), elements, plan }))
}

/// Plans a specification from its text, such as `c2c fwd 512x512` or `sum f32 480x640 axes=1`. The
/// documentation of the Rust module wgpu_fft::dynamic lists all of them. `options` may be NULL.
/// Destroy the plan with wgpu_fft_plan_destroy.
///
/// Planning compiles shaders, which takes milliseconds to seconds the first time. Planning the same
/// again costs little.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_text(
    gpu: *const Gpu,
    spec: *const c_char,
    options: *const PlanOptions,
    plan: *mut *mut Plan,
) -> Status {
    guarded("wgpu_fft_plan_text", || {
        // SAFETY: the caller gives a handle, a text, options or NULL, and a place for the plan.
        unsafe {
            let plan = place("plan", plan)?;
            *plan = std::ptr::null_mut();
            let spec: AnySpec = text("spec", spec)?.parse()?;
            *plan = Box::into_raw(planned(given("gpu", gpu)?, &spec, options)?);
        }
        Ok(())
    })
}

/// Plans a Fourier transform, as wgpu_fft_plan_text does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_transform(
    gpu: *const Gpu,
    transform: *const Transform,
    options: *const PlanOptions,
    plan: *mut *mut Plan,
) -> Status {
    guarded("wgpu_fft_plan_transform", || {
        // SAFETY: the caller gives a handle, a transform, options or NULL, and a place for the
        // plan.
        unsafe {
            let plan = place("plan", plan)?;
            *plan = std::ptr::null_mut();
            let spec: AnySpec = Transform::given(transform)?.text()?.parse()?;
            *plan = Box::into_raw(planned(given("gpu", gpu)?, &spec, options)?);
        }
        Ok(())
    })
}

/// Destroys a plan that no thread executes any more. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_destroy(plan: *mut Plan) {
    guarded("wgpu_fft_plan_destroy", || {
        if !plan.is_null() {
            // SAFETY: the caller gives a handle of ours, and does not use it again.
            process::give_back(unsafe { Box::from_raw(plan) });
        }
        Ok(())
    });
}

/// A text of a plan.
///
/// # Safety
/// `plan` must be a handle or NULL.
unsafe fn text_of(plan: *const Plan, text: fn(&Plan) -> &CString) -> *const c_char {
    // SAFETY: the caller's.
    unsafe { plan.as_ref() }.map_or(c"".as_ptr(), |plan| text(plan).as_ptr())
}

/// What the plan computes, which is there as long as the plan. Empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_spec(plan: *const Plan) -> *const c_char {
    // SAFETY: the caller's.
    unsafe { text_of(plan, |plan| &plan.spec) }
}

/// How the plan computes it, which is there as long as the plan. Empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_recipe(plan: *const Plan) -> *const c_char {
    // SAFETY: the caller's.
    unsafe { text_of(plan, |plan| &plan.recipe) }
}

/// What the input holds, such as `f32` or `complex f32`; of two inputs, both. It is there as long
/// as the plan. Empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_input_element(plan: *const Plan) -> *const c_char {
    // SAFETY: the caller's.
    unsafe { text_of(plan, |plan| &plan.elements[0]) }
}

/// What the output holds. It is there as long as the plan. Empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_output_element(plan: *const Plan) -> *const c_char {
    // SAFETY: the caller's.
    unsafe { text_of(plan, |plan| &plan.elements[1]) }
}

/// A number of a plan; 0 for NULL.
///
/// # Safety
/// `plan` must be a handle or NULL.
unsafe fn number_of(plan: *const Plan, number: impl FnOnce(&AnyPlan) -> usize) -> usize {
    // SAFETY: the caller's.
    unsafe { plan.as_ref() }.map_or(0, |plan| number(&plan.plan))
}

/// How many inputs the plan takes: 1 or 2. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_input_count(plan: *const Plan) -> usize {
    // SAFETY: the caller's.
    unsafe { number_of(plan, |plan| plan.program().inputs().len()) }
}

/// The bytes of an input, counted from 0. 0 if there is none of that number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_input_bytes(plan: *const Plan, input: usize) -> usize {
    // SAFETY: the caller's.
    unsafe { number_of(plan, |plan| plan.program().inputs().get(input).map_or(0, |array| array.len * plan.input().bytes())) }
}

/// The bytes of the output. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_output_bytes(plan: *const Plan) -> usize {
    // SAFETY: the caller's.
    unsafe { plan.as_ref() }.map_or(0, Plan::output_bytes)
}

/// The elements of an input, counted from 0. 0 if there is none of that number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_input_len(plan: *const Plan, input: usize) -> usize {
    // SAFETY: the caller's.
    unsafe { number_of(plan, |plan| plan.program().inputs().get(input).map_or(0, |array| array.len)) }
}

/// The elements of the output. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_output_len(plan: *const Plan) -> usize {
    // SAFETY: the caller's.
    unsafe { number_of(plan, |plan| plan.program().output().len) }
}

/// The bytes that the plan holds on the device besides arrays. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_plan_workspace_bytes(plan: *const Plan) -> usize {
    // SAFETY: the caller's.
    unsafe { number_of(plan, |plan| (plan.program().workspace_bytes() + plan.program().table_bytes()) as usize) }
}
