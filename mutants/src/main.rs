//! Do the tests notice a wrong program? Mutants of the crate, all in one build.
//!
//! A mutant is the crate with one operator exchanged, one condition of a match lost, or one function
//! that returns at once. `cargo mutants` compiles the crate and its tests for each of them, a minute
//! or more. Here the copy of the crate has all of them, each behind `crate::mutants::is(NUMBER)`, and
//! an environment variable chooses one. So several hundred take minutes.
//!
//! ```sh
//! cd mutants
//! cargo run --release -- make target/copy 400      # a copy of the crate with so many mutants
//! cargo run --release -- build target/copy         # those that do not compile are dropped
//! cargo run --release -- run target/copy           # the tests that need no device, on all cores
//! ```
//!
//! `run` first runs each test by itself, to see which mutants it reaches. Then each mutant runs the
//! tests that reach it, the fastest first, until one fails. It prints the share that was caught and the
//! survivors, but for those in `accepted.txt`, which were read and change nothing that a test could
//! see. `run FOLDER LIST BINARY...` takes the list of mutants and the test binaries from elsewhere, for
//! another machine.

#[path = "../../tests/support/cores.rs"]
mod cores;
mod edits;
mod sites;
mod trials;

use std::path::Path;
use std::process::ExitCode;

/// What is mutated: where a mistake gives wrong numbers and no error.
const FOLDERS: [&str; 8] = [
    "src/fft/lower",
    "src/fft/bindings.rs",
    "src/fft/chain",
    "src/gpu",
    "src/plan",
    "src/fragment",
    "src/reduce/lower.rs",
    "src/transpose/lower.rs",
];

/// Where the mutants of a copy are listed, below it.
const LIST: &str = "mutants.txt";

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["make", copy, count] => count.parse().map_err(Into::into).and_then(|count| edits::make(Path::new(".."), Path::new(copy), count)),
        ["build", copy] => edits::build(Path::new(copy)),
        ["run", copy] => {
            trials::built(Path::new(copy)).and_then(|binaries| trials::run(Path::new(copy), &Path::new(copy).join(LIST), &binaries))
        }
        ["run", folder, list, ref binaries @ ..] if !binaries.is_empty() => {
            trials::run(Path::new(folder), Path::new(list), &binaries.iter().map(|path| (*path).into()).collect::<Vec<_>>())
        }
        _ => Err("mutants make COPY COUNT | build COPY | run COPY | run FOLDER LIST BINARY...".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
