//! What one rank computes between two exchanges, piece by piece: while the device transforms one
//! piece, the host uploads the next one, and downloads and passes on the one before.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wgpu_fft::low_level::transfer::{Commands, Download, Role, Staging, copy_threads, is_done_within};
use wgpu_fft::{Bound, wgpu};

use super::cluster::Device;
use super::failure::{Failure, Outcome};
use super::phase::Phase;
use crate::task::Task;

/// How long to wait for the device before looking at the messages of other ranks.
const GLANCE: Duration = Duration::from_millis(1);

/// Times of one local pass: of copies to the device, of waiting for it, and of copies from it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct LocalTimes {
    pub upload: Duration,
    pub compute: Duration,
    pub download: Duration,
}

impl LocalTimes {
    pub fn total(&self) -> Duration {
        self.upload + self.compute + self.download
    }
}

/// Reads the result of a piece into slices, one after the other.
pub(super) type Read<'r> = &'r mut dyn FnMut(Vec<&mut [u8]>) -> wgpu_fft::Result<()>;

/// Where the results of a pass go.
pub(super) trait Sink {
    /// Takes the next piece.
    fn take(&mut self, read: Read<'_>) -> wgpu_fft::Result<()>;

    /// Does what else there is to do while the device computes.
    fn meanwhile(&mut self) {}
}

/// An array that takes the pieces one after the other.
pub(super) struct Whole<'t, 'p> {
    rest: &'t mut [u8],
    /// The bytes of each piece.
    pieces: std::vec::IntoIter<usize>,
    done: &'p mut dyn FnMut(usize),
}

impl Sink for Whole<'_, '_> {
    fn take(&mut self, read: Read<'_>) -> wgpu_fft::Result<()> {
        let bytes = self.pieces.next().unwrap_or(0);
        let (own, rest) = std::mem::take(&mut self.rest).split_at_mut(bytes);
        self.rest = rest;
        read(vec![own])?;
        (self.done)(bytes);
        Ok(())
    }
}

/// A piece of a pass.
pub(super) struct PieceWork {
    /// Its bytes in the array that the pass reads.
    pub input: Range<usize>,
    /// The bytes of its result.
    pub output: usize,
    /// Which of the chains of plans computes it.
    pub chain: usize,
}

/// The arrays of a piece under way, and the plans bound to them.
struct Slot {
    /// Missing while one is read, or after an error.
    arrays: [Option<Staging>; 2],
    /// For each chain, its plans, bound to the two arrays in turns. The first one reads the first
    /// array.
    chains: Vec<Vec<Bound>>,
    /// The last that used the arrays.
    submission: Option<wgpu::SubmissionIndex>,
}

/// A piece that the device is working on.
struct UnderWay {
    piece: usize,
    slot: Slot,
    submission: wgpu::SubmissionIndex,
    download: Download,
    begin: Instant,
}

/// A chain of plans that is run piece by piece.
pub(super) struct LocalPass {
    device: Rc<Device>,
    pieces: Vec<PieceWork>,
    slots: RefCell<Vec<Slot>>,
    bytes: [usize; 2],
    threads: usize,
    timeout: Duration,
}

impl LocalPass {
    /// A pass over some pieces, of which at most `in_flight` are under way at once. A chain is some
    /// plans, of which each takes the result of the one before it.
    pub fn new(
        device: &Rc<Device>,
        chains: &[Vec<Arc<dyn Task>>],
        pieces: Vec<PieceWork>,
        in_flight: usize,
        timeout: Duration,
    ) -> Outcome<Self> {
        let gpu = &device.gpu;
        // An array is read and written in turns, so it is as large as the largest that it holds.
        let mut sizes = [0; 2];
        for (i, task) in chains.iter().flat_map(|chain| chain.iter().enumerate()) {
            let [input, output] = task.bytes();
            sizes[i % 2] = input.max(sizes[i % 2]);
            sizes[(i + 1) % 2] = output.max(sizes[(i + 1) % 2]);
        }
        let slot = || -> wgpu_fft::Result<Slot> {
            let arrays = [Staging::array(gpu, Role::InPlace, sizes[0])?, Staging::array(gpu, Role::Output, sizes[1])?];
            let bind = |(i, task): (usize, &Arc<dyn Task>)| task.bind(&[arrays[i % 2].buffer()], arrays[(i + 1) % 2].buffer());
            let chains = chains.iter().map(|chain| chain.iter().enumerate().map(bind).collect()).collect::<wgpu_fft::Result<_>>()?;
            Ok(Slot { arrays: arrays.map(Some), chains, submission: None })
        };
        let slots = (0..in_flight.clamp(1, pieces.len().max(1))).map(|_| slot()).collect::<wgpu_fft::Result<Vec<Slot>>>()?;
        let bytes = [pieces.iter().map(|piece| piece.input.len()).sum(), pieces.iter().map(|piece| piece.output).sum()];
        let threads = copy_threads(device.ranks_beside);
        Ok(Self { device: Rc::clone(device), pieces, slots: RefCell::new(slots), bytes, threads, timeout })
    }

