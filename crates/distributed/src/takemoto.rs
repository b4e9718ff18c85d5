//! The rule of Takemoto, Wada, Kondo and Honda (IPSJ report) for the division of a job among devices by
//! their processing elements (PE), exactly as published, as a baseline for comparison.
//!
//! It is discontinuous where the smaller of two devices has two fifths of the processing elements: for
//! a large job its share jumps from a half to a tenth.

use wgpu_fft::{Error, Result};

/// The amount of computation in a job. It decides by which factor the smaller of two devices gets
/// less or more than its share of the processing elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Amount {
    /// At least 8·10¹¹ operations: factor 1/4.
    Large,
    /// Anything between: factor 3/4.
    Medium,
    /// At most 4·10⁸ operations: factor 5/4.
    Small,
}

impl Amount {
    /// Classifies a job by its number of operations.
    #[must_use]
    pub fn of_operations(operations: f64) -> Self {
        if operations >= 8e11 {
            Self::Large
        } else if operations <= 4e8 {
            Self::Small
        } else {
            Self::Medium
        }
    }

    /// k in quarters.
    fn quarters(self) -> u64 {
        match self {
            Self::Large => 1,
            Self::Medium => 3,
            Self::Small => 5,
        }
    }
}

/// Units of a job for the smaller one of two devices with so many processing elements:
/// ⌊r·k·`units`⌋ with r = `small` / (`small` + `large`) and k by the [`Amount`], or half of them
/// where r > 2/5. The other device has the rest.
fn share_of_smaller(units: usize, small: u32, large: u32, amount: Amount) -> u64 {
    let (small, all) = (u128::from(small), u128::from(small) + u128::from(large));
    let share = if 5 * small > 2 * all { units as u128 / 2 } else { small * u128::from(amount.quarters()) * units as u128 / (4 * all) };
    share as u64
}

/// The shares of a job for devices with the given numbers of processing elements. They add up to 1.
///
/// With three or more devices, the devices are sorted by their number of elements, the rule is
/// applied to each pair of neighbours, beginning with the two smallest, and the ratios are chained.
///
/// # Errors
/// [`Error::Unsupported`] if there are no devices, or a device has no processing elements.
pub fn global_ratios(processing_elements: &[u32], amount: Amount) -> Result<Vec<f64>> {
    if processing_elements.is_empty() || processing_elements.contains(&0) {
        let why = "there must be at least one device, and each must have at least one processing element".to_owned();
        return Err(Error::Unsupported { what: format!("a split over devices of {processing_elements:?} processing elements"), why });
    }
    let mut order: Vec<usize> = (0..processing_elements.len()).collect();
    order.sort_by_key(|&i| processing_elements[i]);
    // Each device relative to the next smaller one.
    let mut parts = vec![0.0; order.len()];
    parts[order[0]] = 1.0;
    for pair in order.windows(2) {
        let [small, large] = [processing_elements[pair[0]], processing_elements[pair[1]]].map(f64::from);
        let of_smaller = if 5.0 * small > 2.0 * (small + large) { 0.5 } else { small / (small + large) * amount.quarters() as f64 / 4.0 };
        parts[pair[1]] = parts[pair[0]] * (1.0 - of_smaller) / of_smaller;
    }
    let sum: f64 = parts.iter().sum();
    Ok(parts.into_iter().map(|part| part / sum).collect())
}

/// The number of units of a job for each device, by [`global_ratios`]. Shares are rounded down, and
/// the largest device gets the rest.
///
/// # Errors
/// The errors of [`global_ratios`].
pub fn global_split(units: usize, processing_elements: &[u32], amount: Amount) -> Result<Vec<usize>> {
    let ratios = global_ratios(processing_elements, amount)?;
    // Of equal devices the last one.
    let largest = (0..ratios.len()).max_by_key(|&i| processing_elements[i]).unwrap_or(0);
    let mut shares: Vec<usize> = ratios.iter().map(|ratio| (ratio * units as f64) as usize).collect();
    if let [first, second] = *processing_elements {
        // In integers, as the formula is written for two.
        shares[1 - largest] = share_of_smaller(units, first.min(second), first.max(second), amount) as usize;
    }
    let others: usize = (0..shares.len()).filter(|&i| i != largest).map(|i| shares[i]).sum();
    shares[largest] = units.saturating_sub(others);
    Ok(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report's split of a job between two devices, with its numbers.
    #[test]
    fn the_smaller_of_two_devices_gets_what_the_report_says() {
        const CLASSES: [Amount; 3] = [Amount::Large, Amount::Medium, Amount::Small];
        for (units, expected) in [(1024, [102, 307, 512]), (1 << 18, [26_214, 78_643, 131_072]), (1 << 20, [104_857, 314_572, 524_288])] {
            for (amount, of_smaller) in CLASSES.into_iter().zip(expected) {
                assert_eq!(global_split(units, &[128, 192], amount).unwrap(), [of_smaller, units - of_smaller]);
                assert_eq!(global_split(units, &[192, 128], amount).unwrap(), [units - of_smaller, of_smaller]);
            }
        }
        for (amount, expected) in CLASSES.into_iter().zip([0.017857, 0.053571, 0.089286]) {
            let ratios = global_ratios(&[192, 2496], amount).unwrap();
            assert!((ratios[0] - expected).abs() < 5e-7, "{amount:?}: {ratios:?}");
        }
        // Ratios closer than 2 : 3, in every class, and the exact point where the rule jumps.
        for amount in CLASSES {
            assert_eq!(global_split(1000, &[128, 191], amount).unwrap(), [500, 500]);
        }
        assert_eq!(global_split(1000, &[2, 3], Amount::Large).unwrap(), [100, 900]);
    }

    #[test]
    fn three_devices_are_split_in_pairs() {
        let chain = [
            (Amount::Large, [0.00198, 0.01782, 0.98020]),
            (Amount::Medium, [0.02244, 0.05237, 0.92519]),
            (Amount::Small, [0.08197, 0.08197, 0.83607]),
        ];
        for (amount, expected) in chain {
            let ratios = global_ratios(&[128, 192, 2496], amount).unwrap();
            assert!(ratios.iter().zip(expected).all(|(ratio, expected)| (ratio - expected).abs() < 5.1e-6), "{amount:?}: {ratios:?}");
            // In the order of the devices, whatever that is.
            let turned = global_ratios(&[2496, 128, 192], amount).unwrap();
            assert_eq!([turned[1], turned[2], turned[0]], ratios[..]);
            let shares = global_split(100_000, &[128, 192, 2496], amount).unwrap();
            assert_eq!(shares.iter().sum::<usize>(), 100_000);
            assert!(shares.iter().zip(expected).all(|(share, expected)| (*share as f64 / 1e5 - expected).abs() < 3e-5), "{shares:?}");
        }
    }

    #[test]
    fn amounts_are_classes_of_operations() {
        let classes = [8e11, 7.9e11, 4.1e8, 4e8, 0.0].map(Amount::of_operations);
        assert_eq!(classes, [Amount::Large, Amount::Medium, Amount::Medium, Amount::Small, Amount::Small]);
    }

    #[test]
    fn a_split_over_no_devices_is_an_error() {
        for elements in [&[][..], &[0], &[5, 0]] {
            assert!(matches!(global_split(10, elements, Amount::Small), Err(Error::Unsupported { .. })), "{elements:?}");
        }
        assert_eq!(global_split(10, &[7], Amount::Large).unwrap(), [10]);
    }
}
