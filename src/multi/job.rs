//! Runs a specification on several devices.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::balance::{Balance, Division};
use super::divide::{Cut, Divide, Divided};
use super::engine::{Engine, Pace};
use super::fault::{Failure, Faults, When};
use super::phase::{Phase, Place, Reading};
use super::report::{DeviceReport, PhaseReport, Rate, Report, Work};
use super::ring::Tasks;
use super::schedule::Shares;
use super::set::{DeviceSet, MemberKind};
use super::slab::OutputShare;
use super::strategy::Strategy;
use crate::error::{Error, Result};
use crate::gpu::copy_threads;

/// How far a run has progressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The index of the phase, from 0.
    pub phase: usize,
    /// The number of phases of the job.
    pub phases: usize,
    /// Units of the phase that are done.
    pub done: usize,
    /// All units of the phase.
    pub units: usize,
}

/// The most pieces in flight at once. Each has buffers of its own on the device.
const MOST_IN_FLIGHT: usize = 64;

type OnProgress = Box<dyn Fn(Progress) + Send + Sync>;

/// A specification that several devices compute together. Its arrays are on the host and may be
/// larger than any device's memory.
///
/// The array is cut into units that do not depend on each other (rows, columns, planes, parts of a
/// sum). Devices receive these units in pieces. Transforms over several axes take two phases, and
/// between them the host's array is cut along another axis. See the [module](super).
///
/// Several threads may run the same job at the same time. They share its plans and its
/// measurements.
pub struct Job<S: Divide> {
    spec: S,
    core: Core,
}

/// A job without its types: what it does is compiled once, not for every specification.
struct Core {
    set: DeviceSet,
    /// The specification, printed.
    spec: String,
    divided: Divided,
    /// The members that can compute all phases.
    able: Vec<usize>,
    left_out: Vec<(usize, Error)>,
    axis: Option<usize>,
    strategy: Strategy,
    pace: Pace,
    /// The plans of each member.
    tasks: Vec<Tasks>,
    /// The measurements of each phase, once there are any.
    balances: Mutex<Vec<Option<Balance>>>,
    faults: Vec<(usize, When, Failure)>,
    on_progress: Option<OnProgress>,
}

impl<S: Divide> std::fmt::Debug for Job<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("spec", &self.spec)
            .field("set", &self.core.set)
            .field("strategy", &self.core.strategy)
            .finish_non_exhaustive()
    }
}

impl<S: Divide> Job<S> {
    /// Makes a job of `spec` for the devices of `set`, with the strategy
    /// [`Measured`](Strategy::Measured).
    ///
    /// # Errors
    /// Returns an error if the specification is invalid or cannot be divided. If no device can
    /// compute a unit of it, returns the error of the first device.
    pub fn new(set: &DeviceSet, spec: S) -> Result<Self> {
        Self::cut(set, spec, None)
    }

    /// Makes a job whose first phase is cut along the given axis, counted from the slowest. The
    /// default is the slowest axis that can be cut. The choice matters: the paper behind the
    /// strategy [`Takemoto`](Strategy::Takemoto) lost 85% of one kernel's speed by cutting across
    /// the axis that its workgroups preferred.
    ///
    /// # Errors
    /// The same as those of [`new`](Self::new), and [`Error::Unsupported`] if the specification
    /// cannot be cut along this axis.
    pub fn along(set: &DeviceSet, spec: S, axis: usize) -> Result<Self> {
        Self::cut(set, spec, Some(axis))
    }

    fn cut(set: &DeviceSet, spec: S, axis: Option<usize>) -> Result<Self> {
        let core = Core::cut(set, spec.to_string(), axis, None, &|cut| spec.divide(set, cut))?;
        Ok(Self { spec, core })
    }

