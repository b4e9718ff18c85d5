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

use super::array::{OnDevice, Source, Target};
use super::cluster::Device;
use super::failure::{Failure, Outcome};
use super::link::{BESIDE, Link};
use super::phase::Phase;
use super::running::give_back;
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
    async fn take(&mut self, read: Read<'_>) -> wgpu_fft::Result<()>;

    /// The array on the device that the pieces belong in, if it is one. Then there is nothing to read.
    fn on_device(&self) -> Option<OnDevice<'_>> {
        None
    }

    /// The array that the pieces are read from, if they are written over it.
    fn overwritten(&self) -> Option<&[u8]> {
        None
    }

    /// Does what else there is to do while the device computes.
    fn meanwhile(&mut self) {}
}

/// An array that takes the pieces one after the other.
struct Whole<'t, 'p> {
    array: Target<'t>,
    is_overwritten: bool,
    /// The bytes of each piece in the array.
    pieces: std::vec::IntoIter<Range<usize>>,
    done: &'p mut dyn FnMut(usize),
}

impl Sink for Whole<'_, '_> {
    async fn take(&mut self, read: Read<'_>) -> wgpu_fft::Result<()> {
        let bytes = self.pieces.next().unwrap_or(0..0);
        if let Target::Host(array) = &mut self.array {
            read(vec![&mut array[bytes.clone()]])?;
        }
        (self.done)(bytes.len());
        Ok(())
    }

    fn on_device(&self) -> Option<OnDevice<'_>> {
        self.array.on_device()
    }

    fn overwritten(&self) -> Option<&[u8]> {
        if let (true, Target::Host(array)) = (self.is_overwritten, &self.array) { Some(&**array) } else { None }
    }
}

/// A piece of a pass.
pub(super) struct PieceWork {
    /// Its bytes in the array that the pass reads.
    pub input: Range<usize>,
    /// The bytes of its result, in the array that the pass writes.
    pub output: Range<usize>,
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
    /// `None` if the result stays on the device.
    download: Option<Download>,
    begin: Instant,
}

/// A chain of plans that is run piece by piece.
pub(super) struct LocalPass {
    device: Rc<Device>,
    pieces: Vec<PieceWork>,
    slots: RefCell<Vec<Slot>>,
    bytes: [usize; 2],
    threads: usize,
    link: Link,
}

impl LocalPass {
    /// A pass over some pieces, of which at most `in_flight` are under way at once. A chain is some
    /// plans, of which each takes the result of the one before it. One without plans copies.
    pub fn new(device: &Rc<Device>, chains: &[Vec<Arc<dyn Task>>], pieces: Vec<PieceWork>, in_flight: usize, link: &Link) -> Outcome<Self> {
        let gpu = &device.gpu;
        // An array is read and written in turns, so it is as large as the largest that it holds.
        let largest = pieces.iter().map(|piece| piece.input.len() as u64).max().unwrap_or(0);
        let mut sizes = [largest.next_multiple_of(4).max(4), 4];
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
        let bytes = [pieces.iter().map(|piece| piece.input.len()).sum(), pieces.iter().map(|piece| piece.output.len()).sum()];
        let threads = copy_threads(device.ranks_beside);
        Ok(Self { device: Rc::clone(device), pieces, slots: RefCell::new(slots), bytes, threads, link: link.clone() })
    }

    /// Bytes of the input and of the output.
    pub fn bytes(&self) -> [usize; 2] {
        self.bytes
    }

    /// The number of pieces.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Copies an array of so many bytes, in pieces of at most `most`.
    pub fn copying(device: &Rc<Device>, bytes: usize, most: usize, in_flight: usize, link: &Link) -> Outcome<Self> {
        let most = most.min(bytes).next_multiple_of(4).max(4);
        let piece = |begin: usize| begin..(begin + most).min(bytes);
        let piece = |begin: usize| PieceWork { input: piece(begin), output: piece(begin), chain: 0 };
        Self::new(device, &[Vec::new()], (0..bytes).step_by(most).map(piece).collect(), in_flight, link)
    }

    /// Whether each piece is written where it was read, so that the output may be the input.
    pub fn is_in_place(&self) -> bool {
        self.pieces.iter().all(|piece| piece.input == piece.output)
    }

    /// Runs the pass from one array to another, or without an input over the array itself. `done` is called
    /// with the bytes of each piece.
    pub async fn run(
        &self,
        phase: Phase,
        input: Option<Source<'_>>,
        output: Target<'_>,
        done: &mut dyn FnMut(usize),
    ) -> Outcome<LocalTimes> {
        let pieces: Vec<Range<usize>> = self.pieces.iter().map(|piece| piece.output.clone()).collect();
        let mut whole = Whole { array: output, is_overwritten: input.is_none(), pieces: pieces.into_iter(), done };
        self.run_into(phase, input.unwrap_or(Source::Host(&[])), &mut whole).await
    }

    /// Runs the pass, and hands each piece to the sink in order.
    pub async fn run_into(&self, phase: Phase, input: Source<'_>, sink: &mut impl Sink) -> Outcome<LocalTimes> {
        let mut free = self.slots.take();
        let outcome = self.run_in(&mut free, phase, input, sink).await;
        self.slots.replace(free);
        outcome
    }

