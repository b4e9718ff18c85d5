//! What was submitted to a device, so that an error can say how far it came.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Submissions that are remembered at most. The number of those that are done is a lower bound
/// while more are under way.
const REMEMBERED: usize = 256;

/// Counts this crate's submissions to a device. The device is asked only when somebody wants to
/// know how far it is.
#[derive(Debug, Default)]
pub(super) struct Submissions(Mutex<Log<wgpu::SubmissionIndex>>);

#[derive(Debug)]
struct Log<S> {
    made: u64,
    /// Known to be done: this one and all before it.
    done: u64,
    /// Those that are not known to be done, the oldest first.
    open: VecDeque<(u64, S)>,
}

impl<S> Default for Log<S> {
    fn default() -> Self {
        Self { made: 0, done: 0, open: VecDeque::new() }
    }
}

/// How many submissions are done, of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Count {
    pub done: u64,
    pub made: u64,
}

impl Submissions {
    pub fn add(&self, submission: &wgpu::SubmissionIndex) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(submission.clone());
    }

    /// Asks which of them are done.
    pub fn count(&self, is_done: impl Fn(&wgpu::SubmissionIndex) -> bool) -> Count {
        let log = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Asking may run callbacks of others, so the lock is free meanwhile.
        let open: Vec<_> = log().open.iter().cloned().collect();
        let last = open.iter().take_while(|(_, submission)| is_done(submission)).last();
        log().count(last.map_or(0, |(number, _)| *number))
    }
}

impl<S> Log<S> {
    fn add(&mut self, submission: S) {
        self.made += 1;
        self.open.push_back((self.made, submission));
        if self.open.len() > REMEMBERED {
            self.open.pop_front();
        }
    }

    /// Those up to this number are done.
    fn count(&mut self, done: u64) -> Count {
        self.done = self.done.max(done);
        let still = self.open.partition_point(|(number, _)| *number <= self.done);
        drop(self.open.drain(..still));
        Count { done: self.done, made: self.made }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_are_done_are_counted() {
        let mut log = Log::default();
        assert_eq!(log.count(0), Count { done: 0, made: 0 });
        (0..5).for_each(|i| log.add(i));
        assert_eq!((log.count(2), log.open.len()), (Count { done: 2, made: 5 }, 3));
        // Another thread may have asked earlier.
        assert_eq!((log.count(1), log.open.len()), (Count { done: 2, made: 5 }, 3));
        assert_eq!((log.count(5), log.open.len()), (Count { done: 5, made: 5 }, 0));
    }

    #[test]
    fn a_bounded_number_is_remembered() {
        let mut log = Log::default();
        (0..10 * REMEMBERED).for_each(|i| log.add(i));
        assert_eq!(log.open.len(), REMEMBERED);
        assert_eq!(log.count(0), Count { done: 0, made: 2560 });
        assert_eq!((log.count(2500), log.open.len()), (Count { done: 2500, made: 2560 }, 60));
    }
}
