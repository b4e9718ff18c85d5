//! Jobs of several processes: the ranks of a cluster each have a device and a part of the arrays.

mod any;
mod arithmetic;
mod array;
mod bricks;
mod cluster;
mod exchange;
mod failure;
mod files;
mod geometry;
mod link;
mod local;
mod measure;
mod message;
mod part;
mod passes;
mod phase;
mod places;
mod redistribution;
mod roll_call;
mod root;
mod run;
mod running;
mod runs;
mod sending;
mod stages;
mod steps;
mod turn;
mod wire;

pub use any::AnyJob;
pub use arithmetic::{Arithmetic, Recipes};
pub use cluster::{Adapter, Cluster, Member, RankOptions};
pub use files::FileOptions;
pub use part::{Decomposition, Order, Part};
pub use phase::Phase;
pub use redistribution::Redistribution;
pub use run::{Division, RanksJob};
pub use running::Running;

use wgpu_fft::{View, bytemuck};

use array::{Source, Target};

use crate::devices::Divide;
use crate::error::{Error, Result};
use crate::job::{Job, Sealed, Workers};
use crate::options::JobOptions;
use crate::report::Report;
use crate::strategy::Shares;

impl Sealed for Cluster {}

impl Workers for Cluster {
    type Core = RanksJob;

    fn divide<S: Divide>(&self, spec: &S, options: &JobOptions) -> Result<RanksJob> {
        self.agree_on(spec, options)?;
        spec.over_ranks(self, options)
    }
}

impl Cluster {
    /// Checks that all ranks ask for the same, and can. Collective.
    fn agree_on(&self, spec: &(impl std::fmt::Display + ?Sized), options: &JobOptions) -> Result<()> {
        self.link.same(Phase::Plan, &format!("{spec} with {options:?}"))?;
        self.link.agree(Phase::Plan, self.device.check(Phase::Plan))
    }
}

/// The error of a specification that ranks cannot share.
pub(crate) fn transforms_only(spec: &impl std::fmt::Display) -> Error {
    let why = "its ranks share Fourier transforms; let each rank plan this on its own part".to_owned();
    wgpu_fft::Error::Unsupported { what: format!("`{spec}` on a cluster"), why }.into()
}

/// On a cluster each rank has a part of the arrays.
impl<S: Divide> Job<S, Cluster> {
    /// The part of the input that this rank holds.
    #[must_use]
    pub fn input(&self) -> Part {
        self.core.part(true)
    }

    /// The part of the output that this rank holds.
    #[must_use]
    pub fn output(&self) -> Part {
        self.core.part(false)
    }

    /// Takes and returns other parts than those that follow from the shares: any box of each rank, so
    /// that a code keeps its own decomposition. `input` and `output` are parts of this job with other
    /// ranges; `None` keeps this rank's own. An exchange more brings the input to where the transform
    /// works on it, and another one the output to where it is wanted. Both are in the order of
    /// [`Part::axes`], so with [`Order::Natural`](crate::Order::Natural) all arrays are in the order
    /// of the shape. Collective.
    ///
    /// Every element of the input must come from exactly one rank. Parts of the output may overlap, for
    /// halos, or leave something out. [`Part::padding`] puts elements behind each row that are neither
    /// read nor written: with 2·(⌊n/2⌋+1) - n for n reals, their array has room for the frequencies.
    ///
    /// ```no_run
    /// use wgpu_fft_distributed::wgpu_fft::fft::C2c;
    /// use wgpu_fft_distributed::{Cluster, Job};
    ///
    /// # fn example(job: Job<C2c, Cluster>, rank: usize) -> wgpu_fft_distributed::Result<()> {
    /// // Eight ranks: each has one of the eight octants of 64 x 64 x 64.
    /// let mut octant = job.input();
    /// octant.ranges = [4, 2, 1].map(|bit| if rank & bit == 0 { 0..32 } else { 32..64 }).to_vec();
    /// let job = job.with_parts(Some(octant), None)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// On all ranks: `OnRank` if a part is no box of the array, or if an element of the input comes
    /// from no rank or from two.
    pub fn with_parts(mut self, input: Option<Part>, output: Option<Part>) -> Result<Self> {
        self.core.take_bricks([input, output])?;
        Ok(self)
    }

    /// The share of each rank, for the [`Given`](crate::Strategy::Given) shares of another job.
    #[must_use]
    pub fn shares(&self) -> Shares {
        self.core.shares()
    }

    /// The recipes that every rank uses for its share.
    #[must_use]
    pub fn recipes(&self) -> &Recipes {
        self.core.recipes()
    }