    async fn run_in(&self, free: &mut Vec<Slot>, phase: Phase, input: Source<'_>, sink: &mut impl Sink) -> Outcome<LocalTimes> {
        let mut times = LocalTimes::default();
        let mut under_way: VecDeque<UnderWay> = VecDeque::new();
        let (mut next, mut done, mut last_answer) = (0, 0, Instant::now());
        while done < self.pieces.len() {
            // Pieces that have been begun are waited for, or their arrays would be gone.
            let is_cancelled = self.link.state.cancelled.get();
            if is_cancelled && under_way.is_empty() {
                return Err(Failure::Cancelled);
            }
            if next < self.pieces.len()
                && !is_cancelled
                && let Some(slot) = free.pop()
            {
                // A piece that is still to be read is behind those that have been written.
                let input = sink.overwritten().map_or(input, Source::Host);
                under_way.push_back(self.start(next, input, sink.on_device(), slot, &mut times)?);
                next += 1;
                continue;
            }
            let gone = || Failure::Other("an earlier run of this pass failed, so its arrays are gone: make a new job".to_owned());
            let UnderWay { piece, mut slot, submission, mut download, begin } = under_way.pop_front().ok_or_else(gone)?;
            let waiting = Instant::now();
            if !self.answer(phase, piece, &submission, sink).await? {
                let device = self.device.gpu.to_string();
                return Err(Failure::NoAnswer { device, waited: self.link.timeout(), done, pieces: self.pieces.len() });
            }
            // The device begins a piece when it has finished the one before.
            self.device.slow_down(begin.max(last_answer).elapsed());
            last_answer = Instant::now();
            times.compute += waiting.elapsed();
            let reading = Instant::now();
            sink.take(&mut |targets| download.as_mut().map_or(Ok(()), |download| download.read_now(targets, self.threads))).await?;
            if let Some(mut download) = download {
                let last = slot.chains[self.pieces[piece].chain].len() % 2;
                slot.arrays[last] = download.take_array();
            }
            times.download += reading.elapsed();
            free.push(slot);
            done += 1;
        }
        Ok(times)
    }

    /// Uploads a piece, computes it, and copies the result to where the host can read it, or to the
    /// array on the device.
    fn start(
        &self,
        piece: usize,
        input: Source<'_>,
        target: Option<OnDevice<'_>>,
        mut slot: Slot,
        times: &mut LocalTimes,
    ) -> Outcome<UnderWay> {
        let gpu = &self.device.gpu;
        let own = &self.pieces[piece];
        let gone = || Failure::Other("an array of this pass is gone".to_owned());
        let begin = Instant::now();
        let first = slot.arrays[0].as_mut().ok_or_else(gone)?;
        let mut commands = Commands::new(gpu)?;
        match input {
            Source::Host(input) => {
                first.map_for_writing(gpu, slot.submission.as_ref())?;
                commands.fill(first, vec![&input[own.input.clone()]], self.threads)?;
            }
            Source::Device(input) => commands.copy_to(first, input.at(own.input.start)?, own.input.len() as u64)?,
        }
        let chain = &slot.chains[own.chain];
        chain.iter().try_for_each(|step| step.encode(&mut commands.encoder))?;
        let last = chain.len() % 2;
        let bytes = own.output.len() as u64;
        let mut download = None;
        if let Some(target) = target {
            let (result, (target, offset)) = (slot.arrays[last].as_ref().ok_or_else(gone)?, target.at(own.output.start)?);
            commands.encoder.copy_buffer_to_buffer(result.buffer(), 0, target, offset, bytes);
        } else {
            let array = slot.arrays[last].take().ok_or_else(gone)?;
            download.insert(Download::of_array(gpu, array, bytes.next_multiple_of(4))).record(&mut commands)?;
        }
        let submission = commands.submit()?;
        download.as_mut().map_or(Ok(()), |download| download.begin(&submission))?;
        slot.submission = Some(submission.clone());
        if let (Some(first), Source::Host(_)) = (&mut slot.arrays[0], input) {
            first.map_for_writing(gpu, Some(&submission))?;
        }
        times.upload += begin.elapsed();
        Ok(UnderWay { piece, slot, submission, download, begin: Instant::now() })
    }

    /// Waits for the device, and returns whether it has answered.
    async fn answer(&self, phase: Phase, piece: usize, submission: &wgpu::SubmissionIndex, sink: &mut impl Sink) -> Outcome<bool> {
        let begin = Instant::now();
        let never = self.device.is_silent(phase, piece);
        loop {
            sink.meanwhile();
            let left = self.link.timeout().saturating_sub(begin.elapsed());
            let blocks = self.link.state.blocks.get();
            let most = left.min(if blocks { GLANCE } else { BESIDE });
            if never {
                std::thread::sleep(most);
            } else if is_done_within(&self.device.gpu, submission, most)? {
                return Ok(true);
            }
            if left.is_zero() {
                return Ok(false);
            }
            if !blocks {
                give_back().await;
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
