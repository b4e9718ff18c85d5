//! Tests of the runner itself: it finds a mistake, makes the case simpler, and repeats it.

use libtest_mimic::Trial;

use crate::case::{Mistake, Verdict};
use crate::draws::{Choices, Draws};
use crate::place::Place;
use crate::progress::trial;
use crate::shrink::shrink;
use crate::{OPERATIONS, known, runner};

pub fn all(places: &'static [Place<'static>]) -> Vec<Trial> {
    let trial = |name: &str, test: fn(&'static [Place<'static>])| trial(name, move || test(places));
    vec![
        trial("choices_are_their_text", |_| choices_are_their_text()),
        trial("shrinking_finds_the_least", |_| shrinking_finds_the_least()),
        trial("seeds_and_texts_give_the_same_case", |_| seeds_and_texts_give_the_same_case()),
        trial("a_mistake_is_found_and_made_simple", |_| a_mistake_is_found_and_made_simple()),
        trial("every_operation_notices_a_wrong_number", |_| every_operation_notices_a_wrong_number()),
        trial("the_list_of_known_failures_works", |_| known::the_list_works()),
        trial("what_is_known_to_fail_must_fail", known::what_is_known_to_fail_must_fail),
    ]
}

fn choices_are_their_text() {
    for text in ["", "3", "1.0.18446744073709551615"] {
        assert_eq!(text.parse::<Choices>().unwrap().to_string(), text);
    }
    assert!("1.x".parse::<Choices>().is_err());
    let mut draws = Draws::given(&Choices(vec![3, 12]));
    assert_eq!((draws.below(10), draws.between(5, 9), draws.between(5, 9), draws.chance(99)), (3, 7, 5, false));
    assert_eq!(draws.made(), Choices(vec![3, 2]));
}

/// A sum that is too large has its least terms in one place.
fn shrinking_finds_the_least() {
    let sum = |choices: &Choices| choices.0.iter().sum::<u64>();
    let first = Choices(vec![5, 0, 70, 3, 9, 200, 1]);
    let least = shrink(first, 10_000, |choices| (sum(choices) >= 100).then(|| choices.clone()));
    assert_eq!(least, Choices(vec![100]));
    let untouched = shrink(Choices(vec![4, 4]), 10_000, |_| None);
    assert_eq!(untouched, Choices(vec![4, 4]));
}

fn seeds_and_texts_give_the_same_case() {
    for (i, &own) in OPERATIONS.iter().enumerate() {
        let seeded = runner::run(own, Draws::seeded(i as u64 + 20), &[Place::Host], None);
        let text = seeded.choices.to_string();
        let again = runner::run(own, Draws::given(&text.parse().unwrap()), &[Place::Host], None);
        assert_eq!((seeded.what, seeded.verdict, seeded.choices), (again.what, again.verdict, again.choices), "{}", own.0);
    }
}

/// A mistake that only arrays of a batch have, and only complex ones.
const OF_BATCHES: Mistake = |spec, output| {
    let batch = spec.split(' ').find_map(|word| word.strip_prefix('x')?.parse::<usize>().ok());
    if spec.starts_with("c2c") && batch.is_some_and(|batch| batch > 1) {
        *output.last_mut().unwrap() ^= 0x80;
    }
};

fn a_mistake_is_found_and_made_simple() {
    let own = OPERATIONS[0];
    let found = (1..200).map(|seed| runner::run(own, Draws::seeded(seed), &[Place::Host], Some(OF_BATCHES)));
    let found = found.into_iter().find(|ran| matches!(ran.verdict, Verdict::Wrong(_))).expect("no case found the mistake");
    let simple = runner::simplest(own, found.choices, &[Place::Host], Some(OF_BATCHES));
    assert!(matches!(simple.verdict, Verdict::Wrong(_)), "{:?}", simple.verdict);
    assert!(simple.what.starts_with("`c2c fwd 1 x2` by `axis 0:"), "{}", simple.what);
    // The same from the line that is printed.
    let line = runner::line(own.0, &simple.choices);
    let (_, text) = line.split_once("\"fft ").unwrap();
    let choices: Choices = text.split('"').next().unwrap().parse().unwrap();
    let again = runner::run(own, Draws::given(&choices), &[Place::Host], Some(OF_BATCHES));
    assert_eq!((simple.what, simple.verdict), (again.what, again.verdict));
    assert!(matches!(runner::run(own, Draws::given(&choices), &[Place::Host], None).verdict, Verdict::Right { .. }));
}

/// The sign and the exponent of one number in the middle.
const ONE_NUMBER: Mistake = |_, output| {
    let middle = output.len() / 2 / 4 * 4 + 3;
    if let Some(byte) = output.get_mut(middle) {
        *byte ^= 0xc3;
    } else if let Some(byte) = output.last_mut() {
        *byte ^= 0xc3;
    }
};

/// A comparison that cannot fail would be none.
fn every_operation_notices_a_wrong_number() {
    for own in OPERATIONS {
        let (mut wrong, mut right) = (0, 0);
        for seed in 300..310 {
            match runner::run(own, Draws::seeded(seed), &[Place::Host], Some(ONE_NUMBER)).verdict {
                Verdict::Wrong(_) => wrong += 1,
                Verdict::Right { .. } => right += 1,
                Verdict::Refused(_) => {}
            }
        }
        assert!(wrong > 2 * right, "{}: {wrong} were found wrong and {right} right", own.0);
    }
}
