//! The rules for axes that are transformed together: many small pictures or volumes, each of which
//! a workgroup takes as a whole, so that all its axes take one pass through memory.

use std::ops::RangeInclusive;

use super::designer::{Designer, cheapest, shapes};
use super::lines::LineClass;
use super::pass::RADIX_OF_ROWS;
use super::thresholds::{decimal, number};
use crate::fft::factors::{factorizations, largest_prime};
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals, Stockham};
use crate::fft::spec::kind::Kind;

/// Maximum number of elements of a picture, of 8 bytes each: what a workgroup can hold in
/// registers.
const MAX_PICTURE: u32 = number("numbers of a picture");

/// Maximum number of elements of an invocation.
const MAX_EACH: u32 = number("numbers of an invocation, pictures");

/// Fewest pictures of n elements. One workgroup takes less time than a second dispatch costs. Of
/// longer ones there must be enough to fill the device.
pub(in crate::fft) fn fewest(n: u32) -> u32 {
    if n <= const { number("numbers of a small picture") } { 1 } else { const { number("fewest large pictures") } }
}

impl Designer<'_> {
    /// The recipe for as many of the fastest axes as one pass should take together, if these are
    /// more than one, and there are at least `fewest` pictures of so many elements.
    fn together(&self, fewest: impl Fn(u32) -> u32) -> Option<AxisRecipe> {
        let (transform, last) = (self.transform, self.transform.shape.rank() - 1);
        let is_complex = matches!(transform.kind, Kind::C2c(_)) && transform.kinds.is_empty() && transform.is_plain();
        if !is_complex || self.profile.is_cpu() || self.is_double_f32() {
            return None;
        }
        let transformed = |axis: &usize| self.geometry.axes.contains(axis);
        let first = (0..=last).rev().take_while(transformed).last().unwrap_or(last);
        (first..last).find_map(|first| self.picture(first..=last, &fewest))
    }

    /// The recipe for some axes, if one pass should take them together.
    fn picture(&self, axes: RangeInclusive<usize>, fewest: &dyn Fn(u32) -> u32) -> Option<AxisRecipe> {
        let lines = self.pictures(axes.clone())?;
        let extents: Vec<u32> = axes.clone().map(|axis| self.transform.shape.extents()[axis] as u32).collect();
        let is_long = lines.n > MAX_PICTURE / self.words() || extents.iter().any(|&n| largest_prime(n) > self.max_prime());
        if is_long || lines.count < fewest(lines.n) {
            return None;
        }
        let best = self.within(|designer| designer.of_pictures(&extents, lines))?;
        let (first, last) = axes.into_inner();
        Some(AxisRecipe { through: last, ..AxisRecipe::new(first, vec![PassRecipe::Stockham(best)]) })
    }

    /// The lines of axes that are transformed together.
    pub fn pictures(&self, axes: RangeInclusive<usize>) -> Option<LineClass> {
        let rows = self.lines(*axes.end(), Reals::Complex);
        let extent = |axis: usize| self.transform.shape.extents()[axis] as u64;
        let n = u32::try_from(axes.clone().map(extent).try_fold(1u64, |product, own| product.checked_mul(own))?).ok()?;
        let others: u64 = axes.clone().rev().skip(1).map(extent).product();
        let together = Some([*axes.start(), *axes.end()]);
        Some(LineClass { n, together, count: rows.count / others as u32, across: false, ..rows })
    }

    /// The best radices and lanes by an estimate of their cost.
    fn of_pictures(&self, extents: &[u32], lines: LineClass) -> Option<Stockham> {
        let mut all = vec![Vec::new()];
        for &extent in extents {
            let ways = factorizations(extent, RADIX_OF_ROWS.min(self.radix()).max(largest_prime(extent)));
            let longer = |radices: &Vec<u32>| ways.iter().map(|way| [&radices[..], way].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(longer).collect();
        }
        let few = |(radices, lanes): &(Vec<u32>, u32)| Stockham::new(radices.clone(), *lanes).elements() <= MAX_EACH / self.words();
        let all = shapes(lines.n, all).filter(few).map(|shape| {
            let (radices, lanes) = &shape;
            (self.cost(lines.n, radices, *lanes, lines) + short_runs(radices, extents), shape)
        });
        cheapest(all, |shape| self.complete(shape, lines)).map(|(_, stockham)| stockham)
    }

    /// Recipes for all axes of which the fastest ones take one pass together, and the others follow
    /// in this order; `None` if there are too few pictures, or if their layout does not allow it.
    pub fn pass_together(&self, order: &[usize], fewest: impl Fn(u32) -> u32) -> Option<Vec<AxisRecipe>> {
        let together = self.together(fewest)?;
        let others: Vec<usize> = order.iter().copied().filter(|axis| !together.axes().contains(axis)).collect();
        let axes = [vec![together], self.apart(&others).ok()?].concat();
        self.fits_in(&axes, 0).then_some(axes)
    }
}

/// What half as long a run costs, by the units of [`Designer::cost`].
const SHORT_RUN: f64 = decimal("cost of half a run");
const LONG_RUN: f64 = decimal("numbers of a run");

/// What it costs to store elements of a row in shorter runs: the last stage of radix r stores n/r
/// neighbours at a time.
fn short_runs(radices: &[u32], extents: &[u32]) -> f64 {
    let run = |(n, radix): (&u32, &u32)| f64::from(n / radix);
    extents.last().zip(radices.last()).map_or(0.0, |last| SHORT_RUN * (LONG_RUN / run(last)).log2().max(0.0))
}
