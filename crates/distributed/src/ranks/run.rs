//! A run of a job on this rank, phase by phase.

use std::time::{Duration, Instant};

use wgpu_fft::low_level::divide::InParts;

use super::arithmetic::Recipes;
use super::cluster::Cluster;
use super::failure::{Failure, Outcome, guarded};
use super::geometry::{Geometry, Order, RankShares, Slab};
use super::local::{LocalPass, LocalTimes};
use super::measure::measured;
use super::passes::Passes;
use super::phase::Phase;
use super::turn::Turn;
use crate::devices::operations;
use crate::error::Result;
use crate::job::{self, Listener, Progress, check, zeros};
use crate::options::JobOptions;
use crate::report::{PhaseReport, Report, Work, WorkerReport};
use crate::strategy::{Divisible, Shares, Strategy};

/// One phase of a run.
enum Step {
    /// A pass on the device; `None` if the rank has no share.
    Local(Phase, Option<LocalPass>),
    Turn(Phase, Turn),
}

impl Step {
    fn phase(&self) -> Phase {
        match self {
            Self::Local(phase, _) | Self::Turn(phase, _) => *phase,
        }
    }

    /// Bytes of the array that it writes.
    fn bytes(&self) -> usize {
        match self {
            Self::Local(_, pass) => pass.as_ref().map_or(0, |pass| pass.bytes()[1]),
            Self::Turn(_, turn) => turn.received(),
        }
    }
}

/// A job on a cluster, without its types.
pub struct RanksJob {
    pub(super) cluster: Cluster,
    /// The specification, printed.
    spec: String,
    strategy: Strategy,
    geometry: Geometry,
    shares: RankShares,
    recipes: Recipes,
    pub(super) message_bytes: usize,
    steps: Vec<Step>,
}

impl RanksJob {
    /// Agrees on recipes, divides the transform, and compiles. Collective.
    pub(crate) fn new<S: InParts>(cluster: &Cluster, spec: &S, options: &JobOptions) -> Result<Self> {
        let parts = spec.parts()?;
        let geometry = Geometry::new(&spec.to_string(), &parts, options.order)?;
        let mut divisible =
            vec![Divisible { phase: 0, units: geometry.rows, alignment: geometry.alignment(), operations: operations(&parts) }];
        if geometry.is_distributed() {
            divisible.push(Divisible { phase: 1, units: geometry.columns, alignment: 1, operations: operations(&parts) });
        }
        let size = cluster.size();
        options.strategy.check(size, &divisible)?;
        if let Strategy::Dynamic | Strategy::Auto = options.strategy {
            let what = format!("the strategy {} on a cluster", options.strategy);
            let why = "ranks must know their slabs beforehand: use Measured, Equal, Ratio or Given".to_owned();
            return Err(wgpu_fft::Error::Unsupported { what, why }.into());
        }
        let passes = Passes::new::<S>(cluster, geometry, &options.arithmetic)?;
        let everybody: Vec<usize> = (0..size).collect();
        let by_strategy = divisible.iter().map(|phase| options.strategy.shares(*phase, &everybody));
        let by_strategy: Option<Vec<Vec<usize>>> = by_strategy.collect::<wgpu_fft::Result<_>>()?;
        let shares = match by_strategy {
            Some(shares) => RankShares::of(shares, size),
            None if size == 1 => RankShares::of(divisible.iter().map(|phase| vec![phase.units]).collect(), size),
            None => measured(&passes)?,
        };
        let steps = cluster.link.agree(Phase::Plan, guarded(|| steps(&passes, &shares)))?;
        Ok(Self {
            cluster: cluster.clone(),
            spec: spec.to_string(),
            strategy: options.strategy.clone(),
            geometry: passes.geometry,
            shares,
            recipes: passes.recipes,
            message_bytes: options.message_bytes,
            steps,
        })
    }

    pub(super) fn slab(&self, input: bool) -> Slab {
        self.geometry.slab(&self.shares, self.cluster.rank(), input)
    }

    /// Bytes of the slab of each rank.
    pub(super) fn slab_bytes(&self, input: bool) -> Vec<usize> {
        let of = |rank| self.geometry.slab(&self.shares, rank, input).len() * self.geometry.element_bytes(input);
        (0..self.cluster.size()).map(of).collect()
    }

    pub(super) fn element_bytes(&self, input: bool) -> usize {
        self.geometry.element_bytes(input)
    }

    pub(super) fn shares(&self) -> Shares {
        let RankShares { rows, columns } = &self.shares;
        Shares(if self.geometry.is_distributed() { vec![rows.clone(), columns.clone()] } else { vec![rows.clone()] })
    }

    pub(super) fn recipes(&self) -> &Recipes {
        &self.recipes
    }

    pub(super) fn begin<'r>(&'r self, listener: Option<&'r Listener>, more_phases: usize) -> Run<'r> {
        Run { core: self, listener, phases: self.steps.len() + more_phases, begin: Instant::now(), done: Vec::new() }
    }

