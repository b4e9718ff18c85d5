//! The neighbours of a pass.

use super::space::{other_pairs, twice_and_half};
use crate::fft::choose::designer::{COLUMNS, Designer, lane_counts, lines_cap};
use crate::fft::choose::lanes as lanes_of;
use crate::fft::choose::lines::LineClass;
use crate::fft::factors::factorizations;
use crate::fft::limits::MAX_ELEMENTS;
use crate::fft::recipe::{AxisRecipe, Exchange, PassRecipe, Roots, Stockham};
use crate::gpu::DeviceProfile;
use crate::plan::others;

impl Designer<'_> {
    /// The neighbours of a `fft/pass` recipe, best first.
    pub(super) fn of_registers(&self, axes: &[AxisRecipe], i: usize, f: usize, own: &Stockham) -> Vec<PassRecipe> {
        let axis = &axes[i];
        let Some(lines) = self.lines_of(axis, f) else { return Vec::new() };
        let mut all: Vec<Stockham> = Vec::new();
        // Beside a number that fills subgroups, the powers of two.
        let power = 1u32 << own.lines.ilog2();
        let [more, fewer] = if own.lines == power { [power.saturating_mul(2), power / 2] } else { [power.saturating_mul(2), power] };
        let other_lines = [more, fewer].into_iter().filter(|other| *other > 0);
        let other_lines = other_lines.filter(|other| *other < own.lines || own.lines < lines_cap(lines.count));
        all.extend(other_lines.map(|lines| Stockham { lines, ..own.clone() }));
        let exchanges = own.radices.len() > 1 || lines.exchanges_mirror;
        let pieces = |pieces| Stockham { pieces, ..own.clone() };
        if exchanges {
            all.extend(twice_and_half(own.pieces).filter(|pieces| *pieces <= 4).map(pieces));
        }
        all.extend(other_width(own, lines));
        all.extend(self.other_lanes(own, lines));
        let several = axis.passes.len() > 1;
        let mut radices = self.other_radices(own, lines, if several { 2 } else { 4 });
        if several {
            // What follows was chosen for these lines and blocks.
            for stockham in &mut radices {
                let kept = Stockham { lines: own.lines, block: own.block, ..stockham.clone() };
                *stockham = if self.runs(&kept, lines) { kept } else { Stockham { block: own.block, ..stockham.clone() } };
            }
        }
        all.extend(radices);
        if exchanges {
            let exchange = if own.exchange == Exchange::Split { Exchange::Whole } else { Exchange::Split };
            all.push(Stockham { exchange, ..own.clone() });
            all.extend([1, 2, 4].map(pieces));
        }
        all.extend(self.blocks(axes, i, f, own).into_iter().map(|block| Stockham { block, ..own.clone() }));
        if own.radices.len() > 1 {
            let roots = if own.roots == Roots::Table { Roots::Products } else { Roots::Table };
            all.push(Stockham { roots, ..own.clone() });
            all.extend([32, 0, 16, 64].map(|banks| Stockham { banks, ..own.clone() }));
        }
        let fine = others(Some(own), all).into_iter().filter(|other| self.runs(other, lines));
        fine.map(PassRecipe::Stockham).collect()
    }

    /// More and fewer lanes, few of them idle; once with the same number of lines, once with the
    /// same number of invocations.
    pub(super) fn other_lanes(&self, own: &Stockham, lines: LineClass) -> Vec<Stockham> {
        let n = own.n();
        // In some stage at most one lane in nine is idle, and in no stage more than half of them
        // are.
        let few_idle = |lanes: &u32| {
            let mut butterflies = own.radices.iter().map(|radix| n / radix);
            butterflies.clone().any(|count| count.next_multiple_of(*lanes) * 8 <= count * 9) && butterflies.all(|count| *lanes <= 2 * count)
        };
        let fits = |lanes: &u32| Stockham { lanes: *lanes, ..own.clone() }.elements() <= MAX_ELEMENTS;
        let counts: Vec<u32> = lane_counts(n, &own.radices).into_iter().filter(|lanes| few_idle(lanes) && fits(lanes)).collect();
        let fewer = counts.iter().rev().find(|lanes| **lanes < own.lanes);
        let more = counts.iter().find(|lanes| **lanes > own.lanes);
        let mut all = Vec::new();
        for lanes in [more, fewer].into_iter().flatten() {
            let same = Stockham { lanes: *lanes, ..own.clone() };
            let invocations = (own.lanes.saturating_mul(own.lines) / lanes).max(1).min(lines_cap(lines.count));
            let traded = Stockham { lines: 1 << invocations.ilog2(), ..same.clone() };
            // If the pieces do not fit the new lanes, use a single piece.
            all.extend([same, traded].map(|other| if self.runs(&other, lines) { other } else { Stockham { pieces: 1, ..other } }));
        }
        all
    }

    /// Other orders of the radices, then up to `most` lists of other radices: those measured, two
    /// instead of one, one instead of two, and other products of few radices, by the estimate of
    /// the rules.
    pub(super) fn other_radices(&self, own: &Stockham, lines: LineClass, most: usize) -> Vec<Stockham> {
        let n = own.n();
        if n == 1 {
            return Vec::new();
        }
        let mut orders = vec![own.radices.iter().rev().copied().collect::<Vec<u32>>()];
        for i in 1..own.radices.len() {
            let mut swapped = own.radices.clone();
            swapped.swap(i - 1, i);
            orders.push(swapped);
        }
        let orders = others(Some(&own.radices), orders).into_iter().take(3).map(|radices| {
            let kept = Stockham { radices, ..own.clone() };
            if self.runs(&kept, lines) { kept } else { Stockham { pieces: 1, ..kept } }
        });
        let sorted = |mut radices: Vec<u32>| {
            radices.sort_unstable_by(|a, b| b.cmp(a));
            radices
        };
        let mut pool = factorizations(n, MAX_ELEMENTS);
        for (i, &radix) in own.radices.iter().enumerate() {
            let mut without = own.radices.clone();
            without.remove(i);
            let with = |more: &[u32]| sorted(without.iter().chain(more).copied().collect());
            pool.extend((2..=radix.isqrt()).filter(|small| radix.is_multiple_of(*small)).map(|small| with(&[small, radix / small])));
            pool.extend((0..without.len()).filter(|j| without[*j] * radix <= MAX_ELEMENTS).map(|j| {
                let mut merged = without.clone();
                merged[j] *= radix;
                sorted(merged)
            }));
        }
        let lanes_of = |radices: &[u32]| {
            let elements = |lanes: u32| Stockham::new(radices.to_vec(), lanes).elements();
            let counts = lane_counts(n, radices).into_iter().filter(|lanes| elements(*lanes) <= MAX_ELEMENTS);
            counts.map(|lanes| (self.cost(n, radices, lanes, lines), lanes)).min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let pool = others(Some(&sorted(own.radices.clone())), pool);
        let mut pool: Vec<(f64, (Vec<u32>, u32))> = pool
            .into_iter()
            .filter_map(|radices| {
                let (cost, lanes) = lanes_of(&radices)?;
                Some((cost, (radices, lanes)))
            })
            .collect();
        pool.sort_by(|a, b| a.0.total_cmp(&b.0));
        let known =
            self.all_measured().one(lines).map(|(pass, _)| (pass.radices, pass.lanes)).filter(|(radices, _)| *radices != own.radices);
        let shapes = known.into_iter().chain(pool.into_iter().map(|(_, shape)| shape));
        let completed = shapes.filter_map(|shape| self.complete(shape, lines)).take(most);
        orders.chain(completed).collect()
    }

    /// The blocks in which a pass may store its result for the next pass of the axis, or for the
    /// next axis, including no blocks.
    pub(super) fn blocks(&self, axes: &[AxisRecipe], i: usize, f: usize, own: &Stockham) -> Vec<Option<[u32; 2]>> {
        let axis = &axes[i];
        if f + 1 < axis.passes.len() {
            let last = axis.passes.last().and_then(PassRecipe::n).unwrap_or(1);
            let along = own.block.map_or(own.lines, |[along, _]| along);
            let others = [along, along.saturating_mul(2), along / 2].into_iter().filter(|along| (2..=last).contains(along));
            let others = others.map(|along| Some([along, 1]));
            return if own.block.is_some() { others.chain([None]).collect() } else { others.take(1).collect() };
        }
        let next = axes.get(i + 1).map(|next| &next.passes[..]);
        let (1, Some([PassRecipe::Stockham(next)])) = (axis.passes.len(), next) else { return Vec::new() };
        // If the next axis takes more than 8 lines, blocks gain nothing, because its loads are long
        // enough already.
        if own.block.is_none() && next.lines > COLUMNS {
            return Vec::new();
        }
        let all = [[8, 16], [8, 8], [4, 16], [16, 8]].map(Some);
        if own.block.is_some() { all.into_iter().chain([None]).collect() } else { all[..2].to_vec() }
    }
}

