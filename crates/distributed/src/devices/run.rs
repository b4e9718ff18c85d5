//! A run of a job on a set of devices, phase by phase.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use wgpu_fft::low_level::transfer::copy_threads;

use super::balance::{Balance, Division};
use super::divide::{CutOptions, Divided};
use super::engine::{Engine, Pace};
use super::fault::{Failure, Faults, When};
use super::phase::{HostArray, Phase, Reading};
use super::ring::Tasks;
use super::schedule::Shares;
use super::set::{DeviceSet, MemberKind};
use crate::error::{Error, Failures, Result};
use crate::job::{self, Listener, Progress, check, zeros};
use crate::options::JobOptions;
use crate::report::{PhaseReport, Rate, Report, Work, WorkerReport};
use crate::slab::OutputShare;
use crate::strategy::{Divisible, Strategy};

/// A job on a set, without its types.
pub struct DevicesJob {
    set: DeviceSet,
    /// The specification, printed.
    spec: String,
    divided: Divided,
    /// The members that can compute all phases.
    able: Vec<usize>,
    left_out: Vec<(usize, wgpu_fft::Error)>,
    strategy: Strategy,
    pace: Pace,
    /// The plans of each member.
    tasks: Vec<Tasks>,
    /// The measurements of each phase, once there are any.
    balances: Mutex<Vec<Option<Balance>>>,
    faults: Vec<(usize, When, Failure)>,
}

impl DevicesJob {
    pub(crate) fn new(
        set: &DeviceSet,
        spec: String,
        options: &JobOptions,
        divide: &dyn Fn(CutOptions) -> wgpu_fft::Result<Divided>,
    ) -> Result<Self> {
        let buffers = set.members().iter().filter_map(|member| member.planner()).map(|planner| planner.gpu().profile().buffer_bytes);
        // A unit may take at most a quarter of the job's memory, which also holds staging buffers
        // and a workspace.
        let unit_bytes = buffers.chain(options.memory.map(|memory| memory / 4)).min().unwrap_or(u64::MAX);
        let divided = divide(CutOptions { axis: options.axis, unit_bytes })?;
        let phases: Vec<Divisible> = (0..divided.phases.len()).map(|number| divided.divisible(number, set.len())).collect();
        let strategy = options.strategy.clone().unwrap_or(Strategy::Measured);
        strategy.check(set.len(), &phases)?;
        let mut able = Vec::new();
        let mut left_out = Vec::new();
        for (member, own) in set.members().iter().enumerate() {
            let can = |phase: &Phase| match &own.kind {
                MemberKind::Gpu(planner) => phase.computation.check(planner.gpu().profile(), &(0..phase.alignment.min(phase.units()))),
                #[cfg(feature = "cpu")]
                MemberKind::Host => phase.computation.can_host(),
            };
            match divided.phases.iter().try_for_each(can) {
                Ok(()) => able.push(member),
                Err(error) => left_out.push((member, error)),
            }
        }
        if able.is_empty() {
            return Err(left_out.swap_remove(0).1.into());
        }
        Ok(Self {
            spec,
            divided,
            left_out,
            strategy,
            pace: Pace {
                depth: options.in_flight,
                piece_bytes: options.piece_bytes,
                memory: options.memory,
                copy_threads: options.copy_threads.unwrap_or_else(|| copy_threads(able.len())),
                timeout: options.timeout,
            },
            able,
            tasks: set.members().iter().map(|_| Tasks::default()).collect(),
            balances: Mutex::new(phases.iter().map(|_| None).collect()),
            faults: Vec::new(),
            set: set.clone(),
        })
    }

    pub(crate) fn left_out(&self) -> impl Iterator<Item = (&str, &wgpu_fft::Error)> {
        self.left_out.iter().map(|(member, error)| (self.set.members()[*member].name.as_str(), error))
    }

    pub(crate) fn rates(&self) -> Vec<Vec<Rate>> {
        let balances = self.balances.lock().unwrap_or_else(PoisonError::into_inner);
        balances.iter().map(|balance| balance.as_ref().map_or_else(Vec::new, |balance| balance.rates.clone())).collect()
    }

    #[cfg(feature = "testing")]
    pub(crate) fn fail(&mut self, failures: &[(usize, When, Failure)]) {
        self.faults = failures.to_vec();
    }

    pub(crate) fn run_in_place(&self, data: &mut [u8], element: usize, listener: Option<&Listener>) -> Result<Report> {
        let same = |phase: &Phase| phase.input == phase.output && phase.to == HostArray::Output;
        if !self.divided.phases.iter().all(same) || self.divided.inputs != 1 {
            let why = "only complex transforms leave every unit where it was".to_owned();
            return Err(wgpu_fft::Error::Unsupported { what: format!("`{}` in place of its input", self.spec), why }.into());
        }
        check("data", self.divided.output_bytes, data.len(), element)?;
        self.execute(&[], data, listener)
    }

