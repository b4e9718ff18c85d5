//! Any boxes for any others, without a transform.

use std::ops::Range;

use wgpu_fft_distributed::wgpu_fft::fft::C2c;
use wgpu_fft_distributed::{Error, Job, JobOptions, Order, Part, Redistribution};

use crate::harness::{Context, Outcome};

/// Numbers that look random, the same on all ranks.
struct Dice(u64);

impl Dice {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn order(&mut self, axes: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..axes).collect();
        (1..axes).for_each(|i| order.swap(i, self.below(i + 1)));
        order
    }

    /// Boxes that make up a box, of which some are empty.
    fn cut(&mut self, whole: Vec<Range<usize>>, boxes: usize) -> Vec<Vec<Range<usize>>> {
        if boxes < 2 {
            return vec![whole];
        }
        let (axis, first) = (self.below(whole.len()), 1 + self.below(boxes - 1));
        let [mut before, mut after] = [whole.clone(), whole.clone()];
        let at = whole[axis].start + self.below(whole[axis].len() + 1);
        (before[axis].end, after[axis].start) = (at, at);
        let mut all = self.cut(before, first);
        all.extend(self.cut(after, boxes - first));
        all
    }

    fn any_box(&mut self, extents: &[usize]) -> Vec<Range<usize>> {
        let range = |extent: &usize| {
            let start = self.below(extent + 1);
            start..start + self.below(extent - start + 1)
        };
        extents.iter().map(range).collect()
    }
}

/// What belongs to an element: its indices, as one number.
fn value(extents: &[usize], indices: &[usize]) -> u64 {
    1 + indices.iter().zip(extents).fold(0, |at, (i, extent)| at * extent + i) as u64
}

/// The array of a part, of `N` numbers for an element, with `padding` behind each row.
fn array<const N: usize>(part: &Part, padding: u64) -> Vec<[u64; N]> {
    let axes = part.axes.len();
    let shape: Vec<usize> = (0..axes).map(|axis| part.extents[part.axes.iter().position(|own| *own == axis).unwrap()]).collect();
    let mut extents = part.ranges.iter().map(ExactSizeIterator::len).collect::<Vec<_>>();
    extents[axes - 1] += part.padding;
    let element = |mut place: usize| {
        let mut indices = vec![0; axes];
        for stored in (0..axes).rev() {
            let i = place % extents[stored];
            place /= extents[stored];
            if stored + 1 == axes && i >= part.ranges[stored].len() {
                return [padding; N];
            }
            indices[part.axes[stored]] = part.ranges[stored].start + i;
        }
        let value = value(&shape, &indices);
        std::array::from_fn(|number| value + ((number as u64) << 32))
    };
    (0..part.stored_len()).map(element).collect()
}

fn moved<const N: usize>(context: &Context, from: &Part, to: &Part, options: &JobOptions, starts: bool) -> Outcome {
    let what = |error: Error| error.to_string();
    let plan = Redistribution::new(&context.cluster, from, to, 8 * N, options).map_err(what)?;
    let (input, expected) = (array::<N>(from, 7), array::<N>(to, 9));
    let mut output = vec![[9; N]; to.stored_len()];
    if starts {
        plan.start(&input, &mut output).map_err(what)?.wait().map_err(what)?;
    } else {
        plan.run(&input, &mut output).map_err(what)?;
    }
    if output == expected { Ok(()) } else { Err(format!("{from:?} to {to:?}: {output:?} in place of {expected:?}")) }
}

/// Compared with the indices that each element has.
pub fn boxes_for_boxes_at_random(context: &Context) -> Outcome {
    let mut dice = Dice(42);
    for round in 0..200 {
        let axes = 1 + dice.below(4);
        let extents: Vec<usize> = (0..axes).map(|_| 1 + dice.below(9)).collect();
        let given = dice.cut(extents.iter().map(|extent| 0..*extent).collect(), context.size);
        // Each element to one rank, or any boxes.
        let wanted = if round % 2 == 0 {
            dice.cut(extents.iter().map(|extent| 0..*extent).collect(), context.size)
        } else {
            (0..context.size).map(|_| dice.any_box(&extents)).collect()
        };
        let orders = [dice.order(axes), dice.order(axes)];
        let mut part = |boxes: &[Vec<Range<usize>>], order: &[usize]| {
            let paddings: Vec<usize> = boxes.iter().map(|_| dice.below(3)).collect();
            let mut own = Part::of_box(&extents, &boxes[context.rank]).stored_as(order);
            own.padding = paddings[context.rank];
            own
        };
        let (from, to) = (part(&given, &orders[0]), part(&wanted, &orders[1]));
        let options = JobOptions::default().message_bytes([1, 24, 1000, 1 << 24][dice.below(4)]);
        if round % 3 == 0 {
            moved::<3>(context, &from, &to, &options, false)
        } else {
            moved::<1>(context, &from, &to, &options, round % 5 == 0)
        }?;
    }
    Ok(())
}