/// Accesses of one number instead of two, or the reverse, where numbers are short: as it is, or
/// with half as many lanes, each of which has two butterflies then.
fn other_width(own: &Stockham, lines: LineClass) -> Vec<Stockham> {
    let with = |width, lanes| Stockham { width, lanes, ..own.clone() };
    match own.width {
        1 if !lines.is_16_bit || lines.exchanges_mirror || lines.convolution => Vec::new(),
        1 if lines.across || own.lanes == 1 => vec![with(2, own.lanes)],
        1 => vec![with(2, own.lanes), with(2, own.lanes / 2)],
        _ => vec![with(1, own.lanes)],
    }
}

pub(super) fn of_radix2(rows: u32, lanes: u32) -> Vec<PassRecipe> {
    let lanes_first = twice_and_half(lanes).map(|lanes| PassRecipe::Radix2 { rows, lanes });
    lanes_first.chain(twice_and_half(rows).map(|rows| PassRecipe::Radix2 { rows, lanes })).collect()
}

/// The neighbours of a `fft/lanes` recipe. They include other factors if it transforms a whole
/// line.
pub(super) fn of_lanes(own: &PassRecipe, profile: &DeviceProfile, whole: bool) -> Vec<PassRecipe> {
    let &PassRecipe::Lanes { factors, lanes, width, invocations, loops } = own else { return Vec::new() };
    let pass = |factors, lanes, width, invocations| PassRecipe::Lanes { factors, lanes, width, invocations, loops: loops && lanes > 1 };
    let most = profile.invocations_in_a_row().min(256);
    let mut all: Vec<PassRecipe> = twice_and_half(invocations)
        .filter(|invocations| (8..=most).contains(invocations))
        .map(|invocations| pass(factors, lanes, width, invocations))
        .collect();
    all.extend(twice_and_half(lanes).filter(|lanes| *lanes <= 8).map(|lanes| pass(factors, lanes, width, invocations)));
    if lanes > 1 {
        all.push(PassRecipe::Lanes { factors, lanes, width, invocations, loops: !loops });
    }
    let n = factors[0].saturating_mul(factors[1]);
    if whole && factors[1] > 1 {
        all.extend(other_pairs(factors).into_iter().map(|factors| pass(factors, lanes, width, invocations)));
        if n <= 64 {
            all.push(pass([n, 1], 1, width, invocations));
        }
    } else if whole {
        // In two lanes, with two factors of about equal size.
        let pair = lanes_of::pairs(n, 1).last();
        all.extend(pair.map(|factors| pass(factors, 2, width, invocations)));
    }
    all.extend(twice_and_half(width).filter(|width| *width <= 4).map(|width| pass(factors, lanes, width, invocations)));
    all
}

