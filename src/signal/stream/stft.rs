//! Short-time Fourier transforms of signals that come in pieces, and back.

use std::sync::Arc;

use num_complex::Complex32;

use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::cannot_block;
use crate::plan::Plan;
use crate::planner::Planner;
use crate::signal::number::Number;
use crate::signal::stft::{Istft, Stft};

/// Frames of a signal that comes in pieces of any length: [`Stft::stream`] makes it.
///
/// ```no_run
/// use wgpu_fft::signal::{Stft, window::Window};
/// use wgpu_fft::{Complex32, Planner};
///
/// # fn listen(planner: &Planner, pieces: &mut dyn Iterator<Item = Vec<f32>>, show: &mut dyn FnMut(&[Complex32])) -> wgpu_fft::Result<()> {
/// let window: Vec<f64> = Window::Hann.periodic(1024)?;
/// // Up to 4 frames in one run: 1024 + 3 * 256 samples.
/// let mut frames = Stft::<f32>::new(1792, &window, 256).stream(planner)?;
/// for piece in pieces {
///     show(frames.push(&piece)?); // as many frames as are complete, of 513 numbers each
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct StftStream<T: Number, O: Element> {
    plan: Arc<Plan<Stft<T, O>>>,
    frames: Frames,
    /// What no frame has passed yet, of each channel.
    held: Vec<Vec<T>>,
    /// Samples to come that lie between two frames.
    gap: usize,
    input: Vec<T>,
    output: Vec<O>,
    complete: Vec<O>,
}

/// Sizes of frames, and of a run.
#[derive(Clone, Copy, Debug)]
struct Frames {
    channels: usize,
    /// Samples of a frame, and from one to the next.
    len: usize,
    hop: usize,
    /// Numbers of a spectrum.
    bins: usize,
    /// Frames of a run, and its samples.
    most: usize,
    samples: usize,
}

impl Frames {
    fn of<T: Number, O: Element>(stft: &Stft<T, O>) -> Result<Self> {
        let core = &stft.core;
        let most = core.range()?.count();
        let (len, hop) = (core.window.len(), core.hop);
        Ok(Self { channels: core.batch, len, hop, bins: core.bins(), most, samples: core.len })
    }

    /// Refuses what is no whole number of channels with so many numbers each.
    fn per_channel(self, argument: &'static str, numbers: usize, each: usize) -> Result<usize> {
        let unit = self.channels * each;
        if numbers.is_multiple_of(unit) {
            return Ok(numbers / self.channels);
        }
        Err(Error::WrongLen { argument, expected: numbers.next_multiple_of(unit), actual: numbers })
    }
}

impl<T: Number, O: Element> Stft<T, O> {
    /// Begins to transform a signal that comes in pieces of any length. The signal of this
    /// specification is what one run takes at most: several frames of it need fewer runs for long
    /// pieces, one frame takes least time for short ones. With a batch, several channels come
    /// together.
    ///
    /// Frame p begins at sample p·h of the stream, and its last sample completes it. So if h
    /// divides ⌊m/2⌋, these are frames ⌊m/2⌋/h + p of the `Stft` of the whole signal, those that
    /// need no padding, with the same accuracy. However the signal is divided into pieces, the bits
    /// are the same. A fragment on the output sees the frame's number in its run as `i0`.
    ///
    /// # Errors
    /// Those of planning; [`Error::Unsupported`] for a signal shorter than the window, with
    /// `frames`, and with `frequencies_first`.
    pub fn stream(&self, planner: &Planner) -> Result<StftStream<T, O>> {
        let stft = self.clone().inside()?;
        let frames = Frames::of(&stft)?;
        let Frames { channels, bins, most, samples, .. } = frames;
        let plan = planner.plan(stft)?;
        let held = vec![Vec::new(); channels];
        let (input, output) = (vec![T::zeroed(); channels * samples], vec![O::zeroed(); channels * most * bins]);
        Ok(StftStream { plan, frames, held, gap: 0, input, output, complete: Vec::new() })
    }
}

impl<T: Number, O: Element> StftStream<T, O> {
    /// Takes samples, equally many of each channel, the channels one after the other, and returns
    /// the frames that they complete: for each channel so many frames of so many frequencies, like
    /// [`Stft`]. It blocks until they have come.
    ///
    /// # Errors
    /// [`Error::WrongLen`] if the channels have no equal number of samples, and in the browser
    /// [`Error::Unsupported`], which change nothing; [`Error::DeviceLost`], after which the samples
    /// are kept: [`reset`](Self::reset) forgets them.
    pub fn push(&mut self, samples: &[T]) -> Result<&[O]> {
        if cfg!(target_arch = "wasm32") {
            return Err(cannot_block());
        }
        let Frames { channels, len, hop, bins, most, samples: run } = self.frames;
        let each = self.frames.per_channel("samples", samples.len(), 1)?;
        let passed = self.gap.min(each);
        for (held, own) in self.held.iter_mut().zip(samples.chunks(each.max(1))) {
            held.extend_from_slice(&own[passed..]);
        }
        self.gap -= passed;
        let there = self.held[0].len();
        let count = if there < len { 0 } else { (there - len) / hop + 1 };
        self.complete.clear();
        self.complete.resize(channels * count * bins, O::zeroed());
        for first in (0..count).step_by(most) {
            let own = most.min(count - first);
            for (target, held) in self.input.chunks_mut(run).zip(&self.held) {
                let part = &held[first * hop..][..(own - 1) * hop + len];
                target[..part.len()].copy_from_slice(part);
                target[part.len()..].fill(T::zeroed());
            }
            self.plan.run_into(&self.input, &mut self.output)?;
            for (target, source) in self.complete.chunks_mut(count * bins).zip(self.output.chunks(most * bins)) {
                target[first * bins..][..own * bins].copy_from_slice(&source[..own * bins]);
            }
        }
        let done = (count * hop).min(there);
        self.gap += count * hop - done;
        self.held.iter_mut().for_each(|held| drop(held.drain(..done)));
        Ok(&self.complete)
    }

