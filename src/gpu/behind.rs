//! A thread that submits what was queued, while the host records what comes next.
//!
//! wgpu writes the driver's commands when an encoder is finished. For 64 small runs that takes as
//! long as recording ten to thirty of them (benches/reports/2026-11-29-python-calls).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use super::calls::{Call, Caller, Open, Refused, SUBMISSION};
use crate::error::{Cause, Error};

/// The calls that were submitted, for somebody to drop them, and the one that was refused.
type Submitted = (Vec<Call>, Option<Refused>);

/// The thread, and what it shares with those that queue.
#[derive(Debug)]
pub(super) struct Behind {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// What comes next. There is one at most: a caller with more waits, so that no host is far
    /// ahead.
    next: Option<Open>,
    is_busy: bool,
    /// The first call that was refused since somebody asked.
    refused: Option<Refused>,
    /// Dropping a caller may run code of theirs, which may queue something and so wait for this
    /// thread: they are left to the next one that queues.
    callers: Vec<Caller>,
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, what: impl FnMut(&mut State) -> bool) -> MutexGuard<'_, State> {
        self.changed.wait_while(self.lock(), what).unwrap_or_else(PoisonError::into_inner)
    }

    /// Submits what comes, until it is over.
    fn serve(&self, submit: impl Fn(Open) -> Submitted) {
        loop {
            let mut state = self.wait_while(|state| state.next.is_none() && !state.is_over);
            let Some(open) = state.next.take() else { return };
            state.is_busy = true;
            drop(state);
            self.changed.notify_all();
            // A caller that waits for this thread must learn of its panic.
            let (calls, mut refused) = catch_unwind(AssertUnwindSafe(|| submit(open))).unwrap_or_else(|_| {
                let why = Error::Wgpu { during: SUBMISSION, source: Cause::new("wgpu has panicked") };
                (Vec::new(), Some(Refused::all(why)))
            });
            // Bind groups and buffers go here.
            let callers: Vec<Caller> = calls.into_iter().filter_map(|call| call.into_caller()).collect();
            let mut state = self.lock();
            state.callers.extend(callers);
            state.refused = state.refused.take().or_else(|| refused.take());
            state.callers.extend(refused.and_then(Refused::into_caller));
            state.is_busy = false;
            drop(state);
            self.changed.notify_all();
        }
    }
}

impl Behind {
    /// A thread that submits by `submit`, which has a queue of runs of its own. None if there is no
    /// thread to be had.
    pub fn begin(submit: impl Fn(Open) -> Submitted + Send + 'static) -> Option<Self> {
        let shared = Arc::<Shared>::default();
        let own = Arc::clone(&shared);
        let thread = Builder::new().name("wgpu-fft queue".to_owned()).spawn(move || own.serve(submit));
        Some(Self { shared, thread: thread.ok()? })
    }

    /// Lets the thread submit what is open, after all that it was given before. Returns a call of
    /// those that was refused.
    pub fn hand_over(&self, mut open: MutexGuard<'_, Option<Open>>) -> Option<Refused> {
        let mut state = self.shared.wait_while(|state| state.next.is_some());
        state.next = open.take();
        let (refused, callers) = (state.refused.take(), std::mem::take(&mut state.callers));
        drop(state);
        self.shared.changed.notify_all();
        drop(open);
        drop(callers);
        refused
    }

    /// Waits until all is submitted. Returns a call that was refused, and callers to drop.
    pub fn settle(&self) -> (Option<Refused>, Vec<Caller>) {
        let mut state = self.shared.wait_while(|state| state.next.is_some() || state.is_busy);
        (state.refused.take(), std::mem::take(&mut state.callers))
    }

    /// Ends the thread, after all that it was given.
    pub fn end(self) -> Option<Refused> {
        let mut state = self.shared.lock();
        state.is_over = true;
        drop(state);
        self.shared.changed.notify_all();
        // A panic was told as a refusal.
        let _ = self.thread.join();
        let mut state = self.shared.lock();
        state.refused.take()
    }
}
