//! What is queued: a call each, in one encoder, until that is submitted.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;
#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use crate::error::Error;

/// What is submitted together at most: so many runs, which move so many bytes, of which the first
/// waited so long when the last one came. A device that moves the bytes, or works for that time, is
/// busy while the host records what comes next.
const MAX_RUNS: usize = 64;
const MAX_BYTES: u64 = 256 << 20;
const MAX_AGE: Duration = Duration::from_micros(500);

/// In an error's words.
pub(super) const SUBMISSION: &str = "submission of what was queued";

/// Who queued something: what an error says if that cannot be submitted. It is printed only then.
pub(crate) struct Caller(Box<dyn Say>);

/// Something that prints, which threads may share where there are threads.
trait Say: fmt::Display + wgpu::WasmNotSendSync {}

impl<T: fmt::Display + wgpu::WasmNotSendSync> Say for T {}

impl Caller {
    /// By what it prints.
    pub fn new(name: impl fmt::Display + wgpu::WasmNotSendSync + 'static) -> Self {
        Self(Box::new(name))
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
    pub work: Work,
    pub caller: Option<Caller>,
}

#[cfg(not(target_arch = "wasm32"))]
impl Call {
    /// What may run code of the caller's when it is dropped.
    pub fn into_caller(self) -> Option<Caller> {
        self.caller
    }
}

#[derive(Debug)]
pub(super) enum Work {
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

/// A call that wgpu refused.
#[derive(Debug)]
pub(super) struct Refused {
    /// None if the device is lost.
    pub call: Option<(Call, usize)>,
    pub why: Error,
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
    pub fn error(self) -> Error {
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
    pub calls: Vec<Call>,
    bytes: u64,
    begun: Instant,
}

impl Open {
    pub fn new(device: &wgpu::Device) -> Self {
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
    pub fn record(&mut self, work: &Work) {
        match work {
            Work::Run(run) => run.record(self.pass()),
            Work::Copy { source: (source, from), target: (target, to), bytes } => {
                self.pass = None;
                self.encoder.copy_buffer_to_buffer(source, *from, target, *to, *bytes);
            }
        }
    }

    pub fn submit(self, queue: &wgpu::Queue) -> wgpu::SubmissionIndex {
        let Self { encoder, pass, .. } = self;
        drop(pass);
        queue.submit([encoder.finish()])
    }

    /// Records a call, which moves so many bytes. Returns whether much is queued now.
    pub fn add(&mut self, bytes: u64, call: Call) -> bool {
        self.record(&call.work);
        self.calls.push(call);
        self.bytes = self.bytes.saturating_add(bytes);
        self.calls.len() >= MAX_RUNS || self.bytes >= MAX_BYTES || self.begun.elapsed() >= MAX_AGE
    }
}
