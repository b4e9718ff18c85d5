//! Finds out which rank does not answer.
//!
//! A rank that has waited in vain calls all others and tells them what it is doing. Ranks that wait
//! look for such calls, and answer by calling all others as well. Who has not called after a short
//! time is silent. The first rank that is there decides, so that all return the same error: its
//! verdict goes to every rank, and one that wakes up later still finds it.

use std::time::{Duration, Instant};

use mpi::request::StaticScope;
use mpi::traits::*;

use super::link::Link;
use super::message::UnderWay;
use super::phase::Phase;
use crate::error::Error;

/// The tags of calls and of verdicts.
const CALL: i32 = 2;
const VERDICT: i32 = 3;

/// How long the answers are waited for. A rank that waits answers within a millisecond, unless the
/// machine is overloaded.
const LONGEST: Duration = Duration::from_secs(3);

impl Link {
    /// Whether another rank calls.
    pub fn is_called(&self) -> bool {
        [CALL, VERDICT].iter().any(|tag| self.comm.any_process().immediate_probe_with_tag(*tag).is_some())
    }

    /// Calls all ranks, and returns the error that this rank and all that answer return. From now
    /// on the link returns nothing else. `waited` is how long this rank has waited.
    pub fn roll_call(&self, waited: Duration) -> Error {
        let (phase, [arrived, messages]) = (self.state.phase.get(), self.state.arrived.get());
        self.tell(CALL, &[phase.code() as u64]);
        let mut phases: Vec<Option<Phase>> = vec![None; self.size()];
        phases[self.rank()] = Some(phase);
        let patience = LONGEST.min(self.longest_wait());
        let begin = Instant::now();
        let mut verdict = None;
        while verdict.is_none() && begin.elapsed() < patience && phases.contains(&None) {
            if let Some((rank, numbers)) = self.hear(CALL) {
                phases[rank] = numbers.first().map(|code| Phase::of_code(*code as i64));
            }
            verdict = self.hear(VERDICT);
            std::thread::sleep(Duration::from_micros(100));
        }
        let leader = phases.iter().position(Option::is_some).unwrap_or(self.rank());
        if verdict.is_none() && leader != self.rank() {
            // The leader waits as long as this rank did, from when it was called.
            let begin = Instant::now();
            while verdict.is_none() && begin.elapsed() < 2 * patience {
                verdict = self.hear(VERDICT);
                std::thread::sleep(Duration::from_micros(100));
            }
        }
        let numbers = verdict.map_or_else(
            || {
                let own = [phase.code() as u64, waited.as_millis() as u64, arrived as u64, messages as u64];
                let silent = phases.iter().enumerate().filter(|(_, phase)| phase.is_none());
                let own: Vec<u64> = own.into_iter().chain(silent.map(|(rank, _)| rank as u64)).collect();
                self.tell(VERDICT, &own);
                own
            },
            |(_, numbers)| numbers,
        );
        let error = self.error_of(&numbers, &phases);
        *self.state.broken.borrow_mut() = Some(error.clone());
        // Operations that never finish keep the communicator, which therefore must never be freed.
        std::mem::forget(std::rc::Rc::clone(&self.comm));
        error
    }

    fn error_of(&self, verdict: &[u64], phases: &[Option<Phase>]) -> Error {
        let number = |i: usize| verdict.get(i).copied().unwrap_or(0);
        let during = Phase::of_code(number(0) as i64);
        let ranks: Vec<usize> = verdict.iter().skip(4).map(|rank| *rank as usize).collect();
        let other = phases.iter().flatten().find(|other| **other != during);
        match other {
            // All answer, but not all are in the same call.
            Some(&other) if ranks.is_empty() => Error::OutOfStep { one: during.min(other), other: during.max(other) },
            _ => Error::RankSilent {
                ranks,
                during,
                waited: Duration::from_millis(number(1)),
                arrived: number(2) as usize,
                messages: number(3) as usize,
            },
        }
    }

    /// Sends numbers to all other ranks. A few numbers are sent at once, whether somebody receives
    /// them or not.
    fn tell(&self, tag: i32, numbers: &[u64]) {
        for rank in (0..self.size()).filter(|rank| *rank != self.rank()) {
            let process = self.comm.process_at_rank(rank as i32);
            let mut sending = UnderWay::begin(numbers.to_vec(), |numbers| process.immediate_send_with_tag(StaticScope, &*numbers, tag));
            sending.finished();
        }
    }

    /// The rank and the numbers of a message that has arrived.
    fn hear(&self, tag: i32) -> Option<(usize, Vec<u64>)> {
        let status = self.comm.any_process().immediate_probe_with_tag(tag)?;
        let (numbers, _) = self.comm.process_at_rank(status.source_rank()).receive_vec_with_tag::<u64>(tag);
        Some((status.source_rank() as usize, numbers))
    }
}
