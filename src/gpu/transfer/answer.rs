//! wgpu's answer to a request for mapping, to be looked at or awaited.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// What wgpu says.
type Mapped = Result<(), wgpu::BufferAsyncError>;

#[derive(Debug)]
enum State {
    Asked(Option<Waker>),
    Given(Mapped),
    /// The request was dropped without an answer.
    Dropped,
}

/// An answer that arrives once.
#[derive(Debug)]
pub(super) struct Answer(Arc<Mutex<State>>);

/// Gives the answer, or says that there is none when it is dropped.
struct Reply(Arc<Mutex<State>>);

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reply {
    fn set(&self, new: State) {
        let mut state = lock(&self.0);
        if !matches!(*state, State::Asked(_)) {
            return;
        }
        let State::Asked(waker) = std::mem::replace(&mut *state, new) else { return };
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.set(State::Dropped);
    }
}

impl Answer {
    /// Asks for `bytes` of a buffer to be mapped.
    pub fn of(buffer: &wgpu::Buffer, mode: wgpu::MapMode, bytes: u64) -> Self {
        let state = Arc::new(Mutex::new(State::Asked(None)));
        let reply = Reply(Arc::clone(&state));
        buffer.map_async(mode, ..bytes, move |mapped| reply.set(State::Given(mapped)));
        Self(state)
    }

    /// The answer if it is there, or the reason why there is no mapping.
    pub fn look(&self) -> Option<Result<(), String>> {
        match &*lock(&self.0) {
            State::Asked(_) => None,
            State::Given(mapped) => Some(mapped.clone().map_err(|error| error.to_string())),
            State::Dropped => Some(Err("the device dropped the request".to_owned())),
        }
    }

    /// The same for a task, which is woken when the answer is there.
    pub fn poll(&self, context: &mut Context<'_>) -> Poll<Result<(), String>> {
        if let State::Asked(waker) = &mut *lock(&self.0) {
            *waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        self.look().map_or(Poll::Pending, Poll::Ready)
    }
}
