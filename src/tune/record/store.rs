//! The public interface of a record.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::error::RecordError;
use super::file::{self, Disk};
use super::item::{Entry, Item, Mark};
use super::line::{self, Reader, RecordLine};
use super::memory::Memory;
use super::shared::{Shared, text};
use super::{DeviceIdentity, Import, journal};
use crate::error;
use crate::tune::rigor::Rigor;

/// Measured recipes, kept in memory and usually in a file, which FFTW calls "wisdom". Cloning is cheap,
/// and clones share one record.
///
/// For each specification and device, a record holds the best recipe that a search found
/// ([`Entry`]) and the recipes that must not be tried again ([`Mark`]).
///
/// # Key
/// Specifications and recipes are stored as their printed text. Devices are stored as a
/// [`DeviceIdentity`]: hardware, driver, features and limits, but never an adapter's index. Among
/// entries with the same specification, device and [`Rigor`], the newest
/// counts. Among marks with the same specification, recipe and device, the newest counts. An entry
/// answers only for exactly its device ([`find`](Self::find)). For other devices its recipe is a
/// starting point for a search ([`seeds`](Self::seeds)). Different versions of this crate can share a
/// record: [`wgsl_hash`](crate::low_level::tune::wgsl_hash) tells whether a recipe still means the program that was measured.
///
/// # Format
/// The file is text with one line for each item. A line is a JSON object without spaces, at most 16
/// KiB long, with these names in this order:
///
/// | name | what |
/// |---|---|
/// | `wgpu-fft` | number of the format, 1 |
/// | `kind` | `best` or `mark` |
/// | `spec`, `recipe` | as printed |
/// | `wgsl` | of `best`: the hash of the program's WGSL, 16 hexadecimal digits |
/// | `seconds`, `rules_seconds` | of `best`: time of the recipe and of the rules' choice |
/// | `timer`, `rigor` | of `best`: `timestamps` or `wall clock`; `measure` or `patient` |
/// | `why` | of `mark` |
/// | `version`, `time` | of this crate; seconds since 1970 |
/// | `device` | [`DeviceIdentity`]: `name`, `backend`, `id` (vendor, device), `type`, `driver`, `driver_info`, `subgroup_sizes`, the `features` that it has, and `limits`, an array in the order of the fields |
/// | `sum` | checksum of all that stands before `,"sum"`, 16 hexadecimal digits |
///
/// A line is accepted only if its checksum is right, and any single flipped bit is detected. Lines
/// may end in `\n` or `\r\n`, and blank lines are allowed. Lines of another format or kind are not
/// read, but they are preserved. A file that is not blank and has no line that begins like a
/// record's is not ours, and it is never written to.
///
/// # Guarantees
/// - Opening a record never fails, whatever the file contains. It allocates memory in proportion to
///   what it reads, which is 64 MiB at most.
/// - Every damaged line is detected, and affects no other line.
/// - Any number of processes and threads may add items at the same time. Each line is appended by
///   one write, under a lock on the file `<record>.lock`, which is never removed.
/// - A process that is killed loses at most the line that it is writing. [`compact`](Self::compact) writes
///   a complete new file and then replaces the old one.
/// - A recipe that crashes the process is marked the next time the record is opened ([`Trial`](crate::low_level::tune::record::Trial)).
/// - If anything goes wrong with the file, the record continues in memory and warns once.
///
/// # What is not guaranteed
/// - Appended lines and trials are not synced to disk. A power failure or a system crash may lose
///   or damage the last ones.
/// - On a network file system whose locks do not work between machines, lines that several machines
///   write at once may be lost. On a file system without locks, nothing is written.
/// - The newest item is the one with the greatest time. If a clock is wrong, the wrong item may
///   win.
/// - A checksum is not a signature. Keep the file where nobody else may write. Recipes from it are
///   still checked like recipes written by hand.
#[derive(Clone, Debug)]
pub struct Record(Arc<Shared>);

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
    /// Recipes that crashed an earlier process, according to the [journal](crate::low_level::tune::record::Trial), are
    /// marked.
    #[must_use]
    pub fn open(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        // Under one name, however it is called and whatever becomes of the working directory: the
        // lock and the journal go by it.
        let path = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned());
        let has_files = !cfg!(target_arch = "wasm32");
        let mut shared = Shared::default();
        shared.path = Some(path.clone());
        shared.disk = has_files.then(|| Mutex::new(Disk::new(path.clone())));
        if !has_files {
            shared.warn("this platform has no files");
        } else if path.file_name().is_none() {
            shared.warn("the path names no file");
            shared.disk = None;
        } else {
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

    /// The newest entry for a specification on exactly this device, from a search of at least this
    /// rigor. The caller must check by [`Entry::wgsl`] that its recipe still means the same
    /// program.
    #[must_use]
    pub fn find(&self, spec: &str, device: &DeviceIdentity, rigor: Rigor) -> Option<Entry> {
        self.0.memory().find(spec, device, rigor).cloned()
    }

    /// Recipes worth starting a search from, the most promising first. They come from these
    /// sources, in this order, and the newest first within each:
    ///
    /// - the same specification on this device, from any search;
    /// - the same specification on the same hardware with another driver;
    /// - the same specification on devices of the same vendor and type;
    /// - the same specification on any device;
    /// - specifications of the same kind (with the same first two words) on this device.
    ///
    /// At most 8 are returned, each once, and none that is marked on this device. They need not fit
    /// the device.
    #[must_use]
    pub fn seeds(&self, spec: &str, device: &DeviceIdentity) -> Vec<String> {
        self.0.memory().seeds(spec, device)
    }

    /// The mark of a recipe that must not be tried on this device, if there is one.
    #[must_use]
    pub fn marked(&self, spec: &str, recipe: &str, device: &DeviceIdentity) -> Option<Mark> {
        self.0.memory().marked(spec, recipe, device).cloned()
    }

    /// All entries, sorted by specification and time.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.0.memory().entries()
    }

    /// All marks, sorted by specification and time.
    #[must_use]
    pub fn marks(&self) -> Vec<Mark> {
        self.0.memory().marks()
    }

    /// Adds an entry and replaces an older one for the same specification, device and rigor. It is
    /// available at once. If it cannot be written, it stays in memory, the record
    /// [warns](Self::warning) once, and the entry is written together with the next one that can
    /// be.
    ///
    /// # Errors
    /// [`Error::Unsupported`](error::Error::Unsupported) if a time is not finite or not positive.
    pub fn add(&self, entry: Entry) -> error::Result<()> {
        entry.check()?;
        self.0.take(vec![Item::Best(entry)]);
        Ok(())
    }

    /// Marks a recipe that must not be tried again. Marks are stored like entries.
    pub fn mark(&self, mark: Mark) {
        self.0.take(vec![Item::Mark(mark)]);
    }

    /// Reads what other processes have written since the last read, and reports what it found.
    /// Items that this process added count as duplicates.
    pub fn refresh(&self) -> Import {
        self.0.refresh()
    }

    /// Removes superseded and damaged lines from the file. Returns the number of lines removed.
    ///
    /// # Errors
    /// If the file cannot be read or written, is not a record, or is too large.
    /// The file is then unchanged.
    pub fn compact(&self) -> Result<usize, RecordError> {
        self.prune(|_| true)
    }

    /// Does the same as [`compact`](Self::compact), and also removes the items that `keep` rejects.
    /// `keep` may query this record but must not change it.
    ///
    /// # Errors
    /// The errors of [`compact`](Self::compact).
    pub fn prune(&self, keep: impl Fn(&Item) -> bool) -> Result<usize, RecordError> {
        self.0.rewrite(&keep)
    }

    /// Adds the items of another file, and writes them to this record's file. `device` decides
    /// which of them count as foreign, and `stale` decides which entries are left out.
    ///
    /// # Errors
    /// If the file cannot be read, is not a record, or is too large.
    pub fn import(
        &self,
        path: impl AsRef<Path>,
        device: Option<&DeviceIdentity>,
        stale: &dyn Fn(&Entry) -> bool,
    ) -> Result<Import, RecordError> {
        let path = path.as_ref();
        let text = file::read_whole(path)?.ok_or_else(|| RecordError::io(path)(io::ErrorKind::NotFound.into()))?;
        Ok(self.import_text(&text, device, stale))
    }

    /// Adds items from text in memory, as [`import`](Self::import) does from a file. A program can
    /// ship with a record this way: `include_bytes!("record.jsonl")`.
    pub fn import_text(&self, text: &[u8], device: Option<&DeviceIdentity>, stale: &dyn Fn(&Entry) -> bool) -> Import {
        let (mut report, mut reader, mut fresh) = (Import::default(), Reader::default(), Memory::default());
        for line in line::lines(text) {
            match reader.read(line) {
                RecordLine::Blank => {}
                RecordLine::Unknown => report.unknown += 1,
                RecordLine::Corrupt => report.corrupt += 1,
                RecordLine::Item(item) if fresh.knows(&item) || self.0.memory().knows(&item) => report.duplicate += 1,
                RecordLine::Item(Item::Best(entry)) if stale(&entry) => report.stale += 1,
                RecordLine::Item(item) => {
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

    /// Adds all items of another file.
    ///
    /// # Errors
    /// The errors of [`import`](Self::import).
    pub fn merge(&self, path: impl AsRef<Path>) -> Result<Import, RecordError> {
        self.import(path, None, &|_| false)
    }

    /// The items that `keep` accepts as text, for [`import_text`](Self::import_text). Each item is
    /// a line.
    #[must_use]
    pub fn export_text(&self, keep: impl Fn(&Item) -> bool) -> String {
        self.lines(keep).concat()
    }

    fn lines(&self, keep: impl Fn(&Item) -> bool) -> Vec<String> {
        self.0.memory().items().iter().filter(|item| keep(item)).filter_map(text).collect()
    }

    /// Writes the items that `keep` accepts to another file and replaces its contents. Returns the
    /// number of items.
    ///
    /// # Errors
    /// If the file is this record's own, is not a record, or cannot be written.
    pub fn export(&self, path: impl AsRef<Path>, keep: impl Fn(&Item) -> bool) -> Result<usize, RecordError> {
        let path = path.as_ref();
        let io = RecordError::io(path);
        let whole = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).map_err(&io)?;
        if self.path() == Some(&whole) {
            return Err(RecordError::OwnFile { path: whole });
        }
        if whole.file_name().is_none() {
            return Err(io(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file")));
        }
        let lines = self.lines(keep);
        // Asked before, too, so that not even a lock is left beside what is not ours.
        file::read_whole(&whole)?;
        let _lock = file::lock(&whole).map_err(&io)?;
        file::read_whole(&whole)?;
        file::replace(&whole, lines.concat().as_bytes()).map_err(&io)?;
        Ok(lines.len())
    }

    /// Runs `work` with the file locked, so that nobody recovers a journal meanwhile, after what
    /// dead processes left was taken in.
    pub(super) fn locked<T>(&self, work: impl FnOnce(&Path) -> std::io::Result<T>) -> Option<T> {
        let mut disk = self.0.disk()?;
        let done = self.0.write_to(&mut disk).and_then(|_lock| if disk.refused.is_some() { Ok(None) } else { work(&disk.path).map(Some) });
        done.unwrap_or_else(|error| {
            self.0.warn(error);
            None
        })
    }

    pub(super) fn warn(&self, why: impl std::fmt::Display) {
        self.0.warn(why);
    }
}