    /// Bytes of the input and of the output.
    pub fn bytes(&self) -> [usize; 2] {
        self.bytes
    }

    /// The number of pieces.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Runs the pass from one array to another. `done` is called with the bytes of each piece.
    pub fn run(&self, phase: Phase, input: &[u8], output: &mut [u8], done: &mut dyn FnMut(usize)) -> Outcome<LocalTimes> {
        let pieces: Vec<usize> = self.pieces.iter().map(|piece| piece.output).collect();
        self.run_into(phase, input, &mut Whole { rest: output, pieces: pieces.into_iter(), done })
    }

    /// Runs the pass, and hands each piece to the sink in order.
    pub fn run_into(&self, phase: Phase, input: &[u8], sink: &mut dyn Sink) -> Outcome<LocalTimes> {
        let mut free = self.slots.borrow_mut();
        let mut times = LocalTimes::default();
        let mut under_way: VecDeque<UnderWay> = VecDeque::new();
        let (mut next, mut done, mut last_answer) = (0, 0, Instant::now());
        while done < self.pieces.len() {
            if next < self.pieces.len()
                && let Some(slot) = free.pop()
            {
                under_way.push_back(self.start(next, input, slot, &mut times)?);
                next += 1;
                continue;
            }
            let gone = || Failure::Other("an earlier run of this pass failed, so its arrays are gone: make a new job".to_owned());
            let UnderWay { piece, mut slot, submission, mut download, begin } = under_way.pop_front().ok_or_else(gone)?;
            let waiting = Instant::now();
            if !self.answer(phase, piece, &submission, sink)? {
                let device = self.device.gpu.to_string();
                return Err(Failure::NoAnswer { device, waited: self.timeout, done, pieces: self.pieces.len() });
            }
            // The device begins a piece when it has finished the one before.
            self.device.slow_down(begin.max(last_answer).elapsed());
            last_answer = Instant::now();
            times.compute += waiting.elapsed();
            let reading = Instant::now();
            sink.take(&mut |targets| download.read_now(targets, self.threads))?;
            let last = slot.chains[self.pieces[piece].chain].len() % 2;
            slot.arrays[last] = download.take_array();
            times.download += reading.elapsed();
            free.push(slot);
            done += 1;
        }
        Ok(times)
    }

    /// Uploads a piece, computes it, and copies the result to where the host can read it.
    fn start(&self, piece: usize, input: &[u8], mut slot: Slot, times: &mut LocalTimes) -> Outcome<UnderWay> {
        let gpu = &self.device.gpu;
        let own = &self.pieces[piece];
        let gone = || Failure::Other("an array of this pass is gone".to_owned());
        let begin = Instant::now();
        let first = slot.arrays[0].as_mut().ok_or_else(gone)?;
        first.map_for_writing(gpu, slot.submission.as_ref())?;
        let mut commands = Commands::new(gpu)?;
        commands.fill(first, vec![&input[own.input.clone()]], self.threads)?;
        let chain = &slot.chains[own.chain];
        chain.iter().try_for_each(|step| step.encode(&mut commands.encoder))?;
        let last = chain.len() % 2;
        let padded = (own.output as u64).next_multiple_of(4);
        let mut download = Download::of_array(gpu, slot.arrays[last].take().ok_or_else(gone)?, padded);
        download.record(&mut commands)?;
        let submission = commands.submit()?;
        download.begin(&submission)?;
        slot.submission = Some(submission.clone());
        if let Some(first) = &mut slot.arrays[0] {
            first.map_for_writing(gpu, Some(&submission))?;
        }
        times.upload += begin.elapsed();
        Ok(UnderWay { piece, slot, submission, download, begin: Instant::now() })
    }

    /// Waits for the device, and returns whether it has answered.
    fn answer(&self, phase: Phase, piece: usize, submission: &wgpu::SubmissionIndex, sink: &mut dyn Sink) -> Outcome<bool> {
        let begin = Instant::now();
        let never = self.device.is_silent(phase, piece);
        loop {
            sink.meanwhile();
            let left = self.timeout.saturating_sub(begin.elapsed());
            let most = left.min(GLANCE);
            if never {
                std::thread::sleep(most);
            } else if is_done_within(&self.device.gpu, submission, most)? {
                return Ok(true);
            }
            if left.is_zero() {
                return Ok(false);
            }
        }
    }
}

impl Drop for LocalPass {
    fn drop(&mut self) {
        let slots = std::mem::take(self.slots.get_mut());
        slots.into_iter().flat_map(|slot| slot.arrays).flatten().for_each(|array| array.keep(&self.device.gpu));
    }
}
