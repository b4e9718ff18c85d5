//! How a job is divided and run: the caller's choices.

use std::time::Duration;

use crate::strategy::Strategy;

/// How a job is divided and run. The ranks of a cluster must all pass the same options.
///
/// ```
/// use wgpu_fft_distributed::{JobOptions, Strategy};
///
/// let options = JobOptions::default().strategy(Strategy::Auto).memory(1 << 30);
/// ```
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub struct JobOptions {
    /// What the workers' kind takes by itself if the caller says nothing.
    pub(crate) strategy: Option<Strategy>,
    pub(crate) timeout: Duration,
    pub(crate) axis: Option<usize>,
    pub(crate) memory: Option<u64>,
    pub(crate) piece_bytes: Option<usize>,
    pub(crate) in_flight: usize,
    pub(crate) copy_threads: Option<usize>,
    #[cfg(feature = "mpi")]
    pub(crate) decomposition: crate::ranks::Decomposition,
    #[cfg(feature = "mpi")]
    pub(crate) order: crate::ranks::Order,
    #[cfg(feature = "mpi")]
    pub(crate) arithmetic: crate::ranks::Arithmetic,
    #[cfg(feature = "mpi")]
    pub(crate) message_bytes: usize,
    #[cfg(feature = "mpi")]
    pub(crate) exchange_as_f16: bool,
}

/// How long a worker is waited for unless the caller says otherwise. A whole slab on a software
/// adapter may take minutes, and so may compiling for one.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(600);

/// The most pieces in flight at once. Each has buffers of its own on the device.
const MAX_IN_FLIGHT: usize = 64;

impl Default for JobOptions {
    fn default() -> Self {
        Self {
            strategy: None,
            timeout: TIMEOUT,
            axis: None,
            memory: None,
            piece_bytes: None,
            in_flight: 3,
            copy_threads: None,
            #[cfg(feature = "mpi")]
            decomposition: crate::ranks::Decomposition::default(),
            #[cfg(feature = "mpi")]
            order: crate::ranks::Order::default(),
            #[cfg(feature = "mpi")]
            arithmetic: crate::ranks::Arithmetic::default(),
            #[cfg(feature = "mpi")]
            message_bytes: 16 << 20,
            #[cfg(feature = "mpi")]
            exchange_as_f16: false,
        }
    }
}

impl JobOptions {
    /// Sets how the work is divided. The default is [`Strategy::Measured`] on a set of devices. On a
    /// cluster it is [`Strategy::Equal`], so that every run of a program has the same parts.
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy: Some(strategy), ..self }
    }

    /// Sets how long a device may take for one piece of its work. A device that has not answered by
    /// then counts as lost: in a set the others take over, and on a cluster all ranks return
    /// [`NoAnswer`](crate::Error::NoAnswer). The default is 10 minutes, because a rank's whole share
    /// may be one piece, and a software adapter also compiles within this time.
    ///
    /// A rank of a cluster that does not answer the others for twice this time, for whatever
    /// reason, is given up: see `RankSilent`. So it is also the longest time that ranks may differ
    /// in when they make a call. In a run that was started, the time between two tests counts as at
    /// most 1 s.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }
}

/// How work passes through a device.
impl JobOptions {
    /// Sets the most bytes of a piece, input and output together. A piece has at least one unit. On
    /// a cluster, a rank sends each piece of a pass to the others while its device computes the
    /// next ones. With `usize::MAX` a pass of a rank is one piece, and nothing overlaps.
    pub fn piece_bytes(self, bytes: usize) -> Self {
        Self { piece_bytes: Some(bytes.max(1)), ..self }
    }

    /// Sets how many pieces a device has in flight at once. 1 means that copies and computation do
    /// not overlap. The default is 3. The maximum is 64, because each piece has buffers of its own
    /// on the device.
    pub fn in_flight(self, pieces: usize) -> Self {
        Self { in_flight: pieces.clamp(1, MAX_IN_FLIGHT), ..self }
    }
}

/// Choices for a [`DeviceSet`](crate::DeviceSet). The ranks of a cluster ignore them.
impl JobOptions {
    /// Cuts the first phase along this axis, counted from the slowest. The default is the slowest
    /// axis that can be cut. The choice matters: devices copy short pieces more slowly than long
    /// ones.
    pub fn along(self, axis: usize) -> Self {
        Self { axis: Some(axis), ..self }
    }

    /// Sets approximately how many bytes of each device's memory the job may use. wgpu does not
    /// report how much memory there is; if an allocation fails, pieces are halved.
    pub fn memory(self, bytes: u64) -> Self {
        Self { memory: Some(bytes), ..self }
    }

