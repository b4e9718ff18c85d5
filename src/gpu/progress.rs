//! Waiting for the device, with a limit.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;

#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use super::device::Gpu;
use super::options::WAIT_LIMIT;
use crate::error::{Error, Result};

/// How long a device that has finished may take to say that a buffer is mapped.
const ANSWER: Duration = Duration::from_secs(10);

/// How often within the limit the device is asked how far it is.
const LOOKS: u32 = 8;

/// Blocks until everything up to a submission is done.
///
/// # Errors
/// [`Error::DeviceLost`], [`Error::TimedOut`].
pub fn wait_for(gpu: &Gpu, submission: wgpu::SubmissionIndex) -> Result<()> {
    Progress::new(gpu, "a submission", 0).wait_on(&Some(submission), None).map(drop)
}

/// Blocks until everything up to a submission is done, but no longer than `most`, and says whether
/// it is done. The device's own limit does not count.
///
/// A driver that does not return from the call itself cannot be left: no thread can be ended from
/// outside.
///
/// # Errors
/// [`Error::DeviceLost`].
pub fn is_done_within(gpu: &Gpu, submission: &wgpu::SubmissionIndex, most: Duration) -> Result<bool> {
    poll(gpu, Some(submission.clone()), Some(most))
}

/// Waits for a submission, or for all that there is, and says whether it is done.
fn poll(gpu: &Gpu, submission_index: Awaited, timeout: Option<Duration>) -> Result<bool> {
    if gpu.steps.silence().is_some() {
        std::thread::sleep(timeout.unwrap_or(WAIT_LIMIT));
        return Ok(false);
    }
    match gpu.device().poll(wgpu::PollType::Wait { submission_index, timeout }) {
        Ok(_) => Ok(true),
        Err(wgpu::PollError::Timeout) => Ok(false),
        Err(error) => Err(Error::DeviceLost { during: WAITING, message: error.to_string() }),
    }
}

/// How long somebody waits for a device that shows no progress.
fn limit(gpu: &Gpu) -> Option<Duration> {
    gpu.steps.silence().flatten().or(gpu.wait_limit)
}

const WAITING: &str = "waiting for the device";

/// A submission, or all that there is.
type Awaited = Option<wgpu::SubmissionIndex>;

/// What a future waits for, so that its executor can ask the device for the answer.
#[derive(Clone, Debug)]
pub(crate) struct Progress(Arc<State>);

#[derive(Debug)]
struct State {
    gpu: Gpu,
    /// What is waited for, in an error's words.
    what: &'static str,
    bytes: u64,
    /// Bytes that have come to the host.
    copied: AtomicU64,
    awaited: Mutex<Option<Awaited>>,
    /// When the device last showed progress, since somebody waits.
    sign: Mutex<Option<Sign>>,
    /// What a thread that waited for a task has found out, and the task.
    outcome: Mutex<Outcome>,
}

#[derive(Clone, Copy, Debug)]
struct Sign {
    at: Instant,
    /// Submissions that were done then.
    done: u64,
}

