//! Results that are still on their way from the device.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;

#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use super::Gpu;
use crate::error::{Error, Result};

#[cfg(not(target_arch = "wasm32"))]
type Inner<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;
#[cfg(target_arch = "wasm32")]
type Inner<T> = Pin<Box<dyn Future<Output = Result<T>>>>;

/// A result that arrives when the device has finished. `.await` it, or block with
/// [`wait`](Pending::wait).
///
/// Awaiting works in any executor and never blocks one: a short-lived thread waits for the device
/// and wakes the task. The result can be taken once. Dropping a `Pending` discards the result, but
/// the work on the device continues.
#[must_use = "the result arrives only when this is awaited or waited for"]
pub struct Pending<T> {
    /// Nothing once the result has been given.
    inner: Option<Inner<T>>,
    device: wgpu::Device,
    progress: Progress,
}

impl<T: 'static> Pending<T> {
    /// The result of a future that says by `progress` what it waits for.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn new(device: &wgpu::Device, progress: &Progress, inner: impl Future<Output = Result<T>> + Send + 'static) -> Self {
        Self { inner: Some(Box::pin(inner)), device: device.clone(), progress: progress.clone() }
    }

    /// The same in the browser, whose objects stay in their thread.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn new(device: &wgpu::Device, progress: &Progress, inner: impl Future<Output = Result<T>> + 'static) -> Self {
        Self { inner: Some(Box::pin(inner)), device: device.clone(), progress: progress.clone() }
    }

    /// Blocks the thread until the result arrives.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] if the device was lost meanwhile. In the browser
    /// [`Error::Unsupported`], since nothing may block there.
    pub fn wait(self) -> Result<T> {
        if cfg!(target_arch = "wasm32") {
            return Err(cannot_block());
        }
        let inner = self.inner.ok_or_else(given)?;
        self.progress.block_on(&self.device, inner)
    }

    /// Blocks the thread until the result arrives, but no longer than about `most`. `None` says
    /// that it has not arrived yet: call this again. Between two calls a program can look for what
    /// else it should do, such as a user's wish to stop.
    ///
    /// # Errors
    /// Those of [`wait`](Self::wait); [`Error::Unsupported`] once the result has been given.
    pub fn wait_timeout(&mut self, most: Duration) -> Result<Option<T>> {
        if cfg!(target_arch = "wasm32") {
            return Err(cannot_block());
        }
        let inner = self.inner.as_mut().ok_or_else(given)?;
        let result = self.progress.drive(&self.device, inner.as_mut(), Some(most));
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

/// Blocks until everything up to a submission is done.
///
/// # Errors
/// [`Error::DeviceLost`].
pub fn wait_for(gpu: &Gpu, submission: wgpu::SubmissionIndex) -> Result<()> {
    poll(gpu.device(), Some(submission), None).map(drop)
}

/// Waits for a submission, or for all that there is, and says whether it is done.
fn poll(device: &wgpu::Device, submission_index: Option<wgpu::SubmissionIndex>, timeout: Option<Duration>) -> Result<bool> {
    match device.poll(wgpu::PollType::Wait { submission_index, timeout }) {
        Ok(_) => Ok(true),
        Err(wgpu::PollError::Timeout) => Ok(false),
        Err(error) => Err(Error::DeviceLost { during: "waiting for the device", message: error.to_string() }),
    }
}

/// What a future waits for, so that whoever drives it can see to it that the device's answer comes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress(Arc<Mutex<Option<Awaited>>>);

/// A submission, or all that there is.
type Awaited = Option<wgpu::SubmissionIndex>;

/// How long a device that has finished may take to say that a buffer is mapped.
const ANSWER: Duration = Duration::from_secs(10);

impl Progress {
    /// Says that the future goes on after a submission.
    pub fn wait_for(&self, submission: Awaited) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(submission);
    }

    /// What the future has come to wait for since this was asked.
    fn take(&self) -> Option<Awaited> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Drives a future on this thread to its end.
    pub fn block_on<T>(&self, device: &wgpu::Device, future: impl Future<Output = Result<T>>) -> Result<T> {
        let mut future = pin!(future);
        loop {
            if let Some(value) = self.drive(device, future.as_mut(), None)? {
                return Ok(value);
            }
        }
    }

    /// Drives a future on this thread, to its end or for about as long as `most`.
    fn drive<T>(
        &self,
        device: &wgpu::Device,
        mut future: Pin<&mut (impl Future<Output = Result<T>> + ?Sized)>,
        most: Option<Duration>,
    ) -> Result<Option<T>> {
        let end = most.map(|most| Instant::now() + most);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
                return result.map(Some);
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
            if let Some(submission) = self.take() {
                // Makes the calls that are due, unless another thread that polls has them in hand.
                if !poll(device, submission.clone(), left)? {
                    self.wait_for(submission);
                }
            } else if !woken.wait(left.unwrap_or(ANSWER)) && left.is_none() {
                let message = "it has finished, but does not answer".to_owned();
                return Err(Error::DeviceLost { during: "waiting for the device", message });
            }
        }
    }

    /// Sees to it that the mapping's callback is called, which wakes the task. If polling fails, it
    /// is called with an error.
    #[cfg(not(target_arch = "wasm32"))]
    fn watch(&self, device: &wgpu::Device) {
        let Some(submission) = self.take() else { return };
        let (own_device, own_submission) = (device.clone(), submission.clone());
        let wait = move || drop(poll(&own_device, own_submission, None));
        if std::thread::Builder::new().name("wgpu-fft".to_owned()).spawn(wait).is_err() {
            // No thread is to be had: blocking is better than never waking up.
            drop(poll(device, submission, None));
        }
    }

    /// The browser calls back by itself.
    #[cfg(target_arch = "wasm32")]
    fn watch(&self, _: &wgpu::Device) {}
}

/// Whether a thread that drives a future was woken.
#[derive(Debug, Default)]
struct Woken {
    woken: Mutex<bool>,
    changed: Condvar,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        *self.woken.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

impl Woken {
    /// Waits to be woken, at most so long, and says whether that came.
    fn wait(&self, most: Duration) -> bool {
        let woken = self.woken.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut woken, _) = self.changed.wait_timeout_while(woken, most, |woken| !*woken).unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *woken, false)
    }
}

impl<T: 'static> Future for Pending<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(inner) = &mut self.inner else { return Poll::Ready(Err(given())) };
        let state = inner.as_mut().poll(context);
        if state.is_ready() {
            self.inner = None;
        } else {
            self.progress.watch(&self.device);
        }
        state
    }
}

impl<T> std::fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("progress", &self.progress).finish_non_exhaustive()
    }
}
