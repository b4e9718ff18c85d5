//! Finds out which rank does not answer.
//!
//! A rank that has waited in vain calls all others and tells them what it is doing. Ranks that wait
//! look for such calls, and answer by calling all others as well. A rank that has not called after a
//! short time is silent. The first rank that is there decides, so that all return the same error: its
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

/// How long to sleep between two looks at the messages.
const GLANCE: Duration = Duration::from_micros(100);
/// How long the answers are waited for. A rank that waits answers within a millisecond, unless the
/// machine is overloaded.
const LONGEST: Duration = Duration::from_secs(3);

/// What the first rank that is there has found out.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Verdict {
    /// What it was doing.
    phase: Phase,
    /// What another rank that answers was doing; the same if all do the same.
    other: Phase,
    /// How long those that answer had waited at most.
    waited: Duration,
    /// In an exchange: how many messages had arrived, of how many.
    arrived: usize,
    messages: usize,
    /// The ranks that do not answer.
    silent: Vec<usize>,
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Verdict {
    /// The verdict as numbers, for a message.
    fn to_numbers(&self) -> Vec<u64> {
        let [phase, other] = [self.phase, self.other].map(|phase| phase.code() as u64);
        let numbers = [phase, other, millis(self.waited), self.arrived as u64, self.messages as u64];
        numbers.into_iter().chain(self.silent.iter().map(|rank| *rank as u64)).collect()
    }

    fn of_numbers(numbers: &[u64]) -> Self {
        let number = |i: usize| numbers.get(i).copied().unwrap_or(0);
        let [phase, other] = [0, 1].map(|i| Phase::of_code(number(i) as i64));
        let silent = numbers.iter().skip(5).map(|rank| *rank as usize).collect();
        let [arrived, messages] = [3, 4].map(|i| number(i) as usize);
        Self { phase, other, waited: Duration::from_millis(number(2)), arrived, messages, silent }
    }

    fn error(&self) -> Error {
        let Self { phase, other, waited, arrived, messages, ref silent } = *self;
        // All answer, but not all are in the same call.
        if silent.is_empty() && phase != other {
            return Error::OutOfStep { one: phase.min(other), other: phase.max(other) };
        }
        Error::RankSilent { ranks: silent.clone(), during: phase, waited, arrived, messages }
    }
}

impl Link {
    /// Whether another rank calls.
    pub fn is_called(&self) -> bool {
        [CALL, VERDICT].iter().any(|tag| self.comm.any_process().immediate_probe_with_tag(*tag).is_some())
    }

    /// Calls all ranks, and returns the error that this rank and all that answer return. From now
    /// on the link returns nothing else. `waited` is how long this rank has waited.
    pub fn roll_call(&self, waited: Duration) -> Error {
        let phase = self.state.phase.get();
        self.tell(CALL, &[phase.code() as u64, millis(waited)]);
        let mut phases: Vec<Option<Phase>> = vec![None; self.size()];
        phases[self.rank()] = Some(phase);
        let patience = LONGEST.min(self.longest_wait());
        let begin = Instant::now();
        // One of those that answer may have waited longer.
        let (mut verdict, mut longest) = (None, millis(waited));
        while verdict.is_none() && begin.elapsed() < patience && phases.contains(&None) {
            if let Some((rank, numbers)) = self.hear(CALL) {
                phases[rank] = numbers.first().map(|code| Phase::of_code(*code as i64));
                longest = longest.max(numbers.get(1).copied().unwrap_or(0));
            }
            verdict = self.hear(VERDICT);
            std::thread::sleep(GLANCE);
        }
        let leader = phases.iter().position(Option::is_some).unwrap_or(self.rank());
        if leader != self.rank() {
            // The leader waits as long as this rank did, from when it was called.
            let begin = Instant::now();
            while verdict.is_none() && begin.elapsed() < 2 * patience {
                verdict = self.hear(VERDICT);
                std::thread::sleep(GLANCE);
            }
        }
        let numbers = verdict.map_or_else(
            || {
                let own = self.verdict(&phases, Duration::from_millis(longest)).to_numbers();
                self.tell(VERDICT, &own);
                own
            },
            |(_, numbers)| numbers,
        );
        // This rank reads its own numbers too, so that all have the same error to the digit.
        let error = Verdict::of_numbers(&numbers).error();
        *self.state.broken.borrow_mut() = Some(error.clone());
        self.keep_for_ever();
        error
    }

    /// Operations that never finish keep the communicator, which therefore must never be freed.
    pub(super) fn keep_for_ever(&self) {
        std::mem::forget(std::rc::Rc::clone(&self.comm));
    }

    /// What this rank makes of the answers.
    fn verdict(&self, phases: &[Option<Phase>], waited: Duration) -> Verdict {
        let (phase, [arrived, messages]) = (self.state.phase.get(), self.state.arrived.get());
        let other = phases.iter().flatten().copied().find(|other| *other != phase).unwrap_or(phase);
        let silent = (0..self.size()).filter(|rank| phases[*rank].is_none()).collect();
        Verdict { phase, other, waited, arrived, messages, silent }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_travel_as_numbers() {
        let waited = Duration::from_millis(1500);
        let verdict = Verdict { phase: Phase::Return, other: Phase::Rows, waited, arrived: 2, messages: 9, silent: vec![1, 3] };
        assert_eq!(Verdict::of_numbers(&verdict.to_numbers()), verdict);
        let silent = Error::RankSilent { ranks: vec![1, 3], during: Phase::Return, waited, arrived: 2, messages: 9 };
        assert_eq!(verdict.error(), silent);
        let all_answer = Verdict { silent: Vec::new(), ..verdict };
        assert_eq!(all_answer.error(), Error::OutOfStep { one: Phase::Rows, other: Phase::Return });
    }
}
