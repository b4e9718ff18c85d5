//! A device's work on a phase. Pieces pass through a ring of arrays, so that the host copies one
//! piece while the device computes another. `gpu/transfer/` moves data into an array and out of it.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use wgpu_fft::low_level::Stopwatch;
use wgpu_fft::low_level::transfer::{Commands, Download, Role, Staging, is_done_within, wait_for};
use wgpu_fft::{Bound, Error, Gpu, Planner, Result, wgpu};

use super::fault::Injection;
use super::phase::Reading;
use super::schedule::Schedule;
use crate::error;
use crate::report::{Apart, Work};
use crate::slab::OutputShare;
use crate::task::Task;

/// The most plans of one phase that a device keeps: enough for pieces of two sizes in each of
/// several shares, or for the sizes of a dynamic schedule. A plan may hold a workspace as large as
/// its array.
const MAX_PLANS: usize = 12;

/// The index of the phase, the first unit if plans depend on it, and the number of units.
type Key = (usize, usize, usize);

/// A plan, and the time of its last use.
type Kept = (u64, Arc<dyn Task>);

/// The plans for pieces of a job.
#[derive(Default)]
pub(super) struct Tasks(Mutex<HashMap<Key, Kept>>);

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tasks").finish_non_exhaustive()
    }
}

impl Tasks {
    fn get(&self, planner: &Planner, Reading { number, phase, .. }: Reading<'_>, units: &Range<usize>) -> Result<Arc<dyn Task>> {
        let first = if phase.computation.is_positioned() { units.start } else { 0 };
        let key = (number, first, units.len());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = kept.values().map(|(used, _)| *used).max().unwrap_or(0) + 1;
        if let Some((used, task)) = kept.get_mut(&key) {
            *used = now;
            return Ok(Arc::clone(task));
        }
        let of_phase = kept.iter().filter(|((other, ..), _)| *other == number);
        if of_phase.clone().count() >= MAX_PLANS
            && let Some(oldest) = of_phase.min_by_key(|(_, (used, _))| *used).map(|(key, _)| *key)
        {
            kept.remove(&oldest);
        }
        // Only this device's thread makes plans here, so nobody else waits for the lock.
        let task = phase.computation.plan(planner, units)?;
        kept.insert(key, (now, Arc::clone(&task)));
        Ok(task)
    }

    /// Drops all plans to free their memory.
    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The arrays on the device for one piece in flight.
struct PieceArrays {
    inputs: Vec<Staging>,
    /// Nothing while a piece is in flight.
    output: Option<Staging>,
    /// The bytes of each input and of the output that fit.
    bytes: [u64; 2],
    /// The plan that was bound last.
    bound: Option<(Arc<dyn Task>, Bound)>,
}

impl PieceArrays {
    fn new(gpu: &Gpu, inputs: usize, bytes: [u64; 2], faults: Injection<'_>) -> Result<Self> {
        let array = |role, bytes| {
            faults.allocation(Some(gpu), bytes)?;
            Staging::array(gpu, role, bytes)
        };
        let inputs = (0..inputs).map(|_| array(Role::Input, bytes[0])).collect::<Result<_>>()?;
        Ok(Self { inputs, output: Some(array(Role::Output, bytes[1])?), bytes, bound: None })
    }

    /// Keeps the arrays for the next run.
    fn keep(self, gpu: &Gpu) {
        self.inputs.into_iter().chain(self.output).for_each(|array| array.keep(gpu));
    }
}

/// A piece that the device is working on.
struct UnderWay<'a> {
    piece: OutputShare<'a>,
    slot: PieceArrays,
    submission: wgpu::SubmissionIndex,
    download: Download,
}

/// What a device needs for its work on a phase.
pub(super) struct Ring<'r, 'a> {
    pub name: &'r str,
    pub participant: usize,
    pub reading: Reading<'r>,
    pub schedule: &'r Schedule<'a>,
    pub planner: &'r Planner,
    pub tasks: &'r Tasks,
    /// The least units of a piece in a dynamic schedule.
    pub least: usize,
    /// The most units of a piece.
    pub most: usize,
    /// Pieces in flight at once.
    pub depth: usize,
    /// The number of copy threads.
    pub copy_threads: usize,
    /// How long a piece may take.
    pub timeout: Duration,
    pub faults: Injection<'r>,
}

