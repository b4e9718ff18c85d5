//! Parts of the caller's choice: one exchange before the transform, and one after it, or one without a
//! transform.

use std::ops::Range;

use super::RanksJob;
use super::exchange::Exchange;
use super::failure::{Failure, Outcome, guarded};
use super::link::Link;
use super::part::Part;
use super::phase::Phase;
use super::run::Run;
use super::runs::Runs;
use super::wire::Wire;
use crate::error::Result;
use crate::report::Work;

/// An exchange between the caller's part of a rank and the one that the transform works on, or another
/// one of the caller's.
pub(super) struct Reshape {
    /// This rank's before it, and after it.
    pub parts: [Part; 2],
    /// The blocks that this rank sends and receives, by rank.
    sent: Vec<(usize, Runs)>,
    received: Vec<(usize, Runs)>,
    /// The elements of each rank before it, and after it.
    pub units: [Vec<usize>; 2],
    /// Whether any rank's part of the output has padding.
    pub padded: bool,
}

impl Part {
    /// The batch and the axes, as ranges of the whole array.
    pub(super) fn all_ranges(&self) -> Vec<Range<usize>> {
        std::iter::once(&self.batch).chain(&self.ranges).cloned().collect()
    }

    /// The part that lies in this one and in another one, unless it is empty: the batch, and the axes in
    /// the order in which they lie here.
    pub(super) fn common(&self, other: &Self) -> Option<Vec<Range<usize>>> {
        let theirs = std::iter::once(other.batch.clone()).chain(self.axes.iter().map(|axis| other.along(*axis)));
        let both = self.all_ranges().into_iter().zip(theirs);
        let common: Vec<_> = both.map(|(a, b)| a.start.max(b.start)..a.end.min(b.end)).collect();
        common.iter().all(|range| !range.is_empty()).then_some(common)
    }

    /// The bytes of a box in the array of this part: the batch, and the axes in the order of `axes`, which
    /// is the order of the bytes.
    fn place(&self, axes: &[usize], common: &[Range<usize>], element_bytes: usize) -> Runs {
        let (own, strides) = (self.all_ranges(), self.strides(element_bytes));
        let places = axes.iter().map(|axis| self.axes.iter().position(|own| own == axis).map_or(0, |place| 1 + place));
        let (mut start, mut levels) = (0, Vec::new());
        for (place, range) in std::iter::once(0).chain(places).zip(common) {
            start += (range.start - own[place].start) * strides[place];
            levels.push([range.len(), strides[place]]);
        }
        Runs::of_levels(start, levels, element_bytes)
    }

    /// The distances in bytes of the arrays of the batch, and of indices along the axes as they are stored.
    pub(super) fn strides(&self, element_bytes: usize) -> Vec<usize> {
        let stored = self.stored();
        let mut strides = vec![element_bytes; stored.len()];
        for place in (1..stored.len()).rev() {
            strides[place - 1] = strides[place] * stored[place];
        }
        strides
    }

    /// Whether this is a box of the array of which `own` is the part of a rank, of elements of so many
    /// bytes at most.
    pub(super) fn check(&self, own: &Self, element_bytes: usize) -> Outcome<()> {
        let fits = |(range, extent): (Range<usize>, usize)| range.start <= range.end && range.end <= extent;
        let extents = std::iter::once(own.batch_extent).chain(own.extents.iter().copied());
        let alike = (&self.axes, &self.extents, self.batch_extent) == (&own.axes, &own.extents, own.batch_extent);
        let stored = || self.stored().into_iter().try_fold(element_bytes, usize::checked_mul).and_then(|bytes| isize::try_from(bytes).ok());
        let is_box = alike
            && [self.ranges.len(), self.extents.len()] == [self.axes.len(); 2]
            && self.all_ranges().into_iter().zip(extents).all(fits);
        if is_box && self.padding <= u32::MAX as usize && stored().is_some() {
            return Ok(());
        }
        let [theirs, ours] = [self, own].map(|part| {
            let Part { batch, batch_extent, ranges, extents, padding, .. } = part;
            format!("{batch:?} of {batch_extent} and {ranges:?} of {extents:?} with a padding of {padding}")
        });
        let why = format!("the axes {:?} lie as {:?}, and the rank's own part is {ours}", self.axes, own.axes);
        Err(wgpu_fft::Error::Unsupported { what: format!("a part of {theirs}"), why }.into())
    }
}

impl Reshape {
    /// From some parts of all ranks to others. Bytes travel in the order in which they are wanted.
    pub(super) fn new(rank: usize, from: &[Part], to: &[Part], element_bytes: usize) -> Self {
        // Not all ranks send to the same one at once.
        let order = || (1..=from.len()).map(|step| (rank + step) % from.len());
        let block = |other: usize, own: &Part, from: &Part, to: &Part| Some((other, own.place(&to.axes, &to.common(from)?, element_bytes)));
        let sent = order().filter_map(|other| block(other, &from[rank], &from[rank], &to[other])).collect();
        let received = order().filter_map(|other| block(other, &to[rank], &from[other], &to[rank])).collect();
        let units = [from, to].map(|parts| parts.iter().map(Part::len).collect());
        let parts = [from, to].map(|parts| parts[rank].clone());
        Self { parts, sent, received, units, padded: to.iter().any(|part| part.padding > 0) }
    }

