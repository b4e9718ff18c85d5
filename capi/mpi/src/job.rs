//! Transforms of all ranks.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;
use std::rc::Rc;

use fft::ElementType;
use wgpu_fft_distributed::{AnyJob, Decomposition, JobOptions, Order, Strategy};

use crate::arguments::{Versioned, given, place, structure, text};
use crate::cluster::{Cluster, give_back, seconds};
use crate::process;
use crate::status::{Failure, Outcome, Status, guarded};

/// The most axes of a transform.
pub const WGPU_FFT_MOST_AXES: usize = 3;

/// One axis is divided: the batch, or axis 0 if there is one array.
pub const WGPU_FFT_MPI_SLABS: i32 = 0;
/// Two axes are divided: the batch and axis 0, or axes 0 and 1 if there is one array. The grid of
/// ranks is as square as it can be.
pub const WGPU_FFT_MPI_PENCILS: i32 = 1;
/// The same, on the grid of ranks that `grid` says. With {1, ranks} a batch is on every rank, and
/// axis 0 of all of its arrays is divided.
pub const WGPU_FFT_MPI_GRID: i32 = 2;

/// Frequencies lie with the axes that were divided last: [n1, n0], [n1, n2, n0]. It saves an
/// exchange.
pub const WGPU_FFT_MPI_TRANSPOSED: i32 = 0;
/// Frequencies lie as the positions do.
pub const WGPU_FFT_MPI_NATURAL: i32 = 1;
/// For transforms from reals to reals alone, which have no direction: the input lies as the output of
/// one with WGPU_FFT_MPI_TRANSPOSED does, and the output as its input. It is for the way back.
pub const WGPU_FFT_MPI_TRANSPOSED_INPUT: i32 = 2;

/// All ranks have equal shares.
pub const WGPU_FFT_MPI_EQUAL: i32 = 0;
/// Shares follow the speed of the ranks, which is measured when the job is made.
pub const WGPU_FFT_MPI_MEASURED: i32 = 1;

/// Ranks send each other numbers as they are.
pub const WGPU_FFT_MPI_EXACT: i32 = 0;
/// Ranks send each other f16, in half the bytes, with a relative error of some 2e-4 for each exchange,
/// of at most 2^-11 + 2^-37 sqrt(n) M/r behind transforms of n points, where M is the largest number
/// and r the root of the mean square. Numbers are scaled, so that none overflows. For transforms in f32.
pub const WGPU_FFT_MPI_F16: i32 = 1;

/// How a transform is divided. With zeros behind the size it means the same as NULL in its place. All
/// ranks give the same.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PlanOptions {
    /// sizeof(wgpu_fft_mpi_plan_options).
    pub size: usize,
    /// WGPU_FFT_MPI_SLABS and the like.
    pub decomposition: i32,
    /// For WGPU_FFT_MPI_GRID: the ranks along the first and the second divided axis.
    pub grid: [usize; 2],
    /// WGPU_FFT_MPI_TRANSPOSED, WGPU_FFT_MPI_NATURAL or WGPU_FFT_MPI_TRANSPOSED_INPUT.
    pub order: i32,
    /// WGPU_FFT_MPI_EQUAL or WGPU_FFT_MPI_MEASURED.
    pub shares: i32,
    /// In place of `shares`: a job whose shares this one takes, so that the output of one fits the
    /// input of the other. May be NULL.
    pub shares_of: *const Job,
    /// Seconds that a device may take for a piece of work, and half of what a rank is waited for. 0
    /// is the default, 600.
    pub timeout: f64,
    /// WGPU_FFT_MPI_EXACT or WGPU_FFT_MPI_F16.
    pub exchange: i32,
    /// 0.
    pub reserved: i32,
}

// SAFETY: it is of numbers and pointers, with its size first.
unsafe impl Versioned for PlanOptions {
    const NAME: &'static str = "wgpu_fft_mpi_plan_options";
    const LEAST: usize = offset_of!(Self, reserved) + size_of::<i32>();
}

