//! A run of a job on this rank, phase by phase.

use std::time::{Duration, Instant};

use wgpu_fft::low_level::divide::{InParts, PartNumber, Parts};
use wgpu_fft::low_level::transfer;
use wgpu_fft::{Element, View};

use super::arithmetic::Recipes;
use super::array::{OnDevice, Source, Target};
use super::bricks::Reshape;
use super::cluster::Cluster;
use super::exchange::{Exchange, message_bytes};
use super::failure::{Failure, Outcome, guarded};
use super::geometry::{DimensionShares, Geometry, RankShares};
use super::link::Link;
use super::local::{LocalPass, LocalTimes};
use super::measure::measured;
use super::part::{Order, Part};
use super::passes::{Pace, Passes};
use super::phase::Phase;
use super::running::guarded_part;
use super::sending::Sending;
use super::steps::{ExchangeStep, PassStep, Step, steps, units_of};
use super::turn::Piece;
use crate::devices::operations;
use crate::error::Result;
use crate::job::{self, Listener, Progress, check, zeros};
use crate::options::JobOptions;
use crate::report::{PhaseReport, Report, Work, WorkerReport};
use crate::strategy::{Divisible, Shares, Strategy};

/// A job on a cluster, without its types.
pub struct RanksJob {
    pub(super) cluster: Cluster,
    /// The cluster's link, with the job's number and limit.
    pub(super) link: Link,
    /// The specification, printed.
    spec: String,
    strategy: Strategy,
    pub(super) geometry: Geometry,
    shares: RankShares,
    recipes: Recipes,
    pub(super) message_bytes: usize,
    pub(super) pace: Pace,
    pub(super) steps: Vec<Step>,
    /// Before the transform, and after it.
    pub(super) reshapes: [Option<Reshape>; 2],
}

/// Which rank has what, as far as that is known without measuring. It takes no device and no MPI.
pub struct Division {
    geometry: Geometry,
    divisible: Vec<Divisible>,
    strategy: Strategy,
    /// `None` if they depend on measurements.
    shares: Option<RankShares>,
}

impl Division {
    pub(crate) fn new(spec: &str, parts: &Parts, options: &JobOptions, size: usize) -> Result<Self> {
        let mut geometry = Geometry::new(spec, parts, options.order, options.decomposition, size)?;
        geometry.half = options.exchange_as_f16;
        if geometry.half && parts.number != PartNumber::F32 {
            let (what, why) = (format!("exchanges in f16 of `{spec}`"), "that is for transforms of f32".to_owned());
            return Err(wgpu_fft::Error::Unsupported { what, why }.into());
        }
        let divisible = divisible(&geometry, operations(parts));
        let strategy = options.strategy.clone().unwrap_or(Strategy::Equal);
        // What is wrong for the whole cluster, and then for each dimension of its grid.
        strategy.check(size, &divisible)?;
        if let Strategy::Dynamic | Strategy::Auto = strategy {
            let what = format!("the strategy {strategy} on a cluster");
            let why = "ranks must know their parts beforehand: use Measured, Equal, Ratio or Given".to_owned();
            return Err(wgpu_fft::Error::Unsupported { what, why }.into());
        }
        let shares = by_strategy(&geometry, &divisible, &strategy, size)?;
        Ok(Self { geometry, divisible, strategy, shares })
    }

    /// The parts of a rank: of the input and of the output.
    pub(super) fn parts(&self, rank: usize) -> Result<[Part; 2]> {
        let why = "they are known when the job is made: ask the job for its input and its output".to_owned();
        let unknown = || wgpu_fft::Error::Unsupported { what: "parts by shares that are measured".to_owned(), why };
        let shares = self.shares.as_ref().ok_or_else(unknown)?;
        Ok([true, false].map(|input| self.geometry.part(shares, rank, input)))
    }
}

impl RanksJob {
    /// Agrees on recipes, divides the transform, and compiles. Collective.
    pub(crate) fn new<S: InParts>(cluster: &Cluster, spec: &S, division: Division, options: &JobOptions) -> Result<Self> {
        let Division { geometry, divisible, strategy, shares } = division;
        let link = cluster.link.of_job(options.timeout);
        let group = geometry.grid.iter().copied().max().unwrap_or(1);
        let pace = Pace { piece_bytes: options.piece_bytes, in_flight: options.in_flight, group };
        let whole = geometry.all_units() * geometry.frequencies() * geometry.frequency_bytes();
        let message_bytes = message_bytes(options.message_bytes, whole, link.size(), group);
        let passes = Passes::new::<S>(cluster, link.clone(), geometry, &options.arithmetic, pace)?;
        let shares = match shares {
            Some(shares) => shares,
            None => measured(&passes, &divisible)?,
        };
        let steps = link.agree(Phase::Plan, guarded(|| steps(&passes, &shares)))?;
        Ok(Self {
            cluster: cluster.clone(),
            link,
            spec: spec.to_string(),
            strategy,
            geometry: passes.geometry,
            shares,
            recipes: passes.recipes,
            message_bytes,
            pace,
            steps,
            reshapes: [None, None],
        })
    }