/// From the transposed frequencies of a batch to natural order, and back.
pub fn parts_of_jobs(context: &Context) -> Outcome {
    let what = |error: Error| error.to_string();
    let [transposed, natural] = [Order::Transposed, Order::Natural].map(|order| {
        let options = JobOptions::default().order(order).decomposition(wgpu_fft_distributed::Decomposition::Grid([1, context.size]));
        Part::of_rank(&C2c::forward([6, 5]).batch(3), &options, context.rank, context.size).map(|[_, output]| output)
    });
    let (transposed, natural) = (transposed.map_err(what)?, natural.map_err(what)?);
    let values = |part: &Part| -> Vec<u16> {
        let [rows, columns] = [0, 1].map(|axis| part.along(axis));
        let element = |b: usize, i: usize, j: usize| (100 * b + 10 * i + j) as u16;
        let lines = |b: usize| -> Vec<u16> {
            if part.axes == [0, 1] {
                rows.clone().flat_map(|i| columns.clone().map(move |j| element(b, i, j))).collect()
            } else {
                columns.clone().flat_map(|j| rows.clone().map(move |i| element(b, i, j))).collect()
            }
        };
        (0..3).flat_map(lines).collect()
    };
    let options = JobOptions::default();
    for (from, to) in [(&transposed, &natural), (&natural, &transposed)] {
        let plan = Redistribution::new(&context.cluster, from, to, 2, &options).map_err(what)?;
        let mut output = vec![0u16; to.stored_len()];
        plan.run(&values(from), &mut output).map_err(what)?;
        if output != values(to) {
            return Err(format!("{from:?} to {to:?}: {output:?}"));
        }
    }
    Ok(())
}

/// What is wrong on one rank is an error on all, and what follows works.
pub fn wrong_redistributions(context: &Context) -> Outcome {
    let last = context.rank + 1 == context.size;
    let (begin, end) = (context.rank * 8 / context.size, (context.rank + 1) * 8 / context.size);
    let good = Part::of_box(&[8, 3], &[begin..end, 0..3]);
    let new = |from: &Part, to: &Part, bytes: usize| Redistribution::new(&context.cluster, from, to, bytes, &JobOptions::default());
    let with = |change: fn(&mut Part)| {
        let mut part = good.clone();
        if last {
            change(&mut part);
        }
        part
    };
    let whole = Part::of_box(&[8, 3], &[0..8, 0..3]);
    let other_axes = |axes: &[usize]| good.clone().stored_as(axes);
    for (outcome, why) in [
        (new(&with(|part| part.ranges[0].end -= 1), &whole, 4), "are in no rank's part"),
        (new(&good, &with(|part| part.ranges[1].end = 4), 4), "a part of"),
        (new(&with(|part| part.ranges.truncate(1)), &good, 4), "a part of"),
        (new(&good, &with(|part| part.padding = usize::MAX), 4), "padding"),
        (new(&good, &good, 0), "0 bytes"),
        (new(&other_axes(&[0, 0]), &other_axes(&[0, 0]), 4), "must differ"),
        (new(&good, &other_axes(&[1, 2]), 4), "a part of"),
        (new(&good, &other_axes(&[0]), 4), "a part of"),
        (new(&good, &good, usize::MAX), "a part of"),
    ] {
        match outcome {
            Err(Error::OnRank { message, .. }) if message.contains(why) => {}
            outcome => return Err(format!("{why}: {outcome:?}")),
        }
    }
    if context.size > 1 {
        match new(&whole, &good, 4) {
            Err(Error::OnRank { message, .. }) if message.contains("overlap") => {}
            outcome => return Err(format!("overlap: {outcome:?}")),
        }
        match new(&good, &if last { other_axes(&[1, 0]) } else { good.clone() }, 4) {
            Err(Error::RanksDiffer { rank, .. }) if rank + 1 == context.size => {}
            outcome => return Err(format!("other axes: {outcome:?}")),
        }
    }
    let plan = new(&good, &good, 4).map_err(|error| error.to_string())?;
    let input = vec![1u32; good.len()];
    let outcome = plan.run(&input, &mut vec![0; good.len() + usize::from(last)]);
    if !matches!(&outcome, Err(Error::OnRank { rank, .. }) if rank + 1 == context.size) {
        return Err(format!("{outcome:?}"));
    }
    let mut output = vec![0; good.len()];
    plan.run(&input, &mut output).map_err(|error| error.to_string())?;
    // Another job beside it.
    drop(Job::new(&context.cluster, C2c::forward([8, 3]), &JobOptions::default()).map_err(|error| error.to_string())?);
    if output == input { Ok(()) } else { Err(format!("{output:?}")) }
}
