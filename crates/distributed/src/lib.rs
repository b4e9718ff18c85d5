//! One Fourier transform, permutation or reduction on several unequal devices, based on
//! [`wgpu_fft`].
//!
//! | workers | arrays | |
//! |---|---|---|
//! | [`DeviceSet`]: the devices of one process, optionally with the host's processors | whole arrays on the host, which may be larger than any device's memory | [several devices](guides::devices) |
//! | [`Cluster`]: the ranks of an MPI communicator, each with a device (feature `mpi`) | each rank has a slab or a pencil | [several processes](#a-cluster), [how that scales](guides::scaling) |
//!
//! [`Job::new`] divides a specification among workers by a [`Strategy`], and [`Job::run`] returns a
//! [`Report`] of what each of them did.
//!
//! ```no_run
//! use wgpu_fft_distributed::wgpu_fft::{Complex32, GpuOptions, fft};
//! use wgpu_fft_distributed::{DeviceSet, Job, JobOptions, Strategy};
//!
//! # fn example(pictures: &[Complex32], spectra: &mut [Complex32]) -> wgpu_fft_distributed::Result<()> {
//! let set = pollster::block_on(DeviceSet::request(&GpuOptions::default()))?;
//! let options = JobOptions::default().strategy(Strategy::Auto);
//! let job = Job::new(&set, fft::C2c::forward([512, 512]).batch(1000), &options)?;
//! println!("{}", job.run(pictures, spectra)?);
//! # Ok(())
//! # }
//! ```
//!
//! # Shares
//! A set of devices is measured unless the caller says otherwise, and the ranks of a cluster have equal
//! shares, so that every run of a program has the same parts.
//!
//! [`Strategy::Measured`] measures all workers at the same time, because some may share cores, a
//! bus or a card. It runs the real passes on samples of two sizes. From these it derives the fixed
//! cost of a pass and the cost per unit ([`partition::Cost`]). The shares minimize the time until
//! the last worker is done ([`partition::balanced`]). The same is tried without the slowest worker,
//! and with fewer of them. The division that is predicted to finish first is used. Only on a grid
//! of ranks (pencils) all take part, each by its speed.
//!
//! # Determinism
//! All workers of a job use the same arithmetic, whatever their shares. The result is bit-identical
//! to that of a single worker, for every number of workers and all shares, as long as all adapters
//! round alike. On a cluster that is one rank with the same decomposition: slabs and pencils may
//! differ in the last bits. Exchanges in f16 give other bits, which are the same for every number of
//! ranks too. That holds for adapters of one kind, and, but for transforms from reals to reals, for lavapipe together with
//! SwiftShader. Other
//! drivers' compilers may fuse and reorder operations. Then bits may differ between shares, within the rounding errors that [`wgpu_fft::fft`] states. Two rows of reals are
//! transformed as one only where both always belong to the same worker.
//!
//! # A cluster
//! Each rank of a communicator has a device and a part of the array: a slab, or with
//! [`Decomposition::Pencils`] a pencil. A rank transforms the axes that lie completely in its part.
//! Then the ranks exchange blocks (all-to-all), so that each has another axis completely, and
//! transform that one. While a rank sends a piece of its results, its device computes the next one.
//!
//! ```no_run
//! # #[cfg(feature = "mpi")]
//! # mod with_mpi {
//! use wgpu_fft_distributed::mpi::traits::Communicator;
//! use wgpu_fft_distributed::wgpu_fft::{Complex32, fft::C2c};
//! use wgpu_fft_distributed::{Cluster, Job, JobOptions, RankOptions, mpi};
//!
//! fn transform(world: &impl Communicator) -> wgpu_fft_distributed::Result<()> {
//!     let cluster = Cluster::open(world, &RankOptions::default())?; // a device for every rank
//!     let job = Job::new(&cluster, C2c::forward([1080, 1920]), &JobOptions::default())?;
//!
//!     let rows = vec![Complex32::ONE; job.input_len()]; // the rows job.input().along(0) of 1080
//!     let mut columns = vec![Complex32::ZERO; job.output_len()]; // job.output().along(1) of 1920, each 1080 long
//!     let report = job.run(&rows, &mut columns)?;
//!     if cluster.rank() == 0 {
//!         println!("{report}");
//!     }
//!     Ok(())
//! }
//!
//! fn main() {
//!     let universe = mpi::initialize().expect("MPI begins once");
//!     let world = universe.world();
//!     if let Err(error) = transform(&world) {
//!         eprintln!("rank {}: {error}", world.rank());
//!         world.abort(1); // the end of MPI would wait for ranks that hang
//!     }
//! }
//! # }
//! # fn main() {}
//! ```
//!
//! All calls are collective: every rank must make the same calls in the same order. [`Job::start`] begins
//! a run and returns, so that the caller's own work goes on beside it.
//!
//! ## Definition and layouts
//! The transforms are those of f32 and f64 of [`wgpu_fft::fft`] along the axes of dense arrays,
//! with every scale factor: one array of one to three axes, or a batch of them. The table uses
//! these symbols: P is an array of positions and F an array of frequencies. For the last axis of
//! length n, H = ⌊n/2⌋+1 in a real transform and H = n in a complex one, and in one from reals to reals. Arrays are dense, slowest
//! axis first; a batch of b arrays is one more axis in front, and so are first axes of the shape that are
//! not transformed.
//!
//! [`Decomposition::Slabs`], the default, divides one axis. Rank i has bᵢ arrays of a batch, or rᵢ
//! indices of axis 0 and cᵢ indices of axis 1, which follow those of rank i-1. Each of these
//! numbers may be 0.
//!
//! | `n` | slab of P | slab of F, [`Order::Transposed`] | slab of F, [`Order::Natural`] |
//! |---|---|---|---|
//! | any shape, batch b | bᵢ × P | bᵢ × F | bᵢ × F |
//! | `[n₀, n₁]` | rᵢ × n₁ | cᵢ × n₀, of H × n₀ | rᵢ × H |
//! | `[n₀, n₁, n₂]` | rᵢ × n₁ × n₂ | cᵢ × H × n₀, of n₁ × H × n₀ | rᵢ × n₁ × H |
//!
//! For a batch, Σ bᵢ = b, and nothing is exchanged.
//!
//! [`Decomposition::Pencils`] divides two axes, so there may be more ranks with work than an axis
//! has indices. The ranks form a grid of p by q, and rank i·q + j is in row i and column j. In an
//! array of three axes, each of axes 0 and 1 is divided twice: on the side of P axis 0 into rᵢ and
//! axis 1 into tⱼ, on the side of F axis 1 into uᵢ and the last axis into cⱼ.
//!
//! | `n` | pencil of P | pencil of F, transposed | pencil of F, natural |
//! |---|---|---|---|
//! | `[n₀, n₁]`, batch b | bᵢ × rⱼ × n₁ | bᵢ × cⱼ × n₀, of b × H × n₀ | bᵢ × rⱼ × H |
//! | `[n₀, n₁, n₂]`, batch b | bᵢ × rⱼ × n₁ × n₂ | bᵢ × cⱼ × H × n₀, of b × n₁ × H × n₀ | bᵢ × rⱼ × n₁ × H |
//! | `[n₀, n₁, n₂]` | rᵢ × tⱼ × n₂ | uᵢ × cⱼ × n₀, of n₁ × H × n₀ | rᵢ × tⱼ × H |
//!
//! Each rank must have one axis completely, so a single plane and a batch of lines have no pencils.
//!
//! [`Job::input`] and [`Job::output`] return the rank's [`Part`] as ranges of indices, and
//! [`Part::of_rank`] does so before there is a job. [`Job::with_parts`] takes any other boxes, at the
//! cost of an exchange on either side. A [`Redistribution`] exchanges boxes without a transform. Forward
//! transforms take P and return F, and inverse ones take F and return P. Those from
//! reals to reals ([`R2r`](wgpu_fft::fft::R2r)) take P and return F, or with
//! [`Order::TransposedInput`] the other way round. The output of a transform
//! fits its inverse if both have the same shares: make the second job with [`Strategy::Given`] and
//! the first one's [`shares`](Job::shares). [`Job::run`] takes and returns parts.
//! [`Job::run_from_root`] takes the whole array on rank 0 and returns the whole result there, and
//! [`Job::run_on_device`] takes and returns parts that are on the ranks' devices.
//!
//! ## Files
//! [`Cluster::read`] and [`Cluster::write`] are for `.npy` files and for raw ones, in C order and in
//! Fortran's. Each rank reads and writes its own part only: any box, in whatever order it lies in memory.
//! A file holds the array in the order of the transform's axes, so NumPy's `load` returns what its `fftn`
//! would. A file takes its name when all ranks have written their parts, and does not replace another
//! one unless it is asked to.
//!
//! ## Steps
//! With slabs, a forward transform of \[n₀, C, K\], with C columns of K frequencies (K = 1 for two
//! axes), has these steps:
//!
//! 1. Rows: each rank transforms \[rᵢ, …\] on its device and transposes it there to \[C, K, rᵢ\].
//!    What rank j needs is now one block.
//! 2. Exchange: rank j receives \[cⱼ, K, rᵢ\] from every rank i, and joins these to \[cⱼ, K, n₀\].
//! 3. Columns: rank j transforms cⱼ·K contiguous lines of length n₀. For natural order it
//!    transposes them to \[n₀, cⱼ, K\].
//! 4. For natural order only: rank i receives \[rᵢ, cⱼ, K\] from every rank j and joins these to
//!    \[rᵢ, C, K\].
//!
//! Pencils of a single volume have a pass and an exchange more: the q ranks of a row of the grid
//! exchange blocks so that axis 1 is complete, then the p ranks of a column do so for axis 0.
//!
//! The inverse does the same steps in reverse. From natural order it begins with a transpose and
//! the exchange of step 2. The scale factor is applied in the last transform.
//!
//! A pass is computed in pieces of up to 64 MiB, input and output together, at least four of them unless
//! they would have less than 4 MiB, or 128 KiB for each rank of an exchange ([`JobOptions::piece_bytes`]). An
//! exchange begins with the first piece. A message has at most [`JobOptions::message_bytes`], by default
//! 16 MiB, and not more than an eighth of what one rank sends another, or 1 MiB if that is more.
//!
//! ## Cost
//! With s = 8 bytes for a complex number (4 between reals and reals) and N = n₀·C·K frequencies, in slabs rank i
//!
//! - sends s·rᵢ·(C - cᵢ)·K bytes in an exchange and receives s·cᵢ·K·(n₀ - rᵢ) bytes. With p equal
//!   ranks that is s·N·(p - 1)/p² in each direction, in p - 1 blocks. Transposed order needs one
//!   exchange, natural order two;
//! - moves s·rᵢ·C·K and s·cᵢ·K·n₀ bytes to its device, and as many back; for reals it is half;
//! - makes as many passes over device memory as the local transforms need, and one for each
//!   transpose.
//!
//! [`JobOptions::exchange_as_f16`] halves these bytes between ranks. Pencils of a volume send
//! s·N·(q - 1)/(p·q²) and s·N·(p - 1)/(p²·q) bytes, about twice as much in all, but in q - 1 and p - 1 blocks instead of p·q - 1.
//!
//! For each pass a rank keeps arrays of its pieces in flight on its device, two for each piece. On
//! the host, in parts of the array as one rank has it, a run needs with both arrays of the caller's:
//!
//! | | arrays |
//! |---|---:|
//! | batches, and slabs in transposed order; a [`Redistribution`] | 2 |
//! | pencils, natural order, half-spectra to reals in slabs, [`Job::with_parts`] | 3 |
//! | half-spectra to reals in pencils, and parts so uneven that no array between fits into the output | 4 |
//!
//! Messages come on top: what is sent has at most a quarter of the array and 256 MiB, or one message; a
//! piece; and two messages from each other rank. For equal parts of 64 MiB and more on up to 8 ranks
//! that is 0.9 parts at most; of smaller ones, on more ranks, it may be two. Arrays on the device need
//! no host arrays of the caller's, but one where an exchange begins or ends.
//!
//! ## Failures
//! When a job is made, a reduction of a hash says whether all ranks ask for the same; texts are sent
//! only if they differ. Before each exchange and after each local pass, all ranks agree on whether any of them failed; a
//! panic counts as a failure. If one failed, all of them return the same [`Error`] with that rank's
//! message. The cluster stays usable, and a new job can be made. It is also an error if ranks ask
//! for different transforms or are in different calls.
//!
//! A device that does not answer within [`JobOptions::timeout`] is such a failure:
//! [`Error::NoAnswer`] names it and its rank, the phase, and how many of its pieces were done.
//!
//! A rank that does not answer the others for twice that time is named by them in
//! [`Error::RankSilent`]. It may hang, have left out a call, or compute for longer than that
//! between two messages. Of a run that was [started](Job::start) a rank counts at most 1 s between
//! two of its tests as waiting, so it notices later if it tests seldom. The error is final: every
//! later call on the cluster returns it, also on the rank that was silent if it wakes up. So is
//! [`Error::RunAbandoned`], on a rank whose panic abandoned a run. A rank whose process dies is for
//! MPI to detect, which by default ends the job. What MPI itself waits for has no limit:
//! [`Cluster::open`] waits for a rank that does not call it, and the end of MPI for one that hangs.
//! The end of MPI is where its `Universe` is dropped, so print the error and call `abort` of the
//! communicator before that, as above.
//!
//! Ranks sleep while they wait, because a software adapter of another rank may need their cores.
//!
//! # Sources
//! D. H. Bailey, J. Supercomputing 4 (1990) 23, for the transform in two steps; M. Frigo and S. G.
//! Johnson, Proc. IEEE 93 (2005) 216, for transposed output over slabs (FFTW's MPI interface);
//! Takemoto, Wada, Kondo and Honda, for [`Strategy::Takemoto`].
#![warn(missing_docs)]
#![deny(unsafe_code)]
// Without the feature, the pages still tell of clusters.
#![cfg_attr(not(feature = "mpi"), allow(rustdoc::broken_intra_doc_links))]

