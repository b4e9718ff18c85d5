//! Runs that go on while the caller works.
//!
//! Whatever waits in a run is a future. A call that blocks polls it once: then [`Link::pause`] sleeps
//! until there is something to do, and the future is ready when that returns. A run that was started
//! is polled whenever the caller asks for it, and gives the thread back wherever it would sleep.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use super::failure::{Outcome, panicked};
use super::link::Link;
use crate::error::{Error, Result};

/// A run of a [`Job`](crate::Job) that was [started](crate::Job::start).
///
/// It goes on in [`test`](Self::test) and in [`wait`](Self::wait), on the thread that calls them: MPI
/// itself needs no second thread for that. What was submitted to the device and what MPI has begun to
/// send goes on meanwhile. Until it is waited for or dropped, other calls on its cluster are refused.
/// Dropping it waits, because the other ranks need this one. A panic that drops
/// it does not wait, and later calls return [`RunAbandoned`](crate::Error::RunAbandoned).
#[must_use = "a run goes on in `test` and `wait`"]
pub struct Running<'r, T> {
    link: Link,
    /// Until it is done.
    future: Option<Pin<Box<dyn Future<Output = Result<T>> + 'r>>>,
    result: Option<Result<T>>,
}

impl<T> std::fmt::Debug for Running<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("is_done", &self.future.is_none()).finish_non_exhaustive()
    }
}

impl<'r, T> Running<'r, T> {
    pub(super) fn begin(link: &Link, run: impl Future<Output = Result<T>> + 'r) -> Result<Self> {
        link.check_idle()?;
        link.state.started.set(true);
        let mut own = Self { link: link.clone(), future: Some(Box::pin(run)), result: None };
        own.test();
        Ok(own)
    }

    /// Goes on with what can be done without waiting, and returns whether the run is done. Call it often,
    /// such as every 0.2 ms: a run waits for the device after each piece, and for the other ranks in
    /// each phase. It copies arrays and messages as blocking runs do, which takes the time that it takes, and
    /// returns when there has been nothing to do for 0.1 ms.
    pub fn test(&mut self) -> bool {
        self.poll(false)
    }

    fn poll(&mut self, blocks: bool) -> bool {
        // A future that panics is gone.
        let Some(mut future) = self.future.take() else { return true };
        self.link.state.blocks.set(blocks);
        let poll = self.link.unless_it_unwinds(|| future.as_mut().poll(&mut Context::from_waker(Waker::noop())));
        self.link.state.blocks.set(true);
        match poll {
            Poll::Ready(result) => {
                self.result = Some(result);
                true
            }
            Poll::Pending => {
                self.future = Some(future);
                false
            }
        }
    }

    /// Waits until the run is done.
    ///
    /// # Errors
    /// Those of [`Job::run`](crate::Job::run).
    pub fn wait(mut self) -> Result<T> {
        while !self.poll(true) {}
        self.result.take().unwrap_or(Err(Error::RunAbandoned))
    }
}

impl<T> Drop for Running<'_, T> {
    fn drop(&mut self) {
        self.link.state.started.set(false);
        if !std::thread::panicking() {
            while !self.poll(true) {}
        } else if self.future.is_some() {
            self.link.abandon();
        }
    }
}

/// A poll or a call under way. Dropped, and not forgotten, if that unwinds.
struct Unwinding<'l>(&'l Link);

impl Drop for Unwinding<'_> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

impl Link {
    /// Waits for what a run does, in a call that blocks.
    ///
    /// # Errors
    /// If a run was started and nobody has waited for it: its messages would be mixed with others. As
    /// all ranks make the same calls, all return this, whether their part of the run is done or not.
    pub fn now<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        self.check_idle()?;
        self.unless_it_unwinds(|| at_once(work))
    }

    /// What `work` returns. If it panics, the run that it is a part of is abandoned.
    fn unless_it_unwinds<T>(&self, work: impl FnOnce() -> T) -> T {
        let unwinding = Unwinding(self);
        let value = work();
        std::mem::forget(unwinding);
        value
    }

    /// Lets all later calls fail: a later run would take the messages of this one for its own.
    fn abandon(&self) {
        self.state.blocks.set(true);
        self.state.broken.borrow_mut().get_or_insert(Error::RunAbandoned);
        self.keep_for_ever();
    }

    fn check_idle(&self) -> Result<()> {
        if !self.state.started.get() {
            return Ok(());
        }
        let (what, why) = ("another call on this cluster while a run is under way", "wait for the run first");
        Err(wgpu_fft::Error::Unsupported { what: what.to_owned(), why: why.to_owned() }.into())
    }
}

/// The value of a future that blocks.
pub(super) fn at_once<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        if let Poll::Ready(value) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
    }
}

/// Yields to the executor, once.
pub(super) async fn give_back() {
    let mut is_back = false;
    poll_fn(|_| if std::mem::replace(&mut is_back, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// Does one rank's part, as [`guarded`](super::failure::guarded) does.
pub(super) async fn guarded_part<T>(part: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    let mut part = pin!(part);
    poll_fn(|context| {
        let poll = || part.as_mut().poll(context);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(poll)).unwrap_or_else(|payload| Poll::Ready(Err(panicked(&*payload))))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::failure::Failure;

    #[test]
    fn a_part_that_panics_later_is_a_failure() {
        let mut part = pin!(guarded_part::<()>(async {
            give_back().await;
            panic!("by chance")
        }));
        let mut context = Context::from_waker(Waker::noop());
        assert!(part.as_mut().poll(&mut context).is_pending());
        assert!(matches!(part.as_mut().poll(&mut context), Poll::Ready(Err(Failure::Other(text))) if text.contains("by chance")));
        assert_eq!(at_once(async { 3 }), 3);
    }
}
