//! The neighbours of a recipe, for a search by measurement.
//!
//! Each list begins with the recipes that most likely gain, since its end may never be measured. If
//! there are several passes, the list alternates between changes of each of them.

use crate::element::Element;
use crate::error::Result;
use crate::fft::chain::chain;
use crate::fft::choose::designer::Text;
use crate::fft::choose::designer::{COLUMNS, Designer, MAX_PRIME, at_least, lane_counts};
use crate::fft::choose::lines::Lines;
use crate::fft::choose::measured;
use crate::fft::choose::processors;
use crate::fft::choose::processors::{ForLanes, has_lanes};
use crate::fft::choose::{design, design_with};
use crate::fft::emit::lanes;
use crate::fft::factors::{factorizations, largest_prime};
use crate::fft::limits::{MAX_ELEMENTS, is_sane};
use crate::fft::lower::lower;
use crate::fft::recipe::{AxisRecipe, Exchange, PassRecipe, Reals, Recipe, Roots, Stockham};
use crate::fft::spec::geometry::Geometry;
use crate::fft::spec::kind::Kind;
use crate::fft::spec::transform::Transform;
use crate::fft::{C2c, C2r, R2c, R2r};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::transpose::Matrices;
use crate::plan::Spec;
use crate::transpose;
use crate::tune::{Searchable, in_turns, others};

macro_rules! searchable {
    ($($name:ident),*) => { $(
        impl<I: Element, O: Element> Searchable for $name<I, O> {
            fn baseline(&self, profile: &DeviceProfile) -> Result<Recipe> {
                let known = if self.transform.is_plain() { baseline(&self.transform, profile) } else { None };
                known.map_or_else(|| self.design(profile), Ok)
            }

            fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
                alternatives(&self.transform, profile)
            }

            fn neighbours(&self, recipe: &Recipe, profile: &DeviceProfile) -> Vec<Recipe> {
                neighbours(&self.transform, recipe, profile)
            }
        }
    )* };
}

searchable!(C2c, R2c, C2r, R2r);

/// The most neighbours of a recipe. A search seldom has time for more, and the last ones are of the
/// kinds that gain least.
const MOST: usize = 40;

/// Lengths from which on two passes may be faster than one.
const LONG: u32 = 1024;

struct Space<'a> {
    designer: Designer<'a>,
    transform: &'a Transform,
    geometry: &'a Geometry,
    profile: &'a DeviceProfile,
}

impl<'a> Space<'a> {
    fn new(transform: &'a Transform, geometry: &'a Geometry, profile: &'a DeviceProfile) -> Self {
        Self { designer: Designer::new(transform, geometry, profile), transform, geometry, profile }
    }
}

/// The kernel `fft/radix2` where it can be used: for dense rows, or for two dense axes with
/// transposes between them.
fn baseline(transform: &Transform, profile: &DeviceProfile) -> Option<Recipe> {
    let geometry = transform.geometry().ok()?;
    let most = profile.invocations.min(profile.workgroup_size[0]);
    let pass = |axis: usize| {
        let n = geometry.output_extents[axis];
        let fits = n.is_power_of_two() && u64::from(n) * 8 <= u64::from(profile.workgroup_bytes) && most > 0;
        // At least one wave of a GPU.
        let lanes = (n / 2).clamp(1, most.max(1));
        fits.then(|| (64.min(most) / lanes).max(1).min(profile.workgroup_bytes / 8 / n)).map(|rows| PassRecipe::Radix2 { rows, lanes })
    };
    let recipes: Vec<Recipe> = match geometry.axes[..] {
        [axis] => {
            vec![Recipe::Axes(vec![AxisRecipe::new(axis, vec![pass(axis)?])])]
        }
        [0, 1] => {
            let (rows, columns) = (pass(1)?, pass(0)?);
            let transposes = [[16, 16], [8, 4], [1, 1]].map(|workgroup| transpose::Recipe::Naive { workgroup });
            transposes.map(|transpose| Recipe::Transposed { rows: rows.clone(), columns: columns.clone(), transpose }).to_vec()
        }
        _ => return None,
    };
    recipes.into_iter().find(|recipe| lower(transform, recipe, profile).and_then(|program| program.check(profile)).is_ok())
}

