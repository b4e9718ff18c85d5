//! How many units of a job each of several participants gets: pure arithmetic, without a device.
//!
//! A unit is what cannot be cut: a row, a column, a plane, a transform of a batch. Shares are
//! counted in the order of the participants, their sum is the number of units, and a participant
//! may have none. Participant i has the units from the sum of the shares before it on.
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
use crate::sort::sort_short_by;

/// Shares that differ by one unit at most, the larger ones first. FFTW's blocks of ⌈n/p⌉ leave the
/// last of 4 participants 2 of 17 rows and none of 5.
///
/// Without participants there are no shares.
#[must_use]
pub fn equal(units: usize, participants: usize) -> Vec<usize> {
    let more = units.checked_rem(participants).unwrap_or(0);
    (0..participants).map(|i| units / participants + usize::from(i < more)).collect()
}

/// Shares in proportion to `weights`, each within one unit of the exact one (largest remainders; of
/// equal ones the first). A weight of 0 gets nothing. From 2⁵³ units on, shares are as exact as an
/// f64.
///
/// # Errors
/// [`Error::Unsupported`] for a weight that is negative or not finite, and if none is larger
/// than 0.
pub fn weighted(units: usize, weights: &[f64]) -> Result<Vec<usize>> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) || largest <= 0.0 {
        let why = "weights are finite, not negative, and at least one is larger than 0".to_owned();
        return Err(Error::Unsupported { what: format!("shares in proportion to {weights:?}"), why });
    }
    // Relative to the largest: the sum of weights near the largest f64 would be infinite.
    let relative: Vec<f64> = weights.iter().map(|weight| weight / largest).collect();
    let total: f64 = relative.iter().sum();
    let exact: Vec<f64> = relative.iter().map(|weight| units as f64 * (weight / total)).collect();
    let mut shares: Vec<usize> = exact.iter().map(|share| share.floor() as usize).collect();
    // By rounding of f64 the floors may exceed the whole by a unit; of huge jobs by more.
    take_surplus(&mut shares, units, |shares, surplus| {
        let most = (0..shares.len()).max_by_key(|&i| shares[i])?;
        Some((most, (surplus / shares.len()).max(1)))
    });
    let mut order: Vec<usize> = (0..weights.len()).filter(|&i| relative[i] > 0.0).collect();
    sort_short_by(&mut order, |&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = units - shares.iter().sum::<usize>();
    for (i, more) in order.iter().zip(equal(missing, order.len())) {
        shares[*i] += more;
    }
    Ok(shares)
}

