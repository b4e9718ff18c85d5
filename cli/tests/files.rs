//! Files with random changes. `WGPU_FFT_FUZZ` is the number of cases; the fuzzer has the same target.

#[path = "support/files.rs"]
mod target;

use wgpu_fft_cli::{Result, array, files, sound};
use wgpu_fft_tests::changes;

#[test]
fn any_file_is_read_or_refused() {
    let examples = target::examples();
    changes::fuzz(target::file, &examples.iter().map(Vec::as_slice).collect::<Vec<_>>(), 2000);
}

/// A target that refuses everything would find nothing.
#[test]
fn examples_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for example in target::examples() {
        let path = folder.path().join(target::NAMES[usize::from(example[0])]);
        std::fs::write(&path, &example[1..]).unwrap();
        let is_read = if path.extension().unwrap() == "wav" { sound::read(&path).is_ok() } else { files::read(&path).is_ok() };
        assert!(is_read, "{}", path.display());
    }
}