mod devices;
mod error;
mod job;
mod options;
pub mod partition;
#[cfg(feature = "mpi")]
mod ranks;
mod report;
mod slab;
mod strategy;
pub mod takemoto;
mod task;

pub use devices::{DeviceSet, Divide};
pub use error::{Error, Failures, Result};
pub use job::{Answer, Job, Progress, Workers};
#[cfg(feature = "mpi")]
pub use mpi;
pub use options::JobOptions;
#[cfg(feature = "mpi")]
pub use ranks::{
    Adapter, AnyJob, Arithmetic, Cluster, Decomposition, FileOptions, Member, Order, Part, Phase, RankOptions, Recipes, Redistribution,
    Running,
};
pub use report::{PhaseReport, Rate, Report, Work, WorkerReport};
pub use strategy::{Shares, Strategy};
pub use wgpu_fft;

/// Guides: several devices, and how a cluster scales.
pub mod guides {
    /// Jobs that several devices share, and arrays larger than a device.
    #[doc = include_str!("../docs/devices.md")]
    pub mod devices {}

    /// A model of transforms on many ranks.
    ///
    /// [devices]: devices
    ///
    #[doc = include_str!("../docs/scaling.md")]
    pub mod scaling {}
}

/// The examples of the README, compiled.
#[cfg(all(doctest, feature = "mpi"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Failures on purpose, for tests of what a job does then.
#[cfg(feature = "testing")]
pub mod testing {
    pub use crate::devices::fault::{Failure, When};
}
