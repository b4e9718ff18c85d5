//! Examples with random changes, for the targets of the fuzzer in plain tests.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Longer than any case may take.
const HANG: Duration = Duration::from_secs(30);

/// A change of a text.
#[derive(Clone, Debug)]
enum Change {
    Flip(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Remove(prop::sample::Index, usize),
    Repeat(prop::sample::Index, usize, usize),
    /// A number in place of the next one.
    Number(prop::sample::Index, &'static str),
    /// The rest of another example.
    Splice(prop::sample::Index, prop::sample::Index, prop::sample::Index),
}

/// Numbers at the ends of types, and what is none.
const NUMBERS: [&str; 12] =
    ["0", "1", "2", "31", "65536", "4294967295", "4294967296", "18446744073709551615", "18446744073709551616", "-1", "1e39", "nan"];

/// Signs and words that the texts give a meaning to.
const PIECES: [&str; 24] = [
    " ",
    "\n",
    "\n---\n",
    "x",
    "=",
    ",",
    ".",
    ":",
    ";",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "\"",
    "\u{fc}",
    "\u{2028}",
    "/*",
    "//",
    " in-place",
    " axes=0",
];

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let at = any::<prop::sample::Index>;
    let change = prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, bit)| Change::Flip(at, 1 << (bit % 8))),
        (at(), prop::sample::select(&PIECES[..])).prop_map(|(at, piece)| Change::Insert(at, piece.as_bytes().to_vec())),
        (at(), prop::collection::vec(any::<u8>(), 1..5)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (at(), 1..20usize).prop_map(|(at, len)| Change::Remove(at, len)),
        (at(), 1..9usize, 2..200usize).prop_map(|(at, len, times)| Change::Repeat(at, len, times)),
        (at(), prop::sample::select(&NUMBERS[..])).prop_map(|(at, number)| Change::Number(at, number)),
        (at(), at(), at()).prop_map(|(own, other, from)| Change::Splice(own, other, from)),
    ];
    prop::collection::vec(change, 0..6)
}

fn changed(examples: &[&[u8]], first: &prop::sample::Index, changes: &[Change]) -> Vec<u8> {
    let mut text = first.get(examples).to_vec();
    for change in changes {
        let place = |at: &prop::sample::Index| at.index(text.len() + 1);
        match change {
            Change::Flip(at, bit) => {
                let at = place(at);
                if let Some(byte) = text.get_mut(at) {
                    *byte ^= bit;
                }
            }
            Change::Insert(at, bytes) => {
                let at = place(at);
                text.splice(at..at, bytes.iter().copied());
            }
            Change::Remove(at, len) => {
                let at = place(at);
                text.drain(at..text.len().min(at + len));
            }
            Change::Repeat(at, len, times) => {
                let at = place(at);
                let piece = text[at..text.len().min(at + len)].repeat(*times);
                text.splice(at..at, piece);
            }
            Change::Number(at, number) => {
                let from = place(at);
                let begin = (from..text.len()).find(|&i| text[i].is_ascii_digit());
                if let Some(begin) = begin {
                    let end = (begin..text.len()).find(|&i| !text[i].is_ascii_digit()).unwrap_or(text.len());
                    text.splice(begin..end, number.bytes());
                }
            }
            Change::Splice(own, other, from) => {
                let other = other.get(examples);
                text.truncate(place(own));
                text.extend_from_slice(&other[from.index(other.len() + 1)..]);
            }
        }
    }
    text
}

/// The number of random cases: the usual one, or `WGPU_FFT_FUZZ`.
pub fn cases(usual: u32) -> u32 {
    std::env::var("WGPU_FFT_FUZZ").map_or(usual, |text| text.parse().expect("WGPU_FFT_FUZZ is a number"))
}

/// Gives a target the examples, and then examples with random changes. What fails is stored under
/// the name of the caller's file and printed as the line to store (`proptest-regressions`).
#[track_caller]
pub fn fuzz(target: fn(&[u8]), examples: &[&[u8]], usual_cases: u32) {
    let source = std::panic::Location::caller().file();
    examples.iter().for_each(|example| target(example));
    let strategy = (any::<prop::sample::Index>(), changes()).prop_map(|(first, changes)| changed(examples, &first, &changes));
    let mut runner = TestRunner::new(Config { cases: cases(usual_cases), ..Config::with_source_file(source) });
    let outcome = runner.run(&strategy, |bytes| {
        let begin = Instant::now();
        target(&bytes);
        prop_assert!(begin.elapsed() < HANG, "it took {:?}", begin.elapsed());
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