    /// Forgets all samples: the next one is the first again.
    pub fn reset(&mut self) {
        self.held.iter_mut().for_each(Vec::clear);
        self.gap = 0;
    }

    /// The plan that runs, whose frames begin with the signal's first element.
    #[must_use]
    pub fn plan(&self) -> &Plan<Stft<T, O>> {
        &self.plan
    }
}

/// Samples from frames that come a few at a time, by overlap-add: [`Stft::inverse_stream`] makes
/// it.
#[derive(Debug)]
pub struct IstftStream<T: Number> {
    plan: Arc<Plan<Istft<T>>>,
    frames: Frames,
    /// What later frames are added to, of each channel.
    held: Vec<T>,
    input: Vec<Complex32>,
    output: Vec<T>,
    complete: Vec<T>,
}

impl<T: Number> Stft<T> {
    /// Begins to transform spectra that come a few frames at a time back into samples, the inverse
    /// of [`stream`](Self::stream). The signal's length must be that of whole frames: m + i·h.
    ///
    /// With samples x that [`stream`](Self::stream) has transformed, it returns x from sample m - h
    /// on; before that, fewer frames than later overlap.
    ///
    /// # Errors
    /// Those of [`stream`](Self::stream) and of [`inverse`](Self::inverse).
    pub fn inverse_stream(&self, planner: &Planner) -> Result<IstftStream<T>>
    where
        T: std::ops::Add<Output = T>,
    {
        let stft = self.clone().inside()?;
        let frames = Frames::of(&stft)?;
        let Frames { channels, len, hop, bins, most, samples } = frames;
        if (most - 1) * hop + len != samples {
            let least = (most - 1) * hop + len;
            let why = format!("{most} frames have {least} samples together, not {samples}: an inverse of a stream needs just these");
            return Err(Error::unsupported(&stft, why));
        }
        let plan = planner.plan(stft.inverse()?)?;
        let input = vec![Complex32::default(); channels * most * bins];
        let [held, output] = [len - hop, samples].map(|count| vec![T::zeroed(); channels * count]);
        Ok(IstftStream { plan, frames, held, input, output, complete: Vec::new() })
    }
}

impl<T: Number + std::ops::Add<Output = T>> IstftStream<T> {
    /// Takes the spectra of the next frames, in the order in which [`StftStream::push`] returns
    /// them, and returns the samples that no later frame reaches: as many hops for each channel as
    /// there are frames. It blocks until they have come.
    ///
    /// # Errors
    /// [`Error::WrongLen`] if these are no whole frames of all channels, which changes nothing;
    /// [`Error::DeviceLost`], after which frames are missing; in the browser
    /// [`Error::Unsupported`].
    pub fn push(&mut self, spectra: &[Complex32]) -> Result<&[T]> {
        let Frames { channels, len, hop, bins, most, samples } = self.frames;
        let count = self.frames.per_channel("spectra", spectra.len(), bins)? / bins;
        self.complete.clear();
        self.complete.resize(channels * count * hop, T::zeroed());
        let held = len - hop;
        for first in (0..count).step_by(most) {
            let own = most.min(count - first);
            for (target, source) in self.input.chunks_mut(most * bins).zip(spectra.chunks(count * bins)) {
                target[..own * bins].copy_from_slice(&source[first * bins..][..own * bins]);
                target[own * bins..].fill(Complex32::default());
            }
            self.plan.run_into(&self.input, &mut self.output)?;
            for (channel, source) in self.output.chunks_mut(samples).enumerate() {
                let tail = &mut self.held[channel * held..][..held];
                source.iter_mut().zip(&*tail).for_each(|(sample, before)| *sample = *sample + *before);
                let target = &mut self.complete[channel * count * hop..][first * hop..][..own * hop];
                target.copy_from_slice(&source[..own * hop]);
                tail.copy_from_slice(&source[own * hop..][..held]);
            }
        }
        Ok(&self.complete)
    }

    /// Returns what is left, the last m - h samples of each channel, and forgets all frames.
    #[must_use]
    pub fn finish(&mut self) -> Vec<T> {
        let zeros = vec![T::zeroed(); self.held.len()];
        std::mem::replace(&mut self.held, zeros)
    }
}
