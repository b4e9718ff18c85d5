//! The rules that choose a recipe for a device.

mod across;
mod blocks;
mod convolution;
pub(in crate::fft) mod designer;
mod estimate;
mod fits;
pub(in crate::fft) mod lanes;
pub(in crate::fft) mod lines;
mod measured;
mod pass;
mod processors;
mod rows;
mod several;
mod thresholds;
mod together;

use crate::error::{Error, Result};
use crate::fft::chain::chain;
use crate::fft::factors::{largest_prime, orders, split};
use crate::fft::place::Storage;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals, Recipe, Stockham};
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::transform::Transform;
use crate::gpu::DeviceProfile;
use convolution::LONGEST_ON_CPU;
use designer::{Designer, LONGEST_COLUMN, SMALL_ARRAY, Text};
use lines::LineClass;
use thresholds::{decimal, number};
use together::fewest;

pub(in crate::fft) fn design(transform: &Transform, profile: &DeviceProfile) -> Result<Recipe> {
    design_with(transform, profile, Text::Short)
}

/// A recipe whose shaders are as long as on processors they may be.
pub(in crate::fft) fn design_with(transform: &Transform, profile: &DeviceProfile, text: Text) -> Result<Recipe> {
    transform.check_device(profile)?;
    let geometry = transform.geometry()?;
    let designer = |pairs| Designer { pairs, ..Designer::new(transform, &geometry, profile) };
    let axes = designer(true).recipe(text)?;
    // In some layouts the nearest rows are not those that another axis mixes.
    let is_wrong = axes.iter().any(|axis| axis.reals == Reals::Pairs) && chain(transform, &geometry, &axes).is_err();
    Ok(Recipe::Axes(if is_wrong { designer(false).recipe(text)? } else { axes }))
}

/// With more of them a line is faster in several passes.
const STAGES_IN_ONE_PASS: usize = number("stages in one pass") as usize;