/// Takes from the shares what they have more than `units` together: `next` says from which share,
/// and how much at most. The sum of shares may be larger than any `usize`.
fn take_surplus(shares: &mut [usize], units: usize, next: impl Fn(&[usize], usize) -> Option<(usize, usize)>) {
    let sum: u128 = shares.iter().map(|&share| share as u128).sum();
    let mut surplus = sum.saturating_sub(units as u128);
    while surplus > 0 {
        let Some((i, most)) = next(shares, usize::try_from(surplus).unwrap_or(usize::MAX)) else { return };
        let less = shares[i].min(most).min(usize::try_from(surplus).unwrap_or(usize::MAX));
        shares[i] -= less;
        surplus -= less as u128;
    }
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

/// Shares with the least time until the last participant has finished: the least maximum of
/// [`Cost::of`]. Whoever would only slow the job down gets nothing.
///
/// # Errors
/// [`Error::Unsupported`] for a cost that is negative or not finite, and without participants.
pub fn balanced(units: usize, costs: &[Cost]) -> Result<Vec<usize>> {
    let valid = |cost: &Cost| [cost.fixed, cost.per_unit].iter().all(|part| part.is_finite() && *part >= 0.0);
    if costs.is_empty() || !costs.iter().all(valid) {
        let why = "costs are finite and not negative, and there is at least one".to_owned();
        return Err(Error::Unsupported { what: format!("shares by the costs {costs:?}"), why });
    }
    // Relative to the largest cost: the time of all units by costs near the largest f64 would be
    // infinite.
    let largest = costs.iter().flat_map(|cost| [cost.fixed, cost.per_unit]).fold(0.0, f64::max);
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let costs: Vec<Cost> = costs.iter().map(|cost| Cost { fixed: cost.fixed / scale, per_unit: cost.per_unit / scale }).collect();
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
    let enough = |time: f64| costs.iter().map(|cost| within(cost, time) as u128).sum::<u128>() >= units as u128;
    let (mut short, mut long) = (0.0, costs.iter().map(|cost| cost.of(units)).fold(f64::INFINITY, f64::min));
    for _ in 0..100 {
        let middle = (short + long) / 2.0;
        if enough(middle) { long = middle } else { short = middle }
    }
    let mut shares: Vec<usize> = costs.iter().map(|cost| within(cost, long)).collect();
    take_surplus(&mut shares, units, |shares, surplus| {
        // Whoever finishes last gives up what it has too many; where a unit costs nothing, all of
        // the surplus at once. Of huge jobs an f64 does not tell one unit from the next, so that
        // there are many to give up.
        let has_any = (0..costs.len()).filter(|&i| shares[i] > 0);
        let last = has_any.max_by(|&a, &b| costs[a].of(shares[a]).total_cmp(&costs[b].of(shares[b])))?;
        Some((last, if costs[last].per_unit == 0.0 { surplus } else { (surplus / shares.len()).max(1) }))
    });
    // And too few, where even the longest time is rounded to less than it takes.
    let sum: usize = shares.iter().sum();
    if let Some(fastest) = (0..costs.len()).min_by(|&a, &b| costs[a].of(units).total_cmp(&costs[b].of(units))) {
        shares[fastest] += units - sum;
    }
    Ok(shares)
}

/// Shares of units that only come in groups of `alignment`, as `divide` shares out the groups; the
/// last group may be short.
///
/// # Errors
/// Those of `divide`.
pub fn in_multiples(units: usize, alignment: usize, divide: impl FnOnce(usize) -> Result<Vec<usize>>) -> Result<Vec<usize>> {
    let alignment = alignment.max(1);
    let groups = units.div_ceil(alignment);
    let mut shares = divide(groups)?;
    // The last group may reach past what a usize holds, so the last share is counted from its end.
    let short = (alignment - units % alignment) % alignment;
    let last = shares.iter().rposition(|share| *share > 0);
    for (i, share) in shares.iter_mut().enumerate() {
        *share = match last {
            Some(last) if i == last => (*share - 1).saturating_mul(alignment).saturating_add(alignment - short),
            _ => share.saturating_mul(alignment),
        };
    }
    Ok(shares)
}

/// The units of each share.
#[must_use]
pub fn ranges(shares: &[usize]) -> Vec<Range<usize>> {
    let mut end = 0;
    let range = |&share: &usize| {
        let begin = end;
        end = share.saturating_add(end);
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
        assert_eq!(in_multiples(17, 4, |groups| Ok(equal(groups, 2))).unwrap(), [12, 5]);
        assert_eq!(in_multiples(17, 4, |groups| Ok(vec![groups, 0])).unwrap(), [17, 0]);
        assert_eq!(ranges(&[3, 0, 2]), [0..3, 3..3, 3..5]);
    }

    #[test]
    fn numbers_near_their_ends_are_divided_too() {
        let cost = |fixed, per_unit| Cost { fixed, per_unit };
        let sum = |shares: Vec<usize>| shares.iter().map(|&share| share as u128).sum::<u128>();
        for units in [usize::MAX, usize::MAX - 1, usize::MAX / 2 + 1, (1 << 53) + 1, 1000] {
            for weights in
                [&[1.0][..], &[1.0, 1.0], &[1e308, 1e308, 1e308], &[f64::MAX, 1.0], &[1e-320, 3e-320], &[1.0; 7], &[0.1, 0.2, 0.7]]
            {
                assert_eq!(sum(weighted(units, weights).unwrap()), units as u128, "{units} by {weights:?}");
            }
            for costs in [
                &[cost(0.0, 1.0)][..],
                &[cost(0.0, 1.0), cost(0.0, 1.0)],
                &[cost(0.0, 1e300), cost(0.0, 1e300), cost(1e308, 1e-320)],
                &[cost(0.0, 1e-320), cost(0.0, 1e-320)],
                &[cost(f64::MAX, f64::MAX), cost(f64::MAX, f64::MAX)],
                &[cost(1.0, 0.0), cost(1.0, 0.0)],
                &[cost(0.0, 0.0), cost(0.0, 0.0)],
                &[cost(3.0, 0.1), cost(0.0, 0.7), cost(1e9, 1e-9)],
            ] {
                assert_eq!(sum(balanced(units, costs).unwrap()), units as u128, "{units} by {costs:?}");
            }
            for alignment in [1, 2, 3, 1 << 20, usize::MAX, 0] {
                let shares = in_multiples(units, alignment, |groups| Ok(equal(groups, 3))).unwrap();
                assert_eq!(sum(shares), units as u128, "{units} in {alignment}");
            }
        }
        assert_eq!(weighted(1000, &[1e308, 1e308]).unwrap(), [500, 500]);
        assert_eq!(balanced(1000, &[cost(0.0, 1e308), cost(0.0, 1e308)]).unwrap(), [500, 500]);
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