/// The part of an array that a rank holds: a box, slowest axis first, stored without gaps but for
/// `padding`. Behind each other lie `batch_count` of them.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Part {
    /// The number of elements, with the padding.
    pub elements: usize,
    /// The size of one: of a `float` or a `double`, or of two of them.
    pub element_bytes: usize,
    /// 1, or 2 if elements are complex: a real and an imaginary part.
    pub element_reals: usize,
    /// The first array of the batch that the rank holds, how many it holds, and how many there are.
    pub batch_begin: usize,
    pub batch_count: usize,
    pub batch_extent: usize,
    /// The number of axes.
    pub rank: usize,
    /// The axes of the transform in the order in which they are stored.
    pub axes: [usize; WGPU_FFT_MOST_AXES],
    /// The first index along each of these.
    pub begin: [usize; WGPU_FFT_MOST_AXES],
    /// The number of indices.
    pub count: [usize; WGPU_FFT_MOST_AXES],
    /// The extent of the whole array.
    pub extent: [usize; WGPU_FFT_MOST_AXES],
    /// Elements behind each row of the last of these axes that mean nothing. 0 unless
    /// wgpu_fft_mpi_set_parts asks for them: with 2 * (n / 2 + 1) - n for n reals, as FFTW's
    /// arrays have, the frequencies have room in the array of the reals.
    pub padding: usize,
}

impl Part {
    fn new(part: &wgpu_fft_distributed::Part, element: ElementType) -> Self {
        let mut own = Self {
            elements: part.stored_len(),
            padding: part.padding,
            element_bytes: element.bytes(),
            element_reals: 1 + usize::from(element.name().starts_with("complex")),
            batch_begin: part.batch.start,
            batch_count: part.batch.len(),
            batch_extent: part.batch_extent,
            rank: part.axes.len(),
            ..Self::default()
        };
        for (i, range) in part.ranges.iter().enumerate() {
            (own.axes[i], own.begin[i], own.count[i], own.extent[i]) = (part.axes[i], range.start, range.len(), part.extents[i]);
        }
        own
    }

    /// A box of an array that belongs to no job.
    pub fn alone(&self) -> Result<wgpu_fft_distributed::Part, Failure> {
        if !(1..=WGPU_FFT_MOST_AXES).contains(&self.rank) {
            return Err(Failure::argument(format!("a part has 1 to {WGPU_FFT_MOST_AXES} axes, and not {}", self.rank)));
        }
        let mut part = wgpu_fft_distributed::Part::of_box(&self.extent[..self.rank], &vec![0..0; self.rank]);
        part.axes.copy_from_slice(&self.axes[..self.rank]);
        let mut part = self.of(part);
        if self.batch_extent == 0 {
            part.batch = 0..1;
        } else {
            part.batch_extent = self.batch_extent;
        }
        Ok(part)
    }

    /// This box in place of a part.
    fn of(&self, mut part: wgpu_fft_distributed::Part) -> wgpu_fft_distributed::Part {
        let range = |begin: usize, count: usize| begin..begin.saturating_add(count);
        part.padding = self.padding;
        part.batch = range(self.batch_begin, self.batch_count);
        part.ranges.iter_mut().enumerate().for_each(|(i, own)| *own = range(self.begin[i], self.count[i]));
        part
    }
}

/// A transform that all ranks of a cluster compute together. Destroy it before MPI_Finalize.
pub struct Job {
    pub job: Rc<AnyJob>,
}

/// # Safety
/// `options` must be NULL or valid, with a handle or NULL.
unsafe fn job_options(options: *const PlanOptions) -> Result<JobOptions, Failure> {
    let wrong = |what: &str, value: i32| Err(Failure::argument(format!("{what} cannot be {value}")));
    let own = JobOptions::default();
    // SAFETY: the caller's.
    let Some(options) = unsafe { structure("options", options) }? else { return Ok(own) };
    let own = match options.decomposition {
        WGPU_FFT_MPI_SLABS => own,
        WGPU_FFT_MPI_PENCILS => own.decomposition(Decomposition::Pencils),
        WGPU_FFT_MPI_GRID => own.decomposition(Decomposition::Grid(options.grid)),
        other => return wrong("decomposition", other),
    };
    let own = match options.order {
        WGPU_FFT_MPI_TRANSPOSED => own,
        WGPU_FFT_MPI_NATURAL => own.order(Order::Natural),
        WGPU_FFT_MPI_TRANSPOSED_INPUT => own.order(Order::TransposedInput),
        other => return wrong("order", other),
    };
    // SAFETY: the caller's.
    let own = match (unsafe { options.shares_of.as_ref() }, options.shares) {
        (Some(other), _) => own.strategy(Strategy::Given(other.job.shares())),
        (None, WGPU_FFT_MPI_EQUAL) => own,
        (None, WGPU_FFT_MPI_MEASURED) => own.strategy(Strategy::Measured),
        (None, other) => return wrong("shares", other),
    };
    let own = match options.exchange {
        WGPU_FFT_MPI_EXACT => own,
        WGPU_FFT_MPI_F16 => own.exchange_as_f16(),
        other => return wrong("exchange", other),
    };
    Ok(seconds("timeout", options.timeout)?.into_iter().fold(own, JobOptions::timeout))
}

