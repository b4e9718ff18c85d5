//! Everything that can go wrong, with the numbers.

/// What went wrong. Nothing that a caller can cause panics, but that objects of another
/// `wgpu::Instance` can: see [`Gpu::from_wgpu`](crate::Gpu::from_wgpu).
///
/// On an error the caller's encoder is as it was, but in two cases that wgpu lets nobody see
/// beforehand. An encoder with an open pass is made invalid by wgpu when something is recorded:
/// later calls that record into it may return `Ok` and do nothing, and its `finish` reports an
/// error to the device's handler. The same holds for an encoder that is another device's. Drop such
/// an encoder and begin a new one.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No adapter fits the [`GpuOptions`](crate::GpuOptions).
    #[error("no GPU adapter {wanted}; found: {found}. {hint}")]
    NoAdapter {
        /// What was asked for.
        wanted: String,
        /// The adapters that there are.
        found: String,
        /// What to install or to change on this system.
        hint: &'static str,
    },
    /// The adapter refused to open a device.
    #[error("adapter {adapter:?} opens no device: {message}")]
    NoDevice {
        /// Name of the adapter.
        adapter: String,
        /// The reason, from wgpu.
        message: String,
    },
    /// A shape without elements.
    #[error("{what} of {shape}: every extent and the batch must be at least 1")]
    Empty {
        /// The operation or argument.
        what: &'static str,
        /// The shape as written.
        shape: String,
    },
    /// A slice or view with another number of elements than the plan needs.
    #[error("{argument}: expected {expected} elements, got {actual}")]
    WrongLen {
        /// Name of the argument.
        argument: &'static str,
        /// Elements that the plan needs.
        expected: usize,
        /// Elements that it was given.
        actual: usize,
    },
    /// A view that reaches past the end of its buffer.
    #[error("{argument}: {len} elements of {element_bytes} bytes at byte {offset_bytes} end past the buffer's {buffer_bytes} bytes")]
    OutOfRange {
        /// Name of the argument.
        argument: &'static str,
        /// First byte of the view.
        offset_bytes: u64,
        /// Elements of the view.
        len: usize,
        /// Size of one element.
        element_bytes: usize,
        /// Size of the buffer.
        buffer_bytes: u64,
    },
    /// A buffer that was created without a usage that the operation needs.
    #[error("{argument}: the buffer lacks the usage {required:?}; it has {actual:?}")]
    MissingUsage {
        /// Name of the argument.
        argument: &'static str,
        /// The usage that is needed.
        required: wgpu::BufferUsages,
        /// The usages that the buffer has.
        actual: wgpu::BufferUsages,
    },
    /// A buffer, an encoder or a queue that is not the device's own: of another device, or of
    /// another `wgpu::Instance`.
    #[error(
        "{argument}: not of this device, or not there any more: {why}. Objects of two instances of wgpu cannot be mixed: give yours to \
         GpuOptions::instance, or use Gpu::from_wgpu"
    )]
    ForeignObject {
        /// Name of the argument.
        argument: &'static str,
        /// How that was seen.
        why: String,
    },
    /// Input and output of an out-of-place plan in one buffer.
    #[error("{first} and {second} are in one buffer; wgpu tracks usage by buffer, so they need two, or an in-place plan")]
    Aliased {
        /// Name of one argument.
        first: &'static str,
        /// Name of the other.
        second: &'static str,
    },
    /// A view whose offset is no multiple of what the device or the element needs.
    #[error("{argument}: offset {offset_bytes} is no multiple of {alignment} bytes")]
    Misaligned {
        /// Name of the argument.
        argument: &'static str,
        /// First byte of the view.
        offset_bytes: u64,
        /// The multiple that is needed.
        alignment: u64,
    },
    /// The call does not fit the plan's placement.
    #[error("the plan `{spec}` works {placement}: call {instead} instead")]
    WrongPlacement {
        /// The specification.
        spec: String,
        /// `in place` or `out of place`.
        placement: &'static str,
        /// The method that fits.
        instead: &'static str,
    },
    /// One input for a plan that takes two, or two for a plan that takes one.
    #[error("the plan `{spec}` takes {expected} input(s), not {actual}: two are given as a pair, `(&x, &y)`, or to run_two")]
    WrongInputs {
        /// The specification.
        spec: String,
        /// Inputs that it takes.
        expected: usize,
        /// Inputs that it was given.
        actual: usize,
    },
    /// More than the device or the index arithmetic allows.
    #[error("{what} needs {required} where the limit {limit} is {available}")]
    LimitExceeded {
        /// What needs it.
        what: String,
        /// Name of the limit, as wgpu calls it where it is one of wgpu's.
        limit: &'static str,
        /// How much is needed.
        required: u64,
        /// How much there is.
        available: u64,
    },
    /// A combination that this version does not do.
    #[error("{what} is not supported: {why}")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// Why not, and what would work.
        why: String,
    },
    /// A recipe that does not solve this specification.
    #[error("the recipe `{recipe}` does not fit `{spec}`: {why}")]
    UnfitRecipe {
        /// The recipe as printed.
        recipe: String,
        /// The specification as printed.
        spec: String,
        /// What does not fit.
        why: String,
    },
    /// Text that is no recipe or specification.
    #[error("`{text}` is no {what}: {why}")]
    Parse {
        /// What the text should have been.
        what: &'static str,
        /// The text.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The file of a pipeline cache could not be written.
    #[error("the pipeline cache {path:?} could not be saved: {why}")]
    PipelineCache {
        /// The file.
        path: std::path::PathBuf,
        /// The reason, from the operating system where it gives one.
        why: String,
    },
    /// A file of measured recipes could not be read or written as the caller asked.
    #[error("the record {path:?}: {why}")]
    Record {
        /// The file.
        path: std::path::PathBuf,
        /// The reason, from the operating system where it gives one.
        why: String,
    },
    /// The device is gone: it was destroyed, removed, or hung.
    #[error("the device was lost during {during}: {message}")]
    DeviceLost {
        /// What was under way.
        during: &'static str,
        /// The reason, from wgpu where it gives one.
        message: String,
    },
    /// All devices of a job failed before it was done.
    #[error("{job}: {done} of {units} units of `{phase}` were done when the last device failed: {failures}")]
    DevicesFailed {
        /// The specification.
        job: String,
        /// The phase.
        phase: String,
        /// Units of the phase that were done.
        done: usize,
        /// Units of the phase.
        units: usize,
        /// What happened to each device.
        failures: String,
    },
    /// The device has not enough memory.
    #[error("out of device memory during {during} ({bytes} bytes asked for)")]
    OutOfMemory {
        /// What was under way.
        during: &'static str,
        /// Size of the request.
        bytes: u64,
    },
    /// wgpu refused something for a reason that this crate did not foresee.
    #[error("wgpu, during {during}: {message}")]
    Wgpu {
        /// What was under way.
        during: &'static str,
        /// wgpu's message.
        message: String,
    },
}

/// Result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
