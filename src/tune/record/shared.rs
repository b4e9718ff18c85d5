//! The state that all clones of a record share, and keeping memory and file in agreement.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::file::{self, Contents};
use super::item::Item;
use super::memory::Memory;
use super::{Import, journal};
use crate::error::Result;

/// What all clones of a record share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    memory: RwLock<Memory>,
    pub path: Option<PathBuf>,
    /// Held while the file is read or written: items that are in memory alone, so far. A
    /// thread that holds `memory` does not wait for it.
    pub file: Option<Mutex<Vec<Item>>>,
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

    pub fn file(&self) -> Option<MutexGuard<'_, Vec<Item>>> {
        Some(self.file.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says why something is in memory alone, the first time.
    pub fn warn(&self, why: impl std::fmt::Display) {
        let text = format!("measured recipes are kept only in memory: {why}");
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
        let (Some(mut unsaved), Some(path)) = (self.file(), &self.path) else { return };
        unsaved.extend(items);
        if let Err(error) = file::lock(path).and_then(|_lock| self.write_locked(path, &mut unsaved)) {
            // Another thread may have read the file meanwhile.
            self.remember(&unsaved);
            self.warn(error);
        }
    }

    /// Writes what is unsaved and what dead processes left into the file, which is locked.
    pub fn write_locked(&self, path: &Path, unsaved: &mut Vec<Item>) -> Result<()> {
        let dead = journal::recover(path);
        if dead.is_empty() && unsaved.is_empty() {
            return Ok(());
        }
        let mut contents = Contents::read(path)?;
        for item in dead.iter().filter_map(|trial| trial.mark.clone()).map(Item::Mark).chain(unsaved.iter().cloned()) {
            contents.memory.insert(item);
        }
        contents.replace(path, &contents.memory.items())?;
        *self.memory_mut() = contents.memory;
        unsaved.clear();
        dead.into_iter().for_each(journal::Dead::remove);
        Ok(())
    }

    pub fn refresh(&self) -> Import {
        let (Some(unsaved), Some(path)) = (self.file(), &self.path) else { return Import::default() };
        match Contents::read(path) {
            Ok(Contents { memory, items, unread, .. }) => {
                let accepted = memory.len();
                *self.memory_mut() = memory;
                self.remember(&unsaved);
                Import { unread: unread.len(), duplicate: items - accepted, accepted, ..Import::default() }
            }
            Err(error) => {
                self.warn(error);
                Import::default()
            }
        }
    }

    pub fn prune(&self, keep: &dyn Fn(&Item) -> bool) -> Result<usize> {
        let unsaved = self.file();
        let path = self.path.as_deref().filter(|_| unsaved.is_some());
        let _lock = path.map(file::lock).transpose()?;
        let mut contents = match path {
            Some(path) => Contents::read(path)?,
            None => Contents::default(),
        };
        let pending: Vec<Item> = match &unsaved {
            Some(unsaved) => unsaved.to_vec(),
            None => self.memory().items(),
        };
        for item in pending {
            contents.memory.insert(item);
        }
        let (kept, dropped): (Vec<Item>, Vec<Item>) = contents.memory.items().into_iter().partition(keep);
        if let Some(path) = path {
            contents.replace(path, &kept)?;
        }
        if let Some(mut unsaved) = unsaved {
            unsaved.clear();
        }
        *self.memory_mut() = Memory::of(kept);
        Ok(dropped.len())
    }
}
