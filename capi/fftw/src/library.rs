//! What the library keeps between calls: the device, planners and the record.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wgpu_fft::dynamic::{AnyPlan, AnySpec};
use wgpu_fft::low_level::tune::Source;
use wgpu_fft::tune::{Record, Rigor, Tuning};
use wgpu_fft::{Error, Gpu, GpuOptions, Planner};

use crate::problem::Step;
use crate::{precision, process};

/// The variable that chooses the rigor of all plans.
const RIGOR: &str = "WGPU_FFT_FFTW_RIGOR";

/// Its value that leaves the choice to the flags of the program.
const OF_FLAGS: &str = "flags";

/// So many plans are kept for later calls.
const MAX_KEPT: usize = 256;

/// What is kept.
#[derive(Default)]
pub struct Library {
    /// Nothing before the first plan.
    gpu: Option<Result<Gpu, Error>>,
    planners: HashMap<Rigor, Planner>,
    /// Nothing before it is needed.
    record: Option<Record>,
    time_limit: Option<Duration>,
    pub threads: i32,
}

/// How a recipe is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choosing {
    pub rigor: Rigor,
    /// There is no plan unless the record has its recipe.
    pub recorded_only: bool,
}

/// The library, for one thread at a time. In a process that was forked from one with a device it is
/// another one: the first has the device, and a thread that is not there may have locked it.
pub fn library() -> MutexGuard<'static, Library> {
    static LIBRARIES: LazyLock<[Mutex<Library>; 2]> = LazyLock::new(Default::default);
    // A panic leaves nothing half done here: planners have locks of their own.
    LIBRARIES[usize::from(process::is_forked())].lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error of a process that was forked from one with a device.
pub fn forked(why: String) -> Error {
    Error::Unsupported { what: "computing in a child process".to_owned(), why }
}

impl Library {
    /// The device, opened unless it is already.
    pub fn gpu(&mut self) -> Result<Gpu, Error> {
        process::enter().map_err(forked)?;
        if matches!(&self.gpu, Some(Ok(gpu)) if gpu.is_lost()) {
            self.gpu = None;
            self.planners.clear();
        }
        self.gpu.get_or_insert_with(|| pollster::block_on(Gpu::request(&GpuOptions::default()))).clone()
    }

    /// The device, if one was asked for.
    pub fn device(&self) -> Option<&Result<Gpu, Error>> {
        self.gpu.as_ref()
    }

    /// The record of measurements: wisdom.
    pub fn record(&mut self) -> &Record {
        self.record.get_or_insert_with(Record::open_default)
    }

    /// Begins a record without any measurements, which belongs to no file.
    pub fn forget_record(&mut self) {
        self.record = Some(Record::in_memory());
        self.forget_choices();
    }

    /// Planners keep what they once chose, so they must go when other recipes may be chosen.
    pub fn forget_choices(&mut self) {
        self.planners.clear();
    }

    /// How long a search for one specification may take, if there is a limit.
    pub fn limit_time(&mut self, limit: Option<Duration>) {
        if self.time_limit != limit {
            self.time_limit = limit;
            self.forget_choices();
        }
    }

    fn planner(&mut self, rigor: Rigor) -> Result<&Planner, Error> {
        let gpu = self.gpu()?;
        let mut tuning = Tuning::new(rigor).record(self.record().clone());
        if let Some(limit) = self.time_limit {
            tuning = tuning.time_limit(limit);
        }
        Ok(self.planners.entry(rigor).or_insert_with(|| Planner::new(&gpu).with_capacity(MAX_KEPT).with_tuning(tuning)))
    }

    /// Whether a step takes less time on the host, by an estimate. The host has doubles in any case,
    /// so where the device has none, that of floats decides.
    pub fn is_host_faster(&mut self, step: &Step) -> Result<bool, Error> {
        let planner = self.planner(Rigor::Recorded)?;
        let text = step.spec(step.batch);
        let advice = |text: String| text.parse::<AnySpec>()?.advise(planner);
        let advice = advice(format!("{text}{}", precision::words()?)).or_else(|_| advice(text));
        // What fits no array of the device goes there in parts.
        Ok(advice.is_ok_and(|advice| advice.is_host_faster()))
    }

    /// Plans a specification.
    pub fn plan(&mut self, spec: &str, choosing: Choosing) -> Result<AnyPlan, Error> {
        // Programs ask for searches at each start, so a search must be asked for by the user.
        let rigor = match std::env::var(RIGOR).as_deref() {
            Err(_) | Ok("") => Rigor::Recorded,
            Ok(OF_FLAGS) => choosing.rigor,
            Ok(text) => text.parse()?,
        };
        let spec: AnySpec = format!("{spec}{}", precision::words()?).parse()?;
        let planner = self.planner(rigor)?;
        let choice = spec.choose(planner).map_err(precision::advice)?;
        if choosing.recorded_only && !matches!(choice.source, Source::Recorded(_)) {
            let why = "FFTW_WISDOM_ONLY asks for plans that were measured before".to_owned();
            return Err(Error::Unsupported { what: format!("`{spec}`, which the record does not have,"), why });
        }
        spec.plan(planner, Some(&choice.recipe))
    }

    /// The name of the device, once there is one.
    pub fn adapter(&self) -> String {
        match &self.gpu {
            Some(Ok(gpu)) => gpu.profile().name.clone(),
            _ => "no device".to_owned(),
        }
    }
}
