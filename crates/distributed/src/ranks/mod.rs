//! Jobs of several processes: the ranks of a cluster each have a device and a part of the arrays.

mod any;
mod arithmetic;
mod cluster;
mod exchange;
mod failure;
mod geometry;
mod link;
mod local;
mod measure;
mod message;
mod part;
mod passes;
mod phase;
mod roll_call;
mod root;
mod run;
mod runs;
mod sending;
mod steps;
mod turn;

pub use any::AnyJob;
pub use arithmetic::{Arithmetic, Recipes};
pub use cluster::{Adapter, Cluster, Member, RankOptions};
pub use part::{Decomposition, Order, Part};
pub use phase::Phase;
pub use run::{Division, RanksJob};

use wgpu_fft::bytemuck;

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

    /// Computes an array that rank 0 holds, and writes the whole result to one that rank 0 holds:
    /// sends each rank its share, runs, and collects the results. Collective; the other ranks pass
    /// `None`.
    ///
    /// The arrays are whole arrays, with the axes in the order of [`Part::axes`]: transposed
    /// frequencies are \[n₁, n₀\] or \[n₁, n₂, n₀\].
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn run_from_root(&self, input: Option<&[S::Input]>, output: Option<&mut [S::Output]>) -> Result<Report> {
        let input = input.map_or(&[][..], bytemuck::cast_slice);
        self.core.run_from_root(input, output.map_or(&mut [], bytemuck::cast_slice_mut), self.listener())
    }
}
