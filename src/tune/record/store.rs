//! A record: its items in memory, and the file that keeps them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::file::{self, Disk};
use super::item::{Entry, Item, Mark, Rigor};
use super::line::{self, Line, Reader};
use super::memory::Memory;
use super::{DeviceIdentity, Import, journal};
use crate::error::{Error, Result};

/// Measured recipes, in memory and, mostly, in a file. Cheap to clone; clones are the same record. See [the module](super).
#[derive(Clone, Debug)]
pub struct Record(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    memory: RwLock<Memory>,
    /// Held while the file is read or written. Whoever holds `memory` does not wait for it.
    disk: Option<Mutex<Disk>>,
    path: Option<PathBuf>,
    warning: OnceLock<String>,
    report: Import,
}

impl Record {
    /// A record that no file keeps.
    #[must_use]
    pub fn in_memory() -> Self {
        Self(Arc::default())
    }

    /// The record in the file at `path`, which need not exist yet: it is made, with its directory, when something is added.
    ///
    /// It never fails. If the file cannot be read or written, or is somebody else's, the record works from memory, which it says once, as [`warning`](Self::warning) and in
    /// the log. What dead processes left behind in the [journal](super::Trial) becomes marks.
    #[must_use]
    pub fn open(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        // Under one name, however it is called and whatever becomes of the working directory: the lock and the journal go by it.
        let path = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned());
        let has_files = !cfg!(target_arch = "wasm32");
        let disk = has_files.then(|| Mutex::new(Disk::new(path.clone())));
        let mut shared = Shared { path: Some(path.clone()), disk, ..Shared::default() };
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

    /// The file that the environment names by `WGPU_FFT_RECORD`, or else `wgpu-fft/record.jsonl` in the directory that the platform has for caches, if it has one.
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

    /// The newest entry of a specification on exactly this device, by a search of this rigor or a greater one. Whether its recipe still means the same program is the
    /// caller's to check, by [`Entry::wgsl`].
    #[must_use]
    pub fn find(&self, spec: &str, device: &DeviceIdentity, rigor: Rigor) -> Option<Entry> {
        self.0.memory().find(spec, device, rigor).cloned()
    }

    /// Recipes worth starting a search from, the likeliest first: of the same specification by any search on this device, then by the same hardware with another driver,
    /// by devices of the same vendor and kind, by any device; then of specifications of the same kind (their first two words are equal) on this device. The newest go
    /// first among equals. At most 8, each once, none that is marked here. They need not fit the device.
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

    /// Adds an entry, in place of an older one of the same specification, device and rigor. It is there at once; if it cannot be written, it stays in memory, with the one
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

    /// Takes in what other processes have written since, and says what that was. What this one has added is among it, as known already.
    pub fn refresh(&self) -> Import {
        self.0.refresh()
    }

    /// Drops what was superseded or damaged from the file; returns how many lines.
    ///
    /// # Errors
    /// [`Error::Record`] if the file cannot be read or written, is somebody else's, or is too large. It is then as it was.
    pub fn compact(&self) -> Result<usize> {
        self.prune(|_| true)
    }

    /// As [`compact`](Self::compact), and forgets besides what `keep` does not want. `keep` may ask the record, and must not change it.
    ///
    /// # Errors
    /// As [`compact`](Self::compact).
    pub fn prune(&self, keep: impl Fn(&Item) -> bool) -> Result<usize> {
        self.0.rewrite(&keep)
    }

