//! How a job is divided: the caller's choice, as data.

use std::fmt;

use wgpu_fft::{Error, Result};

use crate::partition;
use crate::takemoto::{self, Amount};

/// How a job is divided among the devices of a [`DeviceSet`](crate::DeviceSet) or the ranks of a
/// [`Cluster`](crate::Cluster): the workers.
///
/// The result does not depend on the strategy, unless workers round differently
/// ([`DeviceSet::with_host`](crate::DeviceSet::with_host)).
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Strategy {
    /// Everything goes to the worker with this index. In a set the others take over if it fails.
    Single(usize),
    /// Each worker gets the same number of units, or one more. The default on a cluster.
    Equal,
    /// Shares in proportion to these weights, one for each worker.
    Ratio(Vec<f64>),
    /// Shares computed from the processing elements of each worker and the amount of computation,
    /// as by [Takemoto and others](takemoto::global_split). It serves as a baseline for comparison.
    Takemoto {
        /// The number of processing elements of each worker.
        processing_elements: Vec<u32>,
        /// The class of the job by its amount of computation. `None` counts 5·n·log₂n operations
        /// for a transform of n complex points, and one for each element of other operations.
        amount: Option<Amount>,
    },
    /// These shares. With the shares of another job on a cluster, the output of a transform fits
    /// its inverse.
    Given(Shares),
    /// Shares in proportion to the throughput of each worker while the others work too. It is
    /// measured before the first run; on a cluster, when the job is made. One worker alone is a
    /// candidate as well, and one that would only slow the job down gets nothing. In a set the
    /// division that was actually the fastest is kept after the first runs. The default in a set.
    Measured,
    /// Whenever a device is free, it takes the next units. Pieces get smaller towards the end. Each
    /// device has two or more pieces in flight. Not on a cluster, whose ranks must know their slabs
    /// beforehand.
    Dynamic,
    /// Like `Measured`, with `Dynamic` as one more candidate. Not on a cluster.
    Auto,
}

/// The number of units of each worker, for each phase that is divided. A worker may have none.
///
/// A phase of a set is one of those that its [`Report`](crate::Report) lists. On a cluster the
/// first are units of the axis that is divided (transforms of a batch, or indices of axis 0), and
/// the second are units of the axis that is divided while the first one is complete, if there is an
/// exchange. For pencils, the same follows for the second axis that is divided. There, a share is
/// that of all ranks with the same place along one dimension of the grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shares(pub Vec<Vec<usize>>);

/// What a strategy has to know about a phase to divide it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisible {
    /// The index of the phase.
    pub phase: usize,
    pub units: usize,
    /// Workers get multiples of this many units, except for the last units of the array.
    pub alignment: usize,
    /// Floating-point operations of the whole job.
    pub operations: f64,
    /// The number of workers that share it.
    pub workers: usize,
}

impl Strategy {
    /// Checks the strategy for so many workers.
    pub(crate) fn check(&self, workers: usize, phases: &[Divisible]) -> Result<()> {
        let wrong = |argument, actual| Err(Error::WrongLen { argument, expected: workers, actual });
        match self {
            Self::Single(worker) if *worker >= workers => {
                let what = format!("a job on worker {worker} alone");
                Err(Error::Unsupported { what, why: format!("there are {workers} workers, counted from 0") })
            }
            Self::Ratio(weights) if weights.len() != workers => wrong("ratio", weights.len()),
            Self::Takemoto { processing_elements, .. } if processing_elements.len() != workers => {
                wrong("processing elements", processing_elements.len())
            }
            Self::Ratio(weights) => partition::weighted(0, weights).map(drop),
            Self::Takemoto { processing_elements, amount } => {
                takemoto::global_ratios(processing_elements, amount.unwrap_or(Amount::Large)).map(drop)
            }
            Self::Given(shares) if shares.0.len() != phases.len() => {
                Err(Error::WrongLen { argument: "shares, by phase", expected: phases.len(), actual: shares.0.len() })
            }
            Self::Given(shares) => shares.0.iter().zip(phases).try_for_each(|(shares, phase)| phase.check(shares)),
            _ => Ok(()),
        }
    }

    /// The strategy along one dimension of a grid of workers: index i of the dimension stands for
    /// all workers that have it, and is worth as much as these together. `indices` has the index of
    /// each worker.
    #[cfg(feature = "mpi")]
    pub(crate) fn along(&self, indices: &[usize], extent: usize) -> Self {
        match self {
            Self::Single(worker) => Self::Single(indices.get(*worker).copied().unwrap_or(0)),
            Self::Ratio(weights) => {
                let mut sums = vec![0.0; extent];
                indices.iter().zip(weights).for_each(|(index, weight)| sums[*index] += weight);
                Self::Ratio(sums)
            }
            Self::Takemoto { processing_elements, amount } => {
                let mut sums = vec![0u32; extent];
                indices.iter().zip(processing_elements).for_each(|(index, own)| sums[*index] = sums[*index].saturating_add(*own));
                Self::Takemoto { processing_elements: sums, amount: *amount }
            }
            other => other.clone(),
        }
    }

