//! The journal's files: what a process that died was trying.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::file::MAX_BYTES;
use super::item::{Item, Mark};
use super::memory;

/// How the names of the journal's files go on after the record's.
pub(super) const SUFFIX: &str = ".trial-";

/// What a dead process left.
pub(super) struct Dead {
    /// The recipe, unless its line is damaged.
    pub mark: Option<Mark>,
    path: PathBuf,
    /// Locked, so that nobody else takes it for dead.
    _file: File,
}

impl Dead {
    /// Removes the file; to be called when the mark is safe.
    pub fn remove(self) {
        // If that fails, the next one marks it again, which changes nothing.
        let _ = fs::remove_file(&self.path);
    }
}

/// The journal's files beside a record, of the living and of the dead.
pub(super) fn files(record: &Path) -> Vec<PathBuf> {
    crate::files::all_beside(record, SUFFIX)
}

/// What dead processes left beside a record that the caller has locked.
pub(super) fn recover(record: &Path) -> Vec<Dead> {
    files(record).into_iter().filter_map(dead).collect()
}

/// The trial in a file, if its process is dead.
fn dead(path: PathBuf) -> Option<Dead> {
    if !fs::symlink_metadata(&path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(&path).ok()?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return None,
    }
    // Its process may have ended the trial just now.
    if !path.exists() {
        return None;
    }
    let text = crate::files::read(&mut file, MAX_BYTES).ok()?;
    let mark = match memory::lines(&text).next().and_then(memory::read) {
        Some(Item::Mark(mark)) => Some(mark),
        _ => None,
    };
    Some(Dead { mark, path, _file: file })
}