    /// The part that this rank gives or gets.
    pub(super) fn part(&self, input: bool) -> Part {
        let side = usize::from(!input);
        let brick = self.reshapes[side].as_ref().map(|reshape| reshape.parts[side].clone());
        brick.unwrap_or_else(|| self.part_of(self.cluster.rank(), input))
    }

    /// The part of a rank that the transform works on.
    pub(super) fn part_of(&self, rank: usize, input: bool) -> Part {
        self.geometry.part(&self.shares, rank, input)
    }

    /// Bytes of the part of a rank.
    pub(super) fn part_bytes(&self, rank: usize, input: bool) -> usize {
        self.part_of(rank, input).len() * self.element_bytes(input)
    }

    pub(super) fn element_bytes(&self, input: bool) -> usize {
        self.geometry.element_bytes(input)
    }

    pub(super) fn shares(&self) -> Shares {
        let of_dimension = |(dimension, shares): (usize, &DimensionShares)| {
            let columns = self.geometry.stage_of(dimension).map(|_| shares.columns.clone());
            [Some(shares.rows.clone()), columns].into_iter().flatten().collect::<Vec<_>>()
        };
        Shares(self.shares.iter().enumerate().flat_map(of_dimension).collect())
    }

    pub(super) fn recipes(&self) -> &Recipes {
        &self.recipes
    }

    pub(super) fn begin<'r>(&'r self, listener: Option<&'r Listener>, more_phases: usize) -> Run<'r> {
        let phases = self.steps.iter().map(Step::phases).sum::<usize>() + more_phases;
        Run { core: self, listener, phases, begin: Instant::now(), done: Vec::new(), largest: 0.0 }
    }

    /// The units of each rank's part of the input or of the output.
    pub(super) fn units_of_parts(&self, input: bool) -> Vec<usize> {
        let is_positions = input == self.geometry.is_forward();
        let first = if is_positions || self.geometry.order == Order::Natural { self.geometry.stages() } else { 0 };
        (0..self.cluster.size()).map(|rank| units_of(&self.geometry.local(&self.shares, rank), first)).collect()
    }
}

/// What is divided, in the order of [`Shares`].
fn divisible(geometry: &Geometry, operations: f64) -> Vec<Divisible> {
    let mut all = Vec::new();
    for (dimension, &workers) in geometry.grid.iter().enumerate() {
        // Units need not stay together: the arithmetic of a line does not depend on how many lines
        // a rank has, because each rank's recipe is adapted to its number.
        let mut add = |units| all.push(Divisible { phase: all.len(), units, alignment: 1, operations, workers });
        add(geometry.units(dimension));
        if let Some(t) = geometry.stage_of(dimension) {
            add(geometry.cut_extent(t));
        }
    }
    all
}

/// The shares by a strategy, or `None` if they depend on measurements.
pub(super) fn by_strategy(
    geometry: &Geometry,
    divisible: &[Divisible],
    strategy: &Strategy,
    size: usize,
) -> wgpu_fft::Result<Option<RankShares>> {
    let mut phases = divisible.iter();
    let mut all = Vec::new();
    for (dimension, &extent) in geometry.grid.iter().enumerate() {
        let indices: Vec<usize> = (0..size).map(|rank| geometry.coordinates(rank)[dimension]).collect();
        let strategy = strategy.along(&indices, extent);
        let everybody: Vec<usize> = (0..extent).collect();
        let mut next = || {
            let Some(phase) = phases.next() else { return Ok(Some(Vec::new())) };
            // There is nothing to measure with one rank.
            if extent == 1 { Ok(Some(vec![phase.units])) } else { strategy.shares(*phase, &everybody) }
        };
        let rows = next()?;
        let columns = if geometry.stage_of(dimension).is_some() { next()? } else { Some(Vec::new()) };
        let Some((rows, columns)) = rows.zip(columns) else { return Ok(None) };
        all.push(DimensionShares { rows, columns });
    }
    Ok(Some(all))
}