/// The rules' recipes for other kinds of devices; other ways to transform one of the axes; more or
/// fewer lines for columns; other orders of the axes; transposes.
fn alternatives(transform: &Transform, profile: &DeviceProfile) -> Vec<Recipe> {
    let (Ok(geometry), Ok(own)) = (transform.geometry(), design(transform, profile)) else { return Vec::new() };
    let space = Space::new(transform, &geometry, profile);
    let mut all: Vec<Recipe> = Vec::new();
    // What takes long to compile, which the rules avoid on processors.
    all.extend(design_with(transform, profile, Text::Long));
    // With and without the kernel `fft/lanes`, then as on the other kind of device.
    let other = profile.of_other_kind();
    let without_lanes = DeviceProfile { subgroups: false, ..profile.clone() };
    all.extend([&without_lanes, &other].into_iter().filter_map(|profile| design(transform, profile).ok()));
    let Recipe::Axes(axes) = &own else { return all };
    let ways = axes.iter().enumerate().map(|(i, axis)| {
        let ways = space.lanes(axis).into_iter().chain(space.other_reals(axis)).chain(space.other_passes(axis));
        ways.filter_map(|way| space.replaced(axes, i, way)).collect()
    });
    all.extend(in_turns(ways));
    for (times, over) in [(2, 1), (1, 2)] {
        let scaled = |own: &AxisRecipe| {
            let passes = own.passes.iter().enumerate().map(|(f, pass)| match pass {
                PassRecipe::Stockham(stockham) if space.lines(own, f).is_some_and(|lines| lines.across) => {
                    PassRecipe::Stockham(Stockham { lines: (stockham.lines.saturating_mul(times) / over).max(1), ..stockham.clone() })
                }
                pass => pass.clone(),
            });
            AxisRecipe { passes: passes.collect(), ..own.clone() }
        };
        all.extend(space.sound(axes.iter().map(scaled).collect()));
    }
    all.extend(space.reversed(axes));
    all.extend(space.otherwise_together(axes));
    all.extend(space.transposed());
    others(Some(&own), all)
}

/// The recipes that differ in one decision. There are none for a recipe that does not solve the
/// transform.
fn neighbours(transform: &Transform, recipe: &Recipe, profile: &DeviceProfile) -> Vec<Recipe> {
    let Ok(geometry) = transform.geometry() else { return Vec::new() };
    let space = Space::new(transform, &geometry, profile);
    let all = match recipe {
        Recipe::Axes(axes) => {
            if chain(transform, &geometry, axes).is_err() || !axes.iter().flat_map(|axis| &axis.passes).all(is_sane) {
                return Vec::new();
            }
            let mut all = in_turns((0..axes.len()).map(|i| {
                let of_axis = space.of_axis(axes, i).into_iter();
                of_axis.filter_map(|axis| space.replaced(axes, i, axis)).collect()
            }));
            all.truncate(MOST);
            all.extend(space.reversed(axes));
            all
        }
        Recipe::Transposed { rows, columns, transpose } => space.around_transposes(rows, columns, transpose),
    };
    others(Some(recipe), all)
}

/// Whether a pass is worth a search's time on such a device: lanes only as the rules would take
/// them.
fn is_worth_while(pass: &PassRecipe, transform: &Transform, profile: &DeviceProfile) -> bool {
    match pass {
        PassRecipe::Lanes { width: own, .. } => has_lanes(transform, profile) && *own <= lanes::widest(profile),
        PassRecipe::Stockham(_) | PassRecipe::Radix2 { .. } => true,
    }
}

fn twice_and_half(value: u32) -> impl Iterator<Item = u32> {
    [value.saturating_mul(2), value / 2].into_iter().filter(|value| *value > 0)
}

