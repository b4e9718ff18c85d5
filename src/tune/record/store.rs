//! A record, as its users see it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::file::{self, Disk};
use super::item::{Entry, Item, Mark};
use super::line::{self, Line, Reader};
use super::memory::Memory;
use super::shared::{Shared, text};
use super::{DeviceIdentity, Import, journal};
use crate::error::{Error, Result};
use crate::tune::Rigor;

/// Measured recipes, in memory and, mostly, in a file. Cheap to clone; clones are the same record.
/// See [the module](super).
#[derive(Clone, Debug)]
pub struct Record(Arc<Shared>);

/// In memory.
impl Default for Record {
    fn default() -> Self {
        Self::in_memory()
    }
}

impl Record {
    /// A record that no file keeps.
    #[must_use]
    pub fn in_memory() -> Self {
        Self(Arc::default())
    }

    /// The record in the file at `path`, which need not exist yet: it is made, with its directory,
    /// when something is added.
    ///
    /// It never fails. If the file cannot be read or written, or is somebody else's, the record
    /// works from memory, which it says once, as [`warning`](Self::warning) and in the log. What
    /// dead processes left behind in the [journal](super::Trial) becomes marks.
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

    /// The record in the file at [`default_path`](Self::default_path), or one in memory.
    #[must_use]
    pub fn open_default() -> Self {
        Self::default_path().map_or_else(Self::in_memory, Self::open)
    }

    /// The file that the environment names by `WGPU_FFT_RECORD`, or else `wgpu-fft/record.jsonl` in
    /// the directory that the platform has for caches, if it has one.
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

    /// The file, if there is to be one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// What opening found in the file.
    #[must_use]
    pub fn report(&self) -> Import {
        self.0.report
    }

