//! Cases that are known to fail on an adapter.

use crate::case::Verdict;
use crate::draws::{Choices, Draws};
use crate::place::Place;
use crate::runner::{operation, run};

/// Cases that fail for a reason outside of this crate.
pub struct Known {
    /// The adapter, by a part of its name.
    pub adapter: &'static str,
    /// What such a case and its fault contain.
    pub case: &'static str,
    pub fault: &'static str,
    /// A case that fails so. One that passes must be removed.
    pub example: &'static str,
    pub why: &'static str,
    pub link: &'static str,
}

const KNOWN: &[Known] = &[];

/// Why a case fails that did this last, if that is known.
pub fn reason(what: &str, fault: &str) -> Option<&'static str> {
    reason_in(KNOWN, what, fault)
}

fn reason_in(known: &[Known], what: &str, fault: &str) -> Option<&'static str> {
    let is_it = |known: &&Known| what.contains(known.adapter) && what.contains(known.case) && fault.contains(known.fault);
    known.iter().find(is_it).map(|known| known.why)
}

/// The entries whose example passes.
fn passing(known: &[Known], fails: impl Fn(&Known) -> bool) -> Vec<&str> {
    known.iter().filter(|known| !fails(known)).map(|known| known.example).collect()
}

/// Fails if an example passes on the adapter that it is for.
pub fn what_is_known_to_fail_must_fail(places: &[Place<'_>]) {
    let fails = |known: &Known| {
        let Some(place) = places.iter().find(|place| place.name().contains(known.adapter)) else { return true };
        let (name, choices) = known.example.split_once(' ').unwrap_or((known.example, ""));
        let choices: Choices = choices.parse().unwrap_or_else(|why| panic!("{}: {why}", known.example));
        matches!(run(operation(name), Draws::given(&choices), &[*place], None).verdict, Verdict::Wrong(_))
    };
    let passing = passing(KNOWN, fails);
    assert!(passing.is_empty(), "these pass: remove them from KNOWN in tests/random/known.rs: {passing:?}");
    assert!(KNOWN.iter().all(|known| known.link.starts_with("https://") && known.why.len() > 20));
}

/// The list does what it says, whether it has entries or not.
pub fn the_list_works() {
    let known = [Known { adapter: "swift", case: "`c2c", fault: "error", example: "fft", why: "as it is", link: "https://" }];
    assert_eq!(reason_in(&known, "`c2c fwd 4` on swiftshader", "relative error 1"), Some("as it is"));
    assert_eq!(reason_in(&known, "`c2c fwd 4` on llvmpipe", "relative error 1"), None);
    assert_eq!(reason_in(&known, "`r2c fwd 4` on swiftshader", "relative error 1"), None);
    assert_eq!(reason_in(&known, "`c2c fwd 4` on swiftshader", "it changed its input"), None);
    assert_eq!(passing(&known, |_| false), ["fft"]);
    assert!(passing(&known, |_| true).is_empty());
}
