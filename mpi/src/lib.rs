//! Fast Fourier transforms on the GPUs of several MPI processes, based on [`wgpu_fft`].
//!
//! Each rank of a communicator has a device and a slab of the array. A rank transforms the axes
//! that lie completely in its slab. Then all ranks exchange blocks (all-to-all), and each rank
//! transforms the axis that was divided. The sizes of the slabs follow the measured speed of the
//! ranks, along both axes. A rank that would only slow the job down gets no slab.
//!
//! ```no_run
//! use wgpu_fft_mpi::{C2c, Cluster, Complex32, Options, RankOptions, mpi};
//!
//! # fn main() -> wgpu_fft_mpi::Result<()> {
//! let universe = mpi::initialize().expect("MPI begins once");
//! let cluster = Cluster::open(&universe.world(), &RankOptions::default())?;      // a device for every rank
//! let mut plan = cluster.plan(C2c::forward([1080, 1920]), &Options::default())?; // measures, divides, compiles
//!
//! let slab = plan.input();                                                       // rows slab.range of 1080
//! let mine = vec![Complex32::ONE; slab.len()];
//! let columns = plan.run(&mine)?;                                                // plan.output().range of 1920, each 1080 long
//! if let Some(report) = plan.report()? {
//!     println!("{report}");                                                      // on rank 0
//! }
//! # drop(columns);
//! # Ok(())
//! # }
//! ```
//!
//! All calls are collective: every rank must make the same calls in the same order.
//!
//! # Definition and layouts
//! The transforms are those of [`wgpu_fft::fft`], with the same [`Scale`]s. The table uses these
//! symbols: P is an array of positions and F an array of frequencies. For the last axis of length
//! n, H = ⌊n/2⌋+1 in a real transform and H = n in a complex one. Rank i has rᵢ indices of axis 0
//! and cᵢ indices of axis 1, which follow those of rank i-1. Either number may be 0. Arrays are
//! dense, slowest axis first:
//!
//! | shape | slab of P | slab of F, [`Order::Transposed`] | slab of F, [`Order::Natural`] |
//! |---|---|---|---|
//! | `n`, batch b | rᵢ × n | rᵢ × H | rᵢ × H |
//! | `[n₀, n₁]` | rᵢ × n₁ | cᵢ × n₀, of H × n₀ | rᵢ × H |
//! | `[n₀, n₁, n₂]` | rᵢ × n₁ × n₂ | cᵢ × H × n₀, of n₁ × H × n₀ | rᵢ × n₁ × H |
//!
//! For a batch, Σ rᵢ = b, and nothing is exchanged. [`C2c::forward`] and [`R2c`] take P and return
//! F. [`C2c::inverse`] and [`C2r`] take F and return P. The output of a transform fits its inverse
//! if both have the same shares: plan the second one with [`Strategy::Given`] and the first one's
//! [`Plan::shares`]. [`Plan::run`] takes and returns slabs. [`Plan::run_from_root`] takes the whole
//! array on rank 0 and returns the whole result there, with all slabs one after the other.
//!
//! # How it works
//! A forward transform of \[n₀, C, K\], with C columns of K frequencies (K = 1 for two axes), has
//! these steps:
//!
//! 1. Rows: each rank transforms \[rᵢ, …\] on its device and transposes it there to \[C, K, rᵢ\]. What
//!    rank j needs is now one block.
//! 2. Exchange: rank j receives \[cⱼ, K, rᵢ\] from every rank i, and joins these to \[cⱼ, K, n₀\] on
//!    the way to its device.
//! 3. Columns: rank j transforms cⱼ·K contiguous lines of length n₀. For natural order it transposes
//!    them to \[n₀, cⱼ, K\].
//! 4. For natural order only: rank i receives \[rᵢ, cⱼ, K\] from every rank j and joins these to
//!    \[rᵢ, C, K\].
//!
//! The inverse does the same steps in reverse. From natural order it begins with a transpose and
//! the exchange of step 2. A message has at most [`Options::message_bytes`], by default 1 GiB,
//! because MPI counts in an i32.
//!
//! # Shares
//! [`Strategy::Measured`] measures all ranks at the same time, because some may share cores, a bus
//! or a card. It runs the real passes on samples of two sizes. From these it derives the fixed cost
//! of a pass and the cost per unit ([`Cost`](wgpu_fft::multi::partition::Cost)). The shares
//! minimize the time until the last rank is done
//! ([`balanced`](wgpu_fft::multi::partition::balanced)). The same is tried without the slowest
//! rank, and with the faster half of the ranks, a quarter, and so on. The set of ranks that is
//! predicted to finish first is used. [`Plan::report`] tells each rank's share and times.
//!
//! # Cost
//! With s = 8 bytes for a complex number and N = n₀·C·K frequencies, rank i
//!
//! - sends s·rᵢ·(C - cᵢ)·K bytes in an exchange and receives s·cᵢ·K·(n₀ - rᵢ) bytes. With p equal
//!   ranks that is s·N·(p - 1)/p² in each direction. Transposed order needs one exchange, natural
//!   order two;
//! - moves s·rᵢ·C·K and s·cᵢ·K·n₀ bytes to its device, and as many back; for reals it is half;
//! - makes as many passes over device memory as the local transforms need, and one for each
//!   transpose.
//!
//! A rank keeps the arrays of both local passes on its device, two for each pass. During an
//! exchange it uses host memory for three times its slab.
//!
//! # Determinism
//! All ranks of a job use the same arithmetic. They agree on recipes that are chosen for the
//! transform and not for the shares ([`Arithmetic`]). The result is bit-identical to that of a
//! single rank, for every number of ranks and all shares, as long as all adapters round alike. That
//! holds for adapters of one kind, and for lavapipe together with SwiftShader. Other drivers'
//! compilers may fuse and reorder operations. Then bits may differ between shares, within the
//! rounding errors that [`wgpu_fft::fft`] states. Some recipes transform two rows of reals as one,
//! and such rows must be on the same rank. So if a unit of axis 0 has an odd number of rows, shares
//! of real transforms are multiples of two.
//!
//! # Errors
//! Before each exchange and after each local pass, all ranks agree on whether any of them failed; a
//! panic counts as a failure. If one failed, all of them return the same [`Error`] with that rank's
//! message, and the cluster stays usable. It is also an error if ranks ask for different transforms
//! or are in different calls. A rank that dies is for MPI to detect, which by default ends the job.
//! A rank whose device never answers is not detected.
//!
//! Ranks sleep while they wait, because a software adapter of another rank may need their cores.
//!
//! # Sources
//! D. H. Bailey, J. Supercomputing 4 (1990) 23, for the transform in two steps; M. Frigo and S. G.
//! Johnson, Proc. IEEE 93 (2005) 216, for transposed output over slabs (FFTW's MPI interface);
//! Takemoto, Wada, Kondo and Honda, for [`Strategy::Takemoto`].
#![warn(missing_docs)]
#![deny(unsafe_code)]

mod arithmetic;
mod cluster;
mod error;
mod job;
mod link;
mod local;
mod measure;
pub mod model;
mod phase;
mod plan;
mod report;
mod root;
mod slabs;
mod spec;
mod strategy;

pub use arithmetic::{Arithmetic, Recipes};
pub use cluster::{Adapter, Cluster, Emulate, Member, RankOptions};
pub use error::{Error, Result};
pub use mpi;
pub use phase::Phase;
pub use plan::{Options, Plan, Progress};
pub use report::{Entry, RankReport, Report};
pub use slabs::{Shares, Slab};
pub use spec::{C2c, C2r, Order, R2c, Transform};
pub use strategy::Strategy;
pub use wgpu_fft;
pub use wgpu_fft::Complex32;
pub use wgpu_fft::fft::Scale;

/// The example of the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
