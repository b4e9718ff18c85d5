//! wgpu's answer to a request for mapping, to be looked at or awaited.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use futures_intrusive::channel::shared::oneshot_channel;

use crate::gpu::fault::{REFUSED, Steps};

/// What wgpu says.
type Mapped = Result<(), wgpu::BufferAsyncError>;

/// An answer that arrives once.
pub(super) struct Answer {
    /// What may refuse it on purpose. A `Gpu` would keep itself alive, since its pool has answers.
    steps: Steps,
    /// Nothing if the request was dropped without an answer.
    receive: Pin<Box<dyn Future<Output = Option<Mapped>> + Send>>,
    /// What it was, once it has been looked at.
    given: Option<Result<(), String>>,
}

impl Answer {
    /// Asks for `bytes` of a buffer to be mapped.
    pub fn of(steps: Steps, buffer: &wgpu::Buffer, mode: wgpu::MapMode, bytes: u64) -> Self {
        let (sender, receiver) = oneshot_channel::<Mapped>();
        buffer.map_async(mode, ..bytes, move |mapped| {
            // The receiver may be gone, if nobody wants the result any more.
            let _ = sender.send(mapped);
        });
        Self { steps, receive: Box::pin(async move { receiver.receive().await }), given: None }
    }

    /// Whether it is there.
    pub fn is_given(&mut self) -> bool {
        self.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    /// The answer if it is there, or the reason why there is no mapping. The task is woken when it
    /// arrives.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), String>> {
        if self.given.is_none()
            && let Poll::Ready(mapped) = self.receive.as_mut().poll(context)
        {
            self.given = Some(match mapped {
                Some(mapped) => {
                    mapped.map_err(|error| error.to_string()).and_then(|()| self.steps.pass("mapping", 0).map_err(|_| REFUSED.to_owned()))
                }
                None => Err("the device dropped the request".to_owned()),
            });
        }
        self.given.clone().map_or(Poll::Pending, Poll::Ready)
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").field("given", &self.given).finish_non_exhaustive()
    }
}