    /// Sets the strategy for dividing the job.
    ///
    /// # Errors
    /// Returns an error if the strategy does not fit the set: if it has another number of members,
    /// or if its weights are invalid.
    pub fn strategy(self, strategy: Strategy) -> Result<Self> {
        strategy.check(self.core.set.len())?;
        Ok(Self { core: Core { strategy, ..self.core }, ..self })
    }

    /// Sets how many pieces a device has in flight at once. 1 means that copies and computation do
    /// not overlap. The default is 3. The maximum is 64, because each piece has buffers of its own
    /// on the device.
    #[must_use]
    pub fn in_flight(mut self, pieces: usize) -> Self {
        self.core.pace.depth = pieces.clamp(1, MOST_IN_FLIGHT);
        self
    }

    /// Sets the number of threads per device that copy between the host's arrays and the device's
    /// staging buffers. The default is up to 4, depending on the number of cores.
    #[must_use]
    pub fn copy_threads(mut self, threads: usize) -> Self {
        self.core.pace.copy_threads = threads.max(1);
        self
    }

    /// Sets the most bytes of a piece, input and output together. A piece has at least one unit.
    #[must_use]
    pub fn piece_bytes(mut self, bytes: usize) -> Self {
        self.core.pace.piece_bytes = Some(bytes.max(1));
        self
    }

    /// Sets approximately how many bytes of each device's memory the job may use. wgpu does not
    /// report how much memory there is; if an allocation fails, pieces are halved.
    ///
    /// # Errors
    /// The same as those of [`new`](Self::new).
    pub fn memory(self, bytes: u64) -> Result<Self> {
        let Self { spec, core: Core { set, spec: text, axis, strategy, pace, faults, on_progress, .. } } = self;
        let new = Core::cut(&set, text, axis, Some(bytes), &|cut| spec.divide(&set, cut))?;
        let core = Core { strategy, pace: Pace { memory: Some(bytes), ..pace }, faults, on_progress, ..new };
        Ok(Self { spec, core })
    }

    /// Calls `report` after each piece, on the thread of the device that completed it.
    #[must_use]
    pub fn on_progress(mut self, report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.core.on_progress = Some(Box::new(report));
        self
    }

    /// Makes members of the set fail in every run, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_failures(mut self, failures: &[(usize, When, Failure)]) -> Self {
        self.core.faults = failures.to_vec();
        self
    }

    /// The specification.
    pub fn spec(&self) -> &S {
        &self.spec
    }

    /// The members of the set that cannot compute a unit of the job with the arithmetic of the
    /// first device, and why.
    pub fn left_out(&self) -> impl Iterator<Item = (&str, &Error)> {
        self.core.left_out.iter().map(|(member, error)| (self.core.set.members()[*member].name.as_str(), error))
    }

    /// The measurements of each device, by phase. Empty before the first run, and for strategies
    /// that measure nothing.
    #[must_use]
    pub fn rates(&self) -> Vec<Vec<Rate>> {
        let balances = self.core.balances.lock().unwrap_or_else(PoisonError::into_inner);
        balances.iter().map(|balance| balance.as_ref().map_or_else(Vec::new, |balance| balance.rates.clone())).collect()
    }

    /// The number of elements of the input.
    #[must_use]
    pub fn input_len(&self) -> usize {
        self.core.divided.input_bytes / size_of::<S::Input>()
    }

    /// The number of elements of the output.
    #[must_use]
    pub fn output_len(&self) -> usize {
        self.core.divided.output_bytes / size_of::<S::Output>()
    }

    /// Computes `output` from `input`.
    ///
    /// # Errors
    /// [`Error::WrongLen`]; [`Error::WrongInputs`] if the operation takes two inputs;
    /// [`Error::DevicesFailed`] if all devices failed. In the last case parts of the output have
    /// been written, and the error says how much was done. If at least one device survives,
    /// failures of the others only appear in the [`Report`].
    pub fn run(&self, input: &[S::Input], output: &mut [S::Output]) -> Result<Report> {
        self.start(&[input], output)
    }

    /// Computes `output` from two inputs.
    ///
    /// # Errors
    /// The same as those of [`run`](Self::run).
    pub fn run_two(&self, x: &[S::Input], y: &[S::Input], output: &mut [S::Output]) -> Result<Report> {
        self.start(&[x, y], output)
    }

    /// Overwrites the input with the output. This is for complex transforms of arrays that are too
    /// large to hold twice, such as a memory-mapped file.
    ///
    /// # Errors
    /// The same as those of [`run`](Self::run), and [`Error::Unsupported`] for other operations. If
    /// all devices fail, some units contain results and others do not.
    pub fn run_in_place(&self, data: &mut [S::Output]) -> Result<Report> {
        self.core.run_in_place(bytemuck::cast_slice_mut(data), size_of::<S::Output>())
    }

    fn start(&self, inputs: &[&[S::Input]], output: &mut [S::Output]) -> Result<Report> {
        let inputs: Vec<&[u8]> = inputs.iter().map(|input| bytemuck::cast_slice(input)).collect();
        self.core.start(&inputs, bytemuck::cast_slice_mut(output), [size_of::<S::Input>(), size_of::<S::Output>()])
    }
}

