//! How the lines of a file were classified.

use std::fmt;

/// The number of lines of each class in a file. Each line that is not blank counts once, in the
/// first class that applies, in this order: unread, duplicate, stale, foreign, accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Import {
    /// Lines that cannot be read: of another version of this crate, damaged, or of something else.
    pub unread: usize,
    /// Items that the record already has, or has a newer version of.
    pub duplicate: usize,
    /// Entries that the caller's check rejected, such as those measured with other shaders. They
    /// are not added.
    pub stale: usize,
    /// Items of a device other than the caller's. They are added, because searches also start from
    /// recipes that were fast elsewhere.
    pub foreign: usize,
    /// All other items. They are added.
    pub accepted: usize,
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unread, duplicate, stale, foreign, accepted } = *self;
        write!(f, "{accepted} accepted")?;
        let others = [(foreign, "of another device"), (duplicate, "already known"), (stale, "stale"), (unread, "not readable")];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, ", {count} {what}")?;
        }
        Ok(())
    }
}
