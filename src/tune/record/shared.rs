//! The state that all clones of a record share, and keeping memory and file in agreement.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::error::RecordError;
use super::file::{self, Disk};
use super::item::Item;
use super::line::{self, Reader, RecordLine};
use super::memory::Memory;
use super::{Import, journal};

#[derive(Debug, Default)]
pub(super) struct Shared {
    memory: RwLock<Memory>,
    /// Held while the file is read or written. Whoever holds `memory` does not wait for it.
    pub disk: Option<Mutex<Disk>>,
    pub path: Option<PathBuf>,
    pub warning: OnceLock<String>,
    pub report: Import,
}

impl Shared {
    // What a panic elsewhere left is whole: each change of these is a single step.
    pub fn memory(&self) -> RwLockReadGuard<'_, Memory> {
        self.memory.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory_mut(&self) -> RwLockWriteGuard<'_, Memory> {
        self.memory.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn disk(&self) -> Option<MutexGuard<'_, Disk>> {
        Some(self.disk.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says why something is in memory alone, the first time.
    pub fn warn(&self, why: impl std::fmt::Display) {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        let text = format!("the record of measured recipes in {} keeps results only in memory: {why}", path.display());
        if self.warning.set(text.clone()).is_ok() {
            log::warn!("{text}");
        }
    }

    /// Takes items in, and writes them if it can.
    pub fn take(&self, items: Vec<Item>) {
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
    pub fn write(&self, items: Vec<Item>) {
        let Some(mut disk) = self.disk() else { return };
        // Again: another thread may have read the file anew meanwhile.
        self.remember(&items);
        disk.unsaved.extend(items);
        if let Err(error) = self.write_to(&mut disk) {
            self.warn(error);
        }
    }

    /// Locks the file and writes what is unsaved. The lock lasts as long as what is returned; there
    /// is none for a file that is not to be touched.
    pub fn write_to(&self, disk: &mut Disk) -> std::io::Result<Option<std::fs::File>> {
        if disk.refused.is_some() {
            return Ok(None);
        }
        let lock = file::lock(&disk.path)?;
        self.pull(disk)?;
        if disk.refused.is_some() {
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

    pub fn refresh(&self) -> Import {
        let Some(mut disk) = self.disk() else { return Import::default() };
        self.pull(&mut disk).unwrap_or_else(|error| {
            self.warn(error);
            Import::default()
        })
    }

    /// Takes in what is new in the file.
    fn pull(&self, disk: &mut Disk) -> std::io::Result<Import> {
        if disk.refused.is_some() {
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
                    RecordLine::Blank => {}
                    RecordLine::Unknown => report.unknown += 1,
                    RecordLine::Corrupt => report.corrupt += 1,
                    RecordLine::Item(item) => {
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

    /// Writes the file anew, with the newest items that `keep` wants and the lines of other
    /// formats.
    pub fn rewrite(&self, keep: &dyn Fn(&Item) -> bool) -> Result<usize, RecordError> {
        let Some(mut disk) = self.disk() else {
            let items = self.memory().items();
            let all = items.len();
            let kept: Vec<Item> = items.into_iter().filter(keep).collect();
            *self.memory_mut() = of(&kept);
            return Ok(all - kept.len());
        };
        let path = disk.path.clone();
        if let Some(refused) = disk.refused {
            return Err(refused.of(&path));
        }
        let _lock = file::lock(&path).map_err(RecordError::io(&path))?;
        let old = file::read_whole(&path)?.unwrap_or_default();
        let mut reader = Reader::default();
        let lines: Vec<(&[u8], RecordLine)> = line::lines(&old).map(|line| (line, reader.read(line))).collect();
        let mut newest = Memory::default();
        for item in
            lines.iter().filter_map(|(_, line)| if let RecordLine::Item(item) = line { Some(item) } else { None }).chain(&disk.unsaved)
        {
            newest.insert(item.clone());
        }
        let (mut new, mut kept, mut seen, mut dropped) = (Vec::with_capacity(old.len()), Vec::new(), HashSet::new(), 0);
        for (text, line) in lines {
            let wanted = match line {
                RecordLine::Blank => continue,
                RecordLine::Corrupt => false,
                RecordLine::Unknown => true,
                RecordLine::Item(item) => {
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
            file::replace(&path, &new).map_err(RecordError::io(&path))?;
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
pub(super) fn text(item: &Item) -> Option<String> {
    line::write(item).ok().filter(|text| text.len() <= line::LONGEST)
}
