//! How the arrays of a job lie on a cluster: the caller's choices, and the part of a rank.

use std::ops::Range;

use crate::devices::Divide;
use crate::error::Result;
use crate::options::JobOptions;

/// The order of the frequencies on a cluster. The default saves exchanges.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// The axes that were divided last and are transformed last are the fastest, and the others are
    /// divided: \[n₁, n₀\], \[n₁, n₂, n₀\], for slabs and for pencils.
    #[default]
    Transposed,
    /// The axes are in the same order as those of the positions, and the same ones are divided.
    Natural,
    /// For [`R2r`](wgpu_fft::fft::R2r) alone, which has no direction: its input lies as the output of
    /// one in [`Transposed`](Self::Transposed) order, and its output as the input of that one. It is for the way back.
    TransposedInput,
}

/// Which axes are divided among the ranks of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Decomposition {
    /// One axis: the batch, or axis 0 if there is a single array. At most as many ranks have work
    /// as that axis has indices.
    #[default]
    Slabs,
    /// Two axes: the batch and axis 0, or axes 0 and 1 if there is a single array. The grid of
    /// ranks is as square as their number and the extents allow.
    Pencils,
    /// Pencils on this grid: the number of ranks along the first and along the second divided axis.
    Grid([usize; 2]),
}

/// The part of the input or the output that a rank holds: a box of the array, slowest axis first,
/// stored without gaps but for [`padding`](Self::padding).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Part {
    /// The transforms of the batch. The first axes of the shape that are not transformed belong to it.
    pub batch: Range<usize>,
    /// The number of all transforms of the batch.
    pub batch_extent: usize,
    /// The other axes of the transform's shape in the order in which they are stored, slowest first.
    pub axes: Vec<usize>,
    /// This rank's indices along each of these axes.
    pub ranges: Vec<Range<usize>>,
    /// The extents of the whole array along each of these axes.
    pub extents: Vec<usize>,
    /// Elements behind each row of the last of these axes that mean nothing. 0 unless the caller asks
    /// for them: see [`Job::with_parts`](crate::Job::with_parts).
    pub padding: usize,
}

impl Part {
    /// The parts of the input and of the output that one of so many ranks will have, before there is
    /// a job: nothing is measured, compiled or sent, and neither a device nor MPI is needed.
    ///
    /// ```
    /// use wgpu_fft_distributed::wgpu_fft::fft::R2c;
    /// use wgpu_fft_distributed::{JobOptions, Part};
    ///
    /// let [positions, frequencies] = Part::of_rank(&R2c::forward([64, 48, 32]), &JobOptions::default(), 1, 4)?;
    /// assert_eq!((positions.axes, positions.ranges), (vec![0, 1, 2], vec![16..32, 0..48, 0..32]));
    /// assert_eq!((frequencies.axes, frequencies.ranges), (vec![1, 2, 0], vec![12..24, 0..17, 0..64]));
    /// # Ok::<(), wgpu_fft_distributed::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Job::new`](crate::Job::new) that do not depend on devices, one for a rank that
    /// there is not, and one for [`Strategy::Measured`](crate::Strategy::Measured), whose parts only
    /// a job knows.
    pub fn of_rank<S: Divide>(spec: &S, options: &JobOptions, rank: usize, ranks: usize) -> Result<[Self; 2]> {
        if rank >= ranks {
            let why = format!("there are {ranks} ranks, counted from 0");
            return Err(wgpu_fft::Error::Unsupported { what: format!("the parts of rank {rank}"), why }.into());
        }
        spec.division(options, ranks)?.parts(rank)
    }

    /// A box of an array without a batch, which belongs to no transform: for a
    /// [`Redistribution`](crate::Redistribution). `ranges` are the indices along each axis of `extents`, slowest
    /// first.
    ///
    /// ```
    /// let part = wgpu_fft_distributed::Part::of_box(&[8, 6, 4], &[2..4, 0..6, 1..2]).stored_as(&[2, 0, 1]);
    /// assert_eq!((part.ranges, part.extents), (vec![1..2, 2..4, 0..6], vec![4, 8, 6]));
    /// ```
    #[must_use]
    pub fn of_box(extents: &[usize], ranges: &[Range<usize>]) -> Self {
        let axes = (0..extents.len()).collect();
        Self { batch: 0..1, batch_extent: 1, axes, ranges: ranges.to_vec(), extents: extents.to_vec(), padding: 0 }
    }

    /// The same box, stored with its axes in this order, slowest first. An axis that it does not have
    /// has no indices.
    #[must_use]
    pub fn stored_as(self, axes: &[usize]) -> Self {
        let ranges = axes.iter().map(|axis| self.along(*axis)).collect();
        let extents = axes.iter().map(|axis| self.extent(*axis)).collect();
        Self { axes: axes.to_vec(), ranges, extents, ..self }
    }

    /// The whole array's extent along an axis; 0 if it does not have it.
    pub(super) fn extent(&self, axis: usize) -> usize {
        let place = self.axes.iter().position(|own| *own == axis);
        place.and_then(|place| self.extents.get(place)).copied().unwrap_or_default()
    }

    /// Number of elements in the part.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "the number of elements of an array that somebody else holds")]
    pub fn len(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).product::<usize>() * self.batch.len()
    }

    /// Number of elements of the array that holds the part, with the padding.
    #[must_use]
    pub fn stored_len(&self) -> usize {
        self.stored().iter().product()
    }

    /// The extents of that array, the batch first.
    pub(super) fn stored(&self) -> Vec<usize> {
        let mut extents: Vec<usize> = std::iter::once(&self.batch).chain(&self.ranges).map(ExactSizeIterator::len).collect();
        extents.last_mut().into_iter().for_each(|row| *row += self.padding);
        extents
    }

    /// This rank's indices along an axis of the transform's shape; none along an axis that the
    /// shape does not have.
    ///
    /// ```
    /// use wgpu_fft_distributed::wgpu_fft::fft::C2c;
    /// use wgpu_fft_distributed::{Cluster, Job};
    ///
    /// fn first_row(job: &Job<C2c, Cluster>) -> usize {
    ///     job.input().along(0).start
    /// }
    /// ```
    #[must_use]
    pub fn along(&self, axis: usize) -> Range<usize> {
        let place = self.axes.iter().position(|own| *own == axis);
        place.and_then(|place| self.ranges.get(place)).cloned().unwrap_or_default()
    }
}
