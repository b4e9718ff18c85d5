//! The public interface of a record.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::file::{self, Contents, unread, unwritten};
use super::item::{Entry, Item};
use super::memory::{self, Memory};
use super::shared::Shared;
use super::{DeviceIdentity, Import, journal};
use crate::error::Result;

/// Measured recipes, kept in memory and usually in a file, which FFTW calls "wisdom". Cloning is
/// cheap, and clones share one record.
///
/// For each specification and device, a record holds the best recipe that a search found
/// ([`Entry`]) and the recipes that must not be tried again ([`Mark`](super::Mark)).
///
/// # Key
/// Specifications and recipes are stored as their printed text. Devices are stored as a
/// [`DeviceIdentity`]: hardware, driver, features and limits, but never an adapter's index. Among
/// entries with the same specification, device and [`Rigor`](crate::tune::Rigor), the newest
/// counts. Among marks with the same specification, recipe and device, the newest counts. An entry
/// answers only for exactly its device ([`Items::find`]). For other devices its recipe is a
/// starting point for a search ([`Items::seeds`]). Different versions of this crate can share a
/// record: [`wgsl_hash`] tells whether a recipe still means the program that was measured.
///
/// [`Items::find`]: crate::low_level::tune::record::Items::find
/// [`Items::seeds`]: crate::low_level::tune::record::Items::seeds
/// [`wgsl_hash`]: crate::low_level::tune::wgsl_hash
///
/// # Format
/// The file is text with one line for each item: a JSON object that begins with
/// `{"wgpu-fft":2,"kind":"best",` or `{"wgpu-fft":2,"kind":"mark",`, where 2 is the number of the
/// format, and goes on with the fields of an [`Entry`] or a mark under their names. Lines that
/// cannot be read, such as those of another version of this crate, stay in the file as they are. A
/// file that is not blank and has no line that begins like a record's is not ours, and it is never
/// written to.
///
/// # Guarantees
/// - Opening a record never fails, whatever the file contains. At most 64 MiB are read.
/// - Any number of processes and threads may add items at the same time. Each writes the whole file
///   anew under a lock on the file `<record>.lock`, which is never removed, and then replaces the
///   old one.
/// - **A crash or a power failure loses at most what is being written**: at any moment either the old
///   or the new file is there as a whole.
/// - A recipe that crashes the process is marked the next time the record is opened ([`Trial`](crate::low_level::tune::record::Trial)).
/// - If anything goes wrong with the file, the record continues in memory and warns once.
///
/// # What is not guaranteed
/// - On a network file system whose locks do not work between machines, what several machines write
///   at once may be lost. On a file system without locks, nothing is written.
/// - The newest item is the one with the greatest time. If a clock is wrong, the wrong item may
///   win.
/// - The file is neither signed nor checked for damage within a line that can still be read. Keep
///   it where nobody else may write. Recipes from it are checked like recipes written by hand.
#[derive(Clone, Debug)]
pub struct Record(pub(super) Arc<Shared>);

/// In memory.
impl Default for Record {
    fn default() -> Self {
        Self::in_memory()
    }
}

impl Record {
    /// A record without a file.
    #[must_use]
    pub fn in_memory() -> Self {
        Self(Arc::default())
    }

