//! How many units of a job each of several participants gets: pure arithmetic, without a device.
//!
//! A unit is what cannot be cut: a row, a column, a plane, a transform of a batch. Shares are counted in the order of the participants, their sum is the number of units, and a
//! participant may have none. Participant i has the units from the sum of the shares before it on.
//!
//! ```
//! use wgpu_fft::multi::partition::{Cost, balanced, equal, weighted};
//!
//! # fn main() -> wgpu_fft::Result<()> {
//! // Rows and columns of 17 x 5 on four ranks: nobody has more than one unit less than another.
//! assert_eq!(equal(17, 4), [5, 4, 4, 4]);
//! assert_eq!(equal(5, 4), [2, 1, 1, 1]);
//! // One participant is three times as fast.
//! assert_eq!(weighted(1000, &[3.0, 1.0])?, [750, 250]);
//! // The second one needs 2 ms before it begins, when the first has long done everything.
//! let costs = [Cost { fixed: 0.0, per_unit: 1e-6 }, Cost { fixed: 2e-3, per_unit: 1e-7 }];
//! assert_eq!(balanced(1000, &costs)?, [1000, 0]);
//! # Ok(())
//! # }
//! ```

use std::ops::Range;

use crate::error::{Error, Result};

/// Shares that differ by one unit at most, the larger ones first. FFTW's blocks of ⌈n/p⌉ leave the last of 4 participants 2 of 17 rows and none of 5.
///
/// Without participants there are no shares.
#[must_use]
pub fn equal(units: usize, participants: usize) -> Vec<usize> {
    let more = units.checked_rem(participants).unwrap_or(0);
    (0..participants).map(|i| units / participants + usize::from(i < more)).collect()
}

/// Shares in proportion to `weights`, each within one unit of the exact one (largest remainders; of equal ones the first). A weight of 0 gets nothing.
///
/// # Errors
/// [`Error::Unsupported`] for a weight that is negative or not finite, and if none is larger than 0.
pub fn weighted(units: usize, weights: &[f64]) -> Result<Vec<usize>> {
    let total: f64 = weights.iter().sum();
    if weights.iter().any(|weight| !(0.0..f64::MAX).contains(weight)) || total <= 0.0 || !total.is_finite() {
        let why = "weights are finite, not negative, and at least one is larger than 0".to_owned();
        return Err(Error::Unsupported { what: format!("shares in proportion to {weights:?}"), why });
    }
    let exact: Vec<f64> = weights.iter().map(|weight| units as f64 * (weight / total)).collect();
    let mut shares: Vec<usize> = exact.iter().map(|share| share.floor() as usize).collect();
    // By rounding of f64 the floors may exceed the whole by a unit; of huge jobs by more.
    while shares.iter().sum::<usize>() > units {
        if let Some(most) = shares.iter_mut().max() {
            *most -= 1;
        }
    }
    let mut order: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = units - shares.iter().sum::<usize>();
    for (i, more) in order.iter().zip(equal(missing, order.len())) {
        shares[*i] += more;
    }
    Ok(shares)
}

/// What it costs a participant to take part, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Once, if it has any unit.
    pub fixed: f64,
    /// For each unit.
    pub per_unit: f64,
}

impl Cost {
    /// Seconds for so many units.
    #[must_use]
    pub fn of(&self, units: usize) -> f64 {
        if units == 0 { 0.0 } else { self.fixed + self.per_unit * units as f64 }
    }
}

/// Shares with the least time until the last participant has finished: the least maximum of [`Cost::of`]. Whoever would only slow the job down gets nothing.
///
/// # Errors
/// [`Error::Unsupported`] for a cost that is negative or not finite, and without participants.
pub fn balanced(units: usize, costs: &[Cost]) -> Result<Vec<usize>> {
    let valid = |cost: &Cost| [cost.fixed, cost.per_unit].iter().all(|part| (0.0..f64::MAX).contains(part));
    if costs.is_empty() || !costs.iter().all(valid) {
        let why = "costs are finite and not negative, and there is at least one".to_owned();
        return Err(Error::Unsupported { what: format!("shares by the costs {costs:?}"), why });
    }
    // Units that a participant finishes within `time`.
    let within = |cost: &Cost, time: f64| {
        let free = time - cost.fixed;
        if free < 0.0 {
            0
        } else if cost.per_unit == 0.0 {
            units
        } else {
            // Half a millionth of a unit of tolerance: times are found by bisection.
            ((free / cost.per_unit + 5e-7) as usize).min(units)
        }
    };
    let enough = |time: f64| costs.iter().fold(0usize, |sum, cost| sum.saturating_add(within(cost, time))) >= units;
    let (mut short, mut long) = (0.0, costs.iter().map(|cost| cost.of(units)).fold(f64::INFINITY, f64::min));
    for _ in 0..100 {
        let middle = (short + long) / 2.0;
        if enough(middle) { long = middle } else { short = middle }
    }
    let mut shares: Vec<usize> = costs.iter().map(|cost| within(cost, long)).collect();
    let mut surplus = shares.iter().fold(0usize, |sum, &share| sum.saturating_add(share)).saturating_sub(units);
    while surplus > 0 {
        // Whoever finishes last gives up what it has too many; where a unit costs nothing, all of the surplus at once.
        let last = (0..costs.len()).filter(|&i| shares[i] > 0).max_by(|&a, &b| costs[a].of(shares[a]).total_cmp(&costs[b].of(shares[b])));
        let Some(last) = last else { break };
        let less = if costs[last].per_unit == 0.0 { surplus.min(shares[last]) } else { 1 };
        shares[last] -= less;
        surplus -= less;
    }
    Ok(shares)
}

