//! The errors of this crate.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// An error of this crate.
///
/// Nothing that a caller can cause panics, with one exception: objects of another `wgpu::Instance`
/// can cause a panic, see [`Gpu::from_wgpu`](crate::Gpu::from_wgpu).
///
/// On an error the caller's encoder is unchanged, except in two cases that wgpu does not let anyone
/// detect beforehand. The first is an encoder with an open pass: recording into it makes wgpu
/// invalidate it. Later calls that record into it may return `Ok` and do nothing, and its `finish`
/// reports an error to the device's handler. The second is an encoder of another device, with the
/// same effect. Drop such an encoder and create a new one.
///
/// A message is complete on its own. If another error is the cause, the message ends with it, and
/// [`source`](std::error::Error::source) returns it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No adapter matches the [`GpuOptions`](crate::GpuOptions).
    #[error("no GPU adapter {wanted}; found: {found}. {hint}")]
    NoAdapter {
        /// What was requested.
        wanted: String,
        /// The available adapters.
        found: String,
        /// What to install or change on this system.
        hint: &'static str,
    },
    /// The adapter could not open a device.
    #[error("adapter {adapter:?} could not open a device: {source}")]
    NoDevice {
        /// The name of the adapter.
        adapter: String,
        /// wgpu's error.
        source: Cause,
    },
    /// A shape has no elements.
    #[error("{what} of {shape}: every extent and the batch must be at least 1")]
    Empty {
        /// The operation or argument.
        what: &'static str,
        /// The shape as printed.
        shape: String,
    },
    /// A slice or view does not have the number of elements that the plan needs.
    #[error("{argument}: expected {expected} elements, got {actual}")]
    WrongLen {
        /// The name of the argument.
        argument: &'static str,
        /// The number of elements that the plan needs.
        expected: usize,
        /// The number of elements that were given.
        actual: usize,
    },
    /// An array does not have the shape that the plan needs.
    #[error("{argument}: expected an array of {expected}, got one of {actual}")]
    WrongShape {
        /// The name of the argument.
        argument: &'static str,
        /// The shape that the plan needs, as printed.
        expected: String,
        /// The shape that was given, as printed.
        actual: String,
    },
    /// A view reaches beyond the end of its buffer.
    #[error("{argument}: {len} elements of {element_bytes} bytes at byte {offset_bytes} reach beyond the buffer's {buffer_bytes} bytes")]
    OutOfRange {
        /// The name of the argument.
        argument: &'static str,
        /// The first byte of the view.
        offset_bytes: u64,
        /// The number of elements of the view.
        len: usize,
        /// The size of one element.
        element_bytes: usize,
        /// The size of the buffer.
        buffer_bytes: u64,
    },
    /// A buffer was created without a usage that the operation needs.
    #[error("{argument}: the buffer lacks the usage {required:?}; it has {actual:?}")]
    MissingUsage {
        /// The name of the argument.
        argument: &'static str,
        /// The missing usage.
        required: wgpu::BufferUsages,
        /// The usages that the buffer has.
        actual: wgpu::BufferUsages,
    },
    /// What is bound as an input or an output is not the texture that the plan takes: it has
    /// another format, size or usage, is an array, or is a texture where the plan takes an array.
    #[error("{argument}: expected {expected}, got {actual}")]
    WrongTexture {
        /// The name of the argument.
        argument: &'static str,
        /// What the plan takes, as printed.
        expected: String,
        /// What was given, as printed.
        actual: String,
    },
    /// A buffer, an encoder or a queue belongs to another device or to another `wgpu::Instance`.
    #[error(
        "{argument}: it belongs to another device or no longer exists: {why}. Objects of two instances of wgpu cannot be mixed: pass yours to \
         GpuOptions::instance, or use Gpu::from_wgpu"
    )]
    ForeignObject {
        /// The name of the argument.
        argument: &'static str,
        /// How this was detected.
        why: String,
    },
    /// Input and output of an out-of-place plan share a buffer.
    #[error("{first} and {second} are in the same buffer, but wgpu tracks usage per buffer: use two buffers or an in-place plan")]
    Aliased {
        /// The name of one argument.
        first: &'static str,
        /// The name of the other argument.
        second: &'static str,
    },
    /// The offset of a view does not have the alignment that the device or the element needs.
    #[error("{argument}: offset {offset_bytes} is not a multiple of {alignment} bytes")]
    Misaligned {
        /// The name of the argument.
        argument: &'static str,
        /// The first byte of the view.
        offset_bytes: u64,
        /// The required alignment.
        alignment: u64,
    },
    /// The call does not fit the plan's placement.
    #[error("the plan `{spec}` works {placement}: call {instead} instead")]
    WrongPlacement {
        /// The specification.
        spec: String,
        /// `in place` or `out of place`.
        placement: &'static str,
        /// The method to call instead.
        instead: &'static str,
    },
    /// A plan with two inputs was given one, or a plan with one input was given two.
    #[error("the plan `{spec}` takes {expected} input(s), but {actual} were given: pass two inputs as a pair `(&x, &y)`")]
    WrongInputs {
        /// The specification.
        spec: String,
        /// The number of inputs that the plan takes.
        expected: usize,
        /// The number of inputs that were given.
        actual: usize,
    },
    /// The arrays that were bound are not those that the fragments of a plan declare.
    #[error(
        "the fragments of the plan `{spec}` declare these arrays: {expected}; given were: {actual}. Give them with the input, `With(&x, &arrays)`"
    )]
    WrongArrays {
        /// The specification.
        spec: String,
        /// The names that are declared.
        expected: String,
        /// The names that were given.
        actual: String,
    },
    /// Something is wrong with an array of a [`Fragment`](crate::Fragment).
    #[error("`{name}` of a fragment: {source}")]
    FragmentArray {
        /// The name in the fragment.
        name: String,
        /// What is wrong with it.
        source: Box<Self>,
    },
    /// What a call has queued cannot be submitted: see [`Bound::enqueue`](crate::Bound::enqueue).
    #[error("{call}, queued as number {number} of those submitted together: {source}")]
    Queued {
        /// What was queued, and by whom if they said so.
        call: String,
        /// Its number among the calls of one submission, from 1 on.
        number: usize,
        /// Why.
        source: Box<Self>,
    },
    /// Something is larger than the device or the index arithmetic allows.
    #[error("{what} needs {required}, but the limit {limit} is {available}")]
    LimitExceeded {
        /// What exceeds the limit.
        what: String,
        /// The name of the limit. For limits of wgpu, this is wgpu's name.
        limit: &'static str,
        /// The required amount.
        required: u64,
        /// The available amount.
        available: u64,
    },
    /// A combination that this version does not support.
    #[error("{what} is not supported: {why}")]
    Unsupported {
        /// What was requested.
        what: String,
        /// Why it is not supported, and what would work.
        why: String,
    },
    /// A recipe cannot compute this specification on this device.
    #[error("the recipe `{recipe}` does not fit `{spec}`: {why}")]
    UnfitRecipe {
        /// The recipe as printed.
        recipe: String,
        /// The specification as printed.
        spec: String,
        /// Why it does not fit.
        why: String,
    },
    /// A text cannot be parsed as a recipe, a specification or the like.
    #[error("`{text}` is not a valid {what}: {why}")]
    Parse {
        /// What the text should have been.
        what: &'static str,
        /// The text.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The device was lost: it was destroyed, removed, or hung.
    #[error("the device was lost during {during}: {message}")]
    DeviceLost {
        /// The operation in progress.
        during: &'static str,
        /// The reason, from wgpu where it gives one.
        message: String,
    },
    /// The device showed no progress for longer than its
    /// [limit on waits](crate::Gpu::with_wait_limit). It may hang, or have a longer dispatch to do.
    #[error(
        "the device showed no progress for {waited:.1?} while this waited for {what}: it has done {done} of the {submitted} submissions of \
         this crate, and {copied_bytes} of {bytes} bytes have been copied. It may hang; if it needs longer, raise Gpu::with_wait_limit"
    )]
    TimedOut {
        /// What was waited for.
        what: &'static str,
        /// How long there was no progress.
        waited: Duration,
        /// Submissions of this crate that the device has done, at least.
        done: u64,
        /// Submissions of this crate to the device.
        submitted: u64,
        /// Bytes of the result that have been copied to the host.
        copied_bytes: u64,
        /// Bytes of the result, 0 where there is none.
        bytes: u64,
    },
    /// The device computed something wrong: [`Plan::verify`](crate::Plan::verify) found it, or a
    /// run that [`GpuOptions::verify_every`](crate::GpuOptions::verify_every) verified.
    #[error(
        "{device} computes `{spec}` wrongly by the recipe `{recipe}`: {fault}. Do not trust this driver's results of such a plan. Another \
         recipe (Planner::plan_with), shaders with bounds checks (WGPU_FFT_CHECKED=1), another version of the driver or another adapter \
         may do; please report it with what `wgpu-fft check` prints"
    )]
    WrongResult {
        /// The specification as printed.
        spec: String,
        /// The recipe as printed.
        recipe: String,
        /// The device and its driver.
        device: String,
        /// What is wrong.
        fault: String,
    },
    /// The device does not have enough memory.
    #[error("out of device memory during {during} ({bytes} bytes requested)")]
    OutOfMemory {
        /// The operation in progress.
        during: &'static str,
        /// The size of the request.
        bytes: u64,
    },
    /// A file could not be read or written, or does not hold what it should. The file is unchanged.
    #[error("{during} {path:?}: {source}")]
    File {
        /// What was to be done, such as `reading the record`.
        during: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error, a [`std::io::Error`], or what is wrong with the file.
        source: Cause,
    },
    /// wgpu reported an error that this crate did not expect.
    #[error("wgpu, during {during}: {source}")]
    Wgpu {
        /// The operation in progress.
        during: &'static str,
        /// wgpu's error.
        source: Cause,
    },
}