    /// The units of a phase, by rank.
    fn units(&self, phase: Phase) -> &[usize] {
        let by_columns = match phase {
            Phase::Columns | Phase::Exchange => true,
            // The slabs of the frequencies.
            Phase::Gather => self.geometry.is_forward() && self.geometry.is_distributed() && self.geometry.order == Order::Transposed,
            Phase::Scatter => !self.geometry.is_forward() && self.geometry.is_distributed() && self.geometry.order == Order::Transposed,
            _ => false,
        };
        if by_columns { &self.shares.columns } else { &self.shares.rows }
    }
}

impl RankShares {
    fn of(shares: Vec<Vec<usize>>, ranks: usize) -> Self {
        let mut shares = shares.into_iter();
        let mut next = || shares.next().unwrap_or_else(|| vec![0; ranks]);
        Self { rows: next(), columns: next() }
    }
}

fn steps(passes: &Passes, shares: &RankShares) -> Outcome<Vec<Step>> {
    let (geometry, rank) = (&passes.geometry, passes.link.rank());
    let (own_rows, own_columns) = (shares.rows[rank], shares.columns[rank]);
    let natural = geometry.order == Order::Natural;
    let rows = || passes.rows_pass(own_rows).map(|pass| Step::Local(Phase::Rows, pass));
    let columns = |turned| passes.columns_pass(own_columns, turned).map(|pass| Step::Local(Phase::Columns, pass));
    let exchange = || Step::Turn(Phase::Exchange, Turn::to_columns(geometry, shares, rank));
    let back = || Step::Turn(Phase::Return, Turn::to_rows(geometry, shares, rank));
    Ok(match (geometry.is_distributed(), geometry.is_forward(), natural) {
        (false, ..) => vec![rows()?],
        (true, true, false) => vec![rows()?, exchange(), columns(false)?],
        (true, true, true) => vec![rows()?, exchange(), columns(true)?, back()],
        (true, false, false) => vec![columns(true)?, back(), rows()?],
        (true, false, true) => {
            let turn = Step::Local(Phase::Turn, passes.turn_pass(own_rows)?);
            vec![turn, exchange(), columns(true)?, back(), rows()?]
        }
    })
}

impl job::RunJob for RanksJob {
    fn bytes(&self) -> [usize; 2] {
        [true, false].map(|input| self.slab(input).len() * self.element_bytes(input))
    }

    fn run(&self, inputs: &[&[u8]], output: &mut [u8], elements: [usize; 2], listener: Option<&Listener>) -> Result<Report> {
        let [input_bytes, output_bytes] = self.bytes();
        let checked = || -> std::result::Result<(), wgpu_fft::Error> {
            check("input", input_bytes, inputs[0], elements[0])?;
            check("output", output_bytes, output, elements[1])
        };
        let first = self.steps.first().map_or(Phase::Rows, Step::phase);
        self.cluster.link.agree(first, checked().map_err(Failure::from))?;
        let mut run = self.begin(listener, 0);
        run.transform(inputs[0], output)?;
        run.report()
    }
}

/// A run of a job on this rank.
pub(super) struct Run<'r> {
    core: &'r RanksJob,
    listener: Option<&'r Listener>,
    phases: usize,
    begin: Instant,
    /// What this rank did.
    done: Vec<(Phase, Work)>,
}

impl<'r> Run<'r> {
    /// All steps of the transform on this rank's part.
    pub fn transform(&mut self, input: &[u8], output: &mut [u8]) -> Result<()> {
        let steps = &self.core.steps;
        let mut data: Option<Vec<u8>> = None;
        for (i, step) in steps.iter().enumerate() {
            let source = data.as_deref().unwrap_or(input);
            if i + 1 == steps.len() {
                return self.step(step, source, output);
            }
            let target = self.core.cluster.link.agree(step.phase(), guarded(|| Ok(zeros(step.bytes())?)));
            let mut target = target?;
            self.step(step, source, &mut target)?;
            data = Some(target);
        }
        Ok(())
    }

    fn step(&mut self, step: &Step, source: &[u8], target: &mut [u8]) -> Result<()> {
        match step {
            Step::Local(phase, pass) => self.local(*phase, pass.as_ref(), source, target),
            Step::Turn(phase, turn) => self.turn(*phase, turn, source, target),
        }
    }

    fn local(&mut self, phase: Phase, pass: Option<&LocalPass>, source: &[u8], target: &mut [u8]) -> Result<()> {
        let total = target.len();
        let mut progress = self.progress(phase, total);
        let begin = Instant::now();
        let device = &self.core.cluster.device;
        let computed = guarded(|| {
            device.check(phase)?;
            pass.map_or(Ok(LocalTimes::default()), |pass| pass.run(source, target))
        });
        let times = computed.as_ref().map_or(LocalTimes::default(), |times| *times);
        let work = Work {
            bytes_in: source.len() as u64,
            bytes_out: total as u64,
            gather: times.upload,
            wait: times.compute,
            scatter: times.download,
            busy: begin.elapsed(),
            ..Work::default()
        };
        self.agree(phase, work, computed)?;
        progress(total);
        Ok(())
    }

