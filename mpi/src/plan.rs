//! A transform that is ready to run on all ranks.

use std::time::Instant;

use wgpu_fft::multi::partition::ranges;

use crate::arithmetic::{Arithmetic, Recipes};
use crate::cluster::Cluster;
use crate::error::{Error, Failure, Part, Result, guarded};
use crate::job::Job;
use crate::local::{LocalPass, LocalTimes, cast_vec};
use crate::phase::Phase;
use crate::report::{Entry, RankReport, Report, to_numbers};
use crate::slabs::{Shares, Slab, Turn};
use crate::spec::{Order, Transform};
use crate::strategy::{Strategy, shares};

/// How a transform is divided and computed. All ranks must pass the same options.
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub struct Options {
    strategy: Strategy,
    arithmetic: Arithmetic,
    message_bytes: usize,
}

/// MPI counts in an i32; 1 GiB is well below its limit.
const MESSAGE_BYTES: usize = 1 << 30;

impl Default for Options {
    fn default() -> Self {
        Self { strategy: Strategy::default(), arithmetic: Arithmetic::default(), message_bytes: MESSAGE_BYTES }
    }
}

impl Options {
    /// Sets how rows and columns are divided among the ranks.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets how recipes are chosen.
    pub fn arithmetic(mut self, arithmetic: Arithmetic) -> Self {
        self.arithmetic = arithmetic;
        self
    }

    /// Sets the largest message between two ranks, in bytes. The default is 1 GiB. With smaller
    /// messages, progress is reported more often.
    pub fn message_bytes(mut self, bytes: usize) -> Self {
        self.message_bytes = bytes;
        self
    }
}

/// The progress of a phase, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The current phase.
    pub phase: Phase,
    /// Bytes of this rank that are done.
    pub done: u64,
    /// All bytes of this rank.
    pub total: u64,
}

/// A listener that is called at the begin and the end of every phase, and after every message.
type Listener = Box<dyn FnMut(Progress)>;

/// One phase of a run.
enum Step {
    Local(Phase, Option<LocalPass>),
    Turn(Phase, Turn),
}

/// A transform on the devices of all ranks.
pub struct Plan<T: Transform> {
    job: Job<T>,
    cluster: Cluster,
    shares: Shares,
    message_bytes: usize,
    steps: Vec<Step>,
    entries: Vec<Entry>,
    listener: Option<Listener>,
}

impl<T: Transform> std::fmt::Debug for Plan<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan").field("spec", &self.job.spec.to_string()).field("shares", &self.shares).finish_non_exhaustive()
    }
}

impl Cluster {
    /// Makes a plan: agrees on recipes, measures the ranks if the strategy asks for it, and
    /// compiles. Collective: every rank must call it with the same transform and options.
    ///
    /// # Errors
    /// [`Error::ShapesDiffer`] if the ranks do not ask for the same; [`Error::NoCommonRecipe`];
    /// [`Error::Local`] for a request that is not valid on any number of ranks; [`Error::OnRank`]
    /// if a rank cannot hold or compile its share. All ranks return the same error.
    pub fn plan<T: Transform>(&self, spec: T, options: &Options) -> Result<Plan<T>> {
        self.link.same(Phase::Plan, &format!("{spec} with {options:?}"))?;
        self.link.agree(Phase::Plan, self.device.check(Phase::Plan))?;
        let job = Job::new(self, spec, &options.arithmetic)?;
        let shares = shares(&job, &options.strategy)?;
        let steps = self.link.agree(Phase::Plan, guarded(|| steps(&job, &shares)))?;
        let message_bytes = options.message_bytes;
        Ok(Plan { job, cluster: self.clone(), shares, message_bytes, steps, entries: Vec::new(), listener: None })
    }
}

