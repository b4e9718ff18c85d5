//! Runs a phase on several members of a set at once.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use wgpu_fft::Error;

use super::fault::{Faults, Injection};
use super::phase::Reading;
use super::ring::{Ring, Tasks};
use super::schedule::{Reported, Schedule, Shares};
use super::set::{Member, MemberKind};
use crate::error::Result;
use crate::report::Work;
use crate::slab::{Grid, OutputShare};

/// The most bytes of a piece, input and output together. H200, 65536 rows of 4096 complex numbers,
/// ms: 463 with pieces of 16 MiB, 323 with 32 MiB, 212 with 64 MiB, 206 with 128 MiB.
const PIECE_BYTES: usize = 64 << 20;
/// The least bytes of a piece if there is enough work: submitting a piece takes 0.1 to 0.2 ms.
const LEAST_PIECE_BYTES: usize = 4 << 20;

/// How pieces pass through a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pace {
    /// Pieces in flight at once.
    pub depth: usize,
    /// The most bytes of a piece, if the caller sets them.
    pub piece_bytes: Option<usize>,
    /// The bytes of a device's memory that a job may use.
    pub memory: Option<u64>,
    /// Copy threads for each device.
    pub copy_threads: usize,
    /// How long a piece may take.
    pub timeout: Duration,
}

/// What is needed to run the phases of a job.
pub(super) struct Engine<'r> {
    pub members: &'r [Arc<Member>],
    /// The plans of each member.
    pub tasks: &'r [Tasks],
    pub pace: Pace,
    pub faults: &'r Faults,
}

/// Tells the others that a participant is gone, for whatever reason.
struct Leaving<'s, 'a> {
    schedule: &'s Schedule<'a>,
    participant: usize,
    panicked: bool,
}

impl Drop for Leaving<'_, '_> {
    fn drop(&mut self) {
        self.schedule.leave(self.participant, self.panicked);
    }
}

