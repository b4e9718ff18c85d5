//! Results that are still on their way from the device.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_intrusive::channel::shared::{OneshotReceiver, OneshotSender, oneshot_channel};

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
    submission: wgpu::SubmissionIndex,
    watched: bool,
}

impl<T: 'static> Pending<T> {
    /// Maps `buffer` for reading after `submission` and turns its bytes into the result.
    pub(crate) fn read(
        device: &wgpu::Device,
        submission: wgpu::SubmissionIndex,
        buffer: wgpu::Buffer,
        convert: impl FnOnce(&[u8]) -> T + Send + 'static,
    ) -> Self {
        type Mapped = std::result::Result<(), wgpu::BufferAsyncError>;
        let (sender, receiver): (OneshotSender<Mapped>, OneshotReceiver<Mapped>) = oneshot_channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |mapped| {
            // The receiver may be gone, if nobody wants the result any more.
            let _ = sender.send(mapped);
        });
        let lost = |message: String| Error::DeviceLost { during: "read-back", message };
        let inner: Inner<T> = Box::pin(async move {
            match receiver.receive().await {
                Some(Ok(())) => {}
                Some(Err(error)) => return Err(lost(error.to_string())),
                None => return Err(lost("the device dropped the request".to_owned())),
            }
            let value = {
                let bytes = buffer.get_mapped_range(..).map_err(|error| lost(error.to_string()))?;
                convert(&bytes)
            };
            buffer.unmap();
            Ok(value)
        });
        Self { inner: Some(inner), device: device.clone(), submission, watched: false }
    }

    /// Blocks the thread until the result arrives.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] if the device was lost meanwhile. In the browser
    /// [`Error::Unsupported`], since nothing may block there.
    pub fn wait(self) -> Result<T> {
        if cfg!(target_arch = "wasm32") {
            return Err(Error::Unsupported { what: "waiting in the browser".to_owned(), why: "await the result instead".to_owned() });
        }
        let inner = self.inner.ok_or_else(given)?;
        poll_until(&self.device, self.submission)?;
        pollster::block_on(inner)
    }
}

fn given() -> Error {
    Error::Unsupported { what: "asking for a result twice".to_owned(), why: "a Pending gives its result once".to_owned() }
}

pub(crate) fn poll_until(device: &wgpu::Device, submission: wgpu::SubmissionIndex) -> Result<()> {
    match device.poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None }) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::DeviceLost { during: "waiting for the device", message: error.to_string() }),
    }
}

/// Sees to it that the mapping's callback is called, which wakes the task. If polling fails, it is
/// called with an error.
#[cfg(not(target_arch = "wasm32"))]
fn watch(device: &wgpu::Device, submission: &wgpu::SubmissionIndex) {
    let (own_device, own_submission) = (device.clone(), submission.clone());
    let poll = move || drop(poll_until(&own_device, own_submission));
    if std::thread::Builder::new().name("wgpu-fft".to_owned()).spawn(poll).is_err() {
        // No thread is to be had: blocking is better than never waking up.
        drop(poll_until(device, submission.clone()));
    }
}

/// The browser calls back by itself.
#[cfg(target_arch = "wasm32")]
fn watch(_: &wgpu::Device, _: &wgpu::SubmissionIndex) {}

impl<T: 'static> Future for Pending<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(inner) = &mut self.inner else { return Poll::Ready(Err(given())) };
        let state = inner.as_mut().poll(context);
        if state.is_ready() {
            self.inner = None;
        } else if !self.watched {
            self.watched = true;
            watch(&self.device, &self.submission);
        }
        state
    }
}

impl<T> std::fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("submission", &self.submission).finish_non_exhaustive()
    }
}
