//! The FFTW that stands behind this library, where it was preloaded into a program that is linked with
//! FFTW: it transforms what stays on the host, and what there is no plan for here.
//!
//! Its functions are found under the names that come next in the order of the program's libraries, which
//! is never this library.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{LazyLock, Mutex, PoisonError};

use rustfft::FftDirection;

use crate::calls::guru::Axis;
use crate::calls::number_of;
use crate::plan::{Inputs, Outputs};
use crate::precision::Real;
use crate::problem::{Kind, Problem};
use crate::side::Dim;

type Axes = *const Axis<isize>;
type Array = *mut Real;
/// A plan of FFTW's.
type Handle = *mut c_void;

macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            fn find() -> Option<Self> {
                Some(Self { $($name: {
                    let name = CStr::from_bytes_with_nul(concat!(name!($name), "\0").as_bytes()).ok()?;
                    // SAFETY: a name that ends with a zero byte.
                    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
                    if found.is_null() {
                        return None;
                    }
                    // SAFETY: what has FFTW's name is FFTW's function, of the type in its manual.
                    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) $(-> $result)?>(found) }
                },)* })
            }
        }
    };
}

functions! {
    plan_guru64_dft(c_int, Axes, c_int, Axes, Array, Array, c_int, c_uint) -> Handle;
    plan_guru64_dft_r2c(c_int, Axes, c_int, Axes, Array, Array, c_uint) -> Handle;
    plan_guru64_dft_c2r(c_int, Axes, c_int, Axes, Array, Array, c_uint) -> Handle;
    plan_guru64_r2r(c_int, Axes, c_int, Axes, Array, Array, *const c_int, c_uint) -> Handle;
    plan_guru64_split_dft(c_int, Axes, c_int, Axes, Array, Array, Array, Array, c_uint) -> Handle;
    plan_guru64_split_dft_r2c(c_int, Axes, c_int, Axes, Array, Array, Array, c_uint) -> Handle;
    plan_guru64_split_dft_c2r(c_int, Axes, c_int, Axes, Array, Array, Array, c_uint) -> Handle;
    execute_dft(Handle, Array, Array);
    execute_dft_r2c(Handle, Array, Array);
    execute_dft_c2r(Handle, Array, Array);
    execute_r2r(Handle, Array, Array);
    execute_split_dft(Handle, Array, Array, Array, Array);
    execute_split_dft_r2c(Handle, Array, Array, Array);
    execute_split_dft_c2r(Handle, Array, Array, Array);
    destroy_plan(Handle);
    alignment_of(Array) -> c_int;
    sprint_plan(Handle) -> *mut c_char;
}

static FUNCTIONS: LazyLock<Option<Functions>> = LazyLock::new(Functions::find);

/// Held while FFTW's planner works, which is one for the process.
static PLANNER: Mutex<()> = Mutex::new(());

/// What FFTW says of the alignment of an array: its plans are executed on arrays alike.
pub fn alignment_of(array: Array) -> Option<c_int> {
    // SAFETY: it looks at the address alone.
    FUNCTIONS.as_ref().map(|functions| unsafe { (functions.alignment_of)(array) })
}

/// What a plan executes.
#[derive(Clone, Copy)]
enum What {
    C2c,
    R2c,
    C2r,
    R2r,
    SplitC2c,
    SplitR2c,
    SplitC2r,
}

/// A plan of FFTW's.
pub struct Original {
    functions: &'static Functions,
    plan: Handle,
    what: What,
}

// SAFETY: FFTW's plans are executed by any thread, on arrays of its own.
unsafe impl Send for Original {}
// SAFETY: as above.
unsafe impl Sync for Original {}