    /// Runs all phases. If there are no inputs, they work in place on the output.
    fn execute(&self, inputs: &[&[u8]], output: &mut [u8], listener: Option<&Listener>) -> Result<Report> {
        let begin = Instant::now();
        let mut scratch = zeros(self.divided.scratch_bytes)?;
        let faults = Faults::new(&self.faults);
        let failed = vec![false; self.set.len()];
        let mut run = Run { job: self, faults: &faults, listener, failed, measuring: Duration::ZERO, done: Vec::new() };
        for (number, phase) in self.divided.phases.iter().enumerate() {
            match (phase.from, phase.to) {
                (HostArray::Input, HostArray::Scratch) => run.phase(number, phase, inputs, &mut scratch)?,
                (HostArray::Scratch, HostArray::Scratch) => run.phase(number, phase, &[], &mut scratch)?,
                (HostArray::Scratch, _) => run.phase(number, phase, &[&scratch], output)?,
                (HostArray::Input, _) => run.phase(number, phase, inputs, output)?,
                (HostArray::Output, _) => run.phase(number, phase, &[], output)?,
            }
        }
        Ok(Report { job: self.spec.clone(), elapsed: begin.elapsed(), measuring: run.measuring, phases: run.done })
    }
}

impl job::RunJob for DevicesJob {
    fn bytes(&self) -> [usize; 2] {
        [self.divided.input_bytes, self.divided.output_bytes]
    }

    fn run(&self, inputs: &[&[u8]], output: &mut [u8], elements: [usize; 2], listener: Option<&Listener>) -> Result<Report> {
        let (expected, actual) = (self.divided.inputs, inputs.len());
        if expected != actual {
            return Err(wgpu_fft::Error::WrongInputs { spec: self.spec.clone(), expected, actual }.into());
        }
        for (argument, input) in ["input", "second"].into_iter().zip(inputs) {
            check(argument, self.divided.input_bytes, input.len(), elements[0])?;
        }
        check("output", self.divided.output_bytes, output.len(), elements[1])?;
        self.execute(inputs, output, listener)
    }
}

/// One run of a job.
struct Run<'r> {
    job: &'r DevicesJob,
    faults: &'r Faults,
    listener: Option<&'r Listener>,
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
            workers: Vec::new(),
        };
        let division = self.divide(&engine, reading, &mut report)?;
        report.division = format!("{}: {division}", job.strategy);

        let begin = Instant::now();
        let (phases, units) = (job.divided.phases.len(), phase.units());
        let bytes = |done: usize| (phase.output.bytes as u128 * done as u128 / units.max(1) as u128) as u64;
        let (listener, cancelled) = (self.listener, &AtomicBool::new(false));
        let progress = |before: usize| {
            let report = move |done: usize| {
                let (done, total) = (bytes(before + done), phase.output.bytes as u64);
                let progress = Progress { label: &phase.label, phase: number, phases, done, total };
                let flow = listener.map_or(ControlFlow::Continue(()), |listener| listener(progress));
                cancelled.fetch_or(flow.is_break(), Ordering::Relaxed);
                flow
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
        self.unless(cancelled, phase)?;
        // Members without a share help if something is left.
        while !left.is_empty() {
            members = self.present();
            if members.is_empty() {
                return Err(self.all_failed(&report));
            }
            let done = phase.units() - left.iter().map(|stock| stock.units.len()).sum::<usize>();
            let (works, still) = engine.side_by_side(reading, &members, Shares::Guided(left), progress(done));
            self.note(&mut report, works);
            self.unless(cancelled, phase)?;
            left = still;
        }
        report.elapsed = begin.elapsed();
        let unharmed = report.workers.iter().all(|worker| worker.work.error.is_none() && worker.work.out_of_memory == 0);
        if unharmed && let Some(balance) = &mut self.balances()[number] {
            balance.observe(&division, report.elapsed.as_secs_f64());
        }
        self.done.push(report);
        Ok(())
    }

    fn unless(&self, cancelled: &AtomicBool, phase: &Phase) -> Result<()> {
        if cancelled.load(Ordering::Relaxed) { Err(Error::Cancelled { rank: None, phase: phase.label.clone() }) } else { Ok(()) }
    }

    fn balances(&self) -> std::sync::MutexGuard<'_, Vec<Option<Balance>>> {
        self.job.balances.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&mut self, report: &mut PhaseReport, works: Vec<(usize, Work)>) {
        for (member, work) in works {
            self.failed[member] |= work.error.is_some();
            report.workers.push(WorkerReport { member, name: self.job.set.members()[member].name.clone(), work });
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
            if let Some(shares) = self.job.strategy.shares(self.job.divided.divisible(reading.number, self.job.set.len()), &present)? {
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

    /// The error of a job that no device is left for.
    fn all_failed(&self, report: &PhaseReport) -> Error {
        let workers = self.done.iter().chain([report]).flat_map(|phase| &phase.workers);
        let mut failures: Vec<(String, Error)> =
            workers.filter_map(|worker| worker.work.error.clone().map(|error| (worker.name.clone(), error))).collect();
        // If the only device cannot do the job at all, its error is returned as it is.
        if let [(_, error)] = &failures[..]
            && self.job.able.len() == 1
            && !is_of_the_moment(error)
        {
            return failures.swap_remove(0).1;
        }
        Error::DevicesFailed {
            job: self.job.spec.clone(),
            phase: report.label.clone(),
            done: report.workers.iter().map(|worker| worker.work.units).sum(),
            units: report.units,
            failures: Failures(failures),
        }
    }
}

/// Whether an error may not happen again: it is about what the device was doing, not about the job.
fn is_of_the_moment(error: &Error) -> bool {
    use wgpu_fft::Error::{DeviceLost, OutOfMemory, TimedOut};
    matches!(error, Error::Core(DeviceLost { .. } | OutOfMemory { .. } | TimedOut { .. }) | Error::NoAnswer { .. })
}