    /// Sends everything to where it belongs, and returns the bytes for other ranks. `done` is called with
    /// the bytes of each message that has arrived.
    pub(super) async fn exchange(
        &self,
        link: &Link,
        source: &[u8],
        target: &mut [u8],
        message_bytes: usize,
        done: &mut dyn FnMut(usize),
    ) -> Result<usize> {
        let rank = link.rank();
        let others = self.received.iter().filter(|(from, _)| *from != rank).map(|(from, place)| (*from, vec![place.clone()]));
        let mut exchange = Exchange::new(link, target, others, Wire::Exact, message_bytes, done);
        let mut sent = 0;
        for (to, block) in &self.sent {
            if *to == rank
                && let Some((_, place)) = self.received.iter().find(|(from, _)| *from == rank)
            {
                exchange.keep_from(source, block, place);
            } else {
                sent += block.bytes();
                exchange.send_from(*to, source, block).await;
            }
        }
        exchange.finish().await?;
        Ok(sent)
    }
}

impl RanksJob {
    /// Takes parts of the caller's. Collective.
    pub(super) fn take_bricks(&mut self, bricks: [Option<Part>; 2]) -> Result<()> {
        let (rank, size) = (self.link.rank(), self.link.size());
        // A failure must leave the job as it was.
        let mut reshapes = [None, None];
        for (brick, is_input) in bricks.into_iter().zip([true, false]) {
            let parts: Vec<Part> = (0..size).map(|rank| self.part_of(rank, is_input)).collect();
            let brick = brick.unwrap_or_else(|| self.part(is_input));
            // In bytes of the largest numbers.
            self.link.agree(Phase::Plan, brick.check(&parts[rank], 16))?;
            let bricks = self.link.all_parts(&brick)?;
            let reshape = if bricks == parts {
                None
            } else if is_input {
                self.link.agree(Phase::Plan, covered(&parts[rank], &bricks))?;
                Some(Reshape::new(rank, &bricks, &parts, self.element_bytes(true)))
            } else {
                Some(Reshape::new(rank, &parts, &bricks, self.element_bytes(false)))
            };
            reshapes[usize::from(!is_input)] = reshape;
        }
        self.reshapes = reshapes;
        Ok(())
    }
}

impl Link {
    /// The parts of all ranks, which are boxes of the same array. Collective.
    pub fn all_parts(&self, own: &Part) -> Result<Vec<Part>> {
        let ranges = own.all_ranges().into_iter().flat_map(|range| [range.start as f64, range.end as f64]);
        let numbers: Vec<f64> = std::iter::once(own.padding as f64).chain(ranges).collect();
        let of_rank = |numbers: Vec<f64>| {
            let mut ranges = numbers[1..].chunks_exact(2).map(|pair| pair[0] as usize..pair[1] as usize);
            Part { batch: ranges.next().unwrap_or_default(), ranges: ranges.collect(), padding: numbers[0] as usize, ..own.clone() }
        };
        Ok(self.numbers(&numbers)?.into_iter().map(of_rank).collect())
    }
}

/// Whether every element of a part of the input comes from exactly one rank.
pub(super) fn covered(part: &Part, bricks: &[Part]) -> Outcome<()> {
    let mut missing = part.len();
    let mut givers: Vec<usize> = Vec::new();
    for (rank, brick) in bricks.iter().enumerate() {
        let Some(common) = part.common(brick) else { continue };
        if let Some(other) = givers.iter().find(|other| bricks[**other].common(brick).is_some()) {
            return Err(Failure::Other(format!("the parts of the input that ranks {other} and {rank} give overlap")));
        }
        givers.push(rank);
        missing -= common.iter().map(ExactSizeIterator::len).product::<usize>();
    }
    if missing == 0 {
        return Ok(());
    }
    let what = format!("{missing} elements of the input in {:?} of {:?}", part.ranges, part.extents);
    Err(Failure::Other(format!("{what} are in no rank's part")))
}

impl Run<'_> {
    /// Sends everything to where it belongs after or before the transform.
    pub async fn reshape(&mut self, reshape: &Reshape, source: &[u8], target: &mut [u8]) -> Result<()> {
        let (core, received) = (self.core, target.len());
        let begin = std::time::Instant::now();
        let mut progress = self.progress(Phase::Reshape, self.phases_done(), received);
        let sent = reshape.exchange(&core.link, source, target, core.message_bytes, &mut progress).await?;
        let work = Work::of_exchange(begin.elapsed(), received, sent);
        self.agree(Phase::Reshape, work, &reshape.units[1], guarded(|| core.cluster.device.check(Phase::Reshape))).await
    }
}
