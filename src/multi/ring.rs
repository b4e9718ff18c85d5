//! A device's work on a phase. Pieces pass through a ring of buffers, so that the host copies one
//! piece while the device computes another.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::fault::Injection;
use super::phase::{Reading, Task};
use super::report::{Apart, Work};
use super::schedule::Schedule;
use super::slab::{OutputShare, in_parts, parts_of, scatter};
use crate::error::{Error, Result};
use crate::gpu::{Gpu, Stopwatch, poll_until};
use crate::plan::Bound;
use crate::planner::Planner;
use crate::wgpu::{self, BufferUsages};

/// The most plans of one phase that a device keeps: enough for pieces of two sizes in each of
/// several shares, or for the sizes of a dynamic schedule. A plan may hold a workspace as large as
/// its array.
const MOST_PLANS: usize = 12;

/// How long to wait for the mapping of a buffer after the device has finished.
const ANSWER: Duration = Duration::from_secs(10);

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
        let first = if phase.work.is_positioned() { units.start } else { 0 };
        let key = (number, first, units.len());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = kept.values().map(|(used, _)| *used).max().unwrap_or(0) + 1;
        if let Some((used, task)) = kept.get_mut(&key) {
            *used = now;
            return Ok(Arc::clone(task));
        }
        let of_phase = kept.iter().filter(|((other, ..), _)| *other == number);
        if of_phase.clone().count() >= MOST_PLANS
            && let Some(oldest) = of_phase.min_by_key(|(_, (used, _))| *used).map(|(key, _)| *key)
        {
            kept.remove(&oldest);
        }
        // Only this device's thread makes plans here, so nobody else waits for the lock.
        let task = phase.work.plan(planner, units)?;
        kept.insert(key, (now, Arc::clone(&task)));
        Ok(task)
    }

    /// Drops all plans to free their memory.
    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// A buffer that the host maps, and a pending mapping.
struct Staging {
    buffer: wgpu::Buffer,
    mapped: Option<Receiver<std::result::Result<(), wgpu::BufferAsyncError>>>,
}

impl Staging {
    fn new(gpu: &Gpu, what: &'static str, bytes: u64, usage: BufferUsages) -> Result<Self> {
        Ok(Self { buffer: gpu.create_buffer(what, bytes, usage)?, mapped: None })
    }

    fn map(&mut self, gpu: &Gpu, mode: wgpu::MapMode, bytes: u64) -> Result<()> {
        let (sender, receiver) = channel();
        // If the device was destroyed a moment ago, the buffer is no longer valid.
        gpu.caught("mapping of a staging buffer", bytes, || self.buffer.map_async(mode, ..bytes, move |result| drop(sender.send(result))))?;
        self.mapped = Some(receiver);
        Ok(())
    }

    /// Waits until the requested mapping is complete.
    fn wait(&mut self, gpu: &Gpu, submission: Option<&wgpu::SubmissionIndex>) -> Result<()> {
        let lost = |message: String| Error::DeviceLost { during: "mapping of a staging buffer", message };
        let Some(receiver) = self.mapped.take() else { return Ok(()) };
        let result = match receiver.try_recv() {
            Ok(result) => result,
            Err(_) => {
                match submission {
                    Some(submission) => poll_until(gpu.device(), submission.clone())?,
                    None => {
                        gpu.device().poll(wgpu::PollType::wait_indefinitely()).map_err(|error| lost(error.to_string()))?;
                    }
                }
                // The device has finished, so the answer has arrived or never will.
                receiver.recv_timeout(ANSWER).map_err(|error| lost(error.to_string()))?
            }
        };
        result.map_err(|error| lost(error.to_string()))
    }
}

/// The buffers for one piece in flight.
struct Slot {
    uploads: Vec<Staging>,
    inputs: Vec<wgpu::Buffer>,
    output: wgpu::Buffer,
    download: Staging,
    /// The bytes of each input and of the output that fit.
    bytes: [u64; 2],
    /// The plan that was bound last.
    bound: Option<(Arc<dyn Task>, Bound)>,
}

