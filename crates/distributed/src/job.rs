//! A specification that several workers compute together.

use std::ops::ControlFlow;

use wgpu_fft::bytemuck;

use crate::devices::{self, DeviceSet, Divide};
use crate::error::Result;
use crate::options::JobOptions;
use crate::report::{Rate, Report};
#[cfg(feature = "testing")]
use crate::testing::{Failure, When};

/// How far a run has progressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// What is done at the moment.
    pub label: &'a str,
    /// The index of the phase, from 0.
    pub phase: usize,
    /// The number of phases of the job.
    pub phases: usize,
    /// Bytes of the phase's output that are done; on a cluster, those of this rank.
    pub done: u64,
    /// All bytes of the phase's output; on a cluster, those of this rank.
    pub total: u64,
}

/// What a listener of [`Job::on_progress`] answers: nothing, or whether the run goes on.
pub trait Answer {
    /// Whether the run goes on.
    fn flow(self) -> ControlFlow<()>;
}

impl Answer for () {
    fn flow(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Answer for ControlFlow<()> {
    fn flow(self) -> ControlFlow<()> {
        self
    }
}

/// What is called with the progress of a run.
pub(crate) type Listener = Box<dyn Fn(Progress<'_>) -> ControlFlow<()> + Send + Sync>;

pub(crate) fn listener<A: Answer>(listener: impl Fn(Progress<'_>) -> A + Send + Sync + 'static) -> Listener {
    Box::new(move |progress| listener(progress).flow())
}

/// A private supertrait that seals [`Workers`].
pub trait Sealed {}

/// What computes a job: the devices of a [`DeviceSet`], or the ranks of a
/// [`Cluster`](crate::Cluster) (feature `mpi`).
pub trait Workers: Sealed {
    /// A job without its types: what it does is compiled once, not for every specification.
    #[doc(hidden)]
    type Core: RunJob;

    /// Divides a specification.
    #[doc(hidden)]
    fn divide<S: Divide>(&self, spec: &S, options: &JobOptions) -> Result<Self::Core>;
}

/// What a job does on arrays of bytes.
#[doc(hidden)]
pub trait RunJob {
    /// The bytes of each input and of the output, on this worker if workers have their own.
    fn bytes(&self) -> [usize; 2];

    /// Computes the output. `elements` are the bytes of an element of the input and of the output.
    fn run(&self, inputs: &[&[u8]], output: &mut [u8], elements: [usize; 2], listener: Option<&Listener>) -> Result<Report>;
}

/// A specification that the devices of a [`DeviceSet`] or the ranks of a
/// [`Cluster`](crate::Cluster) compute together.
///
/// ```no_run
/// use wgpu_fft_distributed::wgpu_fft::{Complex32, GpuOptions, fft};
/// use wgpu_fft_distributed::{DeviceSet, Job, JobOptions};
///
/// # fn example(pictures: &[Complex32], spectra: &mut [Complex32]) -> wgpu_fft_distributed::Result<()> {
/// let set = pollster::block_on(DeviceSet::request(&GpuOptions::default()))?;
/// let job = Job::new(&set, fft::C2c::forward([512, 512]).batch(1000), &JobOptions::default())?;
/// println!("{}", job.run(pictures, spectra)?);
/// # Ok(())
/// # }
/// ```
///
/// **On a set of devices** the arrays are the whole arrays of the specification, on the host, and
/// may be larger than any device's memory. The array is cut into units that do not depend on each
/// other (rows, columns, planes, parts of a sum). Devices receive these units in pieces. Transforms
/// over several axes take two phases, and between them the host's array is cut along another axis.
/// Several threads may run the same job at the same time. They share its plans and its
/// measurements.
///
/// **On a cluster** each rank has a part of the arrays: see [`input`](Job::input) and
/// [`output`](Job::output). Every call is collective.
pub struct Job<S, W: Workers = DeviceSet> {
    spec: S,
    pub(crate) core: W::Core,
    listener: Option<Listener>,
}

impl<S: Divide, W: Workers> std::fmt::Debug for Job<S, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl<S: Divide, W: Workers> Job<S, W> {
    /// Divides `spec` among `workers`. On a cluster this is collective: it agrees on recipes,
    /// measures the ranks if the strategy asks for it, and compiles.
    ///
    /// # Errors
    /// If the specification is invalid or cannot be divided, or if the strategy does not fit the
    /// workers. If no device of a set can compute a unit of it, the error of the first device. On a
    /// cluster also `RanksDiffer`, `NoCommonRecipe`, and `OnRank` if a rank
    /// cannot hold or compile its share.
    pub fn new(workers: &W, spec: S, options: &JobOptions) -> Result<Self> {
        Ok(Self { core: workers.divide(&spec, options)?, spec, listener: None })
    }

    /// Calls `listener` while the job runs. On a set it is called after each piece, on the thread
    /// of the device that completed it; on a cluster at the begin and the end of every phase and
    /// after every message, on this rank.
    ///
    /// A listener that returns [`ControlFlow::Break`] cancels the run: it returns
    /// [`Cancelled`](crate::Error::Cancelled), and the job can be run again. Pieces that devices have begun are
    /// still done. On a cluster one rank's listener cancels the run of all of them, at the end of the phase.
    ///
    /// ```no_run
    /// use std::ops::ControlFlow;
    /// use std::time::{Duration, Instant};
    ///
    /// use wgpu_fft_distributed::wgpu_fft::fft::C2c;
    /// use wgpu_fft_distributed::{DeviceSet, Job, JobOptions, Result};
    ///
    /// fn within(set: &DeviceSet, limit: Duration) -> Result<Job<C2c>> {
    ///     let begin = Instant::now();
    ///     let job = Job::new(set, C2c::forward([16384, 16384]), &JobOptions::default())?;
    ///     Ok(job.on_progress(move |_| if begin.elapsed() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }))
    /// }
    /// ```
    #[must_use]
    pub fn on_progress<A: Answer>(self, listener: impl Fn(Progress<'_>) -> A + Send + Sync + 'static) -> Self {
        Self { listener: Some(self::listener(listener)), ..self }
    }

    /// The specification.
    pub fn spec(&self) -> &S {
        &self.spec
    }

    /// The number of elements of the input; on a cluster, of this rank's part.
    #[must_use]
    pub fn input_len(&self) -> usize {
        self.core.bytes()[0] / size_of::<S::Input>()
    }

    /// The number of elements of the output; on a cluster, of this rank's part.
    #[must_use]
    pub fn output_len(&self) -> usize {
        self.core.bytes()[1] / size_of::<S::Output>()
    }

    /// Computes `output` from `input`. Collective on a cluster, where each rank passes its parts.
    ///
    /// # Errors
    /// A wrong number of elements or of inputs. On a set [`DevicesFailed`](crate::Error::DevicesFailed) if all devices
    /// failed; parts of the output have been written then, and the error says how much was done. If
    /// at least one device survives, failures of the others only appear in the [`Report`]. On a
    /// cluster, on all ranks: `OnRank` if some rank cannot do its part, `OutOfStep` if the ranks
    /// are in different calls.
    pub fn run(&self, input: &[S::Input], output: &mut [S::Output]) -> Result<Report> {
        self.run_all(&[input], output)
    }

    fn run_all(&self, inputs: &[&[S::Input]], output: &mut [S::Output]) -> Result<Report> {
        let inputs: Vec<&[u8]> = inputs.iter().map(|input| bytemuck::cast_slice(input)).collect();
        let elements = [size_of::<S::Input>(), size_of::<S::Output>()];
        self.core.run(&inputs, bytemuck::cast_slice_mut(output), elements, self.listener.as_ref())
    }

    #[cfg(feature = "mpi")]
    pub(crate) fn listener(&self) -> Option<&Listener> {
        self.listener.as_ref()
    }
}

impl<S: Divide> Job<S, DeviceSet> {
    /// Computes `output` from two inputs.
    ///
    /// # Errors
    /// The same as those of [`run`](Self::run).
    pub fn run_two(&self, x: &[S::Input], y: &[S::Input], output: &mut [S::Output]) -> Result<Report> {
        self.run_all(&[x, y], output)
    }

    /// Overwrites the input with the output. This is for complex transforms of arrays that are too
    /// large to hold twice, such as a memory-mapped file.
    ///
    /// # Errors
    /// The same as those of [`run`](Self::run), and
    /// [`Unsupported`](wgpu_fft::Error::Unsupported) for other operations. If all devices fail,
    /// some units contain results and others do not.
    pub fn run_in_place(&self, data: &mut [S::Output]) -> Result<Report> {
        self.core.run_in_place(bytemuck::cast_slice_mut(data), size_of::<S::Output>(), self.listener.as_ref())
    }

    /// The members of the set that cannot compute a unit of the job with the arithmetic of the
    /// first device, and why.
    pub fn left_out(&self) -> impl Iterator<Item = (&str, &wgpu_fft::Error)> {
        self.core.left_out()
    }

    /// The measurements of each device, by phase. Empty before the first run, and for strategies
    /// that measure nothing.
    #[must_use]
    pub fn rates(&self) -> Vec<Vec<Rate>> {
        self.core.rates()
    }

    /// Makes members of the set fail in every run.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn with_failures(mut self, failures: &[(usize, When, Failure)]) -> Self {
        self.core.fail(failures);
        self
    }
}

impl Sealed for DeviceSet {}

impl Workers for DeviceSet {
    type Core = devices::DevicesJob;

    fn divide<S: Divide>(&self, spec: &S, options: &JobOptions) -> Result<Self::Core> {
        devices::DevicesJob::new(self, spec.to_string(), options, &|cut| spec.divide(self, cut))
    }
}

/// Returns an error unless an array has `expected` bytes. The error counts elements.
pub(crate) fn check(argument: &'static str, expected: usize, actual: usize, element: usize) -> std::result::Result<(), wgpu_fft::Error> {
    if expected == actual {
        return Ok(());
    }
    // What is no whole element counts as one.
    let (expected, actual) = (expected / element, actual.div_ceil(element));
    Err(wgpu_fft::Error::WrongLen { argument, expected, actual })
}

/// Zeroed memory on the host, or an error instead of an abort.
pub(crate) fn zeros(bytes: usize) -> std::result::Result<Vec<u8>, wgpu_fft::Error> {
    let mut memory = Vec::new();
    let refused = |_| wgpu_fft::Error::OutOfMemory { during: "allocation on the host", bytes: bytes as u64 };
    memory.try_reserve_exact(bytes).map_err(refused)?;
    memory.resize(bytes, 0);
    Ok(memory)
}
