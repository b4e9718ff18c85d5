//! How a job is divided: the caller's choice, as data.

use std::fmt;

use super::partition;
use crate::error::{Error, Result};
use crate::tune::rules::takemoto::{self, Amount};

/// How a job is divided among the members of a [`DeviceSet`](super::DeviceSet).
///
/// The result does not depend on the strategy, unless the set contains a member with different
/// rounding ([`DeviceSet::with_host`](super::DeviceSet::with_host)).
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub enum Strategy {
    /// Everything goes to the member with this index. The others take over if it fails.
    Single(usize),
    /// Each member gets the same number of units, or one more.
    Equal,
    /// Shares in proportion to these weights, one for each member.
    Ratio(Vec<f64>),
    /// Shares computed from the processing elements of each member and the amount of computation,
    /// as by [Takemoto and others](crate::tune::rules::takemoto::global_split).
    Takemoto {
        /// The number of processing elements of each member.
        processing_elements: Vec<u32>,
        /// The class of the job by its amount of computation.
        amount: Amount,
    },
    /// Shares in proportion to the throughput of each member while the others work too. It is
    /// measured before the first run. One device alone is a candidate as well. After the first
    /// runs, the division that was actually the fastest is kept.
    #[default]
    Measured,
    /// Whenever a member is free, it takes the next units. Pieces get smaller towards the end. Each
    /// member has two or more pieces in flight.
    Dynamic,
    /// Like `Measured`, with `Dynamic` as one more candidate.
    Auto,
}

impl Strategy {
    /// Checks the strategy for a set of `members` members.
    pub(super) fn check(&self, members: usize) -> Result<()> {
        let wrong = |argument, actual| Err(Error::WrongLen { argument, expected: members, actual });
        match self {
            Self::Single(member) if *member >= members => {
                let what = format!("a job on member {member} alone");
                Err(Error::Unsupported { what, why: format!("the set has {members} members, counted from 0") })
            }
            Self::Ratio(weights) if weights.len() != members => wrong("ratio", weights.len()),
            Self::Takemoto { processing_elements, .. } if processing_elements.len() != members => {
                wrong("processing elements", processing_elements.len())
            }
            Self::Ratio(weights) => partition::weighted(0, weights).map(drop),
            Self::Takemoto { processing_elements, amount } => takemoto::global_ratios(processing_elements, *amount).map(drop),
            _ => Ok(()),
        }
    }

    /// The shares of the members in `present`, in their order; `None` if they depend on
    /// measurements.
    pub(super) fn shares(&self, units: usize, alignment: usize, present: &[usize]) -> Result<Option<Vec<usize>>> {
        let own = |all: &[f64]| -> Vec<f64> { present.iter().map(|&member| all[member]).collect() };
        let by_number = match self {
            // If that member has failed, another must do the work.
            Self::Single(member) => {
                let chosen = present.iter().position(|own| own == member).unwrap_or(0);
                (0..present.len()).map(|i| if i == chosen { 1.0 } else { 0.0 }).collect()
            }
            Self::Ratio(weights) => {
                let own = own(weights);
                if own.iter().any(|weight| *weight > 0.0) { own } else { vec![1.0; present.len()] }
            }
            Self::Equal => {
                return partition::in_multiples(units, alignment, |groups| Ok(partition::equal(groups, present.len()))).map(Some);
            }
            Self::Takemoto { processing_elements, amount } => {
                let elements: Vec<u32> = present.iter().map(|&member| processing_elements[member]).collect();
                return partition::in_multiples(units, alignment, |groups| takemoto::global_split(groups, &elements, *amount)).map(Some);
            }
            Self::Measured | Self::Dynamic | Self::Auto => return Ok(None),
        };
        partition::in_multiples(units, alignment, |groups| partition::weighted(groups, &by_number)).map(Some)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(member) => write!(f, "member {member} alone"),
            Self::Equal => f.write_str("equal"),
            Self::Ratio(weights) => write!(f, "ratio {weights:?}"),
            Self::Takemoto { processing_elements, amount } => write!(f, "Takemoto {processing_elements:?} {amount:?}"),
            Self::Measured => f.write_str("measured"),
            Self::Dynamic => f.write_str("dynamic"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_the_members_that_are_there() {
        let shares = |strategy: &Strategy, units, present: &[usize]| strategy.shares(units, 1, present).unwrap().unwrap();
        assert_eq!(shares(&Strategy::Equal, 17, &[0, 1, 2, 3]), [5, 4, 4, 4]);
        assert_eq!(shares(&Strategy::Ratio(vec![1.0, 5.0, 3.0]), 8, &[0, 2]), [2, 6]);
        assert_eq!(shares(&Strategy::Single(1), 8, &[0, 1]), [0, 8]);
        // The remaining members get everything.
        assert_eq!(shares(&Strategy::Single(1), 8, &[0]), [8]);
        assert_eq!(shares(&Strategy::Ratio(vec![0.0, 1.0]), 8, &[0]), [8]);
        let takemoto = Strategy::Takemoto { processing_elements: vec![128, 192], amount: Amount::Large };
        assert_eq!(shares(&takemoto, 1024, &[0, 1]), [102, 922]);
        assert_eq!(Strategy::Auto.shares(8, 1, &[0]), Ok(None));
    }

    #[test]
    fn what_does_not_fit_the_set_is_an_error() {
        let takemoto = |processing_elements| Strategy::Takemoto { processing_elements, amount: Amount::Small };
        for wrong in [
            Strategy::Single(2),
            Strategy::Ratio(vec![1.0]),
            Strategy::Ratio(vec![0.0, 0.0]),
            Strategy::Ratio(vec![f64::NAN, 1.0]),
            takemoto(vec![1]),
            takemoto(vec![1, 0]),
        ] {
            assert!(wrong.check(2).is_err(), "{wrong}");
        }
        for right in [Strategy::Single(1), Strategy::Equal, Strategy::Ratio(vec![0.0, 2.0]), takemoto(vec![1, 2]), Strategy::Auto] {
            assert_eq!(right.check(2), Ok(()));
        }
    }
}