fn steps<T: Transform>(job: &Job<T>, shares: &Shares) -> Part<Vec<Step>> {
    let (geometry, rank) = (&job.geometry, job.link.rank());
    let (own_rows, own_columns) = (shares.rows[rank], shares.columns[rank]);
    let natural = job.order() == Order::Natural;
    let rows = || job.rows_pass(own_rows).map(|pass| Step::Local(Phase::Rows, pass));
    let columns = |turned| job.columns_pass(own_columns, turned).map(|pass| Step::Local(Phase::Columns, pass));
    let exchange = || Step::Turn(Phase::Exchange, Turn::to_columns(geometry, shares, rank));
    let back = || Step::Turn(Phase::Return, Turn::to_rows(geometry, shares, rank));
    Ok(match (geometry.is_distributed(), job.is_forward(), natural) {
        (false, ..) => vec![rows()?],
        (true, true, false) => vec![rows()?, exchange(), columns(false)?],
        (true, true, true) => vec![rows()?, exchange(), columns(true)?, back()],
        (true, false, false) => vec![columns(true)?, back(), rows()?],
        (true, false, true) => {
            let turn = Step::Local(Phase::Turn, job.turn_pass(own_rows)?);
            vec![turn, exchange(), columns(true)?, back(), rows()?]
        }
    })
}

impl<T: Transform> Plan<T> {
    /// What the plan computes.
    #[must_use]
    pub fn spec(&self) -> &T {
        &self.job.spec
    }

    /// The share of each rank.
    #[must_use]
    pub fn shares(&self) -> &Shares {
        &self.shares
    }

    /// The recipes that every rank uses for its share.
    #[must_use]
    pub fn recipes(&self) -> Recipes {
        self.job.recipes()
    }

    /// The part of the input that this rank holds.
    #[must_use]
    pub fn input(&self) -> Slab {
        self.slab(self.cluster.rank(), true)
    }

    /// The part of the output that this rank holds.
    #[must_use]
    pub fn output(&self) -> Slab {
        self.slab(self.cluster.rank(), false)
    }