impl Slot {
    fn new(gpu: &Gpu, inputs: usize, bytes: [u64; 2], faults: Injection<'_>) -> Result<Self> {
        let storage = BufferUsages::STORAGE;
        let mut uploads = Vec::new();
        let mut arrays = Vec::new();
        for _ in 0..inputs {
            faults.allocation(Some(gpu), bytes[0])?;
            uploads.push(Staging::new(gpu, "upload", bytes[0], BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC)?);
            faults.allocation(Some(gpu), bytes[0])?;
            arrays.push(gpu.create_buffer("piece", bytes[0], storage | BufferUsages::COPY_DST)?);
        }
        faults.allocation(Some(gpu), bytes[1])?;
        let output = gpu.create_buffer("result of a piece", bytes[1], storage | BufferUsages::COPY_SRC)?;
        faults.allocation(Some(gpu), bytes[1])?;
        let download = Staging::new(gpu, "download", bytes[1], BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        for upload in &mut uploads {
            upload.map(gpu, wgpu::MapMode::Write, bytes[0])?;
        }
        Ok(Self { uploads, inputs: arrays, output, download, bytes, bound: None })
    }
}

/// A piece that the device is working on.
struct UnderWay<'a> {
    piece: OutputShare<'a>,
    slot: Slot,
    submission: wgpu::SubmissionIndex,
    bytes: [u64; 2],
}

/// What a device needs for its work on a phase.
pub(super) struct Ring<'r, 'a> {
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
        let mut free: Vec<Slot> = Vec::new();
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
                    Ok((slot, submission, bytes)) => under_way.push_back(UnderWay { piece, slot, submission, bytes }),
                    Err(error) => {
                        let (units, alignment) = (piece.units.len(), self.reading.phase.alignment);
                        self.schedule.give_back(piece);
                        // It may fit with less memory in use. First the pieces in flight are
                        // completed, then pieces are halved, and finally everything else is freed.
                        let less = units > alignment || !under_way.is_empty();
                        if !matches!(error, Error::OutOfMemory { .. }) || exhausted && !less {
                            work.error = Some(error);
                            break;
                        }
                        exhausted |= !less;
                        work.out_of_memory += 1;
                        if less && under_way.is_empty() {
                            self.most = (units / 2).next_multiple_of(alignment).min(units - 1).max(1);
                        }
                        self.depth = 1;
                        free.clear();
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
            if let Err(error) = self.finish(&mut oldest, &mut work) {
                self.schedule.give_back(oldest.piece);
                work.error = Some(error);
                break;
            }
            if under_way.len() < self.depth {
                free.push(oldest.slot);
            }
        }
        for lost in under_way {
            self.schedule.give_back(lost.piece);
        }
        work.busy = begin.elapsed().saturating_sub(work.idle);
        work
    }

    /// Uploads a piece, computes it, and copies the result to where the host can read it.
    fn start(&mut self, piece: &OutputShare<'a>, free: &mut Vec<Slot>, work: &mut Work) -> Result<(Slot, wgpu::SubmissionIndex, [u64; 2])> {
        self.faults.piece(Some(self.gpu()))?;
        self.gpu().check_alive("a job's piece")?;
        let task = self.tasks.get(self.planner, self.reading, &piece.units)?;
        let bytes = task.bytes();
        let fits = |slot: &Slot| slot.bytes[0] >= bytes[0] && slot.bytes[1] >= bytes[1];
        let mut slot = match free.iter().position(fits) {
            Some(i) => free.swap_remove(i),
            None => {
                // A slot that is too small only wastes memory.
                free.pop();
                Slot::new(self.planner.gpu(), self.reading.arrays(), bytes, self.faults)?
            }
        };
        let gpu = self.planner.gpu();
        let begin = Instant::now();
        for (i, upload) in slot.uploads.iter_mut().enumerate() {
            upload.wait(gpu, None)?;
            fill(&upload.buffer, bytes[0], self.reading.slices(i, piece), self.copy_threads)?;
            upload.buffer.unmap();
        }
        work.gather += begin.elapsed();
        if slot.bound.as_ref().is_none_or(|(own, _)| !Arc::ptr_eq(own, &task)) {
            slot.bound = None;
            let bound = task.bind(&slot.inputs, &slot.output)?;
            slot.bound = Some((task, bound));
        }
        let Some((_, bound)) = &slot.bound else { unreachable!("it was just bound") };
        let submission = gpu.submit(|encoder| {
            for (upload, input) in slot.uploads.iter().zip(&slot.inputs) {
                encoder.copy_buffer_to_buffer(&upload.buffer, 0, input, 0, bytes[0]);
            }
            bound.encode(encoder)?;
            encoder.copy_buffer_to_buffer(&slot.output, 0, &slot.download.buffer, 0, bytes[1]);
            Ok(())
        })?;
        slot.download.map(gpu, wgpu::MapMode::Read, bytes[1])?;
        for upload in &mut slot.uploads {
            upload.map(gpu, wgpu::MapMode::Write, slot.bytes[0])?;
        }
        Ok((slot, submission, bytes))
    }

    /// Waits for a piece and writes its results.
    fn finish(&mut self, under_way: &mut UnderWay<'a>, work: &mut Work) -> Result<()> {
        let UnderWay { piece, slot, submission, bytes } = under_way;
        let gpu = self.planner.gpu();
        let begin = Instant::now();
        self.faults.result(Some(gpu))?;
        slot.download.wait(gpu, Some(submission))?;
        work.wait += begin.elapsed();
        let begin = Instant::now();
        {
            let results = slot.download.buffer.get_mapped_range(..bytes[1]).map_err(not_mapped("read-back"))?;
            let length: usize = piece.target.iter().map(|run| run.len()).sum();
            // The last 4 bytes may extend beyond the array.
            scatter(&results[..length], &mut piece.target, self.copy_threads);
        }
        slot.download.buffer.unmap();
        work.scatter += begin.elapsed();
        self.reading.count(piece, work);
        self.schedule.done(piece.units.len());
        Ok(())
    }
}

