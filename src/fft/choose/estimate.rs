//! Estimates of a pass's time: sums of named terms, whose weights are data (`weights.txt`).

use crate::text::table;

const WEIGHTS: &str = include_str!("weights.txt");

/// How often a recipe has a term.
type Count<T> = fn(&T) -> f64;

/// A term's name, and its count.
pub(super) type Term<T> = (&'static str, Count<T>);

/// Counts of terms, and their weights.
pub(super) struct Estimate<T: 'static>(Vec<(Count<T>, f64)>);

impl<T> Estimate<T> {
    /// The estimate of such a name, with these terms.
    pub fn new(name: &str, terms: &[Term<T>]) -> Self {
        Self(terms.iter().map(|&(term, count)| (count, weight(name, term))).collect())
    }

    pub fn of(&self, recipe: &T) -> f64 {
        self.0.iter().map(|(count, weight)| weight * count(recipe)).sum()
    }
}

/// What a term weighs in an estimate.
pub(super) fn weight(estimate: &str, term: &str) -> f64 {
    let found = lines().find(|line| line[..2] == [estimate, term]);
    found.and_then(|line| line[2].parse().ok()).unwrap_or_else(|| panic!("weights.txt: no `{estimate} | {term}`"))
}

/// Estimate, term and weight of all lines.
fn lines() -> impl Iterator<Item = [&'static str; 3]> {
    table(WEIGHTS).map(|(line, columns)| columns.try_into().unwrap_or_else(|_| panic!("weights.txt: `{line}`")))
}

/// How often a value has doubled from another one on, if it has.
pub(super) fn doublings(value: f64, from: f64) -> f64 {
    (value / from).log2().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No line of the file is without a reader, and none stands there twice.
    #[test]
    fn every_weight_is_some_terms() {
        let mut expected: Vec<[&str; 2]> = lines().map(|[estimate, term, _]| [estimate, term]).collect();
        let mut terms = super::super::rows::terms();
        terms.extend(super::super::across::terms());
        terms.extend(super::super::pass::terms());
        expected.sort_unstable();
        terms.sort_unstable();
        assert_eq!(terms, expected);
        assert!(lines().all(|[.., weight]| weight.parse::<f64>().is_ok_and(|weight| weight > 0.0)));
    }
}