impl Original {
    /// Nothing if there is no other FFTW, or if it has no plan either. As FFTW does, this may
    /// overwrite the arrays.
    pub fn new(problem: &Problem, flags: c_uint, inputs: Inputs, outputs: Outputs) -> Option<Self> {
        let functions = FUNCTIONS.as_ref()?;
        let all_there = |count: usize, pointers: [bool; 2]| pointers[..count].iter().all(|there| *there);
        if !all_there(problem.input.pointers(), inputs.map(|p| !p.is_null()))
            || !all_there(problem.output.pointers(), outputs.map(|p| !p.is_null()))
        {
            return None;
        }
        let list = |dims: &[Dim]| -> Option<Vec<Axis<isize>>> {
            dims.iter().map(|dim| Some(Axis { n: dim.n.try_into().ok()?, is: dim.input, os: dim.output })).collect()
        };
        let (dims, loops) = (list(&problem.dims)?, list(&problem.loops)?);
        let (rank, loop_rank) = (c_int::try_from(dims.len()).ok()?, c_int::try_from(loops.len()).ok()?);
        let (dims, loops) = (dims.as_ptr(), loops.as_ptr());
        let [input, other_input] = inputs.map(<*const Real>::cast_mut);
        let [output, other_output] = outputs;
        let is_split = problem.input.pointers() + problem.output.pointers() > 2;
        let _alone = PLANNER.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the axes and kinds are as many as is said, and the arrays are the caller's, which is
        // what FFTW asks for.
        let (what, plan) = unsafe {
            match (&problem.kind, is_split) {
                (Kind::C2c(direction), false) => {
                    let sign = if *direction == FftDirection::Forward { -1 } else { 1 };
                    (What::C2c, (functions.plan_guru64_dft)(rank, dims, loop_rank, loops, input, output, sign, flags))
                }
                (Kind::R2c, false) => (What::R2c, (functions.plan_guru64_dft_r2c)(rank, dims, loop_rank, loops, input, output, flags)),
                (Kind::C2r, false) => (What::C2r, (functions.plan_guru64_dft_c2r)(rank, dims, loop_rank, loops, input, output, flags)),
                (Kind::R2r(kinds), _) => {
                    let kinds = kinds.iter().map(|&kind| number_of(kind)).collect::<Option<Vec<c_int>>>()?;
                    (What::R2r, (functions.plan_guru64_r2r)(rank, dims, loop_rank, loops, input, output, kinds.as_ptr(), flags))
                }
                (Kind::C2c(_), true) => {
                    let plan = functions.plan_guru64_split_dft;
                    (What::SplitC2c, plan(rank, dims, loop_rank, loops, input, other_input, output, other_output, flags))
                }
                (Kind::R2c, true) => {
                    let plan = functions.plan_guru64_split_dft_r2c;
                    (What::SplitR2c, plan(rank, dims, loop_rank, loops, input, output, other_output, flags))
                }
                (Kind::C2r, true) => {
                    let plan = functions.plan_guru64_split_dft_c2r;
                    (What::SplitC2r, plan(rank, dims, loop_rank, loops, input, other_input, output, flags))
                }
            }
        };
        (!plan.is_null()).then_some(Self { functions, plan, what })
    }

    /// Executes the plan on arrays.
    ///
    /// # Safety
    /// As FFTW's: the arrays are like those that the plan was made for.
    pub unsafe fn execute(&self, inputs: Inputs, outputs: Outputs) {
        let (f, plan) = (self.functions, self.plan);
        let [input, other_input] = inputs.map(<*const Real>::cast_mut);
        let [output, other_output] = outputs;
        // SAFETY: the caller's; the plan is there until it is dropped.
        unsafe {
            match self.what {
                What::C2c => (f.execute_dft)(plan, input, output),
                What::R2c => (f.execute_dft_r2c)(plan, input, output),
                What::C2r => (f.execute_dft_c2r)(plan, input, output),
                What::R2r => (f.execute_r2r)(plan, input, output),
                What::SplitC2c => (f.execute_split_dft)(plan, input, other_input, output, other_output),
                What::SplitR2c => (f.execute_split_dft_r2c)(plan, input, output, other_output),
                What::SplitC2r => (f.execute_split_dft_c2r)(plan, input, other_input, output),
            }
        }
    }

    /// What FFTW prints of the plan.
    pub fn text(&self) -> String {
        // SAFETY: the plan is there; FFTW gives a text that ends with a zero byte, to be freed.
        unsafe {
            let text = (self.functions.sprint_plan)(self.plan);
            if text.is_null() {
                return String::new();
            }
            let own = CStr::from_ptr(text).to_string_lossy().into_owned();
            libc::free(text.cast());
            own
        }
    }
}

impl Drop for Original {
    fn drop(&mut self) {
        let _alone = PLANNER.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: nobody uses it any more.
        unsafe { (self.functions.destroy_plan)(self.plan) }
    }
}
