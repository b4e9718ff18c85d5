//! What became of the lines of a file.

use std::fmt;

/// How many lines of a file were what. Each line that is not blank is counted once, by the first of
/// these that it is: unknown, corrupt, duplicate, stale, foreign, accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Import {
    /// Lines of another format or of a kind that this version does not know. Not read, but kept in
    /// the file that they are in.
    pub unknown: usize,
    /// Lines of ours that were damaged, and lines that never were ours. Rewriting the file drops
    /// them.
    pub corrupt: usize,
    /// Items that the record had already, or has something newer in place of.
    pub duplicate: usize,
    /// Entries that the caller's check found to be of no use here, such as those measured with
    /// other shaders. Not taken in.
    pub stale: usize,
    /// Items of another device than the caller's. Taken in, as searches begin with what was fast
    /// elsewhere.
    pub foreign: usize,
    /// All others. Taken in.
    pub accepted: usize,
}

impl Import {
    /// Lines that are not blank.
    #[must_use]
    pub fn lines(&self) -> usize {
        let Self { unknown, corrupt, duplicate, stale, foreign, accepted } = self;
        unknown + corrupt + duplicate + stale + foreign + accepted
    }
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unknown, corrupt, duplicate, stale, foreign, accepted } = *self;
        write!(f, "{accepted} accepted")?;
        let others = [
            (foreign, "of another device"),
            (duplicate, "already known"),
            (stale, "stale"),
            (corrupt, "corrupt"),
            (unknown, "of another version's format"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, ", {count} {what}")?;
        }
        Ok(())
    }
}