    /// Takes in the items of another file, which are then written to this record's. `device` tells which of them are foreign; `stale` which entries are to be left out.
    ///
    /// # Errors
    /// [`Error::Record`] if the file cannot be read, is no record, or is too large.
    pub fn import(&self, path: impl AsRef<Path>, device: Option<&DeviceIdentity>, stale: &dyn Fn(&Entry) -> bool) -> Result<Import> {
        let path = path.as_ref();
        let failed = |why: String| Error::Record { path: path.to_owned(), why };
        let text = file::read_whole(path).map_err(|error| failed(error.to_string()))?.ok_or_else(|| failed("there is none".to_owned()))?;
        let (mut report, mut reader, mut fresh) = (Import::default(), Reader::default(), Memory::default());
        for line in line::lines(&text) {
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
        Ok(report)
    }

    /// Takes in all items of another file.
    ///
    /// # Errors
    /// As [`import`](Self::import).
    pub fn merge(&self, path: impl AsRef<Path>) -> Result<Import> {
        self.import(path, None, &|_| false)
    }

    /// Writes the items that `keep` wants to another file, in place of what it holds; returns how many.
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
        let written = file::lock(&whole).and_then(|_lock| {
            file::read_whole(&whole)?;
            file::replace(&whole, lines.concat().as_bytes())
        });
        written.map_err(|error| failed(error.to_string()))?;
        Ok(lines.len())
    }