impl Engine<'_> {
    /// The most units of a piece for a member whose share is about `share` units.
    pub fn most_units(&self, reading: Reading<'_>, member: usize, share: usize) -> usize {
        let phase = reading.phase;
        let units = phase.units().max(1);
        let [input, output] = [phase.input.bytes / units, phase.output.bytes / units].map(|bytes| bytes.max(1));
        let of_unit = input.saturating_mul(reading.arrays()).saturating_add(output);
        // There should be enough pieces to copy one while another is computed, unless they would be
        // tiny.
        let wanted = (share.saturating_mul(of_unit) / (self.pace.depth.max(1).saturating_mul(2))).clamp(LEAST_PIECE_BYTES, PIECE_BYTES);
        let mut most = wanted.min(self.pace.piece_bytes.unwrap_or(usize::MAX)) / of_unit;
        if let Some(planner) = self.members[member].planner() {
            let limit = planner.gpu().profile().buffer_bytes;
            most = most.min((limit / input.max(output) as u64).min(usize::MAX as u64) as usize);
        }
        if let Some(memory) = self.pace.memory {
            // Each piece in flight needs arrays, staging buffers, and a workspace of the plan as
            // large as the output.
            let of_piece = (of_unit as u64).saturating_mul(2).saturating_add(output as u64);
            let each = of_piece.saturating_mul(self.pace.depth.max(1) as u64);
            most = most.min((memory / each).min(usize::MAX as u64) as usize);
        }
        (most / phase.alignment * phase.alignment).max(phase.alignment)
    }

    /// Lets a member work on a schedule until nothing is left for it.
    fn work(&self, reading: Reading<'_>, member: usize, share: usize, schedule: &Schedule<'_>, participant: usize) -> Work {
        let mut leaving = Leaving { schedule, participant, panicked: true };
        let most = self.most_units(reading, member, share);
        let least = (LEAST_PIECE_BYTES / (reading.phase.output.bytes / reading.phase.units().max(1)).max(1)).clamp(1, most);
        let faults = Injection::of(self.faults, member);
        let work = match &self.members[member].kind {
            MemberKind::Gpu(planner) => Ring {
                name: &self.members[member].name,
                participant,
                reading,
                schedule,
                planner,
                tasks: &self.tasks[member],
                least,
                most,
                depth: self.pace.depth,
                copy_threads: self.pace.copy_threads,
                timeout: self.pace.timeout,
                faults,
            }
            .run(),
            #[cfg(feature = "cpu")]
            MemberKind::Host => super::host::run(reading, schedule, participant, [least, most], faults),
        };
        leaving.panicked = false;
        work
    }

    /// Runs members in parallel, each on its own share or all on a common one. Returns what each
    /// member did, and the units that nobody has done.
    pub fn side_by_side<'a>(
        &self,
        reading: Reading<'_>,
        members: &[usize],
        shares: Shares<'a>,
        progress: Reported<'a>,
    ) -> (Vec<(usize, Work)>, Vec<OutputShare<'a>>) {
        let sizes: Vec<usize> = match &shares {
            Shares::Fixed(shares) => shares.iter().map(|stock| stock.units.len()).collect(),
            Shares::Guided(stocks) => {
                let all: usize = stocks.iter().map(|stock| stock.units.len()).sum();
                vec![all.div_ceil(members.len().max(1)); members.len()]
            }
        };
        let schedule = Schedule::new(shares, members.len(), reading.phase.output.inner, reading.phase.alignment, progress);
        let run = |participant: usize| {
            (members[participant], self.work(reading, members[participant], sizes[participant], &schedule, participant))
        };
        let works = thread::scope(|scope| {
            let run = &run;
            let spawn = |participant| {
                let thread = thread::Builder::new().name("wgpu-fft multi".to_owned());
                thread.spawn_scoped(scope, move || run(participant)).map_err(|error| (participant, error))
            };
            let others: Vec<_> = (1..members.len()).map(spawn).collect();
            let mut works = if members.is_empty() { Vec::new() } else { vec![run(0)] };
            for other in others {
                match other {
                    Ok(thread) => works.push(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
                    Err((participant, error)) => {
                        schedule.leave(participant, false);
                        let error = Error::Unsupported { what: "a thread for a device".to_owned(), why: error.to_string() };
                        works.push((members[participant], Work { error: Some(error.into()), ..Work::default() }));
                    }
                }
            }
            works
        });
        (works, schedule.left())
    }

    /// Lets members compute these numbers of units at the same time, into memory that is discarded.
    /// Returns the seconds of each.
    ///
    /// # Errors
    /// The error of the first member that fails, with the member's index.
    pub fn sample(&self, reading: Reading<'_>, asked: &[(usize, usize)]) -> std::result::Result<Vec<f64>, (usize, crate::Error)> {
        let phase = reading.phase;
        let run = |&(member, units): &(usize, usize)| -> (usize, Result<f64>) {
            let grid = Grid::new(phase.output.outer, units, phase.output.inner);
            // The memory is written once, so that no page is touched for the first time while the
            // clock runs.
            let mut memory = vec![1; grid.bytes];
            let stock = OutputShare::whole(&grid, &mut memory);
            let schedule =
                Schedule::new(Shares::Fixed(vec![stock]), 1, grid.inner, phase.alignment, Box::new(|_| ControlFlow::Continue(())));
            let begin = Instant::now();
            let work = self.work(reading, member, units, &schedule, 0);
            (member, work.error.map_or(Ok(begin.elapsed().as_secs_f64()), Err))
        };
        let results = thread::scope(|scope| {
            let run = &run;
            let others: Vec<_> = asked.iter().skip(1).map(|own| scope.spawn(move || run(own))).collect();
            let mut results: Vec<_> = asked.first().map(run).into_iter().collect();
            results.extend(others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
            results
        });
        results.into_iter().map(|(member, seconds)| seconds.map_err(|error| (member, error))).collect()
    }
}