impl<'a> Ring<'_, 'a> {
    fn gpu(&self) -> &Gpu {
        self.planner.gpu()
    }

    /// Works until nothing is left or the device fails. If it fails, its units are returned to the
    /// schedule, and the result contains the error.
    pub fn run(mut self) -> Work {
        let begin = Instant::now();
        let mut work = Work::default();
        let mut free: Vec<PieceArrays> = Vec::new();
        let mut under_way: VecDeque<UnderWay<'a>> = VecDeque::new();
        // Whether the smallest piece did not fit, even with nothing else in flight.
        let mut exhausted = false;
        loop {
            while under_way.len() < self.depth.max(1) {
                let asked = Instant::now();
                let piece = self.schedule.take(self.participant, [self.least, self.most], under_way.is_empty());
                work.idle += asked.elapsed();
                let Some(piece) = piece else { break };
                match self.start(&piece, &mut free, &mut work) {
                    Ok((slot, submission, download)) => under_way.push_back(UnderWay { piece, slot, submission, download }),
                    Err(error) => {
                        let (units, alignment) = (piece.units.len(), self.reading.phase.alignment);
                        self.schedule.give_back(piece);
                        // It may fit with less memory in use. First the pieces in flight are
                        // completed, then pieces are halved, and finally everything else is freed.
                        let less = units > alignment || !under_way.is_empty();
                        if !matches!(error, Error::OutOfMemory { .. }) || exhausted && !less {
                            work.error = Some(error.into());
                            break;
                        }
                        exhausted |= !less;
                        work.out_of_memory += 1;
                        if less && under_way.is_empty() {
                            self.most = (units / 2).next_multiple_of(alignment).min(units - 1).max(1);
                        }
                        self.depth = 1;
                        free.clear();
                        self.gpu().free_kept();
                        self.tasks.clear();
                        break;
                    }
                }
            }
            if work.error.is_some() {
                break;
            }
            let Some(mut oldest) = under_way.pop_front() else {
                // Nothing is in flight, so nothing is left, unless a piece did not fit.
                if self.schedule.is_over() { break } else { continue }
            };
            match self.finish(&mut oldest, &mut work) {
                Ok(true) => {}
                Ok(false) => {
                    work.error = Some(self.no_answer(&work, under_way.len() + 1));
                    self.schedule.give_back(oldest.piece);
                    break;
                }
                Err(error) => {
                    work.error = Some(error.into());
                    self.schedule.give_back(oldest.piece);
                    break;
                }
            }
            // Where memory was short, fewer are under way now, and this one is freed.
            if under_way.len() < self.depth {
                free.push(oldest.slot);
            }
        }
        free.into_iter().for_each(|slot| slot.keep(self.gpu()));
        for lost in under_way {
            self.schedule.give_back(lost.piece);
        }
        work.busy = begin.elapsed().saturating_sub(work.idle);
        work
    }

    /// The error of a device that has not answered, with so many pieces in flight.
    fn no_answer(&self, work: &Work, in_flight: usize) -> error::Error {
        let left = self.schedule.available(self.participant).div_ceil(self.most.max(1));
        error::Error::NoAnswer {
            device: self.name.to_owned(),
            phase: self.reading.phase.label.clone(),
            waited: self.timeout,
            done: work.pieces,
            pieces: work.pieces + in_flight + left,
        }
    }

    /// Uploads a piece, computes it, and copies the result to where the host can read it.
    fn start(
        &mut self,
        piece: &OutputShare<'a>,
        free: &mut Vec<PieceArrays>,
        work: &mut Work,
    ) -> Result<(PieceArrays, wgpu::SubmissionIndex, Download)> {
        self.faults.piece(Some(self.gpu()))?;
        let task = self.tasks.get(self.planner, self.reading, &piece.units)?;
        let bytes = task.bytes();
        let fits = |slot: &PieceArrays| slot.bytes[0] >= bytes[0] && slot.bytes[1] >= bytes[1];
        let mut slot = match free.iter().position(fits) {
            Some(i) => free.swap_remove(i),
            None => {
                // A slot that is too small only wastes memory.
                free.pop();
                PieceArrays::new(self.planner.gpu(), self.reading.arrays(), bytes, self.faults)?
            }
        };
        let gpu = self.planner.gpu();
        let mut commands = Commands::new(gpu)?;
        let begin = Instant::now();
        for (i, input) in slot.inputs.iter_mut().enumerate() {
            commands.fill(input, self.reading.slices(i, piece), self.copy_threads)?;
        }
        work.gather += begin.elapsed();
        let Some(output) = slot.output.take() else { unreachable!("nothing is under way in a free slot") };
        if slot.bound.as_ref().is_none_or(|(own, _)| !Arc::ptr_eq(own, &task)) {
            slot.bound = None;
            let inputs: Vec<&wgpu::Buffer> = slot.inputs.iter().map(Staging::buffer).collect();
            let bound = task.bind(&inputs, output.buffer())?;
            slot.bound = Some((task, bound));
        }
        let Some((_, bound)) = &slot.bound else { unreachable!("it was just bound") };
        bound.encode(&mut commands.encoder)?;
        let mut download = Download::of_array(gpu, output, bytes[1]);
        download.record(&mut commands)?;
        let submission = commands.submit()?;
        download.begin(&submission)?;
        for input in &mut slot.inputs {
            input.map_for_writing(gpu, Some(&submission))?;
        }
        Ok((slot, submission, download))
    }

    /// Waits for a piece and writes its results. Returns whether the device has answered.
    fn finish(&mut self, under_way: &mut UnderWay<'a>, work: &mut Work) -> Result<bool> {
        let UnderWay { piece, slot, submission, download } = under_way;
        let begin = Instant::now();
        if !self.faults.result(Some(self.planner.gpu()))? {
            std::thread::sleep(self.timeout);
            return Ok(false);
        }
        if !is_done_within(self.planner.gpu(), submission, self.timeout)? {
            return Ok(false);
        }
        download.wait_for_first()?;
        work.wait += begin.elapsed();
        let begin = Instant::now();
        let targets = piece.target.iter_mut().map(|run| &mut **run).collect();
        download.read_now(targets, self.copy_threads)?;
        slot.output = download.take_array();
        work.scatter += begin.elapsed();
        self.reading.count(piece, work);
        self.schedule.done(piece.units.len());
        Ok(true)
    }
}

