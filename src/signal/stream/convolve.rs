//! What a convolution of a stream computes.

use std::fmt;

use super::parts;
use crate::error::{Error, Result, refuse_if, within};
use crate::settings::settings;
use crate::text::{Field, Flag, join};

/// Convolution of signals that come in blocks, with kernels of any length: reverberation by a
/// measured response in real time, or a file that is longer than memory.
///
/// ```no_run
/// use wgpu_fft::{Planner, signal::StreamConvolve};
///
/// # fn reverb(planner: &Planner, response: &[f32], blocks: &mut dyn Iterator<Item = Vec<f32>>, play: &mut dyn FnMut(&[f32])) -> wgpu_fft::Result<()> {
/// // Two channels in blocks of 128 samples, one response for both.
/// let mut room = StreamConvolve::new(128, response.len()).channels(2).stream(planner, response)?;
/// let mut output = [0.0; 2 * 128];
/// for block in blocks {
///     room.push_into(&block, &mut output)?; // 2 x 128 samples in, 2 x 128 samples out
///     play(&output);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Definition
/// For each channel, with a kernel h of K taps and x\[t\] = 0 for t < 0:
///
/// y\[t\] = Σₖ h\[k\] · x\[t - k\], with k = 0 … K-1
///
/// Block b has the samples b·B … b·B + B-1 of all channels. Pushing block b of x gives block b of
/// y: there is no latency but the block itself, whose first sample waits for its last.
///
/// # Shapes
/// A block is C × B, with the samples of a channel side by side. The kernel is one of K taps for
/// all channels, or C × K with [`kernel_for_each`](Self::kernel_for_each).
///
/// # How it is computed
/// Overlap-save, with the kernel in partitions as long as a block: each block is transformed once,
/// and its spectrum stays on the device for as long as taps reach it. A product of each spectrum
/// with that of its partition, their sum, and one transform back give a block of the result. It is
/// the kernel whose frames overlap, so no samples are kept.
///
/// Many partitions would be a sum of many spectra in every block. So late taps are in larger
/// partitions, of m blocks: they are computed when m blocks have come, by work that is spread over
/// the next m blocks, and are heard after that. Hence they begin at tap 2·m·B. The sizes are those
/// for which the busiest block has the fewest operations; [`larger`](Self::larger) sets others.
///
/// # Accuracy
/// For kernels and signals without structure, the relative two-norm error is at most
/// u·(2·√log₂(2N) + √Q/3), where N is the length of the largest partitions, Q the largest number of
/// partitions of one length, and u = 2⁻²⁴. In general, three times this times ‖h‖₂·‖x‖₂ bounds the
/// root mean square of a block's error, where ‖x‖₂ counts the samples that the taps reach. No
/// channel reaches another. A NaN or an infinity makes the whole of a
/// block's channel NaN for as long as the partitions reach, and is forgotten then.
///
/// # Determinism
/// That of [`C2c`](crate::fft::C2c): equal streams on one adapter give equal bits.
///
/// # Cost
/// One submission for a block, without allocations on the device and without new bind groups. On
/// GPUs it has three dispatches, and for each size of larger partitions one or two more; processors
/// take some more to move elements. Memory: 24 bytes for each tap of each channel, about. Planning
/// makes bind groups for all places in the rings, and runs everything once, so that the first block
/// need not wait for a compiler.
///
/// # Errors
/// Planning returns [`Error::Empty`] without samples, taps or channels; [`Error::WrongLen`] for a
/// kernel of another length; [`Error::Unsupported`] for partitions that do not divide each other;
/// the errors of [`R2c`](crate::fft::R2c), such as [`Error::LimitExceeded`] for spectra that
/// exceed a binding, or for more than 2¹⁸ bind groups.
///
/// # Sources
/// A. Torger and A. Farina, IEEE WASPAA 2001, 195 (uniform partitions); W. G. Gardner, J. Audio
/// Eng. Soc. 43 (1995) 127 (larger ones for late taps).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct StreamConvolve {
    pub(super) block: usize,
    pub(super) taps: usize,
    pub(super) channels: usize,
    pub(super) for_each: bool,
    larger: Option<Vec<usize>>,
}

impl StreamConvolve {
    /// Convolves blocks of `block` samples with a kernel of `taps` taps.
    pub fn new(block: usize, taps: usize) -> Self {
        Self { block, taps, channels: 1, for_each: false, larger: None }
    }

    settings! { own:
        /// Convolves `count` channels, each by itself.
        channels(count: usize) => own.channels = count;

        /// There is a kernel for each channel, stored one after the other.
        kernel_for_each() => own.for_each = true;

        /// Sets the lengths of larger partitions in blocks, the smallest first. Each must be a
        /// multiple of the one before, and the first at least 2; up to 4 of them. None, `[]`, means
        /// partitions of one block alone. Those that begin past the last tap are left out.
        larger(blocks: impl Into<Vec<usize>>) => own.larger = Some(blocks.into());
    }

    /// Taps of all kernels together.
    pub(super) fn kernel_len(&self) -> usize {
        if self.for_each { self.taps.saturating_mul(self.channels) } else { self.taps }
    }

    /// The parts of the kernel, and in how many slices the sums of each are computed.
    pub(super) fn parts(&self) -> Result<(Vec<parts::Part>, Vec<usize>)> {
        if self.block == 0 || self.taps == 0 || self.channels == 0 {
            let shape = format!("{} x {} samples and {} taps", self.channels, self.block, self.taps);
            return Err(Error::Empty { what: "convolution of a stream", shape });
        }
        self.check_samples(1)?;
        let larger = self.larger.clone().unwrap_or_else(|| parts::larger(self.block, self.taps));
        let mut before = 1;
        for &blocks in &larger {
            if blocks <= before || !blocks.is_multiple_of(before) {
                let why = format!("partitions of {blocks} blocks must be a multiple of the {before} before, and longer");
                return Err(Error::unsupported(self, why));
            }
            before = blocks;
        }
        refuse_if(
            larger.len() > MAX_LARGER,
            self,
            format_args!("there are {} larger partitions, at most {MAX_LARGER} are possible", larger.len()),
        )?;
        self.check_samples(before)?;
        let parts = parts::divide(self.block, self.taps, &larger);
        let slices = parts::slices(&parts, self.block);
        Ok((parts, slices))
    }

    /// Refuses more than can be counted in 32 bits, in partitions of so many blocks.
    fn check_samples(&self, blocks: usize) -> Result<()> {
        let required = blocks.saturating_mul(self.block).saturating_mul(self.channels).max(self.taps) as u64;
        let what = || format!("`{self}`: samples of a partition, or taps");
        within(what, "elements indexed by a u32", required, u64::from(u32::MAX / 4))
    }
}

/// Larger partitions at most: their places are one vector of a uniform.
const MAX_LARGER: usize = 4;

/// `stream-convolve f32 128 x2 by 144000 each larger=8,64`, where defaults are left out.
impl fmt::Display for StreamConvolve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let channels = Flag(format_args!("x{}", self.channels), self.channels != 1);
        write!(f, "stream-convolve f32 {}{channels} by {}{}", self.block, self.taps, Flag("each", self.for_each))?;
        Field("larger", self.larger.as_ref().map(|larger| join(larger, ","))).fmt(f)
    }
}
