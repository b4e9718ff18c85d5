//! Collects findings.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

use crate::program::{Program, SiteId};
use crate::races::Other;
use crate::report::{AccessMode, Finding, FindingKind, Location, Report};

use super::group::local_id;

pub(super) struct Recorder<'p> {
    program: &'p Program,
    max_findings: usize,
    findings: Vec<Finding>,
    /// By place in the text, so that an inlined function has one for all its calls.
    known: HashMap<(Option<std::ops::Range<usize>>, Discriminant<FindingKind>), usize>,
    dropped: u64,
    pub workgroup: [u32; 3],
    /// When each workgroup started, in the clock of buffers.
    pub starts: Vec<(u32, [u32; 3])>,
}

impl<'p> Recorder<'p> {
    pub(super) fn new(program: &'p Program, max_findings: usize) -> Self {
        Self { program, max_findings, findings: Vec::new(), known: HashMap::new(), dropped: 0, workgroup: [0; 3], starts: Vec::new() }
    }

    /// Records a case in the invocation with this local index.
    #[cold]
    #[inline(never)]
    pub(super) fn report(&mut self, site: SiteId, invocation: u32, kind: FindingKind) {
        let key = (self.program.sites[site as usize].span.to_range(), discriminant(&kind));
        if let Some(&i) = self.known.get(&key) {
            self.findings[i].count += 1;
            return;
        }
        if self.findings.len() >= self.max_findings {
            self.dropped += 1;
            return;
        }
        self.known.insert(key, self.findings.len());
        self.findings.push(Finding {
            kind,
            location: self.location(site),
            workgroup: self.workgroup,
            invocation: local_id(self.program.workgroup_size, invocation),
            count: 1,
        });
    }

    /// Records a race. `same_workgroup`: the memory is that of one workgroup.
    #[cold]
    #[inline(never)]
    pub(super) fn race(&mut self, site: SiteId, invocation: u32, place: String, mode: AccessMode, other: Other, same_workgroup: bool) {
        let other_workgroup = if same_workgroup {
            self.workgroup
        } else {
            let i = self.starts.partition_point(|&(stamp, _)| stamp <= other.stamp);
            self.starts.get(i.wrapping_sub(1)).map_or(self.workgroup, |&(_, id)| id)
        };
        let kind = FindingKind::Race {
            place,
            mode,
            other: other.mode,
            other_line: self.line(other.site),
            other_workgroup,
            other_invocation: other.invocation.map(|i| local_id(self.program.workgroup_size, i)),
        };
        self.report(site, invocation, kind);
    }

    pub(super) fn line(&self, site: SiteId) -> u32 {
        self.program.sites[site as usize].span.location(&self.program.source).line_number
    }

    fn location(&self, site: SiteId) -> Location {
        let site = &self.program.sites[site as usize];
        let place = site.span.location(&self.program.source);
        let text = self.program.source.lines().nth(place.line_number.saturating_sub(1) as usize).unwrap_or("").trim().to_owned();
        let mut called_from = Vec::new();
        let mut caller = site.caller;
        while let Some(id) = caller {
            called_from.push(self.line(id));
            caller = self.program.sites[id as usize].caller;
        }
        Location { line: place.line_number, column: place.line_position, text, called_from }
    }

    pub(super) fn finish(self, steps: u64, source: &Arc<str>) -> Report {
        Report { findings: self.findings, dropped: self.dropped, steps, source: Some(source.clone()) }
    }
}