    /// Why something is in memory alone: the first reason, which went to the log too.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        self.0.warning.get().cloned()
    }

    /// The newest entry of a specification on exactly this device, by a search of this rigor or a
    /// greater one. Whether its recipe still means the same program is the caller's to check, by
    /// [`Entry::wgsl`].
    #[must_use]
    pub fn find(&self, spec: &str, device: &DeviceIdentity, rigor: Rigor) -> Option<Entry> {
        self.0.memory().find(spec, device, rigor).cloned()
    }

    /// Recipes worth starting a search from, the likeliest first: of the same specification by any
    /// search on this device, then by the same hardware with another driver, by devices of the same
    /// vendor and kind, by any device; then of specifications of the same kind (their first two
    /// words are equal) on this device. The newest go first among equals. At most 8, each once,
    /// none that is marked here. They need not fit the device.
    #[must_use]
    pub fn seeds(&self, spec: &str, device: &DeviceIdentity) -> Vec<String> {
        self.0.memory().seeds(spec, device)
    }

    /// Why a recipe must not be tried on this device, if so.
    #[must_use]
    pub fn marked(&self, spec: &str, recipe: &str, device: &DeviceIdentity) -> Option<Mark> {
        self.0.memory().marked(spec, recipe, device).cloned()
    }

    /// All entries, by specification and time.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.0.memory().entries()
    }

    /// All marks, by specification and time.
    #[must_use]
    pub fn marks(&self) -> Vec<Mark> {
        self.0.memory().marks()
    }

    /// Adds an entry, in place of an older one of the same specification, device and rigor. It is
    /// there at once; if it cannot be written, it stays in memory, with the one
    /// [`warning`](Self::warning), and is written together with the next one that can be.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for times that are not finite or not above zero.
    pub fn add(&self, entry: Entry) -> Result<()> {
        entry.check()?;
        self.0.take(vec![Item::Best(entry)]);
        Ok(())
    }

    /// Marks a recipe that must not be tried again. It is kept as entries are.
    pub fn mark(&self, mark: Mark) {
        self.0.take(vec![Item::Mark(mark)]);
    }

    /// Takes in what other processes have written since, and says what that was. What this one has
    /// added is among it, as known already.
    pub fn refresh(&self) -> Import {
        self.0.refresh()
    }

    /// Drops what was superseded or damaged from the file; returns how many lines.
    ///
    /// # Errors
    /// [`Error::Record`] if the file cannot be read or written, is somebody else's, or is too
    /// large. It is then as it was.
    pub fn compact(&self) -> Result<usize> {
        self.prune(|_| true)
    }

    /// As [`compact`](Self::compact), and forgets besides what `keep` does not want. `keep` may ask
    /// the record, and must not change it.
    ///
    /// # Errors
    /// As [`compact`](Self::compact).
    pub fn prune(&self, keep: impl Fn(&Item) -> bool) -> Result<usize> {
        self.0.rewrite(&keep)
    }

    /// Takes in the items of another file, which are then written to this record's. `device` tells
    /// which of them are foreign; `stale` which entries are to be left out.
    ///
    /// # Errors
    /// [`Error::Record`] if the file cannot be read, is no record, or is too large.
    pub fn import(&self, path: impl AsRef<Path>, device: Option<&DeviceIdentity>, stale: &dyn Fn(&Entry) -> bool) -> Result<Import> {
        let path = path.as_ref();
        let failed = |why: String| Error::Record { path: path.to_owned(), why };
        let text = file::read_whole(path).map_err(|error| failed(error.to_string()))?.ok_or_else(|| failed("there is none".to_owned()))?;
        Ok(self.import_text(&text, device, stale))
    }

    /// The same of lines that the caller has, such as those of a file that a program brings along:
    /// `include_bytes!("record.jsonl")`.
    pub fn import_text(&self, text: &[u8], device: Option<&DeviceIdentity>, stale: &dyn Fn(&Entry) -> bool) -> Import {
        let (mut report, mut reader, mut fresh) = (Import::default(), Reader::default(), Memory::default());
        for line in line::lines(text) {
            match reader.read(line) {
                Line::Blank => {}
                Line::Unknown => report.unknown += 1,
                Line::Corrupt => report.corrupt += 1,
                Line::Item(item) if fresh.knows(&item) || self.0.memory().knows(&item) => report.duplicate += 1,
                Line::Item(Item::Best(entry)) if stale(&entry) => report.stale += 1,
                Line::Item(item) => {
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

    /// Takes in all items of another file.
    ///
    /// # Errors
    /// As [`import`](Self::import).
    pub fn merge(&self, path: impl AsRef<Path>) -> Result<Import> {
        self.import(path, None, &|_| false)
    }

    /// Writes the items that `keep` wants to another file, in place of what it holds; returns how
    /// many.
    ///
    /// # Errors
    /// [`Error::Record`] if the file is this record's own or somebody else's, or cannot be written.
    pub fn export(&self, path: impl AsRef<Path>, keep: impl Fn(&Item) -> bool) -> Result<usize> {
        let path = path.as_ref();
        let failed = |why: String| Error::Record { path: path.to_owned(), why };
        let whole = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).map_err(|error| failed(error.to_string()))?;
        if self.path() == Some(&whole) {
            return Err(failed("it is this record's own file".to_owned()));
        }
        if whole.file_name().is_none() {
            return Err(failed("the path names no file".to_owned()));
        }
        let items: Vec<Item> = self.0.memory().items().into_iter().filter(keep).collect();
        let lines: Vec<String> = items.iter().filter_map(text).collect();
        // Asked before, too, so that not even a lock is left beside what is not ours.
        let written = file::read_whole(&whole).and_then(|_| file::lock(&whole)).and_then(|_lock| {
            file::read_whole(&whole)?;
            file::replace(&whole, lines.concat().as_bytes())
        });
        written.map_err(|error| failed(error.to_string()))?;
        Ok(lines.len())
    }

    /// Runs `work` with the file locked, so that nobody recovers a journal meanwhile, after what
    /// dead processes left was taken in.
    pub(super) fn locked<T>(&self, work: impl FnOnce(&Path) -> std::io::Result<T>) -> Option<T> {
        let mut disk = self.0.disk()?;
        let done = self.0.write_to(&mut disk).and_then(|_lock| if disk.closed { Ok(None) } else { work(&disk.path).map(Some) });
        done.unwrap_or_else(|error| {
            self.0.warn(error);
            None
        })
    }

    pub(super) fn warn(&self, why: impl std::fmt::Display) {
        self.0.warn(why);
    }
}
