//! Who touched a word last, and whether that is a race.
//!
//! Time is a counter that grows at the start of each workgroup and at each barrier that orders the
//! memory. Workgroups run one after another, so the stamp of an access tells whether it was made in
//! this workgroup, and whether a barrier has come since. Each word keeps its last plain write, its
//! last plain read and its last atomic operation, and for each of them one older stamp from another
//! workgroup. Nothing is cleared between workgroups.

use crate::program::SiteId;
use crate::report::AccessMode;

/// Stands for several invocations.
const SEVERAL: u16 = u16::MAX;

/// The last access of one kind.
#[derive(Clone, Copy, Default)]
struct Record {
    /// 0: never.
    stamp: u32,
    /// The last access by an earlier workgroup. 0: never.
    earlier: u32,
    site: SiteId,
    earlier_site: SiteId,
    invocation: u16,
    /// For atomic operations: whether any of them was more than a load.
    writes: bool,
}

impl Record {
    /// Whether an access now by `invocation` meets one of these without order between.
    #[inline(always)]
    fn meets(&self, clock: &Clock, invocation: u16) -> bool {
        if self.stamp == 0 {
            return false;
        }
        let foreign = clock.shared && (self.earlier != 0 || self.stamp < clock.workgroup);
        foreign || (self.stamp == clock.now && self.invocation != invocation)
    }

    #[inline(always)]
    fn note(&mut self, clock: &Clock, invocation: u16, site: SiteId, writes: bool) {
        if self.stamp == clock.now && self.invocation != invocation {
            self.invocation = SEVERAL;
            self.writes |= writes;
            return;
        }
        if clock.shared && self.stamp != 0 && self.stamp < clock.workgroup {
            self.earlier = self.stamp;
            self.earlier_site = self.site;
        }
        // A write by an earlier workgroup is not forgotten.
        self.writes = writes || (self.writes && (self.earlier != 0 || self.stamp == clock.now));
        self.stamp = clock.now;
        self.site = site;
        self.invocation = invocation;
    }
}

/// Time in one kind of memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    pub now: u32,
    /// When the running workgroup started.
    pub workgroup: u32,
    /// Whether other workgroups reach the same memory.
    pub shared: bool,
}

/// The other side of a race.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Other {
    pub mode: AccessMode,
    pub site: SiteId,
    /// None: several, or nobody knows which.
    pub invocation: Option<u32>,
    pub stamp: u32,
}

/// The accesses of one array, per word or half word.
#[derive(Default)]
pub(crate) struct Shadow {
    length: usize,
    writes: Vec<Record>,
    reads: Vec<Record>,
    atomics: Vec<Record>,
}

#[inline(always)]
fn other(record: &Record, mode: AccessMode, clock: &Clock, invocation: u16) -> Option<Other> {
    record.meets(clock, invocation).then(|| {
        let foreign =
            record.earlier != 0 && !(record.stamp == clock.now && record.invocation != invocation) && record.stamp >= clock.workgroup;
        Other {
            mode,
            site: if foreign { record.earlier_site } else { record.site },
            invocation: (record.invocation != SEVERAL && !foreign).then_some(record.invocation as u32),
            stamp: if foreign { record.earlier } else { record.stamp },
        }
    })
}

impl Shadow {
    /// For an array of so many places. Records are made when there is something to note.
    pub(crate) fn new(length: usize) -> Self {
        Self { length, ..Self::default() }
    }

    #[inline(always)]
    pub(crate) fn read(&mut self, at: usize, clock: &Clock, invocation: u32, site: SiteId) -> Option<Other> {
        let me = invocation as u16;
        if self.reads.is_empty() {
            self.reads = vec![Record::default(); self.length];
        }
        self.reads[at].note(clock, me, site, false);
        let atomic = || self.atomics.get(at).filter(|record| record.writes).and_then(|record| other(record, AccessMode::Atomic, clock, me));
        self.writer(at, clock, me).or_else(atomic)
    }

    #[inline(always)]
    pub(crate) fn write(&mut self, at: usize, clock: &Clock, invocation: u32, site: SiteId) -> Option<Other> {
        let me = invocation as u16;
        if self.writes.is_empty() {
            self.writes = vec![Record::default(); self.length];
        }
        let found = self.others(at, clock, me);
        self.writes[at].note(clock, me, site, true);
        found
    }

    #[inline(always)]
    fn others(&self, at: usize, clock: &Clock, me: u16) -> Option<Other> {
        let atomic = || self.atomics.get(at).and_then(|record| other(record, AccessMode::Atomic, clock, me));
        self.writer(at, clock, me).or_else(|| self.reader(at, clock, me)).or_else(atomic)
    }

    /// The plain write that an access now meets.
    #[inline(always)]
    fn writer(&self, at: usize, clock: &Clock, me: u16) -> Option<Other> {
        self.writes.get(at).and_then(|record| other(record, AccessMode::Write, clock, me))
    }

    /// The plain read that an access now meets.
    #[inline(always)]
    fn reader(&self, at: usize, clock: &Clock, me: u16) -> Option<Other> {
        self.reads.get(at).and_then(|record| other(record, AccessMode::Read, clock, me))
    }

    pub(crate) fn atomic(&mut self, at: usize, clock: &Clock, invocation: u32, site: SiteId, writes: bool) -> Option<Other> {
        let me = invocation as u16;
        if self.atomics.is_empty() {
            self.atomics = vec![Record::default(); self.length];
        }
        self.atomics[at].note(clock, me, site, writes);
        self.writer(at, clock, me).or_else(|| if writes { self.reader(at, clock, me) } else { None })
    }
}
