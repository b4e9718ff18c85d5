//! The items of a record in memory, and their text.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::DeviceIdentity;
use super::item::{Entry, Item, Mark};
use crate::tune::rigor::Rigor;

/// Seeds that a search gets at most.
const MAX_SEEDS: usize = 8;
/// How the lines of every version begin.
const OURS: &str = r#"{"wgpu-fft":"#;
/// How lines of this format begin, in place of an object's brace.
const THIS: &str = r#"{"wgpu-fft":2,"#;

/// The newest items, by specification.
#[derive(Default, Debug)]
pub(super) struct Memory(HashMap<String, Vec<Item>>);

impl Memory {
    pub fn of(items: impl IntoIterator<Item = Item>) -> Self {
        let mut memory = Self::default();
        for item in items {
            memory.insert(item);
        }
        memory
    }

    /// Takes an item in, unless there is a newer one in its place; of equally old ones the later
    /// stays. Returns whether that changed anything.
    pub fn insert(&mut self, item: Item) -> bool {
        let new = !self.knows(&item);
        if new {
            let all = self.0.entry(item.spec().to_owned()).or_default();
            all.retain(|known| !known.is_of(&item));
            all.push(item);
        }
        new
    }

    /// Whether it holds this item, or a newer one in its place.
    pub fn knows(&self, item: &Item) -> bool {
        self.known(item.spec()).any(|known| known == item || known.is_of(item) && known.time() > item.time())
    }

    fn known(&self, spec: &str) -> impl Iterator<Item = &Item> {
        self.0.get(spec).into_iter().flatten()
    }

    pub fn find(&self, spec: &str, device: &DeviceIdentity, rigor: Rigor) -> Option<&Entry> {
        let answers = self.known(spec).filter_map(entry).filter(|entry| entry.rigor >= rigor && *entry.device == *device);
        answers.max_by_key(|entry| (entry.time, entry.rigor))
    }

    pub fn marked(&self, spec: &str, recipe: &str, device: &DeviceIdentity) -> Option<&Mark> {
        self.known(spec).filter_map(mark).find(|mark| mark.recipe == recipe && *mark.device == *device)
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
        let mut same: Vec<&Entry> = self.known(spec).filter_map(entry).collect();
        same.sort_by_cached_key(|entry| (distance(entry), Reverse((entry.time, entry.rigor))));
        let siblings = self.0.iter().filter(|(sibling, _)| *sibling != spec && kind(sibling) == kind(spec));
        let mut alike: Vec<&Entry> = siblings.flat_map(|(_, items)| items.iter().filter_map(entry)).collect();
        alike.retain(|entry| *entry.device == *device);
        alike.sort_by_key(|entry| Reverse((entry.time, entry.rigor)));
        let mut seeds: Vec<String> = Vec::with_capacity(MAX_SEEDS);
        for Entry { recipe, .. } in same.into_iter().chain(alike) {
            if seeds.len() < MAX_SEEDS && !seeds.contains(recipe) && self.marked(spec, recipe, device).is_none() {
                seeds.push(recipe.clone());
            }
        }
        seeds
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// All items: entries first, then marks, each by specification and time.
    pub fn items(&self) -> Vec<Item> {
        let mut all: Vec<Item> = self.0.values().flatten().cloned().collect();
        all.sort_by(Item::order);
        all
    }
}

pub(super) fn entry(item: &Item) -> Option<&Entry> {
    if let Item::Best(entry) = item { Some(entry) } else { None }
}

pub(super) fn mark(item: &Item) -> Option<&Mark> {
    if let Item::Mark(mark) = item { Some(mark) } else { None }
}

/// What specifications of one kind have in common, their first two words: `c2c fwd`, `sum f32`.
fn kind(spec: &str) -> &str {
    spec.match_indices(' ').nth(1).map_or(spec, |(end, _)| &spec[..end])
}

/// The line of an item, with its end.
pub(super) fn line(item: &Item) -> String {
    // Strings, numbers and lists of them can always be written.
    let object = serde_json::to_string(item).unwrap_or_default();
    format!("{THIS}{}\n", object.get(1..).unwrap_or_default())
}

/// The item of a line, or `None` if it is of another version, damaged, or not ours.
pub(super) fn read(line: &[u8]) -> Option<Item> {
    let rest = str::from_utf8(line).ok()?.trim_end().strip_prefix(THIS)?;
    let item: Item = serde_json::from_str(&format!("{{{rest}")).ok()?;
    entry(&item).is_none_or(|entry| entry.check().is_ok()).then_some(item)
}

/// The lines of a text that are not blank, without their ends.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|line| !line.trim_ascii().is_empty())
}

/// Whether a file with this text is a record: it is blank, or one of its lines begins as ours do.
pub(super) fn is_ours(text: &[u8]) -> bool {
    let mut all = lines(text).peekable();
    all.peek().is_none() || all.any(|line| line.starts_with(OURS.as_bytes()))
}