    /// The shares of the workers in `present`, in their order; `None` if they depend on
    /// measurements.
    pub(crate) fn shares(&self, phase: Divisible, present: &[usize]) -> Result<Option<Vec<usize>>> {
        let Divisible { units, alignment, .. } = phase;
        // If all that should work have failed, others must do the work.
        let by_weights = |all: &dyn Fn(usize) -> f64| {
            let mut own: Vec<f64> = present.iter().map(|&worker| all(worker)).collect();
            if !own.iter().any(|weight| *weight > 0.0) {
                own.fill(1.0);
            }
            partition::in_multiples(units, alignment, |groups| partition::weighted(groups, &own)).map(Some)
        };
        match self {
            Self::Single(worker) => {
                let chosen = present.iter().find(|own| *own == worker).or(present.first());
                by_weights(&|own| if Some(&own) == chosen { 1.0 } else { 0.0 })
            }
            Self::Ratio(weights) => by_weights(&|worker| weights[worker]),
            Self::Equal => partition::in_multiples(units, alignment, |groups| Ok(partition::equal(groups, present.len()))).map(Some),
            Self::Takemoto { processing_elements, amount } => {
                let elements: Vec<u32> = present.iter().map(|&worker| processing_elements[worker]).collect();
                let amount = amount.unwrap_or_else(|| Amount::of_operations(phase.operations));
                partition::in_multiples(units, alignment, |groups| takemoto::global_split(groups, &elements, amount)).map(Some)
            }
            Self::Given(Shares(shares)) => {
                let own = &shares[phase.phase];
                let missing = own.iter().enumerate().any(|(worker, share)| *share > 0 && !present.contains(&worker));
                if missing {
                    by_weights(&|worker| own[worker] as f64)
                } else {
                    Ok(Some(present.iter().map(|&worker| own[worker]).collect()))
                }
            }
            Self::Measured | Self::Dynamic | Self::Auto => Ok(None),
        }
    }
}

impl Divisible {
    /// Whether these are shares of the phase.
    fn check(&self, shares: &[usize]) -> Result<()> {
        let Self { units, alignment, workers, .. } = *self;
        let sum = shares.iter().try_fold(0usize, |sum, share| sum.checked_add(*share));
        let whole = || partition::ranges(shares).iter().all(|range| range.end == units || range.end.is_multiple_of(alignment));
        if shares.len() == workers && sum == Some(units) && whole() {
            return Ok(());
        }
        let groups = if alignment == 1 { String::new() } else { format!(", in groups of {alignment}") };
        let why = format!("for {workers} workers they must add up to {units} units{groups}");
        Err(Error::Unsupported { what: format!("the shares {shares:?} of phase {}", self.phase), why })
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(worker) => write!(f, "worker {worker} alone"),
            Self::Equal => f.write_str("equal"),
            Self::Ratio(weights) => write!(f, "ratio {weights:?}"),
            Self::Takemoto { processing_elements, amount } => {
                write!(f, "Takemoto {processing_elements:?}")?;
                amount.map_or(Ok(()), |amount| write!(f, " {amount:?}"))
            }
            Self::Given(Shares(shares)) => write!(f, "given {shares:?}"),
            Self::Measured => f.write_str("measured"),
            Self::Dynamic => f.write_str("dynamic"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(units: usize, alignment: usize) -> Divisible {
        Divisible { phase: 0, units, alignment, operations: 1e12, workers: 2 }
    }

    #[test]
    fn shares_follow_the_members_that_are_there() {
        let shares = |strategy: &Strategy, units, present: &[usize]| strategy.shares(phase(units, 1), present).unwrap().unwrap();
        assert_eq!(shares(&Strategy::Equal, 17, &[0, 1, 2, 3]), [5, 4, 4, 4]);
        assert_eq!(shares(&Strategy::Ratio(vec![1.0, 5.0, 3.0]), 8, &[0, 2]), [2, 6]);
        assert_eq!(shares(&Strategy::Single(1), 8, &[0, 1]), [0, 8]);
        // The remaining members get everything.
        assert_eq!(shares(&Strategy::Single(1), 8, &[0]), [8]);
        assert_eq!(shares(&Strategy::Ratio(vec![0.0, 1.0]), 8, &[0]), [8]);
        let takemoto = |amount| Strategy::Takemoto { processing_elements: vec![128, 192], amount };
        assert_eq!(shares(&takemoto(Some(Amount::Large)), 1024, &[0, 1]), [102, 922]);
        assert_eq!(shares(&takemoto(None), 1024, &[0, 1]), shares(&takemoto(Some(Amount::of_operations(1e12))), 1024, &[0, 1]));
        let given = Strategy::Given(Shares(vec![vec![3, 0, 5]]));
        assert_eq!(shares(&given, 8, &[0, 1, 2]), [3, 0, 5]);
        assert_eq!(shares(&given, 8, &[0, 2]), [3, 5]);
        assert_eq!(shares(&given, 8, &[0, 1]), [8, 0]);
        assert_eq!(Strategy::Auto.shares(phase(8, 1), &[0]), Ok(None));
    }

    #[test]
    fn what_does_not_fit_the_workers_is_an_error() {
        let takemoto = |processing_elements| Strategy::Takemoto { processing_elements, amount: None };
        let given = |shares: &[usize]| Strategy::Given(Shares(vec![shares.to_vec()]));
        for wrong in [
            Strategy::Single(2),
            Strategy::Ratio(vec![1.0]),
            Strategy::Ratio(vec![0.0, 0.0]),
            Strategy::Ratio(vec![f64::NAN, 1.0]),
            takemoto(vec![1]),
            takemoto(vec![1, 0]),
            given(&[8]),
            given(&[3, 5]),
            given(&[usize::MAX, 9]),
            Strategy::Given(Shares(Vec::new())),
        ] {
            assert!(wrong.check(2, &[phase(8, 2)]).is_err(), "{wrong}");
        }
        let right =
            [Strategy::Single(1), Strategy::Equal, Strategy::Ratio(vec![0.0, 2.0]), takemoto(vec![1, 2]), given(&[6, 2]), Strategy::Auto];
        for right in right {
            assert_eq!(right.check(2, &[phase(8, 2)]), Ok(()), "{right}");
        }
    }
}