    /// Begins what [`run`](Self::run) does, and returns at once, so that this rank can work while the
    /// device computes and messages travel. Collective. Until [`Running::wait`], all
    /// other calls on this cluster and its jobs are refused.
    ///
    /// ```no_run
    /// use wgpu_fft_distributed::wgpu_fft::{Complex32, fft::C2c};
    /// use wgpu_fft_distributed::{Cluster, Job, Report, Result};
    ///
    /// fn overlapped(job: &Job<C2c, Cluster>, x: &[Complex32], k: &mut [Complex32], mut work: impl FnMut()) -> Result<Report> {
    ///     let mut run = job.start(x, k)?;
    ///     while !run.test() {
    ///         work(); // a fraction of a millisecond
    ///     }
    ///     run.wait()
    /// }
    /// ```
    ///
    /// A run goes on by itself only where the device and MPI do: a piece that was submitted is computed, and
    /// a message that was begun may arrive. The next piece and the next message wait for
    /// [`Running::test`]. A rank that works for long before it tests holds up the others: after twice
    /// [`JobOptions::timeout`] it counts as silent. Of the time between two tests a rank counts at most
    /// 1 s as waiting, or an eighth of that limit if it is less. So one that tests every 10 s notices a
    /// silent rank only after 1200 tests, with the default of 10 minutes.
    ///
    /// # Errors
    /// [`Unsupported`](wgpu_fft::Error::Unsupported) if another run is under way. [`Running::wait`] returns all
    /// others.
    pub fn start<'r>(&'r self, input: &'r [S::Input], output: &'r mut [S::Output]) -> Result<Running<'r, Report>> {
        let elements = [size_of::<S::Input>(), size_of::<S::Output>()];
        let (input, output) = (Source::Host(bytemuck::cast_slice(input)), Target::Host(bytemuck::cast_slice_mut(output)));
        Running::begin(&self.core.link, self.core.reported(self.core.run_parts(input, output, elements, self.listener())))
    }

    /// Begins what [`run_on_device`](Self::run_on_device) does, as [`start`](Self::start) does.
    ///
    /// # Errors
    /// Those of [`start`](Self::start).
    pub fn start_on_device<'r>(
        &'r self,
        input: Option<View<'r, S::Input>>,
        output: Option<View<'r, S::Output>>,
    ) -> Result<Running<'r, Report>> {
        Running::begin(&self.core.link, self.core.reported(self.core.run_on_device(input, output, self.listener())))
    }

    /// As [`run`](Self::run), from and to arrays on this rank's device, [`Cluster::gpu`]: that of a
    /// planner of yours, if the cluster was made [with it](Cluster::with_planner). Collective. `None`
    /// stands for a part without elements.
    ///
    /// ```no_run
    /// use wgpu_fft_distributed::wgpu_fft::{Bound, Complex32, DeviceBuffer, fft::C2r, fft::R2c};
    /// use wgpu_fft_distributed::{Cluster, Job, Result};
    ///
    /// /// A step of a spectral solver. The kernel multiplies the spectrum by factors, where it lies.
    /// fn step(
    ///     there: &Job<R2c, Cluster>,
    ///     kernel: &Bound,
    ///     back: &Job<C2r, Cluster>,
    ///     field: &DeviceBuffer<f32>,
    ///     spectrum: &DeviceBuffer<Complex32>,
    /// ) -> Result<()> {
    ///     there.run_on_device(Some(field.view()), Some(spectrum.view()))?;
    ///     kernel.enqueue()?;
    ///     back.run_on_device(Some(spectrum.view()), Some(field.view()))?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// What the ranks exchange goes through the host, as in every run: wgpu gives MPI no pointer to a
    /// device's memory. What a run saves is the way of its input to the device and of its output to the
    /// host. In transposed order without parts of the caller's, these two are copied on the device
    /// alone. With [`Order::Natural`](crate::Order::Natural) the last step of a forward transform is an exchange, so its
    /// output comes from the host, and so do both with [`with_parts`](Self::with_parts): then a run saves nothing.
    ///
    /// The run comes after everything that was submitted or [enqueued](wgpu_fft::Bound::enqueue) on the
    /// device before, and is complete when this returns. The bits are those of [`run`](Self::run).
    ///
    /// # Errors
    /// Those of [`run`](Self::run). On all ranks `OnRank` also if an array of one rank has another length,
    /// belongs to another device, lacks the usage `COPY_SRC` (input) or `COPY_DST` (output), or if the
    /// two overlap.
    pub fn run_on_device(&self, input: Option<View<'_, S::Input>>, output: Option<View<'_, S::Output>>) -> Result<Report> {
        self.core.link.now(self.core.reported(self.core.run_on_device(input, output, self.listener())))
    }

    /// Computes an array that rank 0 holds, and writes the whole result to one that rank 0 holds:
    /// sends each rank its share, runs, and collects the results. Collective; the other ranks pass
    /// `None`.
    ///
    /// The arrays are whole arrays, with the axes in the order of [`Part::axes`]: transposed
    /// frequencies are \[n₁, n₀\] or \[n₁, n₂, n₀\]. [`with_parts`](Self::with_parts) changes nothing.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn run_from_root(&self, input: Option<&[S::Input]>, output: Option<&mut [S::Output]>) -> Result<Report> {
        let input = input.map_or(&[][..], bytemuck::cast_slice);
        self.core.link.now(self.core.run_from_root(input, output.map_or(&mut [], bytemuck::cast_slice_mut), self.listener()))
    }
}
