//! The items of a record, by specification.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::DeviceIdentity;
use super::item::{Entry, Item, Mark};
use crate::tune::rigor::Rigor;

/// Seeds that a search gets at most.
const SEEDS: usize = 8;

/// For each problem and device the newest items.
#[derive(Default, Debug)]
pub(super) struct Memory {
    best: HashMap<Arc<str>, Vec<Entry>>,
    /// The specifications of `best`, by their first two words.
    kinds: HashMap<String, Vec<Arc<str>>>,
    marks: HashMap<String, Vec<Mark>>,
}

impl Memory {
    /// Nothing, with room for the items of a text.
    pub fn with_room_for(text: &[u8]) -> Self {
        Self { best: HashMap::with_capacity(text.len() / 1024), ..Self::default() }
    }

    /// Whether it holds this item, or a newer one in its place.
    pub fn knows(&self, item: &Item) -> bool {
        match item {
            Item::Best(entry) => self.rival(entry).is_some_and(|known| known.time > entry.time || known == entry),
            Item::Mark(mark) => {
                let known = self.marks.get(&mark.spec).and_then(|marks| marks.iter().find(|known| known.is_of(mark)));
                known.is_some_and(|known| known.time > mark.time || known == mark)
            }
        }
    }

    /// Whether it holds exactly this item.
    pub fn holds(&self, item: &Item) -> bool {
        match item {
            Item::Best(entry) => self.rival(entry) == Some(entry),
            Item::Mark(mark) => self.marks.get(&mark.spec).is_some_and(|marks| marks.contains(mark)),
        }
    }

    /// Takes an item in, unless there is a newer one in its place; of equally old ones the later
    /// stays. Returns whether that changed anything.
    pub fn insert(&mut self, item: Item) -> bool {
        match item {
            Item::Best(entry) => {
                let Some(known) = self.best.get_mut(entry.spec.as_str()) else {
                    let spec: Arc<str> = entry.spec.as_str().into();
                    match self.kinds.get_mut(kind(&spec)) {
                        Some(kinds) => kinds.push(Arc::clone(&spec)),
                        None => drop(self.kinds.insert(kind(&spec).to_owned(), vec![Arc::clone(&spec)])),
                    }
                    self.best.insert(spec, vec![entry]);
                    return true;
                };
                match known.iter_mut().find(|known| known.is_of(&entry)) {
                    Some(known) if known.time > entry.time || *known == entry => return false,
                    Some(known) => *known = entry,
                    None => known.push(entry),
                }
            }
            Item::Mark(mark) => {
                let known = self.marks.entry(mark.spec.clone()).or_default();
                match known.iter_mut().find(|known| known.is_of(&mark)) {
                    Some(known) if known.time > mark.time || *known == mark => return false,
                    Some(known) => *known = mark,
                    None => known.push(mark),
                }
            }
        }
        true
    }

    fn rival(&self, entry: &Entry) -> Option<&Entry> {
        self.best.get(entry.spec.as_str())?.iter().find(|known| known.is_of(entry))
    }

    pub fn find(&self, spec: &str, device: &DeviceIdentity, rigor: Rigor) -> Option<&Entry> {
        let answers = self.best.get(spec)?.iter().filter(|entry| entry.rigor >= rigor && *entry.device == *device);
        answers.max_by_key(|entry| (entry.time, entry.rigor))
    }

    pub fn marked(&self, spec: &str, recipe: &str, device: &DeviceIdentity) -> Option<&Mark> {
        self.marks.get(spec)?.iter().find(|mark| mark.recipe == recipe && *mark.device == *device)
    }

    pub fn seeds(&self, spec: &str, device: &DeviceIdentity) -> Vec<String> {
        let distance = |entry: &Entry| {
            if *entry.device == *device {
                0
            } else if entry.device.differs_in_driver_only(device) {
                1
            } else if entry.device.is_related(device) {
                2
            } else {
                3
            }
        };
        let mut same: Vec<&Entry> = self.best.get(spec).into_iter().flatten().collect();
        same.sort_by_cached_key(|entry| (distance(entry), Reverse((entry.time, entry.rigor))));
        let siblings = self.kinds.get(kind(spec)).into_iter().flatten().filter(|sibling| &***sibling != spec);
        let mut alike: Vec<&Entry> = siblings.flat_map(|sibling| &self.best[sibling]).filter(|entry| *entry.device == *device).collect();
        alike.sort_by_key(|entry| Reverse((entry.time, entry.rigor)));
        let mut seeds: Vec<String> = Vec::with_capacity(SEEDS);
        for Entry { recipe, .. } in same.into_iter().chain(alike) {
            if seeds.len() == SEEDS {
                break;
            }
            if !seeds.contains(recipe) && self.marked(spec, recipe, device).is_none() {
                seeds.push(recipe.clone());
            }
        }
        seeds
    }

    /// All entries, by specification and time.
    pub fn entries(&self) -> Vec<Entry> {
        let mut all: Vec<Entry> = self.best.values().flatten().cloned().collect();
        all.sort_by(|a, b| (&a.spec, a.time, &a.device, a.rigor).cmp(&(&b.spec, b.time, &b.device, b.rigor)));
        all
    }

    /// All marks, by specification and time.
    pub fn marks(&self) -> Vec<Mark> {
        let mut all: Vec<Mark> = self.marks.values().flatten().cloned().collect();
        all.sort_by(|a, b| (&a.spec, a.time, &a.device, &a.recipe).cmp(&(&b.spec, b.time, &b.device, &b.recipe)));
        all
    }

    /// All items, entries first.
    pub fn items(&self) -> Vec<Item> {
        self.entries().into_iter().map(Item::Best).chain(self.marks().into_iter().map(Item::Mark)).collect()
    }
}

/// What specifications of one kind have in common, their first two words: `c2c fwd`, `sum f32`.
fn kind(spec: &str) -> &str {
    spec.match_indices(' ').nth(1).map_or(spec, |(end, _)| &spec[..end])
}
