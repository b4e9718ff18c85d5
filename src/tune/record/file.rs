//! The file of a record: what it holds, and the right to write to it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::item::Item;
use super::memory::{Memory, is_ours, line, lines, read};
use crate::error::{Error, Result};
use crate::files;

/// Bytes of the largest file that is read.
pub(super) const MAX_BYTES: u64 = 64 << 20;
/// How long others are waited for. They hold the lock for as long as it takes to write the file.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes an error of why the file of a record cannot be read.
pub(super) fn unread<E: Into<Box<dyn std::error::Error + Send + Sync>>>(path: &Path) -> impl Fn(E) -> Error {
    move |why| Error::file("reading the record", path, why)
}

/// Makes an error of why it cannot be written.
pub(super) fn unwritten<E: Into<Box<dyn std::error::Error + Send + Sync>>>(path: &Path) -> impl Fn(E) -> Error {
    move |why| Error::file("writing the record", path, why)
}

/// What a file holds.
#[derive(Default)]
pub(super) struct Contents {
    pub text: Vec<u8>,
    pub memory: Memory,
    /// Items in it, of which some may be older than others in their place.
    pub items: usize,
    /// Lines that are not read, each with its end. They stay in the file.
    pub unread: Vec<Vec<u8>>,
}

impl Contents {
    pub fn of(text: Vec<u8>) -> Self {
        let mut contents = Self::default();
        for line in lines(&text) {
            match read(line) {
                Some(item) => {
                    contents.items += 1;
                    contents.memory.insert(item);
                }
                None => contents.unread.push([line, b"\n"].concat()),
            }
        }
        Self { text, ..contents }
    }

    /// Of the record at `path`; nothing if there is no file.
    pub fn read(path: &Path) -> Result<Self> {
        text(path).map(Self::of)
    }

    /// Replaces what the file at `path` held by other items, unless they are the same. The caller
    /// has locked the file.
    pub fn replace(&self, path: &Path, items: &[Item]) -> Result<()> {
        let text = [self.unread.concat(), items.iter().map(line).collect::<String>().into_bytes()].concat();
        if text.len() as u64 > MAX_BYTES {
            return Err(unwritten(path)(format!("it is larger than {MAX_BYTES} bytes")));
        }
        if text == self.text { Ok(()) } else { files::replace(path, &text).map_err(unwritten(path)) }
    }
}

/// The text of the record at `path`; empty if there is no file.
pub(super) fn text(path: &Path) -> Result<Vec<u8>> {
    let Some(mut file) = files::open(path).map_err(unread(path))? else { return Ok(Vec::new()) };
    let text = files::read(&mut file, MAX_BYTES + 1).map_err(unread(path))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(unread(path)(format!("it is larger than {MAX_BYTES} bytes")));
    }
    if is_ours(&text) { Ok(text) } else { Err(unread(path)("it is not a record of wgpu-fft")) }
}

/// Waits for the right to write to the file at `path`, which lasts as long as what is returned.
///
/// What is locked is a file beside it that is never removed: the record itself is replaced by
/// others of its name. Nothing is left beside a file that is no record.
pub(super) fn lock(path: &Path) -> Result<File> {
    text(path)?;
    let locked = || {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(files::beside(path, ".lock"))?;
        let begin = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => std::thread::sleep(pause),
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::other(format!("another process has kept it locked for {PATIENCE:?}")));
                }
            }
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    };
    locked().map_err(unwritten(path))
}