impl job::RunJob for RanksJob {
    fn bytes(&self) -> [usize; 2] {
        [true, false].map(|input| self.part(input).stored_len() * self.element_bytes(input))
    }

    fn run(&self, inputs: &[&[u8]], output: &mut [u8], elements: [usize; 2], listener: Option<&Listener>) -> Result<Report> {
        self.link.now(self.reported(self.run_parts(Source::Host(inputs[0]), Target::Host(output), elements, listener)))
    }
}

impl RanksJob {
    /// The report of a run.
    pub(super) async fn reported<'r>(&'r self, run: impl Future<Output = Result<Run<'r>>>) -> Result<Report> {
        run.await?.report().await
    }

    /// Computes this rank's part of the output. The run can report what all ranks did. Collective.
    pub(super) async fn run_parts<'r>(
        &'r self,
        input: Source<'_>,
        output: Target<'_>,
        elements: [usize; 2],
        listener: Option<&'r Listener>,
    ) -> Result<Run<'r>> {
        let [input_bytes, output_bytes] = job::RunJob::bytes(self);
        let checked = check("input", input_bytes, input.bytes(), elements[0]);
        let checked = checked.and_then(|()| check("output", output_bytes, output.bytes(), elements[1]));
        self.run_checked(input, output, checked.map_err(Failure::from), listener).await
    }

    /// The same from and to arrays on this rank's device.
    pub(super) async fn run_on_device<'r, I: Element, O: Element>(
        &'r self,
        input: Option<View<'_, I>>,
        output: Option<View<'_, O>>,
        listener: Option<&'r Listener>,
    ) -> Result<Run<'r>> {
        use wgpu_fft::wgpu::BufferUsages;
        let gpu = &self.cluster.device.gpu;
        let (read, written) = (OnDevice::new(input), OnDevice::new(output));
        let checked = guarded(|| {
            let lens = job::RunJob::bytes(self);
            transfer::checked(gpu, "input", input, lens[0] / size_of::<I>(), BufferUsages::COPY_SRC)?;
            transfer::checked(gpu, "output", output, lens[1] / size_of::<O>(), BufferUsages::COPY_DST)?;
            if read.overlaps(&written) {
                return Err(wgpu_fft::Error::Aliased { first: "input", second: "output" }.into());
            }
            Ok(gpu.flush()?)
        });
        self.run_checked(Source::Device(read), Target::Device(written), checked, listener).await
    }

    /// The same with arrays that have been checked: what is wrong with them all ranks learn.
    pub(super) async fn run_checked<'r>(
        &'r self,
        input: Source<'_>,
        output: Target<'_>,
        checked: Outcome<()>,
        listener: Option<&'r Listener>,
    ) -> Result<Run<'r>> {
        // An exchange that comes first reads from the host, and one that comes last writes there.
        let [before, after] = &self.reshapes;
        let ends_on_host = after.is_some() || self.steps.last().is_some_and(|step| step.exchange.is_some());
        let read = input.on_device().filter(|_| before.is_some());
        let written = output.on_device().filter(|_| ends_on_host);
        let first = match (read, before) {
            (Some(_), _) => Phase::Copy,
            (None, Some(_)) => Phase::Reshape,
            (None, None) => self.steps.first().map_or(Phase::Rows, Step::phase),
        };
        self.link.agreed(first, checked).await?;
        let padded = written.is_some() && after.as_ref().is_some_and(|after| after.padded);
        let copies = [read.is_some(), written.is_some(), padded].into_iter().filter(|copy| *copy).count();
        let mut run = self.begin(listener, self.reshapes.iter().flatten().count() + copies);
        let array = |bytes: usize| self.link.agreed(first, guarded(|| Ok(zeros(bytes)?)));
        let fetched;
        let input = if let (Some(place), Some(before)) = (read, before) {
            let mut part = array(place.bytes).await?;
            run.copy(Source::Device(place), Target::Host(&mut part), &before.units[0]).await?;
            fetched = part;
            Source::Host(&fetched)
        } else {
            input
        };
        let Some(place) = written else {
            run.all_steps(input, output).await?;
            return Ok(run);
        };
        let units = after.as_ref().map_or_else(|| self.units_of_parts(false), |after| after.units[1].clone());
        let mut result = array(place.bytes).await?;
        // What is behind the rows of a part of the caller's must stay as it is.
        if padded {
            run.copy(Source::Device(place), Target::Host(&mut result), &units).await?;
        }
        run.all_steps(input, Target::Host(&mut result)).await?;
        run.copy(Source::Host(&result), Target::Device(place), &units).await?;
        Ok(run)
    }
}