impl Core {
    fn cut(
        set: &DeviceSet,
        spec: String,
        axis: Option<usize>,
        memory: Option<u64>,
        divide: &dyn Fn(Cut) -> Result<Divided>,
    ) -> Result<Self> {
        let buffers = set.members().iter().filter_map(|member| member.planner()).map(|planner| planner.gpu().profile().buffer_bytes);
        // A unit may take at most a quarter of the job's memory, which also holds staging buffers
        // and a workspace.
        let unit_bytes = buffers.chain(memory.map(|memory| memory / 4)).min().unwrap_or(u64::MAX);
        let divided = divide(Cut { axis, unit_bytes })?;
        let mut able = Vec::new();
        let mut left_out = Vec::new();
        for (member, own) in set.members().iter().enumerate() {
            let can = |phase: &Phase| match &own.kind {
                MemberKind::Gpu(planner) => phase.work.check(planner.gpu().profile(), &(0..phase.alignment.min(phase.units()))),
                #[cfg(feature = "cpu")]
                MemberKind::Host => phase.work.can_host(),
            };
            match divided.phases.iter().try_for_each(can) {
                Ok(()) => able.push(member),
                Err(error) => left_out.push((member, error)),
            }
        }
        if able.is_empty() {
            return Err(left_out.swap_remove(0).1);
        }
        let phases = divided.phases.len();
        Ok(Self {
            spec,
            divided,
            left_out,
            strategy: Strategy::default(),
            pace: Pace { depth: 3, piece_bytes: None, memory, copy_threads: copy_threads(able.len()) },
            able,
            axis,
            tasks: set.members().iter().map(|_| Tasks::default()).collect(),
            balances: Mutex::new((0..phases).map(|_| None).collect()),
            faults: Vec::new(),
            on_progress: None,
            set: set.clone(),
        })
    }

    fn run_in_place(&self, data: &mut [u8], element: usize) -> Result<Report> {
        let same = |phase: &Phase| phase.input == phase.output && phase.to == Place::Output;
        if !self.divided.phases.iter().all(same) || self.divided.inputs != 1 {
            let why = "only complex transforms leave every unit where it was".to_owned();
            return Err(Error::Unsupported { what: format!("`{}` in place of its input", self.spec), why });
        }
        check("data", self.divided.output_bytes, data, element)?;
        self.execute(&[], data)
    }

    /// Runs all phases on arrays of elements of so many bytes.
    fn start(&self, inputs: &[&[u8]], output: &mut [u8], elements: [usize; 2]) -> Result<Report> {
        let (expected, actual) = (self.divided.inputs, inputs.len());
        if expected != actual {
            return Err(Error::WrongInputs { spec: self.spec.clone(), expected, actual });
        }
        for (argument, input) in ["input", "second input"].into_iter().zip(inputs) {
            check(argument, self.divided.input_bytes, input, elements[0])?;
        }
        check("output", self.divided.output_bytes, output, elements[1])?;
        self.execute(inputs, output)
    }

