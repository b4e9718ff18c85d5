//! Fast Fourier transforms over the GPUs of several MPI processes, by [`wgpu_fft`].
//!
//! Each rank of a communicator has a device and a slab of the array. It transforms the axes that
//! lie whole in its slab, all ranks exchange blocks, and each transforms the axis that was cut.
//! Slabs are weighted by the measured speed of each rank, on both axes; a rank that would only slow
//! the job down gets none.
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
//! All calls are collective: every rank makes the same ones in the same order.
//!
//! # Definition and layouts
//! The transforms are those of [`wgpu_fft::fft`], with the same [`Scale`]s. With H = ⌊n/2⌋+1 for
//! the last axis of length n of a real transform, and H = n of a complex one; P is an array of
//! positions, F one of frequencies. Rank i has rᵢ indices of axis 0, and cᵢ of axis 1, which follow
//! those of rank i-1; either may be none. Arrays are dense, slowest axis first:
//!
//! | shape | slab of P | slab of F, [`Order::Transposed`] | slab of F, [`Order::Natural`] |
//! |---|---|---|---|
//! | `n`, batch b | rᵢ × n | rᵢ × H | rᵢ × H |
//! | `[n₀, n₁]` | rᵢ × n₁ | cᵢ × n₀, of H × n₀ | rᵢ × H |
//! | `[n₀, n₁, n₂]` | rᵢ × n₁ × n₂ | cᵢ × H × n₀, of n₁ × H × n₀ | rᵢ × n₁ × H |
//!
//! Of a batch, Σ rᵢ = b, and nothing is exchanged. [`C2c::forward`] and [`R2c`] take P and give F,
//! [`C2c::inverse`] and [`C2r`] take F and give P. A transform and its inverse fit together where
//! they have the same shares: plan the second one by [`Strategy::Given`] with the first one's
//! [`Plan::shares`]. [`Plan::run`] takes and gives the slabs; [`Plan::run_from_root`] takes the
//! whole array on rank 0 and gives it the whole result, all slabs one after the other.
//!
//! # How
//! Forward, for \[n₀, C, K\] with C columns of K frequencies (K = 1 for two axes):
//!
//! 1. rows: each rank transforms \[rᵢ, …\] on its device and turns it to \[C, K, rᵢ\] there, so
//!    that what rank j needs is one block;
//! 2. exchange: rank j gets \[cⱼ, K, rᵢ\] of every rank i, and joins them to \[cⱼ, K, n₀\] on the
//!    way to its device;
//! 3. columns: cⱼ·K lines of n₀, which are contiguous. Natural order turns them to \[n₀, cⱼ, K\];
//! 4. natural order only: rank i gets \[rᵢ, cⱼ, K\] of every rank j and joins them to \[rᵢ, C, K\].
//!
//! The inverse goes the same way back; from natural order it begins with a turn and the exchange of
//! step 2. Messages have at most [`Options::message_bytes`], 1 GiB unless said otherwise, since MPI
//! counts in an i32.
//!
//! # Shares
//! [`Strategy::Measured`] measures all ranks at the same time, as some may share cores, a bus or a
//! card, on samples of the real passes: two sizes tell what a pass costs at all and what a unit
//! costs ([`Cost`](wgpu_fft::multi::partition::Cost)). The shares have the least time until the
//! last rank is done ([`balanced`](wgpu_fft::multi::partition::balanced)). It does the same without
//! the slowest rank and with the faster half, a quarter, … of the ranks, and takes whichever set
//! will be done first. [`Plan::report`] says who had what and how long it took.
//!
//! # Cost
//! With s = 8 bytes for a complex number and N = n₀·C·K frequencies, rank i
//! - sends s·rᵢ·(C - cᵢ)·K bytes in an exchange and receives s·cᵢ·K·(n₀ - rᵢ): with p equal ranks
//!   s·N·(p - 1)/p² each way. Transposed order has one exchange, natural order two;
//! - moves s·rᵢ·C·K and s·cᵢ·K·n₀ bytes to its device and as many back, of reals half;
//! - makes as many passes over device memory as the local transforms take, and one for each turn.
//!
//! A rank holds the arrays of both local passes, twice each, on its device, and three times its
//! slab in host memory during an exchange.
//!
//! # Determinism
//! A job has one arithmetic: the ranks agree on recipes, which are chosen for the transform and not
//! for the shares ([`Arithmetic`]). So the bits are those of one rank, for every number of ranks
//! and all shares, as long as all adapters round alike: those of one kind, and lavapipe with
//! SwiftShader. Compilers of other drivers may fuse and reorder operations; then bits differ
//! between shares, within the rounding errors that [`wgpu_fft::fft`] states. A rank may not part
//! two rows of reals that some recipes transform as one, so shares of real transforms come in twos
//! where a unit of axis 0 has an odd number of rows.
//!
//! # Errors
//! Before each exchange, and after each local pass, all ranks agree that nothing went wrong. If
//! something did on one of them, a panic included, all return the same [`Error`] with that rank's
//! message, and the cluster goes on working. That ranks ask for different transforms, or are at
//! different calls, is an error too. A rank that dies is MPI's to notice, which by default ends the
//! job; a rank that does not return from its device is not noticed.
//!
//! Ranks that wait sleep, as a processor that plays the GPU of another rank needs its cores.
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
