//! Files with any content are read, or refused with an error that names them: a target of the
//! fuzzer (`fuzz/`), which a test of the command line calls as well.

use std::fs;
use std::path::Path;

use wgpu_fft_cli::array::Array;
use wgpu_fft_cli::files::{self, Header, Shown};
use wgpu_fft_cli::sound;

/// A file with these bytes, under each name that decides how it is read.
pub fn files(bytes: &[u8]) {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder");
    for name in ["array.npy", "picture.png", "picture.jpg"] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        match files::read(&path) {
            Ok(array) => comes_back(folder.path(), &array),
            Err(error) => names_the_file(&*error, name),
        }
        let _ = Header::read(&path).map(|header| header.kind());
    }
    for name in ["sound.wav", "sound.npy"] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        match sound::read(&path) {
            Ok(samples) => assert!(!samples.is_empty() && samples.iter().all(|sample| sample.is_finite())),
            Err(error) => names_the_file(&*error, name),
        }
    }
}

fn names_the_file(error: &dyn std::error::Error, name: &str) {
    assert!(error.to_string().contains(name), "{error}");
}

/// What was read can be written and read again.
fn comes_back(folder: &Path, array: &Array) {
    assert_eq!(array.bytes().len(), array.len() * array.element().bytes());
    let path = folder.join("again.npy");
    files::write(&path, array, Shown::Grey).expect("an array is written");
    let again = files::read(&path).expect("what was written is read");
    assert_eq!(again.shape, array.shape);
    assert!(again.bytes() == array.bytes(), "other elements came back");
    let drawn = files::write(&folder.join("again.png"), array, Shown::Spectrum { half: None });
    assert!(drawn.is_ok() || array.shape.len() != 2 || array.len() > 1 << 24, "{}", drawn.unwrap_err());
}
