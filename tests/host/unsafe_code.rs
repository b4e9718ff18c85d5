//! Unsafe code is where this list says, and nowhere else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each file with unsafe code, how often the word stands in its code, and why it is there.
const FILES: &[(&str, usize, &str)] = &[
    ("capi/fftw/src/calls/basic.rs", 15, "FFTW's functions take pointers; each says what its caller must keep"),
    ("capi/fftw/src/calls/execute.rs", 11, "FFTW's functions take pointers; each says what its caller must keep"),
    ("capi/fftw/src/calls/guru.rs", 5, "FFTW's functions take pointers; each says what its caller must keep"),
    ("capi/fftw/src/calls/info.rs", 32, "FFTW's functions take pointers; each says what its caller must keep"),
    ("capi/fftw/src/calls/memory.rs", 8, "FFTW's functions take pointers; each says what its caller must keep"),
    ("capi/fftw/src/calls/mod.rs", 6, "FFTW's functions take pointers; each says what its caller must keep"),
    ("capi/fftw/src/calls/real.rs", 20, "FFTW's functions take pointers; each says what its caller must keep"),
    ("capi/fftw/src/calls/wisdom.rs", 29, "FFTW's functions take pointers; each says what its caller must keep"),
    ("capi/fftw/src/original.rs", 12, "FFTW's own functions are looked up by name and called with its caller's pointers"),
    ("capi/fftw/src/plan.rs", 14, "FFTW's functions take pointers; each says what its caller must keep"),
    ("capi/fftw/src/side.rs", 13, "FFTW's functions take pointers; each says what its caller must keep"),
    ("capi/mpi/src/buffer.rs", 21, "functions for C take pointers; each says what its caller must keep"),
    ("capi/mpi/src/cluster.rs", 15, "functions for C take pointers; each says what its caller must keep"),
    ("capi/mpi/src/files.rs", 9, "functions for C take pointers; each says what its caller must keep"),
    ("capi/mpi/src/job.rs", 30, "functions for C take pointers; each says what its caller must keep"),
    ("capi/mpi/src/lib.rs", 2, "functions for C take pointers; each says what its caller must keep"),
    ("capi/mpi/src/progress.rs", 8, "functions for C take pointers; a listener of the caller's is called with its own"),
    ("capi/mpi/src/redistribution.rs", 9, "functions for C take pointers; each says what its caller must keep"),
    ("capi/mpi/src/running.rs", 10, "functions for C take pointers; a run keeps the job that it borrows"),
    ("capi/src/arguments.rs", 18, "functions for C take pointers; each says what its caller must keep"),
    ("capi/src/buffer.rs", 20, "functions for C take pointers; each says what its caller must keep"),
    ("capi/src/execute.rs", 14, "functions for C take pointers; each says what its caller must keep"),
    ("capi/src/gpu.rs", 21, "functions for C take pointers; each says what its caller must keep"),
    ("capi/src/lib.rs", 2, "functions for C take pointers; each says what its caller must keep"),
    ("capi/src/pending.rs", 22, "functions for C take pointers; each says what its caller must keep"),
    ("capi/src/plan.rs", 52, "functions for C take pointers; each says what its caller must keep"),
    ("capi/src/stream.rs", 20, "functions for C take pointers; each says what its caller must keep"),
    ("capi/src/transform.rs", 8, "functions for C take pointers; each says what its caller must keep"),
    ("cli/src/large.rs", 2, "a file is mapped, which must not change meanwhile"),
    ("crates/distributed/examples/out_of_core.rs", 1, "a file is mapped, which must not change meanwhile"),
    ("crates/distributed/src/ranks/message.rs", 2, "MPI keeps the memory of an operation that is given up, so it is leaked"),
    ("src/gpu/unchecked.rs", 2, "a pipeline cache from a file, and shaders without checks that are proven not to need them"),
    ("tests/support/memory.rs", 7, "an allocator that counts, around the system's"),
];

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Rust files below a folder, without what is built.
pub fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", "node_modules", "out", "pkg"].contains(&name.as_str()) && !name.starts_with('.') {
                rust_files(&path, found);
            }
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// How often `unsafe` stands in the code of a text as a word of its own.
fn count(text: &str) -> usize {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.lines().map(|line| code(line).split(|c| !is_word(c)).filter(|word| *word == "unsafe").count()).sum()
}

#[test]
fn comments_and_longer_words_do_not_count() {
    assert_eq!(count("unsafe { x() } // unsafe\n#![deny(unsafe_code)]\nunsafe fn f() { unsafe {} }"), 3);
}

#[test]
fn unsafe_code_is_on_the_list() {
    let mut files = Vec::new();
    rust_files(Path::new(ROOT), &mut files);
    let of = |path: &PathBuf| {
        let name = path.strip_prefix(ROOT).unwrap().to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(path).unwrap();
        // This file has the word in texts.
        (name != file!()).then(|| (name, count(&text))).filter(|(_, count)| *count > 0)
    };
    let found: BTreeMap<String, usize> = files.iter().filter_map(of).collect();
    let listed: BTreeMap<String, usize> = FILES.iter().map(|(name, count, _)| ((*name).to_owned(), *count)).collect();
    assert_eq!(found, listed, "count them in FILES, each with its reason");
    assert!(FILES.iter().all(|(_, _, why)| why.len() > 20));
}
