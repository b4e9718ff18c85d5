//! How a recipe is chosen: rigor, time limit and record.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::record::Record;
use super::rigor::Rigor;
use crate::settings::settings;

type Watcher = Arc<dyn Fn(&Progress<'_>) + Send + Sync>;

/// How a [`Planner`](crate::Planner) chooses recipes.
///
/// ```no_run
/// use wgpu_fft::tune::{Record, Tuning};
/// use wgpu_fft::{Gpu, GpuOptions, Planner, fft};
///
/// # fn main() -> wgpu_fft::Result<()> {
/// let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
/// let tuning = Tuning::measure().record(Record::open_default());
/// let planner = Planner::new(&gpu).with_tuning(tuning);
/// // Takes two seconds the first time, and a look-up in any later run of the program.
/// let plan = planner.plan(fft::C2c::forward([1080, 1920]))?;
/// println!("{}", planner.choose(&fft::C2c::forward([1080, 1920]))?.source);
/// # Ok(())
/// # }
/// ```
///
/// # Rigor
/// | | as FFTW's | takes | decides by |
/// |---|---|---|---|
/// | [`Rigor::Estimate`] | `FFTW_ESTIMATE` | nothing | what was measured on such a device by this crate's authors, or else the rules; the default |
/// | [`Rigor::Measure`] | `FFTW_MEASURE` | about 2 s for each specification | the record, or else a search around the estimate |
/// | [`Rigor::Patient`] | `FFTW_PATIENT` | up to a minute | the same, with more time |
/// | [`Rigor::Recorded`] | `FFTW_WISDOM_ONLY` | nothing | the record, or else as `Estimate`, by the coefficients that it has of the device |
///
/// # How it is measured
/// Recipes are compared on a second device of the same adapter. A recipe that crashes the driver,
/// hangs or loses that device harms none of the caller's plans. It is marked in the record, which
/// survives even a crash of the process, and is not tried again.
///
/// The search is a hill climb. It starts from the estimate, from recipes that were good on other
/// devices, and from recipes of other kinds. It moves from the best of them to its neighbours;
/// `Patient` also climbs from the other starts. After one warm-up run, a candidate is timed in
/// rounds interleaved with the best recipe so far, each time often enough for the clock's
/// resolution. Times that are not positive are measured again or rejected.
///
/// Before a recipe may win, its output on random numbers is compared with that of a baseline
/// recipe, and guard words before and after each array are checked. A search ends when no neighbour
/// is better, when the time is up, or, on a GPU, when data move as fast as in a plain copy. Final
/// rounds of the best few recipes against the estimate decide. On a GPU there are two sets of final
/// rounds: the winner must win again on newly allocated arrays.
///
/// Measuring needs a second device on the adapter and blocks the calling thread. In a browser,
/// `Measure` and `Patient` behave like `Recorded`.
#[derive(Clone, Default)]
#[must_use]
pub struct Tuning {
    pub(super) rigor: Rigor,
    pub(super) record: Record,
    time_limit: Option<Duration>,
    patience: Option<Duration>,
    again: bool,
    watcher: Option<Watcher>,
    cancelled: Option<Arc<AtomicBool>>,
}

impl fmt::Debug for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rigor, record, time_limit, patience, again, watcher: _, cancelled: _ } = self;
        let mut out = f.debug_struct("Tuning");
        out.field("rigor", rigor).field("record", record).field("time_limit", time_limit).field("patience", patience).field("again", again);
        out.finish_non_exhaustive()
    }
}

impl Tuning {
    /// Chooses with this rigor. Results are kept in memory until the last clone of the returned
    /// value is dropped.
    pub fn new(rigor: Rigor) -> Self {
        Self { rigor, ..Self::default() }
    }

    /// Chooses by a short search, see [`Rigor::Measure`].
    pub fn measure() -> Self {
        Self::new(Rigor::Measure)
    }

    /// Chooses by a long search, see [`Rigor::Patient`].
    pub fn patient() -> Self {
        Self::new(Rigor::Patient)
    }

    /// Chooses from `record` without measuring, see [`Rigor::Recorded`].
    pub fn recorded(record: Record) -> Self {
        Self::new(Rigor::Recorded).record(record)
    }

    settings! { own:
        /// Reads results from this record, and adds new results to it.
        record(record: Record) => own.record = record;

        /// Time limit for the search over one specification, instead of [`Rigor::time_limit`].
        ///
        /// A search may take longer in three cases. It waits for a recipe that is being compiled.
        /// If opening a device and compiling the estimate take more than half of the limit, the
        /// search gets another half. And a GPU's clock may need an extra second to reach its full
        /// rate.
        ///
        /// A recorded result of a search with a short limit is also used for later searches of the
        /// same rigor with a longer limit, until it is measured [`again`](Self::again).
        time_limit(limit: Duration) => own.time_limit = Some(limit);

        /// How long one recipe may take to compile and run before it counts as hung. The default is
        /// 20 seconds or 20 times as long as the estimate took, whichever is longer.
        patience(patience: Duration) => own.patience = Some(patience);

        /// Measures even if the record already has a result. The search then starts from that
        /// result, among others.
        again() => own.again = true;

        /// Ends a search soon after this has become true, as a watcher or another thread may set
        /// it: the recipe that is being tried is still waited for. The best so far is compared with
        /// the estimate in three rounds and taken, and the record does not keep it. Set before, it
        /// leaves the estimate.
        cancelled_by(flag: Arc<AtomicBool>) => own.cancelled = Some(flag);

        /// Calls `watcher` with the progress of each search, on the thread that plans.
        on_progress(watcher: impl Fn(&Progress<'_>) + Send + Sync + 'static) => own.watcher = Some(Arc::new(watcher));
    }

    /// Whether a search runs whatever the record has.
    pub(super) fn measures_again(&self) -> bool {
        self.again && matches!(self.rigor, Rigor::Measure | Rigor::Patient) && cfg!(not(target_arch = "wasm32"))
    }

    /// The rigor.
    #[must_use]
    pub fn rigor(&self) -> Rigor {
        self.rigor
    }
}

/// What only searches need, which a browser has none of.
#[cfg(not(target_arch = "wasm32"))]
impl Tuning {
    pub(super) fn limit(&self) -> Duration {
        self.time_limit.unwrap_or_else(|| self.rigor.time_limit())
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed))
    }

    /// How long to wait for a recipe on a device that took so long for the estimate.
    pub(super) fn patience_for(&self, estimate: Duration) -> Duration {
        /// So long, or so many times as long as the estimate took to compile and run. lavapipe
        /// takes up to 30 s for the longest kernels, but then for the estimate as well.
        const PATIENCE: Duration = Duration::from_secs(20);
        const PATIENCE_TIMES: u32 = 20;
        self.patience.unwrap_or_else(|| PATIENCE.max(estimate * PATIENCE_TIMES))
    }

    pub(super) fn report(&self, progress: &Progress<'_>) {
        if let Some(watcher) = &self.watcher {
            watcher(progress);
        }
    }
}

/// The progress of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The specification.
    pub spec: &'a str,
    /// The current stage.
    pub stage: Stage,
    /// The recipe that is being tried.
    pub recipe: Option<&'a str>,
    /// Recipes measured so far.
    pub measured: usize,
    /// Time of the best recipe so far over that of the estimate; 1 or less.
    pub best: f64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// The time limit. A recipe that is being compiled then is still waited for.
    pub limit: Duration,
}

/// The stages of a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// Opening a second device and measuring the estimate.
    Opening,
    /// Trying recipes.
    Searching,
    /// Measuring the best recipes against the estimate.
    Final,
    /// The search is over.
    Done,
}