impl Space<'_> {
    /// The recipe, if its passes form a chain and its `fft/lanes` passes are possible.
    fn sound(&self, axes: Vec<AxisRecipe>) -> Option<Recipe> {
        let fine = chain(self.transform, self.geometry, &axes).is_ok()
            && axes.iter().flat_map(|axis| &axis.passes).all(|pass| is_worth_while(pass, self.transform, self.profile))
            && processors::unfit(&axes, self.transform, self.geometry, self.profile).is_none()
            && axes.iter().all(|axis| (0..axis.passes.len()).all(|f| self.runs(axis, f)));
        fine.then_some(Recipe::Axes(axes))
    }

    /// Whether a pass fits the device, as far as that is known without its text.
    fn runs(&self, axis: &AxisRecipe, f: usize) -> bool {
        match (&axis.passes[f], self.lines(axis, f)) {
            (PassRecipe::Stockham(stockham), Some(lines)) => self.designer.with_any_registers().runs(stockham, lines),
            _ => true,
        }
    }

    /// The axes with a new recipe for one of them. Drops blocks that the new recipe cannot have, or
    /// that the next axis cannot follow.
    fn replaced(&self, axes: &[AxisRecipe], i: usize, axis: AxisRecipe) -> Option<Recipe> {
        let mut own = axes.to_vec();
        own[i] = axis;
        self.sound(own.clone()).or_else(|| {
            for axis in own.iter_mut().take(i + 1) {
                if let Some(PassRecipe::Stockham(last)) = axis.passes.last_mut() {
                    last.block = None;
                }
            }
            self.sound(own)
        })
    }

    /// The axes of a complex transform in reverse order. On an H200, columns first were 9 to 10%
    /// slower.
    fn reversed(&self, axes: &[AxisRecipe]) -> Option<Recipe> {
        if axes.len() < 2 || !matches!(self.transform.kind, Kind::C2c(_)) {
            return None;
        }
        let mut own: Vec<AxisRecipe> = axes.iter().rev().cloned().collect();
        for axis in &mut own {
            if let Some(PassRecipe::Stockham(last)) = axis.passes.last_mut() {
                last.block = None;
            }
        }
        self.sound(own)
    }

    /// Axes one after the other that were transformed together, or together however few pictures
    /// there are.
    fn otherwise_together(&self, axes: &[AxisRecipe]) -> Option<Recipe> {
        let order: Vec<usize> = axes.iter().flat_map(|axis| axis.axes().rev()).collect();
        let is_together = axes.iter().any(|axis| axis.through != axis.axis);
        let own = if is_together { self.designer.apart(&order).ok() } else { self.designer.pass_together(&order, |_| 1) };
        self.sound(own?)
    }

    /// What a pass of an axis transforms, if its recipe says so.
    fn lines(&self, axis: &AxisRecipe, f: usize) -> Option<Lines> {
        let n = axis.passes.get(f)?.n()?;
        if axis.through != axis.axis {
            return self.designer.pictures(axis.axes());
        }
        if axis.passes.len() == 1 {
            let lines = self.designer.lines(axis.axis, axis.reals);
            return Some(Lines { n, convolution: axis.bluestein.is_some(), ..lines });
        }
        let whole: u64 = axis.passes.iter().map(|pass| u64::from(pass.n().unwrap_or(1))).product();
        let rows = self.designer.lines(axis.axis, Reals::Complex);
        let count = u64::from(rows.count).saturating_mul(whole.checked_div(n.into())?).min(u32::MAX.into()) as u32;
        let convolution = axis.bluestein.is_some() && f + 1 == axis.passes.len();
        Some(Lines { across: true, convolution, ..Lines::rows(n, count) })
    }

    /// The neighbours of the recipe for one axis.
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
                PassRecipe::Lanes { factors, lanes, width, invocations, loops } => {
                    of_lanes(*factors, *lanes, *width, *invocations, *loops, self.profile, own.passes.len() == 1)
                }
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
            .partition(|other| other.passes.len() <= own.passes.len() || self.designer.lines(own.axis, own.reals).across);
        let other_ways = self.lanes(own).into_iter().chain(self.other_reals(own)).chain(early).collect();
        let mut all = in_turns([passes, other_ways]);
        all.extend(late);
        all
    }

    /// The axis with the other kernel: `fft/lanes` instead of `fft/pass`, or the reverse.
    fn lanes(&self, own: &AxisRecipe) -> Vec<AxisRecipe> {
        let is_lanes = |pass: &PassRecipe| matches!(pass, PassRecipe::Lanes { .. });
        if own.passes.iter().any(is_lanes) {
            return self.designer.in_one(own.axis, Reals::Complex, None).into_iter().collect();
        }
        let mut all = Vec::new();
        if let Some(inside) = ForLanes::new(self.transform, self.geometry, self.profile) {
            all.extend(inside.axis(own.axis, Text::Short));
        }
        if own.passes.iter().any(|pass| matches!(pass, PassRecipe::Radix2 { .. })) {
            all.extend(self.designer.in_one(own.axis, Reals::Complex, None));
        }
        all
    }

    /// Rows of reals as halves, as pairs, or as complex numbers.
    fn other_reals(&self, own: &AxisRecipe) -> Vec<AxisRecipe> {
        if !self.designer.has_reals(own.axis) {
            return Vec::new();
        }
        let axis = own.axis;
        let ways = [Reals::Halves, Reals::Pairs, Reals::Complex].into_iter().filter(|reals| *reals != own.reals);
        let ways = ways.filter(|reals| *reals != Reals::Halves || self.designer.has_halves(axis));
        // A convolution of halves has another length.
        let ways = ways.filter(|reals| own.bluestein.is_none() || ![own.reals, *reals].contains(&Reals::Halves));
        ways.filter_map(|reals| {
            let several = || if reals == Reals::Pairs { None } else { self.designer.in_several(axis, reals, own.bluestein) };
            self.designer.in_one(axis, reals, own.bluestein).or_else(several)
        })
        .collect()
    }

    /// The axis as a convolution of another length, in one pass instead of several, or in passes of
    /// other lengths.
    fn other_passes(&self, own: &AxisRecipe) -> Vec<AxisRecipe> {
        let (axis, reals, designer) = (own.axis, own.reals, &self.designer);
        let n = designer.lines(axis, reals).n;
        let mut all = Vec::new();
        if let Some(m) = own.bluestein {
            // A prime of moderate size can also be a radix.
            if largest_prime(n) < MAX_ELEMENTS && largest_prime(n) > MAX_PRIME {
                all.extend(designer.in_one(axis, reals, None));
            }
            let several = |m| if reals == Reals::Pairs { None } else { designer.in_several(axis, reals, Some(m)) };
            all.extend(convolutions(n, m).into_iter().filter_map(|m| designer.in_one(axis, reals, Some(m)).or_else(|| several(m))));
        }
        let lengths: Vec<u32> = own.passes.iter().filter_map(PassRecipe::n).collect();
        if lengths.len() < own.passes.len() {
            // The recipe is radix2, which does not state its length.
            return all;
        }
        let whole = lengths.iter().fold(1u32, |whole, length| whole.saturating_mul(*length));
        if own.passes.iter().all(|pass| matches!(pass, PassRecipe::Lanes { .. })) {
            all.extend(lanes_in_two(own, whole));
            return all;
        }
        if lengths.len() == 1 {
            if whole >= LONG && reals != Reals::Pairs {
                let splits = [2, 3].into_iter().filter(|passes| *passes == 2 || whole >= 1 << 18);
                all.extend(splits.filter_map(|passes| designer.in_lengths(axis, reals, own.bluestein, &designer.split(whole, passes)?)));
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
        all.extend(other_lengths.iter().filter_map(|lengths| designer.in_lengths(axis, reals, own.bluestein, lengths)));
        all.extend(designer.in_one(axis, reals, own.bluestein));
        let count = lengths.len() as u32;
        if count == 3 && reals == Reals::Complex && own.bluestein.is_none() && !self.profile.is_cpu() {
            all.extend(designer.in_two_of_few_lines(axis, whole));
        }
        let splits = [count + 1, count - 1].into_iter().filter(|count| (2..=3).contains(count));
        all.extend(splits.filter_map(|passes| designer.in_lengths(axis, reals, own.bluestein, &designer.split(whole, passes)?)));
        all
    }

    /// The neighbours of a `fft/pass` recipe, best first.
    fn of_registers(&self, axes: &[AxisRecipe], i: usize, f: usize, own: &Stockham) -> Vec<PassRecipe> {
        let axis = &axes[i];
        let Some(lines) = self.lines(axis, f) else { return Vec::new() };
        let mut all: Vec<Stockham> = Vec::new();
        let other_lines = twice_and_half(own.lines).filter(|other| *other < own.lines || own.lines < at_least(lines.count));
        all.extend(other_lines.map(|lines| Stockham { lines, ..own.clone() }));
        let exchanges = own.radices.len() > 1 || lines.pairs;
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
                *stockham = if self.designer.runs(&kept, lines) { kept } else { Stockham { block: own.block, ..stockham.clone() } };
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
        let fine = others(Some(own), all).into_iter().filter(|other| self.designer.runs(other, lines));
        fine.map(PassRecipe::Stockham).collect()
    }

    /// More and fewer lanes, few of them idle; once with the same number of lines, once with the
    /// same number of invocations.
    fn other_lanes(&self, own: &Stockham, lines: Lines) -> Vec<Stockham> {
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
            let invocations = (own.lanes.saturating_mul(own.lines) / lanes).max(1).min(at_least(lines.count));
            let traded = Stockham { lines: 1 << invocations.ilog2(), ..same.clone() };
            // If the pieces do not fit the new lanes, use a single piece.
            all.extend([same, traded].map(|other| if self.designer.runs(&other, lines) { other } else { Stockham { pieces: 1, ..other } }));
        }
        all
    }

    /// Other orders of the radices, then up to `most` lists of other radices: those measured, two
    /// instead of one, one instead of two, and other products of few radices, by the estimate of
    /// the rules.
    fn other_radices(&self, own: &Stockham, lines: Lines, most: usize) -> Vec<Stockham> {
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
            if self.designer.runs(&kept, lines) { kept } else { Stockham { pieces: 1, ..kept } }
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
            counts.map(|lanes| (self.designer.cost(n, radices, lanes, lines), lanes)).min_by(|a, b| a.0.total_cmp(&b.0))
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
        let known = measured::one(lines).map(|(pass, _)| (pass.radices, pass.lanes)).filter(|(radices, _)| *radices != own.radices);
        let shapes = known.into_iter().chain(pool.into_iter().map(|(_, shape)| shape));
        let completed = shapes.filter_map(|shape| self.designer.complete(shape, lines)).take(most);
        orders.chain(completed).collect()
    }

    /// The blocks in which a pass may store its result for the next pass of the axis, or for the
    /// next axis, including no blocks.
    fn blocks(&self, axes: &[AxisRecipe], i: usize, f: usize, own: &Stockham) -> Vec<Option<[u32; 2]>> {
        let axis = &axes[i];
        let stockham = |pass: &PassRecipe| if let PassRecipe::Stockham(stockham) = pass { Some(stockham.lines) } else { None };
        if f + 1 < axis.passes.len() {
            let last = axis.passes.last().and_then(PassRecipe::n).unwrap_or(1);
            let along = own.block.map_or(own.lines, |[along, _]| along);
            let others = [along, along.saturating_mul(2), along / 2].into_iter().filter(|along| (2..=last).contains(along));
            let others = others.map(|along| Some([along, 1]));
            return if own.block.is_some() { others.chain([None]).collect() } else { others.take(1).collect() };
        }
        let Some(next) = axes.get(i + 1).filter(|next| axis.passes.len() == 1 && next.passes.len() == 1) else { return Vec::new() };
        let Some(lines) = stockham(&next.passes[0]) else { return Vec::new() };
        // If the next axis takes more than 8 lines, blocks gain nothing, because its loads are long
        // enough already.
        if own.block.is_none() && lines > COLUMNS {
            return Vec::new();
        }
        let all = [[8, 16], [8, 8], [4, 16], [16, 8]].map(Some);
        if own.block.is_some() { all.into_iter().chain([None]).collect() } else { all[..2].to_vec() }
    }

    /// Two dense axes as row transforms and transposes, with the rules' recipes for rows.
    fn transposed(&self) -> Option<Recipe> {
        let [r, c] = self.matrix()?;
        let rows = |n: u32, other: u32| {
            let count = other.saturating_mul(self.geometry.output_extents[2]);
            self.designer.pass(Lines::rows(n, count)).map(PassRecipe::Stockham)
        };
        let transpose = self.transposes([r, c], None).into_iter().next()?;
        Some(Recipe::Transposed { rows: rows(c, r)?, columns: rows(r, c)?, transpose })
    }

    /// The extents of rows and columns, if transposes can be used.
    fn matrix(&self) -> Option<[u32; 2]> {
        match (self.transform.kind, &self.geometry.axes[..], &self.geometry.output_extents[..]) {
            (Kind::C2c(_), [0, 1], &[r, c, _]) if self.geometry.dense => Some([r, c]),
            _ => None,
        }
    }

    /// Recipes for both transposes: the rules' recipe for each, or the neighbours of the given one.
    fn transposes(&self, [r, c]: [u32; 2], around: Option<&transpose::Recipe>) -> Vec<transpose::Recipe> {
        let batch = self.geometry.output_extents[2];
        let bytes = u64::from(r) * u64::from(c) * u64::from(batch) * 8;
        let [there, back] = [[r, c], [c, r]]
            .map(|[rows, columns]| (transpose::Problem::matrices(8, [rows, columns], batch), Some((Matrices { rows, columns, batch }, 8))));
        let task = |of: &'_ (transpose::Problem, Option<(Matrices, u32)>)| -> Vec<transpose::Recipe> {
            let task = transpose::OnDevice {
                problem: &of.0,
                matrices: of.1,
                label: String::new(),
                slots: [Slot::Input(0), Slot::Output],
                bytes: [bytes; 2],
                profile: self.profile,
            };
            match around {
                Some(own) => transpose::around(own, &task),
                None => transpose::choices(&task),
            }
        };
        let back = task(&back);
        task(&there).into_iter().filter(|recipe| back.contains(recipe)).collect()
    }

    fn around_transposes(&self, rows: &PassRecipe, columns: &PassRecipe, transpose: &transpose::Recipe) -> Vec<Recipe> {
        let Some([r, c]) = self.matrix() else { return Vec::new() };
        if !is_sane(rows) || !is_sane(columns) {
            return Vec::new();
        }
        let of_rows = |own: &PassRecipe, n: u32, other: u32| -> Vec<PassRecipe> {
            let count = other.saturating_mul(self.geometry.output_extents[2]);
            let lines = Lines::rows(n, count);
            let by_the_rules = self.designer.pass(lines).map(PassRecipe::Stockham);
            match own {
                PassRecipe::Stockham(stockham) if stockham.n() == n => {
                    let mut all: Vec<Stockham> =
                        twice_and_half(stockham.lines).map(|lines| Stockham { lines, ..stockham.clone() }).collect();
                    all.extend(self.other_lanes(stockham, lines));
                    all.extend(self.other_radices(stockham, lines, 4));
                    all.retain(|other| self.designer.runs(other, lines));
                    all.into_iter().map(PassRecipe::Stockham).chain(by_the_rules).collect()
                }
                PassRecipe::Radix2 { rows, lanes } => by_the_rules.into_iter().chain(of_radix2(*rows, *lanes)).collect(),
                _ => by_the_rules.into_iter().collect(),
            }
        };
        let own = || (rows.clone(), columns.clone(), *transpose);
        let with = |(rows, columns, transpose)| Recipe::Transposed { rows, columns, transpose };
        let of_rows = [
            of_rows(rows, c, r).into_iter().map(|rows| with((rows, own().1, own().2))).collect(),
            of_rows(columns, r, c).into_iter().map(|columns| with((own().0, columns, own().2))).collect(),
            self.transposes([r, c], Some(transpose)).into_iter().map(|transpose| with((own().0, own().1, transpose))).collect(),
        ];
        // Without transposes it is usually faster.
        let without = design(self.transform, self.profile).ok();
        without.into_iter().chain(in_turns(of_rows)).take(MOST).collect()
    }
}