    /// Opens the record in the file at `path`. The file need not exist: it is created, with its
    /// directory, when the first item is added.
    ///
    /// This never fails. If the file cannot be read or written, or is not a record, the record
    /// works in memory and reports that once, through [`warning`](Self::warning) and in the log.
    /// Recipes that crashed an earlier process, according to the
    /// [journal](crate::low_level::tune::record::Trial), are marked.
    #[must_use]
    pub fn open(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        // Under one name, however it is called and whatever becomes of the working directory: the
        // lock and the journal go by it.
        let path = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned());
        let mut shared = Shared::default();
        shared.path = Some(path.clone());
        if cfg!(target_arch = "wasm32") {
            shared.warn("this platform has no files");
        } else if path.file_name().is_none() {
            shared.warn(unwritten(&path)("it names no file"));
        } else {
            shared.file = Some(Mutex::default());
            shared.report = shared.refresh();
            if !journal::files(&path).is_empty() {
                shared.write(Vec::new());
            }
        }
        Self(Arc::new(shared))
    }

    /// Opens the record at [`default_path`](Self::default_path), or one in memory if there is no
    /// such path.
    #[must_use]
    pub fn open_default() -> Self {
        Self::default_path().map_or_else(Self::in_memory, Self::open)
    }

    /// The file that the environment variable `WGPU_FFT_RECORD` names. If it is not set,
    /// `wgpu-fft/record.jsonl` in the platform's cache directory, if there is one.
    #[must_use]
    pub fn default_path() -> Option<PathBuf> {
        if let Some(path) = std::env::var_os("WGPU_FFT_RECORD").filter(|path| !path.is_empty()) {
            return Some(path.into());
        }
        #[cfg(target_arch = "wasm32")]
        return None;
        #[cfg(not(target_arch = "wasm32"))]
        dirs::cache_dir().map(|directory| directory.join("wgpu-fft").join("record.jsonl"))
    }

    /// The path of the file, if the record has one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// What opening found in the file.
    #[must_use]
    pub fn report(&self) -> Import {
        self.0.report
    }

    /// The first reason why something is kept only in memory. It was logged as well.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        self.0.warning.get().cloned()
    }

    /// Reads what other processes have written, and reports what the file holds.
    pub fn refresh(&self) -> Import {
        self.0.refresh()
    }

    /// Removes the items that `keep` rejects, and returns their number. `keep` may query this
    /// record but must not change it.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if the file cannot be read or written, is not a record,
    /// or is too large. The file is then unchanged.
    pub fn prune(&self, keep: impl Fn(&Item) -> bool) -> Result<usize> {
        self.0.prune(&keep)
    }

    /// Adds the items of another file, and writes them to this record's file. `device` decides
    /// which of them count as foreign, and `stale` decides which entries are left out.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if the file cannot be read, is not a record, or is too
    /// large.
    pub fn import(&self, path: impl AsRef<Path>, device: Option<&DeviceIdentity>, stale: &dyn Fn(&Entry) -> bool) -> Result<Import> {
        let path = path.as_ref();
        let text = file::text(path)?;
        if text.is_empty() && !path.exists() {
            return Err(unread(path)(io::Error::from(io::ErrorKind::NotFound)));
        }
        Ok(self.import_text(&text, device, stale))
    }

    /// Adds items from text in memory, as [`import`](Self::import) does from a file. A program can
    /// ship with a record this way: `include_bytes!("record.jsonl")`.
    pub fn import_text(&self, text: &[u8], device: Option<&DeviceIdentity>, stale: &dyn Fn(&Entry) -> bool) -> Import {
        let (mut report, mut fresh) = (Import::default(), Memory::default());
        for line in memory::lines(text) {
            match memory::read(line) {
                None => report.unread += 1,
                Some(item) if fresh.knows(&item) || self.0.memory().knows(&item) => report.duplicate += 1,
                Some(Item::Best(entry)) if stale(&entry) => report.stale += 1,
                Some(item) => {
                    match device {
                        Some(device) if **item.device() != *device => report.foreign += 1,
                        _ => report.accepted += 1,
                    }
                    fresh.insert(item);
                }
            }
        }
        self.0.take(fresh.items());
        report
    }

    /// The items that `keep` accepts as text, for [`import_text`](Self::import_text). Each item is
    /// a line.
    #[must_use]
    pub fn export_text(&self, keep: impl Fn(&Item) -> bool) -> String {
        self.items(keep).iter().map(memory::line).collect()
    }

    fn items(&self, keep: impl Fn(&Item) -> bool) -> Vec<Item> {
        self.0.memory().items().into_iter().filter(keep).collect()
    }

    /// Writes the items that `keep` accepts to another file and replaces its contents. Returns the
    /// number of items.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if the file is this record's own, is not a record, or
    /// cannot be written.
    pub fn export(&self, path: impl AsRef<Path>, keep: impl Fn(&Item) -> bool) -> Result<usize> {
        let path = path.as_ref();
        let whole = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).map_err(unwritten(path))?;
        if self.path() == Some(&whole) {
            return Err(unwritten(&whole)("it is the file of the record that is exported"));
        }
        if whole.file_name().is_none() {
            return Err(unwritten(path)("it names no file"));
        }
        let items = self.items(keep);
        let _lock = file::lock(&whole)?;
        let text = file::text(&whole)?;
        Contents { text, ..Contents::default() }.replace(&whole, &items)?;
        Ok(items.len())
    }

    /// Runs `work` with the file locked, so that nobody recovers a journal meanwhile, after what
    /// dead processes left was taken in.
    pub(super) fn locked<T>(&self, work: impl FnOnce(&Path) -> Result<T>) -> Option<T> {
        let mut unsaved = self.0.file()?;
        let path = self.path()?;
        let done = file::lock(path).and_then(|_lock| {
            self.0.write_locked(path, &mut unsaved)?;
            work(path)
        });
        done.map_err(|error| self.0.warn(error)).ok()
    }

    pub(super) fn warn(&self, why: impl std::fmt::Display) {
        self.0.warn(why);
    }
}