    fn turn(&mut self, phase: Phase, turn: &Turn, source: &[u8], target: &mut [u8]) -> Result<()> {
        let (core, link) = (self.core, &self.core.cluster.link);
        let buffer = guarded(|| {
            core.cluster.device.check(phase)?;
            Ok(zeros(turn.buffer_bytes())?)
        });
        let mut buffer = link.agree(phase, buffer)?;
        let (begin, mut progress) = (Instant::now(), self.progress(phase, target.len()));
        turn.run(link, source, &mut buffer, target, core.message_bytes, &mut progress);
        let sent = turn.sent(link.rank());
        self.agree(phase, Work::of_exchange(begin.elapsed(), target.len(), sent), Ok(()))
    }

    /// Lets the ranks agree, and records what this rank did with the time that this took.
    pub fn agree<R>(&mut self, phase: Phase, work: Work, part: Outcome<R>) -> Result<R> {
        let begin = Instant::now();
        let agreed = self.core.cluster.link.agree(phase, part);
        let units = self.core.units(phase)[self.core.cluster.rank()];
        self.done.push((phase, Work { units, pieces: 1, idle: begin.elapsed(), ..work }));
        agreed
    }

    /// Returns a function that adds up the bytes of a phase and calls the listener.
    pub fn progress(&self, phase: Phase, total: usize) -> impl FnMut(usize) + use<'r> {
        let (listener, number, phases, label) = (self.listener, self.done.len(), self.phases, phase.to_string());
        let mut done = 0;
        let tell = move |done: u64| {
            if let Some(listener) = listener {
                listener(Progress { label: &label, phase: number, phases, done, total: total as u64 });
            }
        };
        tell(0);
        move |bytes| {
            done += bytes as u64;
            tell(done);
        }
    }

    /// What every rank did, on every rank. Collective.
    pub fn report(self) -> Result<Report> {
        let (core, link) = (self.core, &self.core.cluster.link);
        link.agree(Phase::Report, Ok(()))?;
        let numbers: Vec<f64> = self.done.iter().flat_map(|(_, work)| work.to_numbers()).collect();
        let all = link.numbers(&numbers);
        let phases = self.done.iter().enumerate().map(|(i, (phase, _))| {
            let of_rank = |numbers: &Vec<f64>| Work::of_numbers(&numbers[i * Work::NUMBERS..][..Work::NUMBERS]);
            let works: Vec<Work> = all.iter().map(of_rank).collect();
            let elapsed = works.iter().map(|work| work.busy + work.idle).max().unwrap_or_default();
            let units = core.units(*phase);
            let shares: Vec<String> = units.iter().map(usize::to_string).collect();
            let workers = works.into_iter().zip(core.cluster.members());
            let workers = workers.map(|(work, member)| {
                let name = format!("rank {}, {}, {}", member.rank, member.host, member.adapter);
                WorkerReport { member: member.rank, name, work }
            });
            PhaseReport {
                label: phase.to_string(),
                units: units.iter().sum(),
                division: format!("{}: {}", core.strategy, shares.join(" : ")),
                elapsed,
                workers: workers.collect(),
            }
        });
        Ok(Report { job: core.spec.clone(), elapsed: self.begin.elapsed(), measuring: Duration::ZERO, phases: phases.collect() })
    }
}

impl Work {
    /// An exchange with other ranks.
    pub(super) fn of_exchange(time: Duration, received: usize, sent: usize) -> Self {
        Self { bytes_in: received as u64, bytes_out: sent as u64, wait: time, busy: time, ..Self::default() }
    }

    const NUMBERS: usize = 9;

    /// The work as numbers, for a message to the other ranks.
    fn to_numbers(&self) -> [f64; Self::NUMBERS] {
        let [gather, wait, scatter, idle, busy] =
            [self.gather, self.wait, self.scatter, self.idle, self.busy].map(|time| time.as_secs_f64());
        [self.units as f64, self.pieces as f64, self.bytes_in as f64, self.bytes_out as f64, gather, wait, scatter, idle, busy]
    }

    fn of_numbers(numbers: &[f64]) -> Self {
        let time = |i: usize| Duration::try_from_secs_f64(numbers[i]).unwrap_or_default();
        Self {
            units: numbers[0] as usize,
            pieces: numbers[1] as usize,
            bytes_in: numbers[2] as u64,
            bytes_out: numbers[3] as u64,
            gather: time(4),
            wait: time(5),
            scatter: time(6),
            idle: time(7),
            busy: time(8),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_travels_as_numbers() {
        let time = Duration::from_millis;
        let work = Work { units: 3, pieces: 1, gather: time(1), scatter: time(2), idle: time(3), ..Work::of_exchange(time(4), 5, 6) };
        assert_eq!(Work::of_numbers(&work.to_numbers()), work);
    }
}