/// Accesses of one number instead of two, or the reverse, where numbers are short: as it is, or
/// with half as many lanes, each of which has two butterflies then.
fn other_width(own: &Stockham, lines: Lines) -> Vec<Stockham> {
    let with = |width, lanes| Stockham { width, lanes, ..own.clone() };
    match own.width {
        1 if lines.half && !lines.pairs && !lines.convolution && (lines.across || own.lanes == 1) => vec![with(2, own.lanes)],
        1 if lines.half && !lines.pairs && !lines.convolution => vec![with(2, own.lanes), with(2, own.lanes / 2)],
        1 => Vec::new(),
        _ => vec![with(1, own.lanes)],
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

/// The nearest divisors to these two factors, and the two factors exchanged.
fn other_pairs([a, b]: [u32; 2]) -> Vec<[u32; 2]> {
    let product = a.saturating_mul(b);
    let divisors = (2..=product.isqrt()).filter(|d| product.is_multiple_of(*d)).flat_map(|d| [d, product / d]);
    let mut divisors: Vec<u32> = divisors.filter(|d| *d < product).collect();
    divisors.sort_unstable();
    divisors.dedup();
    let next = |step: isize| {
        let at = divisors.iter().position(|d| *d == a)?;
        divisors.get(at.checked_add_signed(step)?).copied()
    };
    let all = [Some(b), next(-1), next(1)].into_iter().flatten().filter(|d| *d != a);
    all.map(|d| [d, product / d]).collect()
}

fn of_radix2(rows: u32, lanes: u32) -> Vec<PassRecipe> {
    let lanes_first = twice_and_half(lanes).map(|lanes| PassRecipe::Radix2 { rows, lanes });
    lanes_first.chain(twice_and_half(rows).map(|rows| PassRecipe::Radix2 { rows, lanes })).collect()
}

/// The neighbours of a `fft/lanes` recipe. They include other factors if it transforms a whole
/// line.
fn of_lanes(
    factors: [u32; 2],
    lanes: u32,
    width: u32,
    invocations: u32,
    loops: bool,
    profile: &DeviceProfile,
    whole: bool,
) -> Vec<PassRecipe> {
    let pass = |factors, lanes, width, invocations| PassRecipe::Lanes { factors, lanes, width, invocations, loops: loops && lanes > 1 };
    let most = profile.invocations.min(profile.workgroup_size[0]).min(256);
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
        let pair = processors::pairs(n, 1).last();
        all.extend(pair.map(|factors| pass(factors, 2, width, invocations)));
    }
    all.extend(twice_and_half(width).filter(|width| *width <= 4).map(|width| pass(factors, lanes, width, invocations)));
    all
}

/// A line in two `fft/lanes` passes instead of one, in two of other lengths, or in one instead of
/// two.
fn lanes_in_two(own: &AxisRecipe, n: u32) -> Vec<AxisRecipe> {
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
        if let Some(factors) = processors::pairs(n, 1).last() {
            all.extend([2, 4, 8].map(|lanes| with(vec![PassRecipe::Lanes { factors, lanes, width, invocations, loops: false }])));
        }
    } else if let Some([large, small]) = processors::pairs(n, 1).last() {
        all.extend([[small, large], [large, small]].map(|lengths| with(pair(lengths))));
    }
    all
}
