//! Notes which recipe is being tried, so that a later process knows if this one crashed.

use std::fs::{self, File, TryLockError};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::NamedTempFile;

use super::file::MAX_BYTES;
use super::item::{Item, Mark};
use super::{CRATE_VERSION, DeviceIdentity, Record, RecordError, memory, now};

/// How the names of the journal's files go on after the record's.
const SUFFIX: &str = ".trial-";

/// A recipe that is being tried. Dropping the value means that the recipe did no harm. If the
/// process ends before that, the next process that opens the record marks the recipe.
///
/// The recipe is written to a file beside the record, which this process keeps locked while it
/// runs. A journal file whose lock is free means that its process died. If a user ends the process
/// during a trial, or the program calls `std::process::exit`, the recipe is marked as well, because
/// nobody can tell why the process ended.
#[derive(Debug)]
pub struct Trial {
    record: Record,
    mark: Mark,
    /// It is removed before its lock goes.
    file: Option<NamedTempFile>,
}

impl Record {
    /// Notes that a recipe is about to be tried that may crash the process. For a record in memory
    /// this does nothing.
    #[must_use]
    pub fn begin_trial(&self, spec: &str, recipe: &str, device: &DeviceIdentity) -> Trial {
        let mark = Mark {
            spec: spec.to_owned(),
            recipe: recipe.to_owned(),
            device: Arc::new(device.clone()),
            why: "the process ended during its trial".to_owned(),
            version: CRATE_VERSION.to_owned(),
            time: now(),
        };
        // While the record is locked nobody looks at a file that is not locked yet.
        let file = self.locked(|path| {
            let file = crate::files::temporary(path, SUFFIX).map_err(RecordError::io(path))?;
            file.as_file().try_lock().map_err(|error| RecordError::io(path)(error.into()))?;
            Ok(file)
        });
        let mut trial = Trial { record: self.clone(), mark, file };
        trial.write();
        trial
    }
}

impl Trial {
    /// Continues with another recipe of the same specification. The one before counts as harmless.
    pub fn next(&mut self, recipe: &str) {
        recipe.clone_into(&mut self.mark.recipe);
        self.mark.time = now();
        self.write();
    }

    /// Writes the line over the one before. What is left of a longer one stands after its end,
    /// where nobody reads.
    fn write(&mut self) {
        let Some(file) = self.file.as_mut().map(NamedTempFile::as_file_mut) else { return };
        let line = memory::line(&Item::Mark(self.mark.clone()));
        let written = file.rewind().and_then(|()| file.write_all(line.as_bytes()));
        if let Err(error) = written {
            // The one before must not be blamed for what comes.
            let _ = file.set_len(0);
            self.record.warn(error);
        }
    }
}

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