/// The parts of the input and of the output that `rank` of `ranks` will have, without planning:
/// nothing is measured, compiled or sent. It needs neither a device nor MPI, and
/// WGPU_FFT_MPI_MEASURED is refused. `spec` and `options` are those of wgpu_fft_mpi_plan. Both
/// places may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_local_parts(
    spec: *const c_char,
    options: *const PlanOptions,
    rank: usize,
    ranks: usize,
    input: *mut Part,
    output: *mut Part,
) -> Status {
    guarded("wgpu_fft_mpi_local_parts", || {
        // SAFETY: the caller gives a text, options or NULL, and places or NULL.
        unsafe {
            let parts = AnyJob::parts(text("spec", spec)?, &job_options(options)?, rank, ranks)?;
            put(parts.map(|(part, element)| Part::new(&part, element)), input, output);
        }
        Ok(())
    })
}

/// # Safety
/// Both places must be NULL or valid.
unsafe fn put(parts: [Part; 2], input: *mut Part, output: *mut Part) {
    for (part, place) in parts.into_iter().zip([input, output]) {
        // SAFETY: the caller's.
        if let Some(place) = unsafe { place.as_mut() } {
            *place = part;
        }
    }
}

/// Plans a Fourier transform from its text, such as `r2c fwd 64x64x64`, `c2c inv 512x512 f64 1/n`, or
/// `r2r dct2,dst1 64x64` from reals to reals, for all ranks together. Collective. `options` may be NULL. Destroy it with
/// wgpu_fft_mpi_destroy.
///
/// Planning compiles shaders, which takes milliseconds to seconds the first time. If ranks ask for
/// different transforms or options, it fails on all with WGPU_FFT_ERROR_RANK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_plan(
    cluster: *const Cluster,
    spec: *const c_char,
    options: *const PlanOptions,
    job: *mut *mut Job,
) -> Status {
    guarded("wgpu_fft_mpi_plan", || {
        // SAFETY: the caller gives a handle, a text, options or NULL, and a place for the job.
        unsafe {
            let job = place("job", job)?;
            *job = std::ptr::null_mut();
            process::check().map_err(Failure::unsupported)?;
            let made = AnyJob::new(&given("cluster", cluster)?.ranks, text("spec", spec)?, &job_options(options)?)?;
            *job = Box::into_raw(Box::new(Job { job: Rc::new(made) }));
        }
        Ok(())
    })
}

/// Destroys a job. NULL does nothing. The last one of a cluster that is closed frees its
/// communicator, so then this is collective. After MPI_Finalize it leaks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_destroy(job: *mut Job) {
    guarded("wgpu_fft_mpi_destroy", || {
        // SAFETY: the caller gives a handle of wgpu_fft_mpi_plan, and does not use it again.
        unsafe { give_back(job) };
        Ok(())
    });
}

/// The parts of the input and of the output that this rank has. Both places may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_parts(job: *const Job, input: *mut Part, output: *mut Part) -> Status {
    guarded("wgpu_fft_mpi_parts", || {
        // SAFETY: the caller gives a handle, and places or NULL.
        unsafe {
            let job = &given("job", job)?.job;
            put([true, false].map(|side| Part::new(&job.part(side), job.element(side))), input, output);
        }
        Ok(())
    })
}