    /// Runs all phases. If there are no inputs, they work in place on the output.
    fn execute(&self, inputs: &[&[u8]], output: &mut [u8]) -> Result<Report> {
        let begin = Instant::now();
        let mut scratch = zeros(self.divided.scratch_bytes)?;
        let faults = Faults::new(&self.faults);
        let mut run = Run { job: self, faults: &faults, failed: vec![false; self.set.len()], measuring: Duration::ZERO, done: Vec::new() };
        for (number, phase) in self.divided.phases.iter().enumerate() {
            match (phase.from, phase.to) {
                (Place::Input, Place::Scratch) => run.phase(number, phase, inputs, &mut scratch)?,
                (Place::Scratch, _) => run.phase(number, phase, &[&scratch], output)?,
                (Place::Input, _) => run.phase(number, phase, inputs, output)?,
                (Place::Output, _) => run.phase(number, phase, &[], output)?,
            }
        }
        Ok(Report { job: self.spec.clone(), elapsed: begin.elapsed(), measuring: run.measuring, phases: run.done })
    }
}

/// Returns an error unless an array has `expected` bytes. The error counts elements.
fn check(argument: &'static str, expected: usize, array: &[u8], element: usize) -> Result<()> {
    let (expected, actual) = (expected / element, array.len() / element);
    if expected == actual { Ok(()) } else { Err(Error::WrongLen { argument, expected, actual }) }
}

/// Zeroed memory on the host, or an error instead of an abort.
fn zeros(bytes: usize) -> Result<Vec<u8>> {
    let mut memory = Vec::new();
    let refused = |_| Error::OutOfMemory { during: "allocation on the host", bytes: bytes as u64 };
    memory.try_reserve_exact(bytes).map_err(refused)?;
    memory.resize(bytes, 0);
    Ok(memory)
}

/// One run of a job.
struct Run<'r> {
    job: &'r Core,
    faults: &'r Faults,
    /// Whether each member has failed.
    failed: Vec<bool>,
    measuring: Duration,
    done: Vec<PhaseReport>,
}