    /// Calls `listener` on this rank at the begin and the end of every phase, and after every
    /// message.
    pub fn on_progress(&mut self, listener: impl FnMut(Progress) + 'static) {
        self.listener = Some(Box::new(listener));
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    pub(crate) fn message_bytes(&self) -> usize {
        self.message_bytes
    }

    /// The part of the input or the output that a rank holds.
    pub(crate) fn slab(&self, rank: usize, input: bool) -> Slab {
        let geometry = &self.job.geometry;
        let of_rows = |unit| Slab { axis: 0, range: ranges(&self.shares.rows)[rank].clone(), unit };
        match (input == self.job.is_forward(), geometry.is_distributed() && self.job.order() == Order::Transposed) {
            (true, _) => of_rows(geometry.positions),
            (false, false) => of_rows(geometry.frequencies()),
            (false, true) => Slab { axis: 1, range: ranges(&self.shares.columns)[rank].clone(), unit: geometry.inner * geometry.rows },
        }
    }

    /// Runs the transform. Every rank passes its part of the input, see [`input`](Self::input), and
    /// gets its part of the output. Collective.
    ///
    /// # Errors
    /// On all ranks, [`Error::OnRank`] if some rank cannot do its part, for example because its
    /// input has a wrong length; [`Error::OutOfStep`] if the ranks are in different calls.
    pub fn run(&mut self, input: &[T::Input]) -> Result<Vec<T::Output>> {
        self.entries.clear();
        let output = self.transform(input)?;
        let output = guarded(|| cast_vec(output));
        self.cluster.link.agree(Phase::Report, output)
    }

    /// The phases of a run on this rank's part. Between the phases, arrays are f32.
    pub(crate) fn transform(&mut self, input: &[T::Input]) -> Result<Vec<f32>> {
        let expected = self.input().len();
        let checked = if input.len() == expected {
            Ok(())
        } else {
            let error = wgpu_fft::Error::WrongLen { argument: "input", expected, actual: input.len() };
            Err(Failure::Other(error.to_string()))
        };
        let first = match self.steps.first() {
            Some(Step::Local(phase, _) | Step::Turn(phase, _)) => *phase,
            None => Phase::Rows,
        };
        self.cluster.link.agree(first, checked)?;
        let mut data: Option<Vec<f32>> = None;
        // Takes the steps out of `self`, so that the listener can be borrowed as well.
        let steps = std::mem::take(&mut self.steps);
        let outcome = steps.iter().try_for_each(|step| {
            let next = match (&data, step) {
                (None, Step::Local(phase, pass)) => self.local(*phase, pass.as_ref(), bytemuck::cast_slice(input)),
                (Some(data), Step::Local(phase, pass)) => self.local(*phase, pass.as_ref(), data),
                (before, Step::Turn(phase, turn)) => self.turn(*phase, turn, before.as_deref().unwrap_or_default()),
            };
            data = Some(next?);
            Ok::<(), Error>(())
        });
        self.steps = steps;
        outcome?;
        Ok(data.unwrap_or_default())
    }

    fn local(&mut self, phase: Phase, pass: Option<&LocalPass>, input: &[f32]) -> Result<Vec<f32>> {
        let total = size_of_val(input) as u64;
        self.tell(Progress { phase, done: 0, total });
        let begin = Instant::now();
        let device = &self.job.device;
        let computed = guarded(|| {
            device.check(phase)?;
            pass.map_or(Ok((Vec::new(), LocalTimes::default())), |pass| pass.run(input))
        });
        let (time, local) = (begin.elapsed(), computed.as_ref().map_or(LocalTimes::default(), |(_, times)| *times));
        let moved = computed.as_ref().map_or(0, |(output, _)| size_of_val(input) + size_of_val(output.as_slice()));
        let (output, _) = self.agree_timed(Entry::new(phase, moved, time, local), computed)?;
        self.tell(Progress { phase, done: total, total });
        Ok(output)
    }

    fn turn(&mut self, phase: Phase, turn: &Turn, data: &[f32]) -> Result<Vec<f32>> {
        let device = &self.job.device;
        let arrived = guarded(|| {
            device.check(phase)?;
            zeros(turn.received())
        });
        let mut arrived = self.cluster.link.agree(phase, arrived)?;
        let total = size_of_val(arrived.as_slice()) as u64;
        let begin = Instant::now();
        let (link, message_bytes) = (self.cluster.link.clone(), self.message_bytes);
        let mut done = self.counter(phase, total);
        turn.run(&link, data, &mut arrived, message_bytes, &mut done);
        drop(done);
        let joined = guarded(|| Ok(turn.joined(arrived)));
        let bytes = turn.sent(link.rank()) * size_of::<f32>();
        self.agree_timed(Entry::new(phase, bytes, begin.elapsed(), LocalTimes::default()), joined)
    }

    /// Lets the ranks agree, and records the entry with the time that this took.
    pub(crate) fn agree_timed<R>(&mut self, entry: Entry, part: Part<R>) -> Result<R> {
        let begin = Instant::now();
        let agreed = self.cluster.link.agree(entry.phase, part);
        self.entries.push(Entry { waited: begin.elapsed(), ..entry });
        agreed
    }

    pub(crate) fn forget_entries(&mut self) {
        self.entries.clear();
    }

    /// Returns a function that adds up the bytes of messages and calls the listener.
    pub(crate) fn counter(&mut self, phase: Phase, total: u64) -> impl FnMut(usize) {
        let mut done = 0;
        self.tell(Progress { phase, done, total });
        move |bytes| {
            done += bytes as u64;
            self.tell(Progress { phase, done, total });
        }
    }

    fn tell(&mut self, progress: Progress) {
        if let Some(listener) = &mut self.listener {
            listener(progress);
        }
    }

    /// What each rank did in the last run, on rank 0. Collective.
    ///
    /// # Errors
    /// [`Error::OutOfStep`] if the ranks are in different calls.
    pub fn report(&self) -> Result<Option<Report>> {
        let link = &self.cluster.link;
        // A failed run ended in the same phase everywhere, so all ranks have equally many entries.
        link.agree(Phase::Report, Ok(()))?;
        let numbers = link.numbers(&to_numbers(&self.entries));
        if link.rank() > 0 {
            return Ok(None);
        }
        let ranks = self.cluster.members().iter().zip(numbers).map(|(member, numbers)| {
            let shares = [self.shares.rows[member.rank], self.shares.columns[member.rank]];
            RankReport::new(member.clone(), shares, &numbers)
        });
        Ok(Some(Report { spec: self.job.spec.to_string(), ranks: ranks.collect() }))
    }
}

/// An array of zeros, or a failure if there is not enough memory.
pub(crate) fn zeros(len: usize) -> Part<Vec<f32>> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(len).map_err(|error| Failure::Other(format!("{len} words of memory: {error}")))?;
    zeros.resize(len, 0.0);
    Ok(zeros)
}