    /// Sets the number of threads per device that copy between the host's arrays and the device's
    /// staging buffers. The default is up to 4, depending on the number of cores.
    pub fn copy_threads(self, threads: usize) -> Self {
        Self { copy_threads: Some(threads.max(1)), ..self }
    }
}

/// Choices for a [`Cluster`](crate::Cluster). A set of devices ignores them.
#[cfg(feature = "mpi")]
impl JobOptions {
    /// Sets which axes are divided. The default is
    /// [`Decomposition::Slabs`](crate::Decomposition::Slabs).
    pub fn decomposition(self, decomposition: crate::ranks::Decomposition) -> Self {
        Self { decomposition, ..self }
    }

    /// Sets the order of the frequencies. The default is
    /// [`Order::Transposed`](crate::Order::Transposed), which saves an exchange.
    pub fn order(self, order: crate::ranks::Order) -> Self {
        Self { order, ..self }
    }

    /// Sets how recipes are chosen.
    pub fn arithmetic(self, arithmetic: crate::ranks::Arithmetic) -> Self {
        Self { arithmetic, ..self }
    }

    /// Sets the largest message between two ranks, in bytes. The default is 16 MiB. No message has more
    /// than an eighth of what one rank sends another, or 1 MiB if that is more. With smaller
    /// messages, progress is reported more often, and messages under way take less memory.
    pub fn message_bytes(self, bytes: usize) -> Self {
        Self { message_bytes: bytes, ..self }
    }

    /// Sends numbers of f32 from rank to rank as f16, in half the bytes, on the host: what a device
    /// computes and stores stays f32. It pays where the network is slower than the conversion: 1024²
    /// on four ranks of lavapipe, which exchange through memory, takes 1.19 times as long with it.
    ///
    /// **Accuracy.** Each of the E exchanges of a run rounds every number to 11 bits, by at most 2⁻¹¹
    /// of it, but for numbers that are small beside the range, whose error is absolute. With n and M
    /// as below, and r the root mean square of the array's real and imaginary parts, the relative error
    /// of an exchange in the two-norm is at most ε = 2⁻¹¹ + 2⁻³⁷·√n·M/r. A transform keeps such errors,
    /// so that of the result is at most E·ε, besides that of the transform (√2 times that for `C2r`,
    /// where half of a spectrum stands for all of it). Errors of different numbers are independent, with
    /// a mean square of 2⁻²²/7 if mantissas are evenly spread: expect 0.38·√E·2⁻¹¹, which is 1.9·10⁻⁴ for
    /// one exchange. E is 1 for slabs and 2 for pencils of a volume, and twice that with
    /// [`Order::Natural`](crate::Order::Natural).
    ///
    /// The second term of ε matters if one element stands out among very many. Of noise M/r is below
    /// 8, and the term below 2⁻¹⁴ up to n = 2³⁹. Of an impulse M/r is √(2n), and an exchange of its
    /// frequencies has a relative error of 2.0·10⁻⁴ for n = 2²⁷, of 1.6·10⁻³ for 2³⁰ (1024³), of 1.2·10⁻²
    /// for 2³³, and of 9.6·10⁻² for 2³⁶.
    ///
    /// **Range.** f16 ends at 65504, so numbers are multiplied by a power of two before, and by its
    /// inverse afterwards. All ranks find the largest real or imaginary part M of the whole input,
    /// in one pass over it and one reduction. An exchange behind transforms of n points in all can hold
    /// nothing above √2·n·M (times the factor of the transform, if it was applied), so nothing below
    /// 3.4·10³⁸ overflows, from where 11 bits round to more than f32 has. The price is paid by small
    /// numbers: below about 2⁻²⁷·n·M the error is absolute, at most 2⁻³⁸·n·M. In a batch M is that of all
    /// arrays, so a field much weaker than another one loses digits. Infinities and NaNs stay what they
    /// are.
    ///
    /// **Bits** are those of one rank with this option, as without it: M is that of the whole array, and a
    /// rank rounds what it keeps as if it had sent it. Exchanges of [`Job::with_parts`](crate::Job::with_parts) and
    /// [`Job::run_from_root`](crate::Job::run_from_root) send what they move as it is.
    ///
    /// Transforms of f64 are refused with [`Unsupported`](wgpu_fft::Error::Unsupported).
    pub fn exchange_as_f16(self) -> Self {
        Self { exchange_as_f16: true, ..self }
    }
}