/// A `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The error that caused another one, to which it dereferences. Two are equal if they print
/// equally.
#[derive(Clone)]
pub struct Cause(Arc<dyn std::error::Error + Send + Sync>);

impl Cause {
    /// Wraps an error or a message.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into().into())
    }
}

impl Deref for Cause {
    type Target = dyn std::error::Error + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Error {
    /// Something is wrong with a file.
    pub(crate) fn file(during: &'static str, path: &Path, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::File { during, path: path.to_owned(), source: Cause::new(cause) }
    }

    /// What a specification asks for is not supported.
    pub(crate) fn unsupported(spec: &impl fmt::Display, why: impl fmt::Display) -> Self {
        Self::Unsupported { what: format!("`{spec}`"), why: why.to_string() }
    }

    /// A recipe cannot compute a specification.
    #[cfg(feature = "signal")]
    pub(crate) fn unfit(recipe: &impl fmt::Display, spec: &impl fmt::Display, why: String) -> Self {
        Self::UnfitRecipe { recipe: recipe.to_string(), spec: spec.to_string(), why }
    }
}

/// Refuses a specification if something holds.
#[cfg(feature = "signal")]
pub(crate) fn refuse_if(holds: bool, spec: &impl fmt::Display, why: impl fmt::Display) -> Result<()> {
    if holds { Err(Error::unsupported(spec, why)) } else { Ok(()) }
}

/// Refuses what needs more than a limit.
pub(crate) fn within(what: impl FnOnce() -> String, limit: &'static str, required: u64, available: u64) -> Result<()> {
    if required <= available { Ok(()) } else { Err(Error::LimitExceeded { what: what(), limit, required, available }) }
}

/// Refuses more elements than indices on the device can count.
pub(crate) fn check_count(what: impl FnOnce() -> String, elements: u64) -> Result<()> {
    within(what, "elements indexed by a u32", elements, u32::MAX.into())
}

macro_rules! kinds {
    ($($kind:ident $name:literal),* $(,)?) => {
        /// Which error it is, without its numbers. An error of a fragment's array is of the kind of
        /// what is wrong with the array, and one of a queued call of the kind of its reason.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $(#[doc = concat!("[`Error::", stringify!($kind), "`].")] $kind,)*
        }

        impl ErrorKind {
            /// A short name, such as `wrong-length`, for languages without enums to match.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }

        impl Error {
            /// Which error it is.
            #[must_use]
            pub fn kind(&self) -> ErrorKind {
                match self {
                    Self::FragmentArray { source, .. } | Self::Queued { source, .. } => source.kind(),
                    $(Self::$kind { .. } => ErrorKind::$kind,)*
                }
            }
        }
    };
}

kinds! {
    NoAdapter "no-adapter",
    NoDevice "no-device",
    Empty "empty",
    WrongLen "wrong-length",
    WrongShape "wrong-shape",
    OutOfRange "out-of-range",
    MissingUsage "missing-usage",
    WrongTexture "wrong-texture",
    ForeignObject "foreign-object",
    Aliased "aliased",
    Misaligned "misaligned",
    WrongPlacement "wrong-placement",
    WrongInputs "wrong-inputs",
    WrongArrays "wrong-arrays",
    LimitExceeded "too-large",
    Unsupported "unsupported",
    UnfitRecipe "unfit-recipe",
    Parse "parse",
    DeviceLost "device-lost",
    TimedOut "timed-out",
    WrongResult "wrong-result",
    OutOfMemory "out-of-memory",
    File "file",
    Wgpu "wgpu",
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn the_cause_is_the_source_itself() {
        let error = Error::Wgpu { during: "test", source: Cause::new(fmt::Error) };
        assert!(error.source().is_some_and(|source| source.is::<fmt::Error>()));
        assert_eq!(error, Error::Wgpu { during: "test", source: Cause::new(fmt::Error.to_string()) });
        assert_ne!(error, Error::Wgpu { during: "test", source: Cause::new("another") });
    }
}
