//! The items of a record, for searches and for programs that read and write single ones.

use super::identity::DeviceIdentity;
use super::item::{Entry, Item, Mark};
use super::memory;
use super::store::Record;
use super::trial::Trial;
use crate::error;
use crate::tune::rigor::Rigor;

/// The items of a [`Record`]: what a search looks up and adds.
pub trait Items {
    /// The newest entry for a specification on exactly this device, from a search of at least this
    /// rigor. The caller must check by [`Entry::wgsl`] that its recipe still means the same
    /// program.
    #[must_use]
    fn find(&self, spec: &str, device: &DeviceIdentity, rigor: Rigor) -> Option<Entry>;

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
    fn seeds(&self, spec: &str, device: &DeviceIdentity) -> Vec<String>;

    /// The mark of a recipe that must not be tried on this device, if there is one.
    #[must_use]
    fn marked(&self, spec: &str, recipe: &str, device: &DeviceIdentity) -> Option<Mark>;

    /// All entries, sorted by specification and time.
    #[must_use]
    fn entries(&self) -> Vec<Entry>;

    /// All marks, sorted by specification and time.
    #[must_use]
    fn marks(&self) -> Vec<Mark>;

    /// Adds an entry and replaces an older one for the same specification, device and rigor. It is
    /// available at once. If it cannot be written, it stays in memory, the record
    /// [warns](Record::warning) once, and the entry is written together with the next one that can
    /// be.
    ///
    /// # Errors
    /// [`Error::Unsupported`](error::Error::Unsupported) if a time is not finite or not positive.
    fn add(&self, entry: Entry) -> error::Result<()>;

    /// Marks a recipe that must not be tried again. Marks are stored like entries.
    fn mark(&self, mark: Mark);

    /// Notes that a recipe is about to be tried that may crash the process. For a record in memory
    /// this does nothing.
    #[must_use]
    fn begin_trial(&self, spec: &str, recipe: &str, device: &DeviceIdentity) -> Trial;
}

impl Items for Record {
    fn find(&self, spec: &str, device: &DeviceIdentity, rigor: Rigor) -> Option<Entry> {
        self.0.memory().find(spec, device, rigor).cloned()
    }

    fn seeds(&self, spec: &str, device: &DeviceIdentity) -> Vec<String> {
        self.0.memory().seeds(spec, device)
    }

    fn marked(&self, spec: &str, recipe: &str, device: &DeviceIdentity) -> Option<Mark> {
        self.0.memory().marked(spec, recipe, device).cloned()
    }

    fn entries(&self) -> Vec<Entry> {
        self.0.memory().items().iter().filter_map(memory::entry).cloned().collect()
    }

    fn marks(&self) -> Vec<Mark> {
        self.0.memory().items().iter().filter_map(memory::mark).cloned().collect()
    }

    fn add(&self, entry: Entry) -> error::Result<()> {
        entry.check()?;
        self.0.take(vec![Item::Best(entry)]);
        Ok(())
    }

    fn mark(&self, mark: Mark) {
        self.0.take(vec![Item::Mark(mark)]);
    }

    fn begin_trial(&self, spec: &str, recipe: &str, device: &DeviceIdentity) -> Trial {
        Trial::begin(self, spec, recipe, device)
    }
}
