//! Work that is recorded now and submitted later, many runs at a time.
//!
//! A submission costs tens of microseconds, most of them in `CommandEncoder::finish`, and a few more
//! for each run in it; recording a run of a small plan costs a few. So what has become much is
//! submitted by a thread (`behind.rs`), while the host records what comes next.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;
#[cfg(target_arch = "wasm32")]
use web_time::Instant;

#[cfg(not(target_arch = "wasm32"))]
use super::behind::Behind;
use super::buffer::UNIT;
use super::{Gpu, IntoView, scope};
use crate::element::Element;
use crate::error::{Error, Result};

/// What is submitted together at most: so many runs, which move so many bytes, of which the first
/// waited so long when the last one came. A device that moves the bytes, or works for that time, is
/// busy while the host records what comes next.
const MAX_RUNS: usize = 64;
const MAX_BYTES: u64 = 256 << 20;
const MAX_AGE: Duration = Duration::from_micros(500);

/// In an error's words.
pub(super) const SUBMISSION: &str = "submission of what was queued";

/// Who queued something: what an error says if that cannot be submitted. It is printed only then.
///
/// ```
/// use wgpu_fft::gpu::Caller;
///
/// let caller = Caller::new("frame 17");
/// assert_eq!(caller.to_string(), "frame 17");
/// ```
#[derive(Clone)]
pub struct Caller(Arc<dyn Say>);

/// Something that prints, which threads may share where there are threads.
trait Say: fmt::Display + wgpu::WasmNotSendSync {}

impl<T: fmt::Display + wgpu::WasmNotSendSync> Say for T {}

impl Caller {
    /// By what it prints.
    pub fn new(name: impl fmt::Display + wgpu::WasmNotSendSync + 'static) -> Self {
        Self(Arc::new(name))
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// It prints nothing, since that may run code of the caller's.
impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Caller")
    }
}

/// A run that can be recorded again.
pub(crate) trait Recorded: fmt::Debug + wgpu::WasmNotSendSync {
    fn record(&self, pass: &mut wgpu::ComputePass<'_>);

    /// What it computes.
    fn title(&self) -> &str;
}

/// What one call has queued. It is kept until that is submitted: if wgpu refuses, each is submitted
/// alone, and the one that cannot be is found.
#[derive(Debug)]
pub(super) struct Call {
    work: Work,
    caller: Option<Caller>,
}

#[cfg(not(target_arch = "wasm32"))]
impl Call {
    /// What may run code of the caller's when it is dropped.
    pub fn into_caller(self) -> Option<Caller> {
        self.caller
    }
}

#[derive(Debug)]
enum Work {
    Run(Arc<dyn Recorded>),
    Copy { source: (wgpu::Buffer, u64), target: (wgpu::Buffer, u64), bytes: u64 },
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.work {
            Work::Run(run) => write!(f, "`{}`", run.title())?,
            Work::Copy { bytes, .. } => write!(f, "a copy of {bytes} bytes")?,
        }
        self.caller.as_ref().map_or(Ok(()), |caller| write!(f, " of {caller}"))
    }
}

/// What is recorded and not yet submitted.
#[derive(Debug)]
pub(super) struct Queued {
    device: wgpu::Device,
    queue: wgpu::Queue,
    open: Mutex<Option<Open>>,
    /// The thread that submits, once there was much to submit; none where there are no threads.
    #[cfg(not(target_arch = "wasm32"))]
    behind: std::sync::OnceLock<Option<Behind>>,
}

/// A call that wgpu refused.
#[derive(Debug)]
pub(super) struct Refused {
    /// None if the device is lost.
    call: Option<(Call, usize)>,
    why: Error,
}

impl Refused {
    /// Without a call to blame.
    pub fn all(why: Error) -> Self {
        Self { call: None, why }
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub fn into_caller(self) -> Option<Caller> {
        self.call.and_then(|(call, _)| call.caller)
    }

    /// It prints the caller, which may run code of theirs, which may queue something.
    fn error(self) -> Error {
        match self.call {
            Some((call, i)) => Error::Queued { call: call.to_string(), number: i + 1, source: Box::new(self.why) },
            None => self.why,
        }
    }
}

#[derive(Debug)]
pub(super) struct Open {
    encoder: wgpu::CommandEncoder,
    /// The pass in which runs are recorded one after the other.
    pass: Option<wgpu::ComputePass<'static>>,
    calls: Vec<Call>,
    bytes: u64,
    begun: Instant,
}

impl Queued {
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        Self {
            device: device.clone(),
            queue: queue.clone(),
            open: Mutex::default(),
            #[cfg(not(target_arch = "wasm32"))]
            behind: std::sync::OnceLock::new(),
        }
    }

    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn new(device: &wgpu::Device) -> Self {
        let encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-fft queue") });
        Self { encoder, pass: None, calls: Vec::new(), bytes: 0, begun: Instant::now() }
    }

    fn pass(&mut self) -> &mut wgpu::ComputePass<'static> {
        let Self { encoder, pass, .. } = self;
        pass.get_or_insert_with(|| {
            let descriptor = wgpu::ComputePassDescriptor { label: Some("wgpu-fft queue"), timestamp_writes: None };
            encoder.begin_compute_pass(&descriptor).forget_lifetime()
        })
    }

    /// Records what a call asks for. wgpu keeps what is wrong until the encoder is finished.
    fn record(&mut self, work: &Work) {
        match work {
            Work::Run(run) => run.record(self.pass()),
            Work::Copy { source: (source, from), target: (target, to), bytes } => {
                self.pass = None;
                self.encoder.copy_buffer_to_buffer(source, *from, target, *to, *bytes);
            }
        }
    }

    fn submit(self, queue: &wgpu::Queue) -> wgpu::SubmissionIndex {
        let Self { encoder, pass, .. } = self;
        drop(pass);
        queue.submit([encoder.finish()])
    }

    fn is_long(&self) -> bool {
        self.calls.len() >= MAX_RUNS || self.bytes >= MAX_BYTES || self.begun.elapsed() >= MAX_AGE
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        let said = |why: Error| log::error!("what was queued when the handle of the device was dropped has not run: {why}");
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(refused) = self.behind.take().flatten().and_then(Behind::end) {
            said(refused.error());
        }
        // Arrays outlive the device's handle, and may yet be read by the caller's own commands.
        if let Some(open) = self.open.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = scope::caught(&self.device, SUBMISSION, 0, || open.submit(&self.queue)).map_err(said);
        }
    }
}

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

    /// As [`enqueue_copy`](Self::enqueue_copy), for a caller that errors name.
    ///
    /// # Errors
    /// Those of [`enqueue_copy`](Self::enqueue_copy).
    pub fn enqueue_copy_for<'a, T: Element>(
        &self,
        caller: Caller,
        source: impl IntoView<'a, T>,
        target: impl IntoView<'a, T>,
    ) -> Result<()> {
        self.enqueue_copy_of(source, target, Some(caller))
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
        if self.faults.is_some() {
            return None;
        }
        let own = || Self { queued: Arc::new(Queued::new(&self.device, &self.queue)), ..self.clone() };
        self.queued.behind.get_or_init(|| Behind::begin(own())).as_ref()
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
        own.record(&call.work);
        own.calls.push(call);
        own.bytes = own.bytes.saturating_add(bytes);
        let is_long = own.is_long();
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
    pub(super) fn submit_open(&self, mut own: Open) -> (Vec<Call>, Option<Refused>) {
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
}