impl Designer<'_> {
    /// The recipes of all axes.
    pub(super) fn recipe(&self, text: Text) -> Result<Vec<AxisRecipe>> {
        let Self { transform, geometry, .. } = *self;
        // Rows first: columns first were 9 to 10% slower. Reals are where rows are.
        let mut order = geometry.axes.clone();
        if transform.kind != Kind::C2r {
            order.reverse();
        }
        if matches!(transform.kind, Kind::C2c(_))
            && !transform.is_plain()
            && self.lines(geometry.axes[0], Reals::Complex).points > SMALL_ARRAY
        {
            order = self.best_order(order);
        }
        let mut axes = match self.pass_together(&order, fewest) {
            Some(axes) => axes,
            None => self.apart(&order)?,
        };
        for i in 1..axes.len() {
            let [axis, next] = &mut axes[i - 1..=i] else { unreachable!("two neighbours") };
            self.block(axis, next);
        }
        self.in_lanes(&mut axes, text);
        self.in_twos(&mut axes);
        Ok(axes)
    }

    /// The axes one after the other.
    pub fn apart(&self, order: &[usize]) -> Result<Vec<AxisRecipe>> {
        order.iter().map(|&axis| self.axis(axis)).collect()
    }

    pub(super) fn axis(&self, axis: usize) -> Result<AxisRecipe> {
        if let Kind::Filter { .. } = self.transform.kind {
            return self.filter(axis);
        }
        let real = self.has_reals(axis);
        let LineClass { n, across, .. } = self.lines(axis, Reals::Complex);
        let may_pair = real && self.may_pair(axis);
        let reals = if may_pair { Reals::Pairs } else { Reals::Complex };

        // Of rows at odd distances 4 columns are parts of more sectors than they fill. Real 4096²
        // with 64.64 on 4 columns 0.123, in two passes of 64 on 32 columns 0.115.
        let uneven = across
            && n > LONGEST_COLUMN / 2
            && !self.has_whole_sectors(axis)
            && !self.profile.is_cpu()
            && !self.has_blocks_before_rows(axis);

        if largest_prime(n) <= self.max_prime() {
            if let Some(recipe) = self.without_barriers(axis) {
                return Ok(recipe);
            }
            // Pairs mix two rows: a NaN of one, or the rounding of a loud one, reaches the other.
            // So they are only for rows that mix anyway. Halves are faster on the way to the
            // spectrum, and pairs on the way back: rows of 1024 0.1323, in halves 0.1506. Of cosine
            // transforms of type II pairs are for long rows. Two 16-bit reals share a word, and
            // halves store both at once.
            let shares_words = matches!(self.transform.storage(End::Output), Storage::Half(_)) && !self.profile.is_cpu();
            let in_pairs = match self.transform.real_kind(axis) {
                None => self.transform.kind == Kind::C2r && !shares_words,
                Some(_) => self.transform.inner(axis).reals == Some(End::Output) || n > LONGEST_COLUMN / 2,
            };
            let is_paired = |axis: usize| self.geometry.axes.contains(&axis) && self.transform.shape.extents()[axis].is_multiple_of(2);
            let back_in_pairs = in_pairs && may_pair && (self.transform.rows_mix || axis > 0 && is_paired(axis - 1));
            let halves = real && !back_in_pairs && !self.has_pairs_of_columns(axis) && self.has_halves(axis);
            if halves && let Some(recipe) = self.in_one(axis, Reals::Halves, None) {
                return Ok(self.or_several(recipe));
            }
            if let Some(recipe) = self.in_one(axis, reals, None).filter(|_| !uneven) {
                return Ok(self.or_several(recipe));
            }
            let halves = halves || self.transform.real_kind(axis).is_some() && real && self.has_halves(axis);
            if halves && let Some(recipe) = self.in_several(axis, Reals::Halves, None) {
                return Ok(recipe);
            }
            if let Some(recipe) = self.in_several(axis, Reals::Complex, None) {
                return Ok(recipe);
            }
        }
        self.convolution(axis, reals)
    }

    /// The order of the axes in which the array is smallest while columns are transformed, if only
    /// parts of axes are given or wanted; of equal orders the first one.
    pub(super) fn best_order(&self, order: Vec<usize>) -> Vec<usize> {
        let [input, output] = &self.geometry.windows;
        let cost = |order: &[usize]| {
            let mut extents: Vec<f64> = input.iter().map(|window| window.len.into()).collect();
            let size = |extents: &[f64]| extents.iter().product::<f64>();
            let mut sum = 0.0;
            for &axis in order {
                let read = size(&extents);
                extents[axis] = output[axis].len.into();
                sum += (read + size(&extents)) * if self.is_fastest(axis) { 1.0 } else { const { decimal("cost of columns") } };
            }
            sum
        };
        let mut best = (cost(&order), order.clone());
        for other in orders(&order) {
            let own = cost(&other);
            // Rows first are better where nothing else decides.
            if own < best.0 * 0.99 {
                best = (own, other);
            }
        }
        best.1
    }

    /// A transform there and back in one pass.
    pub(super) fn filter(&self, axis: usize) -> Result<AxisRecipe> {
        let lines = self.lines(axis, Reals::Complex);
        let n = lines.n;
        let fits = !self.profile.is_cpu() || n <= LONGEST_ON_CPU[usize::from(lines.across)];
        let own = LineClass { convolution: true, ..lines };
        let stockham = if fits && largest_prime(n) <= self.max_prime() { self.within(|designer| designer.pass(own)) } else { None };
        let passes = stockham.map(|stockham| vec![PassRecipe::Stockham(stockham)]);
        passes.map(|passes| AxisRecipe::new(axis, passes)).ok_or_else(|| {
            let what = format!("a transform of length {n} there and back in one pass");
            Error::Unsupported { what, why: "it does not fit a workgroup: transform there and back in passes of their own".to_owned() }
        })
    }

    /// An axis in one pass, if it fits, perhaps as a convolution.
    pub fn in_one(&self, axis: usize, reals: Reals, bluestein: Option<u32>) -> Option<AxisRecipe> {
        let lines = self.lines(axis, reals);
        let lines = bluestein.map_or(lines, |m| LineClass { n: m, convolution: true, ..lines });
        let stockham = self.within(|designer| designer.pass(lines))?;
        Some(AxisRecipe { bluestein, reals, ..AxisRecipe::new(axis, vec![PassRecipe::Stockham(stockham)]) })
    }

    /// An axis in several passes, if the one pass has too many stages.
    pub(super) fn or_several(&self, one: AxisRecipe) -> AxisRecipe {
        let LineClass { count, across, .. } = self.lines(one.axis, Reals::Complex);
        let is_slow = |pass: &Stockham| {
            pass.radices.len() > STAGES_IN_ONE_PASS && self.is_estimated(pass.n(), u64::from(count) * u64::from(pass.n()), across)
        };
        match &one.passes[..] {
            [PassRecipe::Stockham(pass)] if one.reals != Reals::Pairs && !self.has_few_registers() && is_slow(pass) => {
                self.in_several(one.axis, one.reals, None).unwrap_or(one)
            }
            _ => one,
        }
    }

    /// An axis in as many passes as it takes for each line to be in one lane, where that is worth
    /// while.
    pub(super) fn without_barriers(&self, axis: usize) -> Option<AxisRecipe> {
        let reals = if self.has_reals(axis) && self.has_halves(axis) { Reals::Halves } else { Reals::Complex };
        let n = self.lines(axis, reals).n;
        if !self.prefers_one_lane() || n <= self.in_one_lane() {
            return None;
        }
        let lengths = split(n, &|length| length <= self.in_one_lane())?;
        self.in_lengths(axis, reals, None, &lengths)
    }
}
