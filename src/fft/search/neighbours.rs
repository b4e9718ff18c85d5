//! The neighbours of a recipe, for a search by measurement.
//!
//! Each list begins with the recipes that most likely gain, since its end may never be measured. If
//! there are several passes, the list alternates between changes of each of them.

use super::passes::{lanes_in_two, of_lanes, of_radix2};
use super::space::{MAX_NEIGHBOURS, other_pairs};
use crate::error::Result;
use crate::fft::chain::chain;
use crate::fft::choose::designer::{Designer, MAX_PRIME, Text};
use crate::fft::choose::{design, design_with};
use crate::fft::factors::largest_prime;
use crate::fft::limits::{MAX_ELEMENTS, is_sane};
use crate::fft::lower::lower;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals, Recipe, Stockham};
use crate::fft::spec::kind::Kind;
use crate::fft::spec::transform::Transform;
use crate::gpu::DeviceProfile;
use crate::plan::{Search, in_turns, others};
use crate::transpose;

/// Lengths from which on two passes may be faster than one.
const LONG: u32 = 1024;

/// The kernel `fft/radix2` where it can be used: for dense rows, or for two dense axes with
/// transposes between them.
fn baseline(transform: &Transform, profile: &DeviceProfile) -> Option<Recipe> {
    let geometry = transform.geometry().ok()?;
    let most = profile.invocations_in_a_row();
    let pass = |axis: usize| {
        let n = geometry.output_extents[axis];
        let fits = n.is_power_of_two() && u64::from(n) * 8 <= u64::from(profile.workgroup_bytes) && most > 0;
        // At least one wave of a GPU.
        let lanes = (n / 2).clamp(1, most.max(1));
        fits.then(|| (64.min(most) / lanes).max(1).min(profile.workgroup_bytes / 8 / n)).map(|rows| PassRecipe::Radix2 { rows, lanes })
    };
    let recipes = match geometry.axes[..] {
        [axis] => vec![Recipe::Axes(vec![AxisRecipe::new(axis, vec![pass(axis)?])])],
        [0, 1] => {
            let (rows, columns) = (pass(1)?, pass(0)?);
            let transposes = [[16, 16], [8, 4], [1, 1]].map(|workgroup| transpose::Recipe::Naive { workgroup });
            transposes.map(|transpose| Recipe::Transposed { rows: rows.clone(), columns: columns.clone(), transpose }).to_vec()
        }
        _ => return None,
    };
    recipes.into_iter().find(|recipe| lower(transform, recipe, profile).and_then(|program| program.check(profile)).is_ok())
}

impl Search for Transform {
    fn baseline(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let known = if self.is_plain() { baseline(self, profile) } else { None };
        known.map_or_else(|| design(self, profile), Ok)
    }

    /// The rules' recipes for other kinds of devices; other ways to transform one of the axes; more
    /// or fewer lines for columns; other orders of the axes; transposes.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let (Ok(geometry), Ok(own)) = (self.geometry(), design(self, profile)) else { return Vec::new() };
        let designer = Designer::new(self, &geometry, profile);
        let mut all: Vec<Recipe> = Vec::new();
        // What takes long to compile, which the rules avoid on processors.
        all.extend(design_with(self, profile, Text::Long));
        // With and without the kernel `fft/lanes`, then as on the other kind of device.
        let other = profile.of_other_kind();
        let without_lanes = DeviceProfile { subgroups: false, ..profile.clone() };
        all.extend([&without_lanes, &other].into_iter().filter_map(|profile| design(self, profile).ok()));
        let Recipe::Axes(axes) = &own else { return all };
        let ways = axes.iter().enumerate().map(|(i, axis)| {
            let ways = designer.lanes(axis).into_iter().chain(designer.other_reals(axis)).chain(designer.other_passes(axis));
            ways.filter_map(|way| designer.replaced(axes, i, way)).collect()
        });
        all.extend(in_turns(ways));
        for (times, over) in [(2, 1), (1, 2)] {
            let scaled = |own: &AxisRecipe| {
                let passes = own.passes.iter().enumerate().map(|(f, pass)| match pass {
                    PassRecipe::Stockham(stockham) if designer.lines_of(own, f).is_some_and(|lines| lines.across) => {
                        PassRecipe::Stockham(Stockham { lines: (stockham.lines.saturating_mul(times) / over).max(1), ..stockham.clone() })
                    }
                    pass => pass.clone(),
                });
                AxisRecipe { passes: passes.collect(), ..own.clone() }
            };
            all.extend(designer.sound(axes.iter().map(scaled).collect()));
        }
        all.extend(designer.reversed(axes));
        all.extend(designer.otherwise_together(axes));
        all.extend(designer.transposed());
        others(Some(&own), all)
    }

    /// The recipes that differ in one decision. There are none for a recipe that does not solve the
    /// transform.
    fn neighbours(&self, recipe: &Recipe, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(geometry) = self.geometry() else { return Vec::new() };
        let designer = Designer::new(self, &geometry, profile);
        let all = match recipe {
            Recipe::Axes(axes) => {
                if chain(self, &geometry, axes).is_err() || !axes.iter().flat_map(|axis| &axis.passes).all(is_sane) {
                    return Vec::new();
                }
                let mut all = in_turns((0..axes.len()).map(|i| {
                    let of_axis = designer.of_axis(axes, i).into_iter();
                    of_axis.filter_map(|axis| designer.replaced(axes, i, axis)).collect()
                }));
                all.truncate(MAX_NEIGHBOURS);
                all.extend(designer.reversed(axes));
                all
            }
            Recipe::Transposed { rows, columns, transpose } => designer.around_transposes(rows, columns, transpose),
        };
        others(Some(recipe), all)
    }
}

