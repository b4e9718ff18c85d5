//! Results that are still on their way from the device.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::progress::Progress;
use crate::error::{Error, Result};
use crate::threads::Boxed;

/// A result that arrives when the device has finished. `.await` it, or block with
/// [`wait`](Pending::wait).
///
/// Awaiting works in any executor and never blocks one: a short-lived thread waits for the device
/// and wakes the task. The result can be taken once. Dropping a `Pending` discards the result, but
/// the work on the device continues.
///
/// A device that shows no progress for longer than its [limit](crate::Gpu::with_wait_limit) is an
/// error, [`Error::TimedOut`], of waiting and of awaiting. The browser, where no thread can watch,
/// has no limit.
#[must_use = "the result arrives only when this is awaited or waited for"]
pub struct Pending<T> {
    /// Nothing once the result has been given.
    inner: Option<Boxed<'static, Result<T>>>,
    progress: Progress,
}

impl<T: 'static> Pending<T> {
    /// The result of a future that says by `progress` what it waits for.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn new(progress: &Progress, inner: impl Future<Output = Result<T>> + Send + 'static) -> Self {
        Self { inner: Some(Box::pin(inner)), progress: progress.clone() }
    }

    /// The same in the browser, whose objects stay in their thread.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn new(progress: &Progress, inner: impl Future<Output = Result<T>> + 'static) -> Self {
        Self { inner: Some(Box::pin(inner)), progress: progress.clone() }
    }

    /// The same result in another form.
    #[cfg(feature = "ndarray")]
    pub(crate) fn map<U: 'static>(self, form: impl FnOnce(T) -> U + Send + 'static) -> Pending<U> {
        let inner = self.inner;
        Pending::new(&self.progress, async move { Ok(form(inner.ok_or_else(given)?.await?)) })
    }

    /// Blocks the thread until the result arrives.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] if the device was lost meanwhile; [`Error::TimedOut`] if it shows no
    /// progress. In the browser [`Error::Unsupported`], since nothing may block there.
    pub fn wait(self) -> Result<T> {
        if cfg!(target_arch = "wasm32") {
            return Err(cannot_block());
        }
        let inner = self.inner.ok_or_else(given)?;
        self.progress.block_on(inner)
    }

    /// Blocks the thread until the result arrives, but no longer than about `most`. `None` says
    /// that it has not arrived yet: call this again. Between two calls a program can look for what
    /// else it should do, such as a user's wish to stop.
    ///
    /// # Errors
    /// Those of [`wait`](Self::wait); [`Error::Unsupported`] once the result or an error has been
    /// given.
    pub fn wait_timeout(&mut self, most: Duration) -> Result<Option<T>> {
        if cfg!(target_arch = "wasm32") {
            return Err(cannot_block());
        }
        let inner = self.inner.as_mut().ok_or_else(given)?;
        let result = self.progress.drive(inner.as_mut(), Some(most));
        if !matches!(result, Ok(None)) {
            self.inner = None;
        }
        result
    }
}

/// What is called in the browser and would have to wait.
pub(crate) fn cannot_block() -> Error {
    Error::Unsupported { what: "waiting in the browser".to_owned(), why: "await the result instead".to_owned() }
}

fn given() -> Error {
    Error::Unsupported { what: "asking for a result twice".to_owned(), why: "a Pending gives its result once".to_owned() }
}

impl<T: 'static> Future for Pending<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(inner) = &mut self.inner else { return Poll::Ready(Err(given())) };
        let state = inner.as_mut().poll(context);
        if state.is_pending() {
            self.progress.watch(context.waker());
            // Asked after the task is known, so that an error wakes it or is seen here.
            let Some(error) = self.progress.error() else { return Poll::Pending };
            self.inner = None;
            return Poll::Ready(Err(error));
        }
        self.inner = None;
        state
    }
}

impl<T> std::fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("progress", &self.progress).finish_non_exhaustive()
    }
}