#[derive(Debug, Default)]
struct Outcome {
    error: Option<Error>,
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "nothing waits for the device in a browser"))]
    task: Option<Waker>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    /// Of waiting for something that has so many bytes.
    pub fn new(gpu: &Gpu, what: &'static str, bytes: u64) -> Self {
        Self(Arc::new(State {
            gpu: gpu.clone(),
            what,
            bytes,
            copied: AtomicU64::new(0),
            awaited: Mutex::default(),
            sign: Mutex::default(),
            outcome: Mutex::default(),
        }))
    }

    /// Says that the future goes on after a submission.
    pub fn wait_for(&self, submission: Awaited) {
        *lock(&self.0.awaited) = Some(submission);
    }

    /// Says that so many bytes more have come.
    pub fn add_copied(&self, bytes: u64) {
        self.0.copied.fetch_add(bytes, Ordering::Relaxed);
    }

    /// What the future has come to wait for since this was asked.
    fn take(&self) -> Option<Awaited> {
        lock(&self.0.awaited).take()
    }

    /// Waits for a submission at most for so long, and says whether it is done. If the device shows
    /// no progress for longer than its limit, that is an error.
    fn wait_on(&self, submission: &Awaited, most: Option<Duration>) -> Result<bool> {
        let State { gpu, sign, .. } = &*self.0;
        gpu.steps.pass(WAITING, 0)?;
        let end = most.and_then(|most| Instant::now().checked_add(most));
        loop {
            let begun = *lock(sign).get_or_insert_with(|| Sign { at: Instant::now(), done: 0 });
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let time = match (limit(gpu), left) {
                (Some(limit), left) => Some((limit / LOOKS).min(left.unwrap_or(limit))),
                (None, left) => left,
            };
            if poll(gpu, submission.clone(), time)? {
                *lock(sign) = None;
                return Ok(true);
            }
            self.look(begun)?;
            if end.is_some_and(|end| end <= Instant::now()) {
                return Ok(false);
            }
        }
    }

    /// Asks the device how far it is, and fails if that is no farther than it was before the limit.
    fn look(&self, begun: Sign) -> Result<()> {
        let State { gpu, what, bytes, copied, sign, .. } = &*self.0;
        let Some(limit) = limit(gpu) else { return Ok(()) };
        let is_done = |submission: &wgpu::SubmissionIndex| matches!(poll(gpu, Some(submission.clone()), Some(Duration::ZERO)), Ok(true));
        let count = gpu.submissions.count(is_done);
        let waited = begun.at.elapsed();
        if count.done > begun.done {
            // The first time this says what was done before anybody waited.
            let at = if begun.done == 0 { begun.at } else { Instant::now() };
            *lock(sign) = Some(Sign { at, done: count.done });
        } else if waited >= limit {
            let copied_bytes = copied.load(Ordering::Relaxed);
            return Err(Error::TimedOut { what, waited, done: count.done, submitted: count.made, copied_bytes, bytes: *bytes });
        }
        Ok(())
    }

    /// Drives a future on this thread to its end.
    pub fn block_on<T>(&self, future: impl Future<Output = Result<T>>) -> Result<T> {
        let mut future = pin!(future);
        loop {
            if let Some(value) = self.drive(future.as_mut(), None)? {
                return Ok(value);
            }
        }
    }

    /// Drives a future on this thread, to its end or for about as long as `most`.
    pub(super) fn drive<T>(
        &self,
        mut future: Pin<&mut (impl Future<Output = Result<T>> + ?Sized)>,
        most: Option<Duration>,
    ) -> Result<Option<T>> {
        // Without an end where no clock goes that far.
        let end = most.and_then(|most| Instant::now().checked_add(most));
        let mut has_looked = false;
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
                return result.map(Some);
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let is_over = left.is_some_and(|left| left.is_zero());
            // Without any time left, the device is asked once.
            if is_over && has_looked {
                return Ok(None);
            }
            has_looked = true;
            if let Some(submission) = self.take() {
                // Makes the calls that are due, unless another thread that polls has them in hand.
                if !self.wait_on(&submission, left)? {
                    self.wait_for(submission);
                }
            } else if is_over {
                return Ok(None);
            } else if !woken.wait(left.unwrap_or(ANSWER)) && left.is_none() {
                let message = "it has finished, but does not answer".to_owned();
                return Err(Error::DeviceLost { during: WAITING, message });
            }
        }
    }

    /// Sees to it that the mapping's callback is called, which wakes the task, or that the task
    /// learns why not.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn watch(&self, task: &Waker) {
        // Another task may have taken over.
        lock(&self.0.outcome).task = Some(task.clone());
        let Some(submission) = self.take() else { return };
        let (own, own_submission) = (self.clone(), submission.clone());
        let wait = move || own.conclude(own.wait_on(&own_submission, None));
        if std::thread::Builder::new().name("wgpu-fft".to_owned()).spawn(wait).is_err() {
            // No thread is to be had: blocking is better than never waking up.
            self.conclude(self.wait_on(&submission, None));
        }
    }

    /// The browser calls back by itself.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn watch(&self, _: &Waker) {}

    /// Tells the task of an error. If there is none, the callback wakes it.
    #[cfg(not(target_arch = "wasm32"))]
    fn conclude(&self, waited: Result<bool>) {
        let Err(error) = waited else { return };
        let task = {
            let mut outcome = lock(&self.0.outcome);
            outcome.error = Some(error);
            outcome.task.take()
        };
        if let Some(task) = task {
            task.wake();
        }
    }

    /// Why waiting for a task has ended, if it has.
    pub(super) fn error(&self) -> Option<Error> {
        lock(&self.0.outcome).error.clone()
    }
}

/// Whether a thread that drives a future was woken.
#[derive(Debug, Default)]
struct Woken {
    woken: Mutex<bool>,
    changed: Condvar,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        *lock(&self.woken) = true;
        self.changed.notify_all();
    }
}

impl Woken {
    /// Waits to be woken, at most so long, and says whether that came.
    fn wait(&self, most: Duration) -> bool {
        let woken = lock(&self.woken);
        let (mut woken, _) = self.changed.wait_timeout_while(woken, most, |woken| !*woken).unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *woken, false)
    }
}