impl Designer<'_> {
    /// The axes of a complex transform in reverse order. On an H200, columns first were 9 to 10%
    /// slower.
    fn reversed(&self, axes: &[AxisRecipe]) -> Option<Recipe> {
        if axes.len() < 2 || !matches!(self.transform.kind, Kind::C2c(_)) {
            return None;
        }
        let mut own: Vec<AxisRecipe> = axes.iter().rev().cloned().collect();
        own.iter_mut().for_each(AxisRecipe::drop_block);
        self.sound(own)
    }

    /// Axes one after the other that were transformed together, or together however few pictures
    /// there are.
    fn otherwise_together(&self, axes: &[AxisRecipe]) -> Option<Recipe> {
        let order: Vec<usize> = axes.iter().flat_map(|axis| axis.axes().rev()).collect();
        let is_together = axes.iter().any(|axis| axis.through != axis.axis);
        let own = if is_together { self.apart(&order).ok() } else { self.pass_together(&order, |_| 1) };
        self.sound(own?)
    }

    fn of_axis(&self, axes: &[AxisRecipe], i: usize) -> Vec<AxisRecipe> {
        let own = &axes[i];
        let passes = in_turns((0..own.passes.len()).map(|f| {
            let with = |pass| {
                let mut passes = own.passes.clone();
                passes[f] = pass;
                AxisRecipe { passes, ..own.clone() }
            };
            let own_passes = match &own.passes[f] {
                PassRecipe::Stockham(stockham) => self.of_registers(axes, i, f, stockham),
                pass @ PassRecipe::Lanes { .. } => of_lanes(pass, self.profile, own.passes.len() == 1),
                PassRecipe::Radix2 { rows, lanes } => of_radix2(*rows, *lanes),
            };
            own_passes.into_iter().map(with).collect()
        }));
        if own.through != own.axis {
            return passes;
        }
        // Another kernel, or another way to transform the axis, changes the most. But an additional
        // pass moves the whole array once more, which seldom pays off.
        let (early, late): (Vec<_>, Vec<_>) = self
            .other_passes(own)
            .into_iter()
            .partition(|other| other.passes.len() <= own.passes.len() || self.lines(own.axis, own.reals).across);
        let other_ways = self.lanes(own).into_iter().chain(self.other_reals(own)).chain(early).collect();
        let mut all = in_turns([passes, other_ways]);
        all.extend(late);
        all
    }

    /// The axis with the other kernel: `fft/lanes` instead of `fft/pass`, or the reverse.
    fn lanes(&self, own: &AxisRecipe) -> Vec<AxisRecipe> {
        if own.passes.iter().any(PassRecipe::is_lanes) {
            return self.in_one(own.axis, Reals::Complex, None).into_iter().collect();
        }
        let mut all = Vec::new();
        if let Some(inside) = self.for_lanes() {
            all.extend(inside.axis(own.axis, Text::Short));
        }
        if own.passes.iter().any(|pass| matches!(pass, PassRecipe::Radix2 { .. })) {
            all.extend(self.in_one(own.axis, Reals::Complex, None));
        }
        all
    }

    /// Rows of reals as halves, as pairs, or as complex numbers.
    fn other_reals(&self, own: &AxisRecipe) -> Vec<AxisRecipe> {
        if !self.has_reals(own.axis) {
            return Vec::new();
        }
        let axis = own.axis;
        let ways = [Reals::Halves, Reals::Pairs, Reals::Complex].into_iter().filter(|reals| *reals != own.reals);
        let ways = ways.filter(|reals| *reals != Reals::Halves || self.has_halves(axis));
        // A convolution of halves has another length.
        let ways = ways.filter(|reals| own.bluestein.is_none() || ![own.reals, *reals].contains(&Reals::Halves));
        ways.filter_map(|reals| self.in_any(axis, reals, own.bluestein)).collect()
    }

    /// The axis as a convolution of another length, in one pass instead of several, or in passes of
    /// other lengths.
    fn other_passes(&self, own: &AxisRecipe) -> Vec<AxisRecipe> {
        let (axis, reals) = (own.axis, own.reals);
        let n = self.lines(axis, reals).n;
        let mut all = Vec::new();
        if let Some(m) = own.bluestein {
            // A prime of moderate size can also be a radix.
            if largest_prime(n) < MAX_ELEMENTS && largest_prime(n) > MAX_PRIME {
                all.extend(self.in_one(axis, reals, None));
            }
            all.extend(convolutions(n, m).into_iter().filter_map(|m| self.in_any(axis, reals, Some(m))));
        }
        let lengths: Vec<u32> = own.passes.iter().filter_map(PassRecipe::n).collect();
        if lengths.len() < own.passes.len() {
            // The recipe is radix2, which does not state its length.
            return all;
        }
        let whole = lengths.iter().fold(1u32, |whole, length| whole.saturating_mul(*length));
        if own.passes.iter().all(PassRecipe::is_lanes) {
            all.extend(lanes_in_two(own, whole));
            return all;
        }
        if lengths.len() == 1 {
            if whole >= LONG && reals != Reals::Pairs {
                let splits = [2, 3].into_iter().filter(|passes| *passes == 2 || whole >= 1 << 18);
                all.extend(splits.filter_map(|passes| self.in_lengths(axis, reals, own.bluestein, &self.split(whole, passes)?)));
            }
            return all;
        }
        let mut other_lengths = Vec::new();
        for first in 0..lengths.len() - 1 {
            for [a, b] in other_pairs([lengths[first], lengths[first + 1]]) {
                let mut lengths = lengths.clone();
                (lengths[first], lengths[first + 1]) = (a, b);
                other_lengths.push(lengths);
            }
        }
        all.extend(other_lengths.iter().filter_map(|lengths| self.in_lengths(axis, reals, own.bluestein, lengths)));
        all.extend(self.in_one(axis, reals, own.bluestein));
        let count = lengths.len() as u32;
        if count == 3 && reals == Reals::Complex && own.bluestein.is_none() && !self.profile.is_cpu() {
            all.extend(self.in_two_of_few_lines(axis, whole));
        }
        let splits = [count + 1, count - 1].into_iter().filter(|count| (2..=3).contains(count));
        all.extend(splits.filter_map(|passes| self.in_lengths(axis, reals, own.bluestein, &self.split(whole, passes)?)));
        all
    }
}

/// The convolution lengths nearest to m: powers of two times 1, 3, 5, 9 or 15.
fn convolutions(n: u32, m: u32) -> Vec<u32> {
    let least = 2 * u64::from(n) - 1;
    let power = least.next_power_of_two();
    let mut all: Vec<u32> = [(9, 16), (5, 8), (3, 4), (15, 16), (1, 1), (9, 8), (5, 4), (3, 2)]
        .into_iter()
        .filter_map(|(times, over)| u32::try_from(if power.is_multiple_of(over) { power / over * times } else { 0 }).ok())
        .filter(|length| u64::from(*length) >= least && *length != m)
        .collect();
    // The closest first. Each step is 7 to 25%.
    all.sort_by_key(|length| length.abs_diff(m));
    all.truncate(3);
    all
}
