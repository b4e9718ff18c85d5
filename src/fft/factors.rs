//! Factorizations of lengths.

/// The largest prime factor; 1 for n = 1.
pub(super) fn largest_prime(n: u32) -> u32 {
    let (mut n, mut largest, mut p) = (n, 1, 2);
    while p <= n / p {
        while n.is_multiple_of(p) {
            largest = p;
            n /= p;
        }
        p += 1;
    }
    if n > 1 { n.max(largest) } else { largest }
}

/// The factorizations of n into as few radices as possible, or one more. Each radix is at most
/// `most`, and they are in descending order.
pub(super) fn factorizations(n: u32, most: u32) -> Vec<Vec<u32>> {
    fn extend(n: u32, most: u32, left: u32, chosen: &mut Vec<u32>, all: &mut Vec<Vec<u32>>) {
        if n == 1 {
            all.push(chosen.clone());
            return;
        }
        if left == 0 || f64::from(most).powi(left as i32) < f64::from(n) {
            return;
        }
        for radix in (2..=most.min(n)).rev().filter(|radix| n.is_multiple_of(*radix)) {
            chosen.push(radix);
            extend(n / radix, radix, left - 1, chosen, all);
            chosen.pop();
        }
    }
    for stages in 1..=32 {
        let mut all = Vec::new();
        extend(n, most, stages, &mut Vec::new(), &mut all);
        if !all.is_empty() {
            all.clear();
            extend(n, most, stages + 1, &mut Vec::new(), &mut all);
            return all;
        }
    }
    Vec::new()
}

/// The lengths of as few passes as may be, 2 at least, each of which fits.
pub(super) fn split(n: u32, fits: &dyn Fn(u32) -> bool) -> Option<Vec<u32>> {
    (2..=6).find_map(|passes| split_lengths(n, passes, fits))
}

/// n as a product of `parts` lengths of about the same size for which `fits` holds, the shorter
/// ones first.
pub(super) fn split_lengths(n: u32, parts: u32, fits: &dyn Fn(u32) -> bool) -> Option<Vec<u32>> {
    if parts == 1 {
        return fits(n).then(|| vec![n]);
    }
    let ideal = f64::from(n).powf(1.0 / f64::from(parts));
    let distance = |d: u32| (f64::from(d) / ideal).ln().abs();
    let mut divisors: Vec<u32> = (2..=n.isqrt()).filter(|d| n.is_multiple_of(*d)).flat_map(|d| [d, n / d]).collect();
    // Half and twice the ideal length are equally far from it, and rounding must not decide which
    // comes first. On an H200, 2^15 as 128·256 takes 0.517 ms, and as 256·128 0.535 ms.
    divisors.sort_by_key(|&d| ((distance(d) * 1e6).round() as u64, d));
    divisors.dedup();
    // If the lengths are very different, either another length is too long or the passes do too
    // little.
    divisors.into_iter().filter(|d| distance(*d) < 3.0 && fits(*d)).find_map(|length| {
        let mut lengths = split_lengths(n / length, parts - 1, fits)?;
        lengths.insert(0, length);
        Some(lengths)
    })
}

/// All different orders of some radices or axes.
pub(super) fn orders<T: Copy + PartialEq>(all: &[T]) -> Vec<Vec<T>> {
    if all.len() < 2 {
        return vec![all.to_vec()];
    }
    let first_ones = all.iter().enumerate().filter(|(i, own)| !all[..*i].contains(own));
    let with_first = |(i, &first): (usize, &T)| {
        let rest = [&all[..i], &all[i + 1..]].concat();
        orders(&rest).into_iter().map(move |rest| [&[first], &rest[..]].concat())
    };
    first_ones.flat_map(with_first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_prime_is_a_prime_factor() {
        for (n, expected) in [(1, 1), (2, 2), (12, 3), (13, 13), (49, 7), (1080, 5), (4_294_967_291, 4_294_967_291), (65_536, 2)] {
            assert_eq!(largest_prime(n), expected, "{n}");
        }
    }

    #[test]
    fn factorizations_multiply_to_the_length() {
        assert_eq!(factorizations(31, 31), [vec![31]]);
        assert!(factorizations(37, 31).is_empty());
        for n in [6u32, 64, 1000, 1024, 1920, 2187] {
            let all = factorizations(n, 16);
            assert!(!all.is_empty());
            for radices in all {
                assert_eq!(radices.iter().product::<u32>(), n);
                assert!(radices.iter().all(|&radix| radix <= 16), "{radices:?}");
            }
        }
    }

    #[test]
    fn lengths_are_split_evenly_and_shorter_first() {
        assert_eq!(split_lengths(1 << 15, 2, &|n| n <= 1024), Some(vec![128, 256]));
        assert_eq!(split_lengths(1 << 24, 3, &|n| n <= 1024), Some(vec![256, 256, 256]));
        assert_eq!(split_lengths(1 << 24, 2, &|n| n <= 1024), None);
        assert_eq!(split_lengths(7 * 9, 2, &|n| n <= 16), Some(vec![7, 9]));
    }

    #[test]
    fn orders_are_all_and_different() {
        assert_eq!(orders(&[2, 3, 2]), [[2, 3, 2], [2, 2, 3], [3, 2, 2]]);
    }
}
