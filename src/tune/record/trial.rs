//! Notes which recipe is being tried, so that a later process knows if this one crashed.

use std::io::{self, Seek, Write};
use std::sync::Arc;

use tempfile::NamedTempFile;

use super::file::unwritten;
use super::identity::DeviceIdentity;
use super::item::{CRATE_VERSION, Item, Mark, now};
use super::store::Record;
use super::{journal, memory};

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

impl Trial {
    pub(super) fn begin(record: &Record, spec: &str, recipe: &str, device: &DeviceIdentity) -> Self {
        let mark = Mark {
            spec: spec.to_owned(),
            recipe: recipe.to_owned(),
            device: Arc::new(device.clone()),
            why: "the process ended during its trial".to_owned(),
            version: CRATE_VERSION.to_owned(),
            time: now(),
        };
        // While the record is locked nobody looks at a file that is not locked yet.
        let file = record.locked(|path| {
            let file = crate::files::temporary(path, journal::SUFFIX).map_err(unwritten(path))?;
            file.as_file().try_lock().map_err(io::Error::from).map_err(unwritten(path))?;
            Ok(file)
        });
        let mut trial = Self { record: record.clone(), mark, file };
        trial.write();
        trial
    }

    /// Continues with another recipe of the same specification. The one before counts as harmless.
    pub fn next(&mut self, recipe: &str) {
        recipe.clone_into(&mut self.mark.recipe);
        self.mark.time = now();
        self.write();
    }

    /// Writes the line over the one before. What is left of a longer one stands after its end,
    /// where nobody reads.
    fn write(&mut self) {
        let Some(named) = &mut self.file else { return };
        let (path, file) = (named.path().to_owned(), named.as_file_mut());
        let line = memory::line(&Item::Mark(self.mark.clone()));
        let written = file.rewind().and_then(|()| file.write_all(line.as_bytes()));
        if let Err(error) = written {
            // The one before must not be blamed for what comes.
            let _ = file.set_len(0);
            self.record.warn(unwritten(&path)(error));
        }
    }
}