/// A line in two `fft/lanes` passes instead of one, in two of other lengths, or in one instead of
/// two.
pub(super) fn lanes_in_two(own: &AxisRecipe, n: u32) -> Vec<AxisRecipe> {
    let (Some(&PassRecipe::Lanes { width, invocations, .. }), Some(&PassRecipe::Lanes { width: of_last, .. })) =
        (own.passes.first(), own.passes.last())
    else {
        return Vec::new();
    };
    // The last of several passes of a row has no neighbours for wide accesses.
    let pair = |[a, b]: [u32; 2]| {
        [(a, width), (b, of_last)]
            .map(|(n, width)| PassRecipe::Lanes { factors: [n, 1], lanes: 1, width, invocations, loops: false })
            .to_vec()
    };
    let lengths: Vec<u32> = own.passes.iter().filter_map(PassRecipe::n).collect();
    let with = |passes| AxisRecipe { passes, ..own.clone() };
    let mut all = Vec::new();
    if let [a, b] = lengths[..] {
        all.extend(other_pairs([a, b]).into_iter().map(|lengths| with(pair(lengths))));
        if let Some(factors) = lanes_of::pairs(n, 1).last() {
            all.extend([2, 4, 8].map(|lanes| with(vec![PassRecipe::Lanes { factors, lanes, width, invocations, loops: false }])));
        }
    } else if let Some([large, small]) = lanes_of::pairs(n, 1).last() {
        all.extend([[small, large], [large, small]].map(|lengths| with(pair(lengths))));
    }
    all
}