/// Lets a job take and return other parts: any box of each rank, so that a program keeps its own
/// decomposition. Of `input` and `output` the batch, `begin`, `count` and `padding` are read, along
/// the axes in the order of wgpu_fft_mpi_parts: with WGPU_FFT_MPI_NATURAL that of the shape. NULL
/// keeps the part that the rank has now. If it fails, the job keeps all parts. Collective. It costs
/// an exchange before the transform and one after it.
///
/// Every element of the input must come from exactly one rank, or it fails with
/// WGPU_FFT_ERROR_RANK. Parts of the output may overlap, for halos, or leave something out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_set_parts(job: *mut Job, input: *const Part, output: *const Part) -> Status {
    guarded("wgpu_fft_mpi_set_parts", || {
        process::check().map_err(Failure::unsupported)?;
        // SAFETY: the caller gives a handle, and parts or NULL.
        let (job, given) = unsafe { (place("job", job)?, [input.as_ref(), output.as_ref()]) };
        let job = Rc::get_mut(&mut job.job).ok_or_else(|| Failure::argument("a run of this job is under way: wait for it first"))?;
        let [input, output] = [true, false].map(|side| given[usize::from(!side)].map(|given| given.of(job.part(side))));
        Ok(job.set_parts(input, output)?)
    })
}

/// Computes this rank's part of the output from its part of the input, and returns when it is
/// written. Collective. The output may be the input. If it fails, what the output holds means
/// nothing.
///
/// A wrong length on one rank fails on all with WGPU_FFT_ERROR_RANK; NULL counts as length 0. The
/// parts of a rank may be empty, and then NULL is right.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_mpi_run(
    job: *const Job,
    input: *const c_void,
    input_bytes: usize,
    output: *mut c_void,
    output_bytes: usize,
) -> Status {
    guarded("wgpu_fft_mpi_run", || {
        // SAFETY: the caller gives a handle and arrays.
        unsafe { run(&given("job", job)?.job, (input.cast(), input_bytes), (output.cast(), output_bytes)) }
    })
}

/// # Safety
/// The arrays must be NULL or valid.
unsafe fn run(job: &AnyJob, input: (*const u8, usize), output: (*mut u8, usize)) -> Outcome {
    process::check().map_err(Failure::unsupported)?;
    // SAFETY: the caller's, while this function runs.
    unsafe {
        let mut arrays = Arrays::new(input, output);
        let (source, target) = arrays.slices();
        job.run(source, target)?;
        arrays.finish();
    }
    Ok(())
}

/// The arrays of a run. What is read may be what is written: the result comes into memory of its own
/// first.
pub struct Arrays {
    input: (*const u8, usize),
    output: (*mut u8, usize),
    results: Option<Vec<u8>>,
}

impl Arrays {
    /// What is wrong with the lengths of one rank all ranks must learn, so NULL has the length 0.
    pub fn new((input, input_bytes): (*const u8, usize), (output, output_bytes): (*mut u8, usize)) -> Self {
        let len = |is_null: bool, bytes: usize| if is_null || isize::try_from(bytes).is_err() { 0 } else { bytes };
        let (input_bytes, output_bytes) = (len(input.is_null(), input_bytes), len(output.is_null(), output_bytes));
        let (from, to) = (input..input.wrapping_add(input_bytes), output.cast_const()..output.cast_const().wrapping_add(output_bytes));
        let results = (from.start < to.end && to.start < from.end).then(|| {
            let mut results = Vec::new();
            // Without room for them they stay empty, which is a wrong length: all ranks learn it.
            if results.try_reserve_exact(output_bytes).is_ok() {
                results.resize(output_bytes, 0);
            }
            results
        });
        Self { input: (input, input_bytes), output: (output, output_bytes), results }
    }

    /// Where to read and where to write.
    ///
    /// # Safety
    /// The arrays must be NULL or valid, and these with them, while the slices are used.
    pub unsafe fn slices<'a>(&mut self) -> (&'a [u8], &'a mut [u8]) {
        let (input, output) = (self.input, self.results.as_mut().map_or(self.output, |results| (results.as_mut_ptr(), results.len())));
        // SAFETY: the caller's, and the output is no part of the input. A slice without elements may
        // begin anywhere but at NULL.
        unsafe {
            let source = if input.1 == 0 { &[][..] } else { std::slice::from_raw_parts(input.0, input.1) };
            let target = if output.1 == 0 { &mut [][..] } else { std::slice::from_raw_parts_mut(output.0, output.1) };
            (source, target)
        }
    }

    /// Puts the result where it belongs.
    ///
    /// # Safety
    /// The arrays must be valid, and nobody look at the input any more.
    pub unsafe fn finish(self) {
        if let Some(results) = self.results {
            // SAFETY: the caller's.
            unsafe { self.output.0.copy_from_nonoverlapping(results.as_ptr(), results.len()) };
        }
    }
}
