//! Recording work now and submitting it later, or at once.

use std::fmt;
use std::sync::{Arc, MutexGuard};

#[cfg(not(target_arch = "wasm32"))]
use super::behind::Behind;
use super::buffer::{IntoView, UNIT};
use super::calls::{Call, Caller, Open, Recorded, Refused, SUBMISSION, Work};
use super::device::Gpu;
#[cfg(not(target_arch = "wasm32"))]
use super::queued::Queued;
use crate::element::Element;
use crate::error::{Error, Result};

impl Gpu {
    /// Records a copy of one array to another, and submits it with what else is queued, see
    /// [`Bound::enqueue`](crate::Bound::enqueue).
    ///
    /// # Errors
    /// [`Error::WrongLen`] if the target has another length; [`Error::MissingUsage`] if the source
    /// lacks `COPY_SRC` or the target `COPY_DST`; [`Error::Misaligned`] if one of them does not end
    /// at a multiple of 4 bytes; [`Error::Aliased`] if both are of one buffer;
    /// [`Error::ForeignObject`]; [`Error::Queued`] as of [`Bound::enqueue`](crate::Bound::enqueue);
    /// [`Error::DeviceLost`].
    pub fn enqueue_copy<'a, T: Element>(&self, source: impl IntoView<'a, T>, target: impl IntoView<'a, T>) -> Result<()> {
        self.enqueue_copy_of(source, target, None)
    }

    /// As [`enqueue_copy`](Self::enqueue_copy), for a caller that errors name: what it prints,
    /// which it is asked for only then.
    ///
    /// # Errors
    /// Those of [`enqueue_copy`](Self::enqueue_copy).
    pub fn enqueue_copy_for<'a, T: Element>(
        &self,
        caller: impl fmt::Display + wgpu::WasmNotSendSync + 'static,
        source: impl IntoView<'a, T>,
        target: impl IntoView<'a, T>,
    ) -> Result<()> {
        self.enqueue_copy_of(source, target, Some(Caller::new(caller)))
    }

    fn enqueue_copy_of<'a, T: Element>(
        &self,
        source: impl IntoView<'a, T>,
        target: impl IntoView<'a, T>,
        caller: Option<Caller>,
    ) -> Result<()> {
        let (source, target) = (source.into_view(), target.into_view());
        if source.len() != target.len() {
            return Err(Error::WrongLen { argument: "target", expected: source.len(), actual: target.len() });
        }
        self.require("source", source.buffer(), wgpu::BufferUsages::COPY_SRC)?;
        self.require("target", target.buffer(), wgpu::BufferUsages::COPY_DST)?;
        for (argument, view) in [("source", &source), ("target", &target)] {
            let end = view.offset_bytes() + view.len_bytes();
            if !end.is_multiple_of(UNIT) {
                return Err(Error::Misaligned { argument, offset_bytes: end, alignment: UNIT });
            }
            self.check_buffer(argument, view.buffer())?;
        }
        if source.buffer() == target.buffer() {
            return Err(Error::Aliased { first: "source", second: "target" });
        }
        let bytes = source.len_bytes();
        let [source, target] = [source, target].map(|view| (view.buffer().clone(), view.offset_bytes()));
        self.queue_up(2 * bytes, Call { work: Work::Copy { source, target, bytes }, caller })
    }

    /// Records a run that moves so many bytes in a compute pass, which it shares with those before
    /// it.
    pub(crate) fn enqueue(&self, bytes: u64, run: Arc<dyn Recorded>, caller: Option<Caller>) -> Result<()> {
        self.queue_up(bytes, Call { work: Work::Run(run), caller })
    }

    /// The same without a submission. Returns whether one is due.
    pub(crate) fn enqueue_alone(&self, bytes: u64, run: Arc<dyn Recorded>) -> Result<bool> {
        self.recorded(bytes, Call { work: Work::Run(run), caller: None }).map(|(_, is_long)| is_long)
    }

    fn queue_up(&self, bytes: u64, call: Call) -> Result<()> {
        let (open, is_long) = self.recorded(bytes, call)?;
        if !is_long {
            return Ok(());
        }
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(behind) = self.behind() {
            return behind.hand_over(open).map_or(Ok(()), |refused| Err(refused.error()));
        }
        self.submit_queued(open)
    }

    /// The thread that submits. Tests that let a step fail count the steps of one thread.
    #[cfg(not(target_arch = "wasm32"))]
    fn behind(&self) -> Option<&Behind> {
        if self.steps.are_seen() {
            return None;
        }
        let begun = || {
            let own = Self { queued: Arc::new(Queued::new(&self.device, &self.queue)), ..self.clone() };
            Behind::begin(move |open| own.submit_open(open))
        };
        self.queued.behind.get_or_init(begun).as_ref()
    }

    /// Waits for what the thread has. Returns a call that was refused, and callers to drop.
    fn settled(&self) -> (Option<Refused>, Vec<Caller>) {
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(Some(behind)) = self.queued.behind.get() {
            return behind.settle();
        }
        Default::default()
    }

    /// Records a call. Returns what is queued, and whether that is much.
    fn recorded(&self, bytes: u64, call: Call) -> Result<(MutexGuard<'_, Option<Open>>, bool)> {
        self.check_queue()?;
        let mut open = self.queued.open();
        let own = match &mut *open {
            Some(own) => {
                self.check_alive("recording")?;
                own
            }
            none => none.insert(self.caught("recording", 0, || Open::new(&self.device))?),
        };
        let is_long = own.add(bytes, call);
        Ok((open, is_long))
    }

    /// Submits what is queued, if anything is.
    ///
    /// Before commands of your own, which this crate does not submit, touch arrays that queued runs
    /// touch, this must be called; and where the device should begin now, though nobody reads yet.
    ///
    /// # Errors
    /// [`Error::Queued`], which names the call whose commands wgpu refuses. All others have run,
    /// and what they made of the results of that one is not to be trusted. [`Error::DeviceLost`].
    ///
    /// In a browser errors arrive after this has returned: it succeeds, and if one call is refused,
    /// none that was submitted with it runs, which only the browser's console tells.
    pub fn flush(&self) -> Result<()> {
        self.submit_queued(self.queued.open())
    }

    /// Other threads queue nothing meanwhile, so that the order stays.
    fn submit_queued(&self, mut open: MutexGuard<'_, Option<Open>>) -> Result<()> {
        let (earlier, callers) = self.settled();
        let (calls, refused) = open.take().map(|own| self.submit_open(own)).unwrap_or_default();
        // Printing or dropping a caller may run code of theirs, which may queue something.
        drop(open);
        drop((calls, callers));
        earlier.or(refused).map_or(Ok(()), |refused| Err(refused.error()))
    }

    /// Returns the calls, for somebody to drop them, and the one that was refused.
    fn submit_open(&self, mut own: Open) -> (Vec<Call>, Option<Refused>) {
        let mut calls = std::mem::take(&mut own.calls);
        let refused = match self.caught(SUBMISSION, 0, || own.submit(&self.queue)) {
            Ok(submission) => {
                self.submissions.add(&submission);
                None
            }
            Err(lost @ Error::DeviceLost { .. }) => Some(Refused::all(lost)),
            Err(_) => self.submit_apart(&calls).map(|(i, why)| match why {
                lost @ Error::DeviceLost { .. } => Refused::all(lost),
                why => Refused { call: Some((calls.swap_remove(i), i)), why },
            }),
        };
        (calls, refused)
    }

    /// Submits each call alone, after wgpu refused all together and ran none. Returns the index of
    /// the first that fails, and why. What failed for lack of memory may succeed so.
    fn submit_apart(&self, calls: &[Call]) -> Option<(usize, Error)> {
        let mut found = None;
        for (i, call) in calls.iter().enumerate() {
            let submitted = self.caught("submission of a queued call", 0, || {
                let mut open = Open::new(&self.device);
                open.record(&call.work);
                open.submit(&self.queue)
            });
            match submitted {
                Ok(submission) => self.submissions.add(&submission),
                Err(why) if found.is_none() => found = Some((i, why)),
                Err(_) => {}
            }
        }
        found
    }

    /// Creates an encoder, lets `record` fill it, and submits it. If `record` fails, nothing is
    /// submitted.
    ///
    /// # Errors
    /// The errors of `record`; [`Error::Wgpu`] if wgpu rejects the commands; [`Error::DeviceLost`].
    pub fn submit(&self, record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()>) -> Result<wgpu::SubmissionIndex> {
        self.check_queue()?;
        self.flush()?;
        let submission = self.caught("submission", 0, || {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-fft") });
            record(&mut encoder)?;
            Ok(self.queue.submit([encoder.finish()]))
        })??;
        self.submissions.add(&submission);
        Ok(submission)
    }
}
