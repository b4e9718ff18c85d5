//! The targets of the fuzzer on examples with random changes. `WGPU_FFT_FUZZ` is the number of
//! cases of each target.

use crate::changes::fuzz;
use crate::lists::asks_for_all;
use crate::targets::{self, examples};

fn check(target: fn(&[u8]), examples: &[&str], usual_cases: u32) {
    let examples: Vec<&[u8]> = examples.iter().map(|text| text.as_bytes()).collect();
    fuzz(target, &examples, usual_cases);
}

/// A third of the usual cases, or all with WGPU_FFT_THOROUGH=1.
fn few_or(usual: u32) -> u32 {
    if asks_for_all() { usual } else { usual / 3 }
}

#[test]
fn specifications() {
    check(targets::specifications, examples::SPECIFICATIONS, few_or(3000));
}

#[test]
fn recipes() {
    check(targets::recipes, examples::RECIPES, few_or(3000));
}

#[test]
fn records() {
    check(targets::records, examples::RECORDS, few_or(2000));
}

#[test]
fn fragments() {
    check(targets::fragments, examples::FRAGMENTS, few_or(300));
}

/// A target that refuses everything would find nothing.
#[test]
fn examples_reach_what_they_are_for() {
    use wgpu_fft::dynamic::AnySpec;
    use wgpu_fft::tune::Record;

    for text in examples::SPECIFICATIONS {
        assert!(text.parse::<AnySpec>().is_ok(), "{text}: {:?}", text.parse::<AnySpec>());
    }
    for text in examples::RECIPES {
        let (spec, recipe) = text.split_once("\n---\n").unwrap();
        let spec: AnySpec = spec.parse().unwrap();
        let program = spec.lower(Some(recipe), &wgpu_fft::DeviceProfile::webgpu_defaults());
        assert!(program.is_ok(), "{text}: {}", program.unwrap_err());
    }
    let report = Record::in_memory().import_text(examples::RECORDS[0].as_bytes(), None, &|_| false);
    assert_eq!(report.accepted, 1, "{report}");
}