impl Run<'_> {
    fn present(&self) -> Vec<usize> {
        self.job.able.iter().copied().filter(|&member| !self.failed[member]).collect()
    }

    fn phase(&mut self, number: usize, phase: &Phase, sources: &[&[u8]], target: &mut [u8]) -> Result<()> {
        let job = self.job;
        let engine = Engine { members: job.set.members(), tasks: &job.tasks, pace: job.pace, faults: self.faults };
        let reading = Reading { number, phase, sources };
        let mut report = PhaseReport {
            label: phase.label.clone(),
            units: phase.units(),
            division: String::new(),
            elapsed: Duration::ZERO,
            devices: Vec::new(),
        };
        let division = self.divide(&engine, reading, &mut report)?;
        report.division = format!("{}: {division}", job.strategy);

        let begin = Instant::now();
        let (phases, units) = (job.divided.phases.len(), phase.units());
        let progress = |before: usize| {
            let report = move |done: usize| {
                if let Some(on_progress) = &job.on_progress {
                    on_progress(Progress { phase: number, phases, done: before + done, units });
                }
            };
            Box::new(report)
        };
        let stock = OutputShare::whole(&phase.output, target);
        let (mut members, shares) = match &division {
            Division::Fixed(shares) => {
                let sizes: Vec<usize> = shares.iter().map(|(_, units)| *units).collect();
                (shares.iter().map(|(member, _)| *member).collect(), Shares::Fixed(stock.cut(&sizes, phase.output.inner)))
            }
            Division::Guided(members) => (members.clone(), Shares::Guided(vec![stock])),
        };
        let (works, mut left) = engine.side_by_side(reading, &members, shares, progress(0));
        self.note(&mut report, works);
        // Members without a share help if something is left.
        while !left.is_empty() {
            members = self.present();
            if members.is_empty() {
                return Err(self.all_failed(&report));
            }
            let done = phase.units() - left.iter().map(|stock| stock.units.len()).sum::<usize>();
            let (works, still) = engine.side_by_side(reading, &members, Shares::Guided(left), progress(done));
            self.note(&mut report, works);
            left = still;
        }
        report.elapsed = begin.elapsed();
        let unharmed = report.devices.iter().all(|device| device.work.error.is_none() && device.work.out_of_memory == 0);
        if unharmed && let Some(balance) = &mut self.balances()[number] {
            balance.observe(&division, report.elapsed.as_secs_f64());
        }
        self.done.push(report);
        Ok(())
    }

    fn balances(&self) -> std::sync::MutexGuard<'_, Vec<Option<Balance>>> {
        self.job.balances.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&mut self, report: &mut PhaseReport, works: Vec<(usize, Work)>) {
        for (member, work) in works {
            self.failed[member] |= work.error.is_some();
            report.devices.push(DeviceReport { member, name: self.job.set.members()[member].name.clone(), work });
        }
    }

    /// The division of a phase. Measures first if the strategy asks for it.
    fn divide(&mut self, engine: &Engine<'_>, reading: Reading<'_>, report: &mut PhaseReport) -> Result<Division> {
        loop {
            let present = self.present();
            if present.is_empty() {
                return Err(self.all_failed(report));
            }
            let units = reading.phase.units();
            if let Some(shares) = self.job.strategy.shares(units, reading.phase.alignment, &present)? {
                return Ok(Division::fixed(&present, &shares));
            }
            if self.job.strategy == Strategy::Dynamic {
                return Ok(Division::Guided(present));
            }
            // With one device or one unit there is nothing to choose.
            if present.len() == 1 || units <= reading.phase.alignment {
                return Ok(Division::Fixed(vec![(present[0], units)]));
            }
            match self.measured(engine, reading, &present) {
                Ok(division) => return Ok(division),
                Err((member, error)) => self.note(report, vec![(member, Work { error: Some(error), ..Work::default() })]),
            }
        }
    }

    /// The division known to be the fastest. Measures the members if that has not been done.
    fn measured(&mut self, engine: &Engine<'_>, reading: Reading<'_>, present: &[usize]) -> std::result::Result<Division, (usize, Error)> {
        let job = self.job;
        let mut balances = job.balances.lock().unwrap_or_else(PoisonError::into_inner);
        let balance = match &mut balances[reading.number] {
            Some(known) if known.is_of(present) => known,
            unknown => {
                let begin = Instant::now();
                let measured = Balance::measure(engine, reading, present, job.strategy == Strategy::Auto);
                self.measuring += begin.elapsed();
                unknown.insert(measured?)
            }
        };
        Ok(balance.choose())
    }

    fn all_failed(&self, report: &PhaseReport) -> Error {
        let phases = self.done.iter().chain([report]);
        let failures: Vec<(&str, &Error)> = phases
            .flat_map(|phase| &phase.devices)
            .filter_map(|device| device.work.error.as_ref().map(|error| (device.name.as_str(), error)))
            .collect();
        // If the only device cannot do the job at all, its error is returned as it is.
        if let [(_, error)] = failures[..]
            && self.job.able.len() == 1
            && !matches!(error, Error::DeviceLost { .. } | Error::OutOfMemory { .. })
        {
            return error.clone();
        }
        Error::DevicesFailed {
            job: self.job.spec.clone(),
            phase: report.label.clone(),
            done: report.devices.iter().map(|device| device.work.units).sum(),
            units: report.units,
            failures: failures.iter().map(|(name, error)| format!("{name}: {error}")).collect::<Vec<_>>().join("; "),
        }
    }
}