/// Shares of units that only come in groups of `granule`, as `divide` shares out the groups; the last group may be short.
///
/// # Errors
/// Those of `divide`.
pub fn in_granules(units: usize, granule: usize, divide: impl FnOnce(usize) -> Result<Vec<usize>>) -> Result<Vec<usize>> {
    let granule = granule.max(1);
    let groups = units.div_ceil(granule);
    let mut shares: Vec<usize> = divide(groups)?.into_iter().map(|share| share * granule).collect();
    if let Some(last) = shares.iter_mut().rfind(|share| **share > 0) {
        *last -= groups * granule - units;
    }
    Ok(shares)
}

/// The units of each share.
#[must_use]
pub fn ranges(shares: &[usize]) -> Vec<Range<usize>> {
    let mut end = 0;
    let range = |&share: &usize| {
        let begin = end;
        end += share;
        begin..end
    };
    shares.iter().map(range).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_shares_differ_by_one_at_most() {
        assert_eq!(equal(17, 4), [5, 4, 4, 4]);
        assert_eq!(equal(5, 4), [2, 1, 1, 1]);
        assert_eq!(equal(3, 4), [1, 1, 1, 0]);
        assert_eq!(equal(0, 2), [0, 0]);
        assert!(equal(3, 0).is_empty());
    }

    #[test]
    fn who_only_slows_down_is_left_out() {
        let cost = |fixed, per_unit| Cost { fixed, per_unit };
        // Eight times slower still helps: 8 of 9 parts.
        assert_eq!(balanced(900, &[cost(0.0, 1.0), cost(0.0, 8.0)]).unwrap(), [800, 100]);
        // Not if it takes as long to begin as the other to end.
        assert_eq!(balanced(900, &[cost(0.0, 1.0), cost(895.0, 8.0)]).unwrap(), [900, 0]);
        assert_eq!(balanced(0, &[cost(1.0, 1.0)]).unwrap(), [0]);
        assert_eq!(balanced(7, &[cost(1.0, 0.0), cost(0.0, 0.0)]).unwrap(), [0, 7]);
    }

    #[test]
    fn what_is_no_weight_and_no_cost_is_an_error() {
        for weights in [&[][..], &[0.0, 0.0], &[-1.0, 2.0], &[f64::NAN], &[f64::INFINITY, 1.0]] {
            assert!(matches!(weighted(3, weights), Err(Error::Unsupported { .. })), "{weights:?}");
        }
        for costs in [&[][..], &[Cost { fixed: -1.0, per_unit: 1.0 }], &[Cost { fixed: 0.0, per_unit: f64::NAN }]] {
            assert!(matches!(balanced(3, costs), Err(Error::Unsupported { .. })), "{costs:?}");
        }
    }

    #[test]
    fn granules_stay_together() {
        assert_eq!(in_granules(17, 4, |groups| Ok(equal(groups, 2))).unwrap(), [12, 5]);
        assert_eq!(in_granules(17, 4, |groups| Ok(vec![groups, 0])).unwrap(), [17, 0]);
        assert_eq!(ranges(&[3, 0, 2]), [0..3, 3..3, 3..5]);
    }

    proptest! {
        #[test]
        fn shares_add_up_and_keep_to_the_weights(units in 0usize..10_000, weights in prop::collection::vec(0.0..10.0f64, 1..6)) {
            let total: f64 = weights.iter().sum();
            prop_assume!(total > 0.0);
            let shares = weighted(units, &weights).unwrap();
            prop_assert_eq!(shares.iter().sum::<usize>(), units);
            for (share, weight) in shares.iter().zip(&weights) {
                prop_assert!((*share as f64 - units as f64 * weight / total).abs() < 1.0 + 1e-9);
                prop_assert!(*weight > 0.0 || *share == 0);
            }
        }

        /// No other shares finish earlier: compared with all of them.
        #[test]
        fn balanced_shares_are_the_best(units in 0usize..24, costs in prop::collection::vec((0.0..5.0f64, 0.1..3.0f64), 1..4)) {
            let costs: Vec<Cost> = costs.into_iter().map(|(fixed, per_unit)| Cost { fixed, per_unit }).collect();
            let time = |shares: &[usize]| shares.iter().zip(&costs).map(|(&share, cost)| cost.of(share)).fold(0.0, f64::max);
            let shares = balanced(units, &costs).unwrap();
            prop_assert_eq!(shares.iter().sum::<usize>(), units);
            let mut all = vec![vec![]];
            for _ in 1..costs.len() {
                all = all.into_iter().flat_map(|begin: Vec<usize>| {
                    let left = units - begin.iter().sum::<usize>();
                    (0..=left).map(move |share| [&begin[..], &[share]].concat())
                }).collect();
            }
            let best = all.iter().map(|begin| time(&[&begin[..], &[units - begin.iter().sum::<usize>()]].concat())).fold(f64::INFINITY, f64::min);
            prop_assert!(time(&shares) <= best * (1.0 + 1e-5) + 1e-9, "{:?} {} {}", shares, time(&shares), best);
        }
    }
}