    /// Runs `work` with the file locked, so that nobody recovers a journal meanwhile, after what dead processes left was taken in.
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

impl Shared {
    // What a panic elsewhere left is whole: each change of these is a single step.
    fn memory(&self) -> RwLockReadGuard<'_, Memory> {
        self.memory.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory_mut(&self) -> RwLockWriteGuard<'_, Memory> {
        self.memory.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn disk(&self) -> Option<MutexGuard<'_, Disk>> {
        Some(self.disk.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says why something is in memory alone, the first time.
    fn warn(&self, why: impl std::fmt::Display) {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        let text = format!("the record of measured recipes in {} works from memory, and forgets: {why}", path.display());
        if self.warning.set(text.clone()).is_ok() {
            log::warn!("{text}");
        }
    }

    /// Takes items in, and writes them if it can.
    fn take(&self, items: Vec<Item>) {
        if items.is_empty() {
            return;
        }
        // At once, also while somebody is waiting for the file.
        self.remember(&items);
        self.write(items);
    }

    fn remember(&self, items: &[Item]) {
        let mut memory = self.memory_mut();
        for item in items {
            memory.insert(item.clone());
        }
    }

    /// Writes items, and what dead processes left in the journal.
    fn write(&self, items: Vec<Item>) {
        let Some(mut disk) = self.disk() else { return };
        // Again: another thread may have read the file anew meanwhile.
        self.remember(&items);
        disk.unsaved.extend(items);
        if let Err(error) = self.write_to(&mut disk) {
            self.warn(error);
        }
    }

    /// Locks the file and writes what is unsaved. The lock lasts as long as what is returned; there is none for a file that is not to be touched.
    fn write_to(&self, disk: &mut Disk) -> std::io::Result<Option<std::fs::File>> {
        if disk.closed {
            return Ok(None);
        }
        let lock = file::lock(&disk.path)?;
        self.pull(disk)?;
        if disk.closed {
            return Ok(None);
        }
        let dead = journal::recover(&disk.path);
        let marks: Vec<Item> = dead.iter().filter_map(|trial| trial.mark.clone()).map(Item::Mark).collect();
        self.remember(&marks);
        let items = std::mem::take(&mut disk.unsaved).into_iter().chain(marks);
        let (short, long): (Vec<_>, Vec<_>) = items.map(|item| (text(&item), item)).partition(|(text, _)| text.is_some());
        if let Some((_, item)) = long.first() {
            self.warn(format_args!("a line for `{:.60}…` would be longer than {} bytes", item.spec(), line::LONGEST));
        }
        disk.unsaved = long.into_iter().map(|(_, item)| item).collect();
        let (texts, items): (Vec<_>, Vec<_>) = short.into_iter().unzip();
        let texts: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
        if !texts.is_empty()
            && let Err(error) = file::append(&disk.path, &texts)
        {
            disk.unsaved.extend(items);
            return Err(error);
        }
        for trial in dead {
            trial.remove();
        }
        Ok(Some(lock))
    }

    fn refresh(&self) -> Import {
        let Some(mut disk) = self.disk() else { return Import::default() };
        self.pull(&mut disk).unwrap_or_else(|error| {
            self.warn(error);
            Import::default()
        })
    }

    /// Takes in what is new in the file.
    fn pull(&self, disk: &mut Disk) -> std::io::Result<Import> {
        if disk.closed {
            return Ok(Import::default());
        }
        let news = disk.news()?;
        if let Some(trouble) = news.trouble {
            self.warn(trouble);
        }
        let (mut report, mut reader) = (Import::default(), Reader::default());
        let mut take = |memory: &mut Memory| {
            for line in line::lines(&news.text) {
                match reader.read(line) {
                    Line::Blank => {}
                    Line::Unknown => report.unknown += 1,
                    Line::Corrupt => report.corrupt += 1,
                    Line::Item(item) => {
                        let count = if memory.insert(item) { &mut report.accepted } else { &mut report.duplicate };
                        *count += 1;
                    }
                }
            }
        };
        if news.anew {
            // All of a file takes a while, in which the others go on with what was known.
            let mut memory = Memory::with_room_for(&news.text);
            take(&mut memory);
            *self.memory_mut() = memory;
        } else {
            take(&mut self.memory_mut());
        }
        self.remember(&disk.unsaved);
        Ok(report)
    }

    /// Writes the file anew, with the newest items that `keep` wants and the lines of other formats.
    fn rewrite(&self, keep: &dyn Fn(&Item) -> bool) -> Result<usize> {
        let Some(mut disk) = self.disk() else {
            let items = self.memory().items();
            let all = items.len();
            let kept: Vec<Item> = items.into_iter().filter(keep).collect();
            *self.memory_mut() = of(&kept);
            return Ok(all - kept.len());
        };
        let path = disk.path.clone();
        let failed = |why: String| Error::Record { path: path.clone(), why };
        if disk.closed {
            return Err(failed(self.warning.get().map_or_else(|| file::NOT_OURS.to_owned(), Clone::clone)));
        }
        let io = |error: std::io::Error| failed(error.to_string());
        let _lock = file::lock(&path).map_err(io)?;
        let old = file::read_whole(&path).map_err(io)?.unwrap_or_default();
        let mut reader = Reader::default();
        let lines: Vec<(&[u8], Line)> = line::lines(&old).map(|line| (line, reader.read(line))).collect();
        let mut newest = Memory::default();
        for item in lines.iter().filter_map(|(_, line)| if let Line::Item(item) = line { Some(item) } else { None }).chain(&disk.unsaved) {
            newest.insert(item.clone());
        }
        let (mut new, mut kept, mut seen, mut dropped) = (Vec::with_capacity(old.len()), Vec::new(), HashSet::new(), 0);
        for (text, line) in lines {
            let wanted = match line {
                Line::Blank => continue,
                Line::Corrupt => false,
                Line::Unknown => true,
                Line::Item(item) => {
                    let wanted = newest.holds(&item) && seen.insert(text) && keep(&item);
                    kept.extend(wanted.then_some(item));
                    wanted
                }
            };
            if wanted {
                new.extend_from_slice(text);
                new.push(b'\n');
            } else {
                dropped += 1;
            }
        }
        let (mut long, mut short) = (Vec::new(), Vec::new());
        for item in disk.unsaved.iter().filter(|item| newest.holds(item) && keep(item)) {
            match text(item) {
                Some(line) => {
                    new.extend_from_slice(line.as_bytes());
                    short.push(item.clone());
                }
                None => long.push(item.clone()),
            }
        }
        if new != old {
            file::replace(&path, &new).map_err(io)?;
        }
        disk.replaced_by(&new);
        *self.memory_mut() = of(kept.iter().chain(&short).chain(&long));
        disk.unsaved = long;
        Ok(dropped)
    }
}

fn of<'a>(items: impl IntoIterator<Item = &'a Item>) -> Memory {
    let mut memory = Memory::default();
    for item in items {
        memory.insert(item.clone());
    }
    memory
}

/// The line of an item, unless it would be too long to be read again.
fn text(item: &Item) -> Option<String> {
    line::write(item).ok().filter(|text| text.len() <= line::LONGEST)
}
