//! Any parts of an array for any others, without a transform.

use wgpu_fft::bytemuck::{Pod, cast_slice, cast_slice_mut};

use super::bricks::{Reshape, covered};
use super::cluster::Cluster;
use super::exchange::message_bytes;
use super::failure::{Failure, Outcome, guarded};
use super::link::Link;
use super::part::Part;
use super::phase::Phase;
use super::running::Running;
use crate::error::Result;
use crate::job::check;
use crate::options::JobOptions;

/// Moves an array from some parts of the ranks to others: any box of each rank before it, and any box
/// after it, each with its axes in an order of its own. So it is a distributed transpose, a change
/// from slabs to pencils, or a collection of halos. No device takes part.
///
/// ```no_run
/// use wgpu_fft_distributed::{Cluster, JobOptions, Part, Redistribution, Result};
///
/// /// From rows of 480 x 640 numbers to columns, whose numbers follow one another.
/// fn transposed(cluster: &Cluster, rows: &[f64]) -> Result<Vec<f64>> {
///     let share = |extent: usize| extent * cluster.rank() / cluster.size()..extent * (cluster.rank() + 1) / cluster.size();
///     let from = Part::of_box(&[480, 640], &[share(480), 0..640]);
///     let to = Part::of_box(&[480, 640], &[0..480, share(640)]).stored_as(&[1, 0]);
///     let turn = Redistribution::new(cluster, &from, &to, size_of::<f64>(), &JobOptions::default())?;
///     let mut columns = vec![0.0; to.stored_len()];
///     turn.run(rows, &mut columns)?;
///     Ok(columns)
/// }
/// ```
///
/// **Definition.** Of an array A\[i₀, …\], rank r gives the box `from` and gets the box `to`: element
/// \[i₀, …\] of the output is A\[i₀, …\], which exactly one rank gives. Boxes of the output may overlap, for halos,
/// or leave something out. [`Part::padding`] is neither read nor written.
///
/// **Cost.** A rank sends each other one what both boxes have in common, in messages of at most
/// [`JobOptions::message_bytes`], and nothing where that is empty. With one axis cut before and
/// another one after, among P ranks, that is P - 1 messages of 1/P² of the array. Beside the two
/// arrays the host holds messages that are sent, up to a quarter of what the rank gets and 256 MiB, or
/// one message, and two messages from each other rank. Where both boxes end with the same axis, rows
/// are copied as they are; otherwise a rank copies element by element.
pub struct Redistribution {
    cluster: Cluster,
    /// The cluster's link, with a number and a limit of its own.
    link: Link,
    reshape: Reshape,
    element_bytes: usize,
    message_bytes: usize,
}

impl std::fmt::Debug for Redistribution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redistribution").field("parts", &self.reshape.parts).finish_non_exhaustive()
    }
}

impl Redistribution {
    /// Finds out what each rank sends to which. Collective. `from` and `to` are this rank's parts of an
    /// array of elements of so many bytes: those of a [`Job`](crate::Job), or any [box](Part::of_box).
    /// Both name the same axes, each in its own order, which is that of all ranks; a batch is one more
    /// axis in front. Of the options `message_bytes` and `timeout` count.
    ///
    /// # Errors
    /// On all ranks: `OnRank` if a part is no box of the array, or if an element that is wanted comes from
    /// no rank or from two; `RanksDiffer` if ranks name different arrays.
    pub fn new(cluster: &Cluster, from: &Part, to: &Part, element_bytes: usize, options: &JobOptions) -> Result<Self> {
        let [before, after] =
            [from, to].map(|part| format!("{:?} along {:?} in batches of {}", part.extents, part.axes, part.batch_extent));
        cluster.agree_on(&format!("a redistribution of elements of {element_bytes} bytes, {before} to {after},"), options)?;
        let link = cluster.link.of_job(options.timeout);
        link.agree(Phase::Plan, check_parts(from, to, element_bytes))?;
        let (givers, takers) = (link.all_parts(from)?, link.all_parts(to)?);
        let reshape = guarded(|| {
            covered(to, &givers)?;
            Ok(Reshape::new(link.rank(), &givers, &takers, element_bytes))
        });
        let reshape = link.agree(Phase::Plan, reshape)?;
        let whole = reshape.units[1].iter().fold(0, |all: usize, own| all.saturating_add(*own)).saturating_mul(element_bytes);
        let message_bytes = message_bytes(options.message_bytes, whole, link.size(), link.size());
        Ok(Self { cluster: cluster.clone(), link, reshape, element_bytes, message_bytes })
    }

    /// This rank's part before it, and after it.
    #[must_use]
    pub fn parts(&self) -> &[Part; 2] {
        &self.reshape.parts
    }

    /// Moves the array. Collective. `input` has [`Part::stored_len`] elements of the part before it, and
    /// `output` of the one after it, as any plain data: elements, or their bytes.
    ///
    /// # Errors
    /// On all ranks: `OnRank` if an array of one rank has another length, `RankSilent`, `OutOfStep`.
    pub fn run<T: Pod>(&self, input: &[T], output: &mut [T]) -> Result<()> {
        self.link.now(self.whole(cast_slice(input), cast_slice_mut(output)))
    }

    /// Begins what [`run`](Self::run) does; see [`Job::start`](crate::Job::start).
    ///
    /// # Errors
    /// Those of [`Job::start`](crate::Job::start).
    pub fn start<'r, T: Pod>(&'r self, input: &'r [T], output: &'r mut [T]) -> Result<Running<'r, ()>> {
        Running::begin(&self.link, self.whole(cast_slice(input), cast_slice_mut(output)))
    }

    async fn whole(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        let [before, after] = self.parts().each_ref().map(|part| part.stored_len() * self.element_bytes);
        let checked = check("input", before, input.len(), self.element_bytes);
        let checked = checked.and_then(|()| check("output", after, output.len(), self.element_bytes));
        self.link.agreed(Phase::Reshape, checked.map_err(Failure::from)).await?;
        self.reshape.exchange(&self.link, input, output, self.message_bytes, &mut |_| {}).await?;
        self.link.agreed(Phase::Reshape, guarded(|| self.cluster.device.check(Phase::Reshape))).await
    }
}

/// Whether both are boxes of the same array.
fn check_parts(from: &Part, to: &Part, element_bytes: usize) -> Outcome<()> {
    if element_bytes == 0 {
        return Err(Failure::Other("elements of 0 bytes cannot be moved".to_owned()));
    }
    let mut axes = from.axes.clone();
    axes.sort_unstable();
    let repeated = axes.windows(2).any(|pair| pair[0] == pair[1]);
    // Ranges travel as numbers of f64.
    let large = from.extents.iter().chain([&from.batch_extent]).any(|extent| *extent > 1 << 53);
    if repeated || large {
        let why = "its axes must differ, and have at most 2^53 indices".to_owned();
        let what = format!("an array of {:?} along the axes {:?}", from.extents, from.axes);
        return Err(wgpu_fft::Error::Unsupported { what, why }.into());
    }
    from.check(from, element_bytes)?;
    // With the axes of the other one, in its own order.
    let mut order = to.axes.clone();
    order.sort_unstable();
    let same = Part { batch_extent: from.batch_extent, ..to.clone() };
    let extents = to.axes.iter().map(|axis| from.extent(*axis)).collect();
    let own = if order == axes { Part { extents, ..same } } else { from.clone() };
    to.check(&own, element_bytes)
}
