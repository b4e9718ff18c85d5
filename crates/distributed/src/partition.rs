//! Divides the units of a job among several participants. This is pure arithmetic, without devices.
//!
//! A unit cannot be cut: it is a row, a column, a plane, or a transform of a batch. Shares are
//! listed in the order of the participants. Their sum is the number of units, and a share may be 0.
//! The units of participant i begin at the sum of the shares before it.
//!
//! ```
//! use wgpu_fft_distributed::partition::{Cost, balanced, equal, weighted};
//!
//! # fn main() -> wgpu_fft::Result<()> {
//! // Rows and columns of 17 x 5 on four ranks: shares differ by at most one unit.
//! assert_eq!(equal(17, 4), [5, 4, 4, 4]);
//! assert_eq!(equal(5, 4), [2, 1, 1, 1]);
//! // One participant is three times as fast.
//! assert_eq!(weighted(1000, &[3.0, 1.0])?, [750, 250]);
//! // The second one needs 2 ms to begin. By then the first has finished everything.
//! let costs = [Cost { fixed: 0.0, per_unit: 1e-6 }, Cost { fixed: 2e-3, per_unit: 1e-7 }];
//! assert_eq!(balanced(1000, &costs)?, [1000, 0]);
//! # Ok(())
//! # }
//! ```

use std::ops::Range;

use wgpu_fft::{Error, Result};

/// Shares that differ by at most one unit, the larger ones first. FFTW's blocks of ⌈n/p⌉ are less
/// even: the last of 4 participants gets 2 of 17 rows, and none of 5.
///
/// Without participants there are no shares.
#[must_use]
pub fn equal(units: usize, participants: usize) -> Vec<usize> {
    let more = units.checked_rem(participants).unwrap_or(0);
    (0..participants).map(|i| units / participants + usize::from(i < more)).collect()
}

/// Shares in proportion to `weights`, each within one unit of the exact share. They use the
/// largest-remainder method; ties go to the earlier participant. A weight of 0 gets nothing. From
/// 2⁵³ units on, shares are as precise as an f64.
///
/// # Errors
/// [`Error::Unsupported`] if a weight is negative or not finite, or if no weight is larger than 0.
pub fn weighted(units: usize, weights: &[f64]) -> Result<Vec<usize>> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) || largest <= 0.0 {
        let why = "weights are finite, not negative, and at least one is larger than 0".to_owned();
        return Err(Error::Unsupported { what: format!("shares in proportion to {weights:?}"), why });
    }
    // Weights relative to the largest, because the sum of weights near the largest f64 would be
    // infinite.
    let relative: Vec<f64> = weights.iter().map(|weight| weight / largest).collect();
    let total: f64 = relative.iter().sum();
    let exact: Vec<f64> = relative.iter().map(|weight| units as f64 * (weight / total)).collect();
    let mut shares: Vec<usize> = exact.iter().map(|share| share.floor() as usize).collect();
    // Rounding in f64 may make the sum of the floors exceed the whole by a unit, or by more in huge
    // jobs.
    take_surplus(&mut shares, units, |shares, surplus| {
        let most = (0..shares.len()).max_by_key(|&i| shares[i])?;
        Some((most, (surplus / shares.len()).max(1)))
    });
    let mut order: Vec<usize> = (0..weights.len()).filter(|&i| relative[i] > 0.0).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = units - shares.iter().sum::<usize>();
    for (i, more) in order.iter().zip(equal(missing, order.len())) {
        shares[*i] += more;
    }
    Ok(shares)
}

/// Reduces shares whose sum exceeds `units`. `next` chooses the next share to reduce, and by how
/// much at most. The sum of the shares may exceed any `usize`.
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

/// The time that a participant needs, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// The fixed time, if it has any unit.
    pub fixed: f64,
    /// The time per unit.
    pub per_unit: f64,
}

impl Cost {
    /// The seconds for `units` units.
    #[must_use]
    pub fn of(&self, units: usize) -> f64 {
        if units == 0 { 0.0 } else { self.fixed + self.per_unit * units as f64 }
    }
}

/// Shares with the shortest time until the last participant has finished: they minimise the maximum
/// of [`Cost::of`]. A participant that would only slow the job down gets nothing.
///
/// # Errors
/// [`Error::Unsupported`] if a cost is negative or not finite, or if there are no participants.
pub fn balanced(units: usize, costs: &[Cost]) -> Result<Vec<usize>> {
    let valid = |cost: &Cost| [cost.fixed, cost.per_unit].iter().all(|part| part.is_finite() && *part >= 0.0);
    if costs.is_empty() || !costs.iter().all(valid) {
        let why = "costs are finite and not negative, and there is at least one".to_owned();
        return Err(Error::Unsupported { what: format!("shares by the costs {costs:?}"), why });
    }
    // Costs relative to the largest, because the total time with costs near the largest f64 would
    // be infinite.
    let largest = costs.iter().flat_map(|cost| [cost.fixed, cost.per_unit]).fold(0.0, f64::max);
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let costs: Vec<Cost> = costs.iter().map(|cost| Cost { fixed: cost.fixed / scale, per_unit: cost.per_unit / scale }).collect();
    // The units that a participant finishes within `time`.
    let within = |cost: &Cost, time: f64| {
        let free = time - cost.fixed;
        if free < 0.0 {
            0
        } else if cost.per_unit == 0.0 {
            units
        } else {
            // Adds a tolerance of half a millionth of a unit, because times are found by bisection.
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
        // The participant that finishes last gives up its surplus. If its units cost nothing, it
        // gives up all of the surplus at once. In huge jobs an f64 cannot distinguish one unit from
        // the next, so it may have to give up many.
        let has_any = (0..costs.len()).filter(|&i| shares[i] > 0);
        let last = has_any.max_by(|&a, &b| costs[a].of(shares[a]).total_cmp(&costs[b].of(shares[b])))?;
        Some((last, if costs[last].per_unit == 0.0 { surplus } else { (surplus / shares.len()).max(1) }))
    });
    // The sum may also be too small, if even the longest time is rounded down.
    let sum: usize = shares.iter().sum();
    if let Some(fastest) = (0..costs.len()).min_by(|&a, &b| costs[a].of(units).total_cmp(&costs[b].of(units))) {
        shares[fastest] += units - sum;
    }
    Ok(shares)
}

/// Shares of units that come in groups of `alignment`. `divide` divides the groups; the last group
/// may be short.
///
/// # Errors
/// The errors of `divide`.
pub fn in_multiples(units: usize, alignment: usize, divide: impl FnOnce(usize) -> Result<Vec<usize>>) -> Result<Vec<usize>> {
    let alignment = alignment.max(1);
    let groups = units.div_ceil(alignment);
    let mut shares = divide(groups)?;
    // The end of the last group may exceed a usize, so the last share is computed from the number
    // of its missing units.
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

/// The range of units of each share.
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
        // A participant eight times slower still helps: it gets 1 of 9 parts.
        assert_eq!(balanced(900, &[cost(0.0, 1.0), cost(0.0, 8.0)]).unwrap(), [800, 100]);
        // It does not help if it needs as long to begin as the other needs for everything.
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

        /// No other shares finish earlier. All of them are compared.
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