/// A run of a job on this rank.
pub(super) struct Run<'r> {
    pub core: &'r RanksJob,
    listener: Option<&'r Listener>,
    phases: usize,
    begin: Instant,
    /// What this rank did in each phase, and the units of all ranks.
    done: Vec<(Phase, Work, Vec<usize>)>,
    /// The largest number of the input, if exchanges are in f16.
    pub largest: f64,
}

impl<'r> Run<'r> {
    /// Copies this rank's part between the host and the device. `units` are those of all ranks.
    async fn copy(&mut self, source: Source<'_>, target: Target<'_>, units: &[usize]) -> Result<()> {
        let (core, device, bytes) = (self.core, &self.core.cluster.device, source.bytes());
        let mut progress = self.progress(Phase::Copy, self.done.len(), bytes);
        let begin = Instant::now();
        let copied = guarded_part(async {
            device.check(Phase::Copy)?;
            let pass = LocalPass::copying(device, bytes, core.pace.most(bytes), core.pace.in_flight, &core.link)?;
            Ok((pass.run(Phase::Copy, Some(source), target, &mut progress).await?, pass.pieces()))
        });
        let copied = copied.await;
        let (times, pieces) = copied.as_ref().map_or_else(|_| Default::default(), |done| *done);
        self.agree_on_pieces(Phase::Copy, units, pieces, [bytes; 2], begin.elapsed(), copied.map(|_| times)).await
    }

    pub async fn step(&mut self, step: &Step, source: Source<'_>, target: Target<'_>) -> Result<()> {
        match (&step.pass, &step.exchange, target) {
            (Some(pass), None, target) => self.local(pass, Some(source), target).await,
            (pass, Some(exchange), Target::Host(target)) => self.exchange(pass.as_ref(), exchange, source, target).await,
            (_, Some(_), Target::Device(_)) | (None, None, _) => Ok(()),
        }
    }

    /// A pass without an exchange. Without a source it writes over what it reads.
    pub async fn local(&mut self, step: &PassStep, source: Option<Source<'_>>, target: Target<'_>) -> Result<()> {
        let total = target.bytes();
        let read = source.map_or(total, |source| source.bytes());
        let mut progress = self.progress(step.phase, self.done.len(), total);
        let begin = Instant::now();
        let device = &self.core.cluster.device;
        let computed = guarded_part(async {
            device.check(step.phase)?;
            let Some(pass) = &step.pass else { return Ok(LocalTimes::default()) };
            pass.run(step.phase, source, target, &mut progress).await
        });
        let computed = computed.await;
        self.agree_on_pass(step, [read, total], begin.elapsed(), computed).await
    }

    /// A pass, if there is one, whose pieces are exchanged while the next ones are computed.
    async fn exchange(&mut self, pass: Option<&PassStep>, step: &ExchangeStep, source: Source<'_>, target: &mut [u8]) -> Result<()> {
        let (core, link, turn) = (self.core, &self.core.link, &step.turn);
        let device = &core.cluster.device;
        let computed_bytes = turn.block().elements() * self.core.geometry.frequency_bytes();
        let mut computed_progress = self.progress(pass.map_or(step.phase, |pass| pass.phase), self.done.len(), computed_bytes);
        let received = target.len();
        let wire = core.geometry.wire(step.growth * self.largest);
        let number = self.done.len() + usize::from(pass.is_some());
        let mut progress = self.progress(step.phase, number, received);
        let others = (0..turn.ranks.len()).filter(|from| *from != turn.own);
        let incoming = others.map(|from| {
            let place = |piece: &Piece| turn.received(from, piece);
            (turn.ranks[from], step.pieces[from].iter().map(place).collect())
        });
        let begin = Instant::now();
        let mut exchange = Exchange::new(link, target, incoming, wire, core.message_bytes, &mut progress);
        let mut computed = None;
        if let Some(pass) = pass {
            let mut sending = Sending::new(exchange, step, &mut computed_progress);
            let own = guarded_part(async {
                device.check(pass.phase)?;
                let Some(own) = &pass.pass else { return Ok(LocalTimes::default()) };
                own.run_into(pass.phase, source, &mut sending).await
            });
            computed = Some(own.await);
            exchange = sending.rest().await;
        } else if let Source::Host(source) = source {
            for piece in &step.pieces[turn.own] {
                for to in turn.order() {
                    let block = turn.sent(piece, to);
                    if to == turn.own {
                        exchange.keep_from(source, &block, &turn.received(to, piece));
                    } else {
                        exchange.send_from(turn.ranks[to], source, &block).await;
                    }
                }
            }
        }
        let until_computed = begin.elapsed();
        let begin = Instant::now();
        exchange.finish().await?;
        let exchanged = begin.elapsed();
        if let Some((pass, computed)) = pass.zip(computed) {
            self.agree_on_pass(pass, [source.bytes(), computed_bytes], until_computed, computed).await?;
        }
        let work = Work::of_exchange(exchanged, wire.bytes(received), wire.bytes(turn.sent_to_others()));
        self.agree(step.phase, work, &step.units, guarded(|| device.check(step.phase))).await
    }

