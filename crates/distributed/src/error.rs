//! The errors of jobs.

use std::fmt;
use std::time::Duration;

#[cfg(feature = "mpi")]
use crate::ranks::Phase;

/// What went wrong with a job.
///
/// All ranks of a cluster return the same error, no matter on which rank it happened.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A specification, an argument or a device is at fault, not the division of the work.
    #[error(transparent)]
    Core(#[from] wgpu_fft::Error),
    /// All devices of a set failed before the job was complete.
    #[error("{job}: {done} of {units} units of `{phase}` were complete when the last device failed: {failures}")]
    DevicesFailed {
        /// The specification.
        job: String,
        /// The phase.
        phase: String,
        /// The number of units of the phase that were complete.
        done: usize,
        /// The number of units of the phase.
        units: usize,
        /// What happened to each device.
        #[source]
        failures: Failures,
    },
    /// A device did not answer within [`JobOptions::timeout`](crate::JobOptions::timeout).
    #[error("{device} did not answer within {waited:?} in the phase `{phase}`; {done} of its {pieces} pieces were done")]
    NoAnswer {
        /// The name of the device; on a cluster, also of its rank.
        device: String,
        /// The phase.
        phase: String,
        /// How long it was waited for.
        waited: Duration,
        /// The number of pieces of the phase that it had completed.
        done: usize,
        /// The number of its pieces in this phase.
        pieces: usize,
    },
    /// The listener of [`Job::on_progress`](crate::Job::on_progress) ended the run. What the output holds means
    /// nothing; the job can be run again.
    #[error("{}the run was cancelled, during {phase}", rank.map(|rank| format!("rank {rank}: ")).unwrap_or_default())]
    Cancelled {
        /// On a cluster, the first rank whose listener did.
        rank: Option<usize>,
        /// The phase.
        phase: String,
    },
    /// A rank could not do its part. The job ended before the next exchange.
    #[cfg(feature = "mpi")]
    #[error("rank {rank}, during {during}: {message}")]
    OnRank {
        /// The first rank that failed.
        rank: usize,
        /// What the job was doing.
        during: Phase,
        /// The reason, as that rank printed it.
        message: String,
    },
    /// Ranks did not answer the others for twice
    /// [`JobOptions::timeout`](crate::JobOptions::timeout) or
    /// [`RankOptions::timeout`](crate::RankOptions::timeout): they hang, compute for longer than
    /// that, or are in no call of this cluster. All ranks that answer return this error, and so do
    /// all later calls on their cluster. MPI cannot end without the silent ranks either: end the
    /// program with `abort` of the communicator.
    #[cfg(feature = "mpi")]
    #[error("{}", silent(ranks, *during, *waited, *arrived, *messages))]
    RankSilent {
        /// The ranks that did not answer. Empty if all answer, but a message does not arrive.
        ranks: Vec<usize>,
        /// What the others were doing.
        during: Phase,
        /// How long they had waited at most.
        waited: Duration,
        /// In an exchange: how many messages had arrived on the first rank that answers.
        arrived: usize,
        /// In an exchange: how many messages that rank expected.
        messages: usize,
    },
    /// A panic of this rank, in a call or in the caller's code, abandoned a run. Its messages may still
    /// be under way, so all later calls on the cluster return this on this rank. The ranks that did
    /// not panic wait for it, and get [`RankSilent`](Self::RankSilent).
    #[cfg(feature = "mpi")]
    #[error("a panic of this rank abandoned a run of this cluster, whose messages may still be under way: no other can follow")]
    RunAbandoned,
    /// A rank has no adapter to compute on.
    #[cfg(feature = "mpi")]
    #[error("rank {rank}: {message}")]
    NoAdapter {
        /// The first rank without one.
        rank: usize,
        /// What it looked for, which adapters exist, and what to install.
        message: String,
    },
    /// The ranks asked for different jobs, or for different options.
    #[cfg(feature = "mpi")]
    #[error("rank {rank} asks for `{theirs}`, rank 0 for `{first}`")]
    RanksDiffer {
        /// The first rank that differs from rank 0.
        rank: usize,
        /// What it asked for.
        theirs: String,
        /// What rank 0 asked for.
        first: String,
    },
    /// The ranks are in different calls. For example, one plans while another one runs, or one left
    /// out a call.
    #[cfg(feature = "mpi")]
    #[error(
        "the ranks are in different calls: one is at {one}, another one at {other}. All ranks must make the same calls in the same order"
    )]
    OutOfStep {
        /// One of the phases.
        one: Phase,
        /// Another one.
        other: Phase,
    },
    /// No recipe computes the transform on the devices of all ranks.
    #[cfg(feature = "mpi")]
    #[error("no recipe for `{spec}` suits all devices; on rank {rank}: {message}")]
    NoCommonRecipe {
        /// The local transform.
        spec: String,
        /// The first rank that the last recipe tried does not suit.
        rank: usize,
        /// Why not.
        message: String,
    },
}

#[cfg(feature = "mpi")]
fn silent(ranks: &[usize], during: Phase, waited: Duration, arrived: usize, messages: usize) -> String {
    let who = match ranks {
        [] => "all ranks answer, but a message does not arrive".to_owned(),
        [rank] => format!("rank {rank} does not answer"),
        _ => format!("the ranks {ranks:?} do not answer"),
    };
    let far = if messages == 0 { String::new() } else { format!("; {arrived} of {messages} messages had arrived") };
    format!("{who}; the others waited {waited:.1?} during {during}{far}")
}

/// The name of each device that failed, and why, in the order in which they failed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Failures(pub Vec<(String, Error)>);

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, error)) in self.0.iter().enumerate() {
            write!(f, "{}{name}: {error}", if i == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for Failures {
    /// The last failure, which ended the job.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.last().map(|(_, error)| error as _)
    }
}

/// A result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