/// Measures the parts of a piece when nothing overlaps.
pub(super) fn apart(planner: &Planner, tasks: &Tasks, reading: Reading<'_>, units: &Range<usize>) -> Result<Apart> {
    let gpu = planner.gpu();
    let task = tasks.get(planner, reading, units)?;
    let bytes = task.bytes();
    let mut slot = PieceArrays::new(gpu, reading.arrays(), bytes, Injection::none())?;
    let Some(output) = slot.output.take() else { unreachable!("it was just made") };
    let inputs: Vec<&wgpu::Buffer> = slot.inputs.iter().map(Staging::buffer).collect();
    let bound = task.bind(&inputs, output.buffer())?;
    let mut data = vec![0; bytes[0].max(bytes[1]) as usize];
    let begin = Instant::now();
    let mut commands = Commands::new(gpu)?;
    for input in &mut slot.inputs {
        commands.fill(input, vec![&data[..bytes[0] as usize]], 1)?;
    }
    wait_for(gpu, commands.submit()?)?;
    let upload = begin.elapsed();
    let compute = Stopwatch::new(gpu)?.time(|pass| bound.record(pass))?;
    let begin = Instant::now();
    let mut commands = Commands::new(gpu)?;
    let mut download = Download::of_array(gpu, output, bytes[1]);
    download.record(&mut commands)?;
    download.begin(&commands.submit()?)?;
    download.read_now(vec![&mut data[..bytes[1] as usize]], 1)?;
    let elapsed = begin.elapsed();
    slot.output = download.take_array();
    slot.keep(gpu);
    Ok(Apart { upload, compute, download: elapsed })
}