/// A buffer that was just mapped is not mapped any more: the device is lost.
fn not_mapped(during: &'static str) -> impl Fn(wgpu::MapRangeError) -> Error {
    move |error| Error::DeviceLost { during, message: error.to_string() }
}

/// Copies slices to the beginning of a mapped buffer, with several threads, and fills its last 4
/// bytes with zeros.
fn fill(buffer: &wgpu::Buffer, bytes: u64, slices: Vec<&[u8]>, threads: usize) -> Result<()> {
    let parts = in_parts(slices, bytes as usize, parts_of(bytes as usize, threads));
    let (mut begin, count) = (0, parts.len());
    // One view per thread. Parts begin where views may begin.
    let mut views = Vec::new();
    for (i, part) in (1..).zip(parts) {
        let length: usize = part.iter().map(|slice| slice.len()).sum();
        let end = if i == count { bytes } else { begin + length as u64 };
        views.push((buffer.get_mapped_range_mut(begin..end).map_err(not_mapped("upload"))?, part));
        begin = end;
    }
    std::thread::scope(|scope| {
        let last = views.pop();
        for (view, part) in views {
            scope.spawn(move || copy(view, &part));
        }
        if let Some((view, part)) = last {
            copy(view, &part);
        }
    });
    Ok(())
}

/// Copies slices one after the other, followed by zeros.
fn copy(mut view: wgpu::BufferViewMut, slices: &[&[u8]]) {
    let mut at = 0;
    for slice in slices {
        view.slice(at..at + slice.len()).copy_from_slice(slice);
        at += slice.len();
    }
    view.slice(at..).fill(0);
}

/// Measures the parts of a piece when nothing overlaps.
pub(super) fn apart(planner: &Planner, tasks: &Tasks, reading: Reading<'_>, units: &Range<usize>) -> Result<Apart> {
    let gpu = planner.gpu();
    let task = tasks.get(planner, reading, units)?;
    let bytes = task.bytes();
    let mut slot = Slot::new(gpu, reading.arrays(), bytes, Injection::none())?;
    let bound = task.bind(&slot.inputs, &slot.output)?;
    let data = vec![0; bytes[0].max(bytes[1]) as usize];
    let begin = Instant::now();
    for upload in &mut slot.uploads {
        upload.wait(gpu, None)?;
        fill(&upload.buffer, bytes[0], vec![&data[..bytes[0] as usize]], 1)?;
        upload.buffer.unmap();
    }
    let copied = gpu.submit(|encoder| {
        for (upload, input) in slot.uploads.iter().zip(&slot.inputs) {
            encoder.copy_buffer_to_buffer(&upload.buffer, 0, input, 0, bytes[0]);
        }
        Ok(())
    })?;
    poll_until(gpu.device(), copied)?;
    let upload = begin.elapsed();
    let compute = Stopwatch::new(gpu)?.time(|pass| bound.record(pass))?;
    let begin = Instant::now();
    let copied = gpu.submit(|encoder| {
        encoder.copy_buffer_to_buffer(&slot.output, 0, &slot.download.buffer, 0, bytes[1]);
        Ok(())
    })?;
    slot.download.map(gpu, wgpu::MapMode::Read, bytes[1])?;
    slot.download.wait(gpu, Some(&copied))?;
    let results = slot.download.buffer.get_mapped_range(..bytes[1]).map_err(not_mapped("read-back"))?;
    let mut copy = data;
    copy[..bytes[1] as usize].copy_from_slice(&results);
    let download = begin.elapsed();
    Ok(Apart { upload, compute, download })
}
