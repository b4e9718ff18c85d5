//! The choices that make a case: a sequence of numbers that is recorded while it is drawn.
//!
//! A generator asks for numbers, and what it makes of them is the case. The same numbers make the
//! same case again, so they are its text. Smaller numbers make simpler cases: a generator takes 0
//! for what is plain. So a case becomes simpler by making its numbers smaller, whatever the
//! operation is (`shrink.rs`).

use std::fmt;
use std::str::FromStr;

use fastrand::Rng;

/// A source of choices, and the record of those that were made.
pub struct Draws {
    given: Vec<u64>,
    /// Where further choices come from. Without it, they are 0.
    rng: Option<Rng>,
    made: Vec<u64>,
}

impl Draws {
    /// Choices determined by a seed.
    pub fn seeded(seed: u64) -> Self {
        Self { given: Vec::new(), rng: Some(Rng::with_seed(seed)), made: Vec::new() }
    }

    /// These choices, and zeros after them.
    pub fn given(choices: &Choices) -> Self {
        Self { given: choices.0.clone(), rng: None, made: Vec::new() }
    }

    /// What was chosen so far.
    pub fn made(&self) -> Choices {
        Choices(self.made.clone()).trimmed()
    }

    /// A number below `count`.
    pub fn below(&mut self, count: u64) -> u64 {
        let count = count.max(1);
        let number = match (self.given.get(self.made.len()), &mut self.rng) {
            // A choice that was made for another question.
            (Some(&given), _) => given % count,
            (None, Some(rng)) => rng.u64(0..count),
            (None, None) => 0,
        };
        self.made.push(number);
        number
    }

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below((most.max(least) - least) as u64 + 1) as usize
    }

    /// True with this probability in percent.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) >= 100 - percent
    }

    pub fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }

    /// Brings elements into another order. Zeros leave them where they are.
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for i in 0..all.len().saturating_sub(1) {
            let with = self.between(i, all.len() - 1);
            all.swap(i, with);
        }
    }
}

/// The choices of a case. Their text is decimal numbers with dots between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choices(pub Vec<u64>);

impl Choices {
    /// Without zeros at the end, which follow anyway.
    pub fn trimmed(mut self) -> Self {
        let len = self.0.iter().rposition(|choice| *choice != 0).map_or(0, |last| last + 1);
        self.0.truncate(len);
        self
    }

    /// Whether these are fewer choices, or as many and the first that differs is smaller.
    pub fn is_simpler_than(&self, other: &Self) -> bool {
        (self.0.len(), &self.0) < (other.0.len(), &other.0)
    }
}

impl fmt::Display for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.0.iter().map(u64::to_string).collect();
        f.write_str(&texts.join("."))
    }
}

impl FromStr for Choices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number"));
        text.split('.').filter(|text| !text.is_empty()).map(number).collect::<Result<_, _>>().map(Self)
    }
}
