//! Sorting of short lists.
//!
//! The sort of the standard library is made for long ones, and is compiled anew wherever it is
//! used, which took a twentieth of the time that this crate takes to compile.

use std::cmp::Ordering;

/// Sorts a short list by insertion, and leaves equal elements in their order, as
/// [`slice::sort_by`] does.
pub(crate) fn sort_short_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for end in 1..list.len() {
        let mut at = end;
        while at > 0 && compare(&list[at], &list[at - 1]) == Ordering::Less {
            list.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// The same, as [`slice::sort_by_key`] does.
pub(crate) fn sort_short_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    sort_short_by(list, |a, b| key(a).cmp(&key(b)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Few different keys, so that many elements are equal.
        #[test]
        fn short_lists_are_sorted_as_long_ones(keys in proptest::collection::vec(0..5u32, 0..20)) {
            let mut list: Vec<(u32, usize)> = keys.into_iter().zip(0..).collect();
            let mut expected = list.clone();
            expected.sort_by_key(|(key, _)| *key);
            sort_short_by_key(&mut list, |(key, _)| *key);
            prop_assert_eq!(list, expected);
        }
    }
}
