//! Assigns the units of a phase to the participants, also when a device fails.

use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::slab::OutputShare;

/// What is called with the number of units that are done.
pub(crate) type Reported<'a> = Box<dyn Fn(usize) -> ControlFlow<()> + Sync + 'a>;

/// The units of a phase that have not been done yet.
pub(crate) struct Schedule<'a> {
    state: Mutex<State<'a>>,
    changed: Condvar,
    /// Bytes of a unit of the target.
    inner: usize,
    alignment: usize,
    /// Called after each piece with the number of units done so far. It may end all.
    progress: Reported<'a>,
}

struct State<'a> {
    /// The remaining share of each participant.
    shares: Vec<OutputShare<'a>>,
    /// Units for anyone: everything in a dynamic schedule, otherwise what failed devices have left.
    common: Vec<OutputShare<'a>>,
    /// Units that are not done, including pieces in flight.
    open: usize,
    units: usize,
    /// The number of participants who may still take units.
    active: usize,
    /// Whether nobody takes more: a participant has panicked, so that its units are gone, or the caller
    /// wants no more.
    broken: bool,
}

/// Shares of units that devices take until none are left.
pub(crate) enum Shares<'a> {
    /// One share for each participant.
    Fixed(Vec<OutputShare<'a>>),
    /// Any free participant takes the next units, fewer towards the end.
    Guided(Vec<OutputShare<'a>>),
}

impl<'a> Schedule<'a> {
    pub fn new(shares: Shares<'a>, participants: usize, inner: usize, alignment: usize, progress: Reported<'a>) -> Self {
        let (shares, common) = match shares {
            Shares::Fixed(shares) => (shares, Vec::new()),
            Shares::Guided(stocks) => (Vec::new(), stocks),
        };
        let units = shares.iter().chain(&common).map(|stock| stock.units.len()).sum();
        let state = State { shares, common, open: units, units, active: participants, broken: false };
        Self { state: Mutex::new(state), changed: Condvar::new(), inner, alignment: alignment.max(1), progress }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next units for a participant, at most `most`. If none are available but a failing
    /// device might return some, it waits if `wait` is set.
    ///
    /// In a dynamic schedule a piece has at least `least` units, as long as there are enough for
    /// everyone.
    pub fn take(&self, participant: usize, [least, most]: [usize; 2], wait: bool) -> Option<OutputShare<'a>> {
        let most = most.max(1);
        let mut state = self.lock();
        loop {
            if state.broken || state.open == 0 {
                return None;
            }
            if let Some(own) = state.shares.get_mut(participant).filter(|own| !own.units.is_empty()) {
                // Pieces have equal sizes, so that few plans are needed.
                let pieces = own.units.len().div_ceil(most);
                let count = own.units.len().div_ceil(pieces).next_multiple_of(self.alignment).min(most.max(self.alignment));
                return Some(own.take(count, self.inner));
            }
            let active = state.active.max(1);
            if let Some(stock) = state.common.last_mut() {
                // Guided self-scheduling: half of an even share of what is left, in few different
                // sizes.
                let even = stock.units.len() / active;
                let wanted = ((even / 2).max(least.min(even)) / self.alignment).max(1);
                let count = ((1 << wanted.ilog2()) * self.alignment).min(most.max(self.alignment));
                let piece = stock.take(count, self.inner);
                if stock.units.is_empty() {
                    state.common.pop();
                }
                return Some(piece);
            }
            if !wait {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The units that a participant could still take, apart from its pieces in flight.
    pub fn available(&self, participant: usize) -> usize {
        let state = self.lock();
        let own = state.shares.get(participant).map_or(0, |own| own.units.len());
        own + state.common.iter().map(|stock| stock.units.len()).sum::<usize>()
    }

    /// Whether there is nothing left to do or to wait for.
    pub fn is_over(&self) -> bool {
        let state = self.lock();
        state.broken || state.open == 0
    }

    /// Reports that `units` units are done.
    pub fn done(&self, units: usize) {
        let mut state = self.lock();
        state.open -= units;
        let done = state.units - state.open;
        if state.open == 0 {
            self.changed.notify_all();
        }
        drop(state);
        if (self.progress)(done).is_break() {
            self.lock().broken = true;
            self.changed.notify_all();
        }
    }

    /// Returns units that were not done, for anyone to take.
    pub fn give_back(&self, piece: OutputShare<'a>) {
        if piece.units.is_empty() {
            return;
        }
        self.lock().common.push(piece);
        self.changed.notify_all();
    }

    /// Removes a participant. The others can take the rest of its share. If it has panicked,
    /// everyone stops.
    pub fn leave(&self, participant: usize, panicked: bool) {
        let mut state = self.lock();
        state.active -= 1;
        state.broken |= panicked;
        if let Some(own) = state.shares.get_mut(participant).filter(|own| !own.units.is_empty()) {
            let left = own.take(usize::MAX, self.inner);
            state.common.push(left);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The units that nobody has done, after all participants have left.
    pub fn left(self) -> Vec<OutputShare<'a>> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.common.into_iter().chain(state.shares).filter(|stock| !stock.units.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slab::Grid;

    fn counted(shares: impl FnOnce(OutputShare<'_>) -> Shares<'_>, alignment: usize, run: impl FnOnce(&Schedule<'_>)) {
        let grid = Grid::new(1, 100, 1);
        let mut bytes = vec![0; 100];
        let schedule =
            Schedule::new(shares(OutputShare::whole(&grid, &mut bytes)), 2, 1, alignment, Box::new(|_| ControlFlow::Continue(())));
        run(&schedule);
    }

    #[test]
    fn a_share_comes_in_pieces_of_equal_size() {
        counted(
            |stock| Shares::Fixed(stock.cut(&[90, 10], 1)),
            4,
            |schedule| {
                let sizes: Vec<usize> = std::iter::from_fn(|| schedule.take(0, [1, 40], false)).map(|piece| piece.units.len()).collect();
                assert_eq!(sizes, [32, 32, 26]);
                assert_eq!(schedule.take(1, [1, 40], false).unwrap().units, 90..100);
            },
        );
    }

    #[test]
    fn guided_pieces_become_smaller_and_have_few_sizes() {
        counted(
            |stock| Shares::Guided(vec![stock]),
            1,
            |schedule| {
                let sizes: Vec<usize> = std::iter::from_fn(|| schedule.take(0, [1, 100], false)).map(|piece| piece.units.len()).collect();
                assert_eq!(sizes.iter().sum::<usize>(), 100);
                assert!(sizes.iter().all(|size| size.is_power_of_two()) && sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
            },
        );
    }

    #[test]
    fn what_a_participant_leaves_is_for_the_others() {
        counted(
            |stock| Shares::Fixed(stock.cut(&[50, 50], 1)),
            1,
            |schedule| {
                let piece = schedule.take(0, [1, 20], false).unwrap();
                schedule.give_back(piece);
                schedule.leave(0, false);
                let mut units = 0;
                while let Some(piece) = schedule.take(1, [1, 100], true) {
                    units += piece.units.len();
                    schedule.done(piece.units.len());
                }
                assert_eq!(units, 100);
            },
        );
    }
}