    async fn agree_on_pass(&mut self, step: &PassStep, bytes: [usize; 2], busy: Duration, computed: Outcome<LocalTimes>) -> Result<()> {
        let pieces = step.pass.as_ref().map_or(0, LocalPass::pieces);
        self.agree_on_pieces(step.phase, &step.units, pieces, bytes, busy, computed).await
    }

    async fn agree_on_pieces(
        &mut self,
        phase: Phase,
        units: &[usize],
        pieces: usize,
        [read, written]: [usize; 2],
        busy: Duration,
        computed: Outcome<LocalTimes>,
    ) -> Result<()> {
        let times = computed.as_ref().map_or(LocalTimes::default(), |times| *times);
        let work = Work {
            bytes_in: read as u64,
            bytes_out: written as u64,
            pieces,
            gather: times.upload,
            wait: times.compute,
            scatter: times.download,
            busy,
            ..Work::default()
        };
        self.agree(phase, work, units, computed.map(drop)).await
    }

    /// Lets the ranks agree, and records what this rank did with the time that this took. `units`
    /// are those of all ranks.
    pub async fn agree<R>(&mut self, phase: Phase, work: Work, units: &[usize], part: Outcome<R>) -> Result<R> {
        let begin = Instant::now();
        let cancelled = self.core.link.state.cancelled.take();
        let part = part.and_then(|value| if cancelled { Err(Failure::Cancelled) } else { Ok(value) });
        let agreed = self.core.link.agreed(phase, part).await;
        let own = units[self.core.cluster.rank()];
        self.done.push((phase, Work { units: own, idle: begin.elapsed(), ..work }, units.to_vec()));
        agreed
    }

    /// The number of phases that are done.
    pub fn phases_done(&self) -> usize {
        self.done.len()
    }

    /// Returns a function that adds up the bytes of a phase and calls the listener.
    pub fn progress(&self, phase: Phase, number: usize, total: usize) -> impl FnMut(usize) + use<'r> {
        let (core, listener, phases, label) = (self.core, self.listener, self.phases, phase.to_string());
        let mut done = 0;
        let tell = move |done: u64| {
            let progress = Progress { label: &label, phase: number, phases, done, total: total as u64 };
            if listener.is_some_and(|listener| listener(progress).is_break()) {
                core.link.state.cancelled.set(true);
            }
        };
        tell(0);
        move |bytes| {
            done += bytes as u64;
            tell(done);
        }
    }

    /// What every rank did, on every rank. Collective.
    pub async fn report(self) -> Result<Report> {
        let (core, link) = (self.core, &self.core.link);
        link.agreed(Phase::Report, Ok(())).await?;
        let numbers: Vec<f64> = self.done.iter().flat_map(|(_, work, _)| work.to_numbers()).collect();
        let all = link.all_numbers(&numbers).await?;
        let phases = self.done.iter().enumerate().map(|(i, (phase, _, units))| {
            let of_rank = |numbers: &Vec<f64>| Work::of_numbers(&numbers[i * Work::NUMBERS..][..Work::NUMBERS]);
            let works: Vec<Work> = all.iter().map(of_rank).collect();
            let elapsed = works.iter().map(|work| work.busy + work.idle).max().unwrap_or_default();
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
    /// What is left of an exchange with other ranks when this rank has computed everything.
    pub(super) fn of_exchange(time: Duration, received: usize, sent: usize) -> Self {
        Self { pieces: 1, bytes_in: received as u64, bytes_out: sent as u64, wait: time, busy: time, ..Self::default() }
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
