//! The rules that choose a recipe for a device.
//!
//! Times in the comments are medians in ms on an NVIDIA H200 through Vulkan unless said otherwise,
//! of 2²⁵ to 2²⁶ points for rows; the runs are in benches/reports.

use super::design_convolution::LONGEST_ON_CPU;
use super::design_cpu::{self, Text};
use super::design_measured::{measured, measured_column, measured_in_twos, measured_passes, measured_pieces};
use super::design_together::fewest;
use super::factors::{factorizations, largest_prime, split};
use super::fit::MAX_ELEMENTS;
use super::lanes::CACHE_LINE;
use super::lower::check_pass;
use super::number::Number;
use super::passes::chain;
use super::place::Storage;
use super::real_kind::RealKind;
use super::recipe::{AxisRecipe, Exchange, PassRecipe, Reals, Recipe, Stockham};
use super::transform::{End, Geometry, Kind, Transform};
use crate::error::{Error, Result};
use crate::gpu::{DeviceProfile, Registers};
use crate::plan::Placement;

pub(super) fn design(transform: &Transform, profile: &DeviceProfile) -> Result<Recipe> {
    design_with(transform, profile, Text::Short)
}

/// A recipe whose shaders are as long as on processors they may be.
pub(super) fn design_with(transform: &Transform, profile: &DeviceProfile, text: Text) -> Result<Recipe> {
    transform.check_device(profile)?;
    let geometry = transform.geometry()?;
    let designer = |pairs| Designer { pairs, ..Designer::new(transform, &geometry, profile) };
    let axes = designer(true).recipe(text)?;
    // In some layouts the nearest rows are not those that another axis mixes.
    let is_wrong = axes.iter().any(|axis| axis.reals == Reals::Pairs) && chain(transform, &geometry, &axes).is_err();
    Ok(Recipe::Axes(if is_wrong { designer(false).recipe(text)? } else { axes }))
}

/// The largest prime that is a radix. Larger ones make a convolution (Bluestein) of more than twice
/// the length.
pub(super) const MAX_PRIME: u32 = 31;

/// Neighbouring lines that a workgroup should have at least where the array's fastest index is not
/// the line's: 8 complex numbers are 64 bytes, two sectors of a GPU's cache. 4096²: 4 columns
/// 0.183, 2 columns 0.234; 1024²: 8 0.0142, 4 0.0148.
pub(super) const COLUMNS: u32 = 8;

/// Longest transform that has columns, of a workgroup 4. Also there and back: a convolution of
/// 4096² with columns of 4320 0.600 in one pass there and back, 0.387 in two passes each way.
const LONGEST_COLUMN: u32 = 4096;

/// Blocks of the array between the axis before the last and rows back to reals in pairs. Half-spectra
/// have rows at odd distances, and blocks have not. H100, ms without blocks and with them: 16 of 1024²
/// 0.1343 and 0.1048, 64 of 512² 0.1200 and 0.1032, 8 of 1080x1920 0.1308 and 0.1202, 256³ 0.1805 and
/// 0.1523; arrays that stay in a cache gain less, 2048² 0.0360 and 0.0343, 1080x1920 0.0206 and 0.0209.
/// In blocks of 4 by 4 and 4 by 8 the same, of 8 by 8 3% more. Columns of up to 4096 take one pass then:
/// 4096² in three passes 0.1611, in two 0.1243, 2160x4096 0.0887 and 0.0788. Rows in four stages lose:
/// 2000x3000 0.0637 and 0.0689 (benches/reports/2026-11-26-alignment).
const BLOCK_BEFORE_ROWS: [u32; 2] = [4, 16];

/// Whether the array may be in blocks before such rows.
fn takes_blocks(rows: &AxisRecipe) -> bool {
    let is_short = |pass: &PassRecipe| matches!(pass, PassRecipe::Stockham(pass) if pass.radices.len() <= 3);
    rows.bluestein.is_none() && rows.reals == Reals::Pairs && rows.passes.len() == 1 && rows.passes.iter().all(is_short)
}

/// From so many columns on there are enough workgroups for each of them to take fewer.
pub(super) const MANY_COLUMNS: u64 = 4096;

/// What a pass over columns costs, if one over rows costs 1.
const COLUMN_COST: f64 = 1.5;

/// All orders of at most three axes.
fn orders(axes: &[usize]) -> Vec<Vec<usize>> {
    if axes.len() < 2 {
        return vec![axes.to_vec()];
    }
    let with_first = |i: usize| {
        let rest: Vec<usize> = axes.iter().enumerate().filter(|(own, _)| *own != i).map(|(_, &axis)| axis).collect();
        orders(&rest).into_iter().map(move |rest| std::iter::once(axes[i]).chain(rest).collect())
    };
    (0..axes.len()).flat_map(with_first).collect()
}

/// Neighbouring lines of shorter transforms: 128 bytes. 256³ 16 columns 0.218, 8 columns 0.247;
/// 128³ 0.0287 and 0.0317.
const SHORT_COLUMNS: u32 = 16;

/// Longest line of a pass that a processor transforms in one lane, where a long axis is divided
/// into such.
pub(super) const LONGEST_IN_ONE_LANE: u32 = 32;

/// What a pass is to transform.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub n: u32,
    /// Number of lines, as far as it decides how many of them a workgroup takes.
    pub count: u32,
    /// Numbers in all lines. If a line takes several passes, those of the whole array.
    pub points: u64,
    /// The lines lie across the array's fastest index.
    pub across: bool,
    /// Rows of reals, in pairs or in halves.
    pub pairs: bool,
    /// Rows of reals in halves.
    pub halves: bool,
    /// It is a convolution: the stages come again in reverse.
    pub convolution: bool,
    /// The arrays on both sides hold numbers of 16 bits.
    pub half: bool,
    /// Frames of a signal in halves that overlap by at least a half, so that most samples come from
    /// a cache, and the arithmetic decides.
    pub frames: bool,
    /// Halves on the way back to reals: each invocation loads two ends of a spectrum.
    pub back: bool,
}

impl Lines {
    /// Complex rows.
    pub fn rows(n: u32, count: u32) -> Self {
        Self {
            n,
            count,
            points: u64::from(n) * u64::from(count),
            across: false,
            pairs: false,
            halves: false,
            convolution: false,
            half: false,
            frames: false,
            back: false,
        }
    }
}

/// 32-bit registers of an invocation that holds so many complex numbers of f32, about: what drivers of
/// AMD, Apple and Qualcomm take for butterflies of 8 to 32 numbers (benches/reports/reach). Between
/// stages, places in workgroup memory and roots of unity come on top.
fn registers_of(elements: u32, stages: usize) -> u32 {
    if stages > 1 { elements.saturating_mul(4).saturating_add(24) } else { elements.saturating_mul(3).saturating_add(16) }
}

/// The rules for one transform on one device.
#[derive(Clone, Copy)]
pub(super) struct Designer<'a> {
    pub transform: &'a Transform,
    pub geometry: &'a Geometry,
    pub profile: &'a DeviceProfile,
    /// Whether rows of reals may be taken in pairs, where they mix anyway.
    pub pairs: bool,
    /// What is to be kept to; `liked` is the most of an invocation.
    registers: Registers,
}

impl<'a> Designer<'a> {
    pub fn new(transform: &'a Transform, geometry: &'a Geometry, profile: &'a DeviceProfile) -> Self {
        // A processor's registers are not what decides, and its rules are others.
        let registers = if profile.is_cpu() { Registers::PLENTY } else { profile.registers };
        Self { transform, geometry, profile, pairs: true, registers }
    }

    /// The same for recipes that are the caller's, or to be measured.
    pub fn with_any_registers(self) -> Self {
        Self { registers: Registers::PLENTY, ..self }
    }
}

impl Designer<'_> {
    /// What the rules find with as many registers for each invocation as the device likes, or else
    /// with more: a pass through memory costs more than idle cores.
    pub fn within<T>(&self, find: impl Fn(&Self) -> Option<T>) -> Option<T> {
        let most = self.registers.most;
        let mut steps = std::iter::successors(Some(self.registers.liked), |own| (*own < most).then(|| most.min(own.saturating_mul(2))));
        steps.find_map(|liked| find(&Self { registers: Registers { liked, ..self.registers }, ..*self }))
    }

    /// The largest radix for which the registers are enough.
    pub fn radix(&self) -> u32 {
        (self.registers.liked.saturating_sub(registers_of(0, 2)) / 4 / self.words()).max(2)
    }

    /// Whether the registers of the device are too few for the recipes that were measured.
    fn has_few_registers(&self) -> bool {
        self.registers.liked < Registers::PLENTY.liked
    }

    /// The recipes of all axes.
    fn recipe(&self, text: Text) -> Result<Vec<AxisRecipe>> {
        let Self { transform, geometry, profile, .. } = *self;
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
        design_cpu::improve(&mut axes, transform, geometry, profile, text);
        self.in_twos(&mut axes);
        Ok(axes)
    }

    /// The axes one after the other.
    pub fn apart(&self, order: &[usize]) -> Result<Vec<AxisRecipe>> {
        order.iter().map(|&axis| self.axis(axis)).collect()
    }

    fn axis(&self, axis: usize) -> Result<AxisRecipe> {
        if let Kind::Filter { .. } = self.transform.kind {
            return self.filter(axis);
        }
        let real = self.has_reals(axis);
        let Lines { n, across, .. } = self.lines(axis, Reals::Complex);
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
            // spectrum: real 8192² 0.4245 and 0.4400, rows of 1024 0.1338 and 0.1357. On the way
            // back pairs are: 4096² 0.1177 and 0.1253, rows of 1024 0.1323 and 0.1506. Cosine
            // transforms of type II along rows of 4096² take 0.1279 in all with pairs and 0.1331
            // with halves; those of 256³ 0.2252 and 0.1772. Two 16-bit reals share a word, and
            // halves store both at once: f16, 64 of 512² 0.1083 in pairs and 0.0815 in halves, 256³
            // 0.1397 and 0.1035, 4096² 0.1407 and 0.1259.
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
    /// parts of axes are given or wanted; of equal orders the first one. A quarter of 4096² is
    /// data: rows first 0.1322, columns first 0.1086; of 2048² 0.0290 and 0.0274. Small arrays are
    /// as fast with rows first: 1024² 0.0109 and 0.0117.
    fn best_order(&self, order: Vec<usize>) -> Vec<usize> {
        let [input, output] = &self.geometry.windows;
        let cost = |order: &[usize]| {
            let mut extents: Vec<f64> = input.iter().map(|window| window.len.into()).collect();
            let size = |extents: &[f64]| extents.iter().product::<f64>();
            let mut sum = 0.0;
            for &axis in order {
                let read = size(&extents);
                extents[axis] = output[axis].len.into();
                sum += (read + size(&extents)) * if self.is_fastest(axis) { 1.0 } else { COLUMN_COST };
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
    fn filter(&self, axis: usize) -> Result<AxisRecipe> {
        let lines = self.lines(axis, Reals::Complex);
        let n = lines.n;
        let fits = !self.profile.is_cpu() || n <= LONGEST_ON_CPU[usize::from(lines.across)];
        let own = Lines { convolution: true, ..lines };
        let stockham = if fits && largest_prime(n) <= self.max_prime() { self.within(|designer| designer.pass(own)) } else { None };
        let passes = stockham.map(|stockham| vec![PassRecipe::Stockham(stockham)]);
        passes.map(|passes| AxisRecipe::new(axis, passes)).ok_or_else(|| {
            let what = format!("a transform of length {n} there and back in one pass");
            Error::Unsupported { what, why: "it does not fit a workgroup: transform there and back in passes of their own".to_owned() }
        })
    }

    /// Whether an axis has reals on one side.
    pub fn has_reals(&self, axis: usize) -> bool {
        !matches!(self.transform.kind, Kind::Filter { .. }) && self.transform.inner(axis).reals.is_some()
    }

    /// Whether rows of reals may be taken in pairs: the caller lets them mix, another axis mixes
    /// them, or they are the parts of complex numbers.
    pub fn may_pair(&self, axis: usize) -> bool {
        let in_parts = self.transform.kind != Kind::R2r && self.transform.real_kind(axis).is_some();
        self.pairs && (self.transform.rows_mix || in_parts || self.geometry.axes.iter().any(|&other| other != axis))
    }

    /// Whether neighbouring columns of reals are best transformed in pairs, each pair in one
    /// access: the cosine transform of type II of 4096² 0.1279, with columns in halves 0.1554.
    fn has_pairs_of_columns(&self, axis: usize) -> bool {
        let last = self.transform.shape.rank() - 1;
        let knows = self.transform.real_kind(axis).is_some_and(RealKind::is_type_ii_or_iii);
        let is_even = self.transform.shape.extents()[last].is_multiple_of(2);
        self.pairs && knows && axis != last && is_even && self.geometry.axes.contains(&last) && self.transform.kind == Kind::R2r
    }

    /// Whether its rows of reals can be taken in halves.
    pub fn has_halves(&self, axis: usize) -> bool {
        let is_even = self.transform.inner(axis).n.is_multiple_of(2);
        is_even && (self.transform.real_kind(axis).is_some() || self.transform.reals_in_twos(self.geometry))
    }

    /// The lines of an axis whose reals are taken in such a way, for one pass.
    pub fn lines(&self, axis: usize, reals: Reals) -> Lines {
        let n = self.transform.inner(axis).n;
        let is_input = self.has_reals(axis) && self.transform.kind == Kind::R2c;
        let extents = if is_input { &self.geometry.input_extents } else { &self.geometry.output_extents };
        let others = extents.iter().enumerate().filter(|(own, _)| *own != axis).map(|(_, &extent)| u64::from(extent));
        let count = others.product::<u64>().min(u32::MAX.into()) as u32;
        let is_half = |end: End| matches!(self.transform.storage(end), Storage::Half(_));
        let half = is_half(End::Input) && is_half(End::Output);
        let frames = self.transform.framing.is_some_and(|framing| 2 * u64::from(framing.hop) <= u64::from(framing.n));
        let rows = Lines { across: !self.is_fastest(axis), half, ..Lines::rows(n, count) };
        match reals {
            Reals::Complex => rows,
            Reals::Pairs => Lines { count: count.div_ceil(2), pairs: true, ..rows },
            Reals::Halves | Reals::Packed => {
                Lines { n: n / 2, pairs: true, halves: true, frames, back: self.transform.kind == Kind::C2r, ..rows }
            }
        }
    }

    /// An axis in one pass, if it fits, perhaps as a convolution.
    pub fn in_one(&self, axis: usize, reals: Reals, bluestein: Option<u32>) -> Option<AxisRecipe> {
        let lines = self.lines(axis, reals);
        let lines = bluestein.map_or(lines, |m| Lines { n: m, convolution: true, ..lines });
        let stockham = self.within(|designer| designer.pass(lines))?;
        Some(AxisRecipe { bluestein, reals, ..AxisRecipe::new(axis, vec![PassRecipe::Stockham(stockham)]) })
    }

    /// An axis in several passes, if the one pass has more than four stages. 20000 as 10.10.10.5.4
    /// took 0.1112, as 100·200 0.1050; but 24576 as 16.16.12.8 0.0946, as 96·256 0.1065.
    fn or_several(&self, one: AxisRecipe) -> AxisRecipe {
        let Lines { count, across, .. } = self.lines(one.axis, Reals::Complex);
        let is_slow =
            |pass: &Stockham| pass.radices.len() > 4 && self.is_estimated(pass.n(), u64::from(count) * u64::from(pass.n()), across);
        match &one.passes[..] {
            [PassRecipe::Stockham(pass)] if one.reals != Reals::Pairs && !self.has_few_registers() && is_slow(pass) => {
                self.in_several(one.axis, one.reals, None).unwrap_or(one)
            }
            _ => one,
        }
    }

    /// Whether the device is a processor whose barriers cost more than a pass through memory:
    /// SwiftShader, with vectors of 4. It takes, with lines shared by lanes and with a lane for
    /// each line of up to 64, for 16384 rows of 64 60 and 9.2 ms; for 1024 rows of 1024 111, 32·32
    /// 22.0, 64·16 18.0, 8·8·16 26.4; 1000 rows 109 and 21.5; 256² 9.6 and 1.7; 512² 51.6 and 8.7;
    /// real 256² 7.6 and 1.9. lavapipe, with vectors of 8, does not: 1000 rows 12.0 and 19.4, real
    /// 256² 1.21 and 1.34.
    fn barriers_are_dear(&self) -> bool {
        self.profile.is_cpu() && self.profile.subgroup_sizes[1] < 8
    }

    /// An axis in as many passes as it takes for each line to be in one lane, where that is worth
    /// while.
    fn without_barriers(&self, axis: usize) -> Option<AxisRecipe> {
        let reals = if self.has_reals(axis) && self.has_halves(axis) { Reals::Halves } else { Reals::Complex };
        let n = self.lines(axis, reals).n;
        if !self.barriers_are_dear() || n <= self.in_one_lane() {
            return None;
        }
        let lengths = split(n, &|length| length <= self.in_one_lane())?;
        self.in_lengths(axis, reals, None, &lengths)
    }

    /// An axis in several passes.
    pub fn in_several(&self, axis: usize, reals: Reals, bluestein: Option<u32>) -> Option<AxisRecipe> {
        let n = bluestein.unwrap_or(self.lines(axis, reals).n);
        let Lines { count, across, .. } = self.lines(axis, Reals::Complex);
        let points = u64::from(count) * u64::from(n);
        let is_plain = reals == Reals::Complex && bluestein.is_none() && !across;
        if is_plain && let Some(passes) = self.measured_passes(n) {
            return Some(AxisRecipe::new(axis, passes));
        }
        let estimated = bluestein.is_none() && self.is_estimated(n, points, across);
        let lengths = if estimated { self.estimated_lengths(n) } else { None };
        let lengths = lengths.or_else(|| split(n, &|length| self.part(length, u64::MAX).is_some()))?;
        self.in_lengths(axis, reals, bluestein, &lengths)
    }

    /// Passes that were measured, where they fit the device.
    fn measured_passes(&self, n: u32) -> Option<Vec<PassRecipe>> {
        let passes =
            measured_passes(n, self.transform.placement).filter(|_| !self.profile.is_cpu() && self.transform.number == Number::F32)?;
        passes.iter().all(|own| self.runs_across(own)).then(|| passes.into_iter().map(PassRecipe::Stockham).collect())
    }

    /// Whether the axis is the fastest index of input and output.
    fn is_fastest(&self, axis: usize) -> bool {
        let sides = [(&self.geometry.input, &self.geometry.input_extents), (&self.geometry.output, &self.geometry.output_extents)];
        sides.into_iter().all(|(placed, extents)| {
            // Frames of a signal share its elements.
            let longer = placed.strides.iter().zip(extents).filter(|(stride, extent)| **extent > 1 && **stride > 0);
            longer.map(|(stride, _)| *stride).min().is_none_or(|least| placed.strides[axis] <= least)
        })
    }

    /// Whether 4 neighbouring lines are whole sectors of memory on both sides.
    fn has_whole_sectors(&self, axis: usize) -> bool {
        [&self.geometry.input, &self.geometry.output].iter().all(|placed| placed.strides[axis].is_multiple_of(4))
    }

    /// Whether the next axis may be rows back to reals in pairs, and the array in blocks before it.
    fn is_before_rows(&self, axis: usize) -> bool {
        let Transform { kind, number, placement, .. } = *self.transform;
        let measured = (kind, number, placement) == (Kind::C2r, Number::F32, Placement::OutOfPlace) && self.transform.is_plain();
        let extents = self.transform.shape.extents();
        measured && axis + 2 == extents.len() && self.geometry.axes.contains(&axis) && extents[axis].is_multiple_of(2)
    }

    /// Whether the array is in blocks between this axis and the next one, which is that of the
    /// rows.
    fn has_blocks_before_rows(&self, axis: usize) -> bool {
        self.is_before_rows(axis) && self.axis(axis + 1).is_ok_and(|rows| takes_blocks(&rows))
    }

    /// Blocks of the array between two axes, where the second has so few columns in a workgroup
    /// that what it loads would be short pieces. 4096² without 0.224, in blocks of 8 x 8 0.1898, 4
    /// x 16 0.1897, 8 x 16 0.1895, 16 x 4 0.1997; real 0.1400, 0.1312, 0.1282. From 8 columns on
    /// they win nothing: 2048² 0.0457, 8 x 8 0.0467.
    fn block(&self, axis: &mut AxisRecipe, next: &mut AxisRecipe) {
        let together = [&*axis, next].iter().any(|own| own.through != own.axis);
        if self.profile.is_cpu() || together {
            return;
        }
        if axis.bluestein.is_none()
            && self.is_before_rows(axis.axis)
            && takes_blocks(next)
            && let [PassRecipe::Stockham(column)] = &mut axis.passes[..]
        {
            column.block = Some(BLOCK_BEFORE_ROWS);
            return;
        }
        if !self.is_fastest(axis.axis) {
            return;
        }
        let lines = self.lines(next.axis, Reals::Complex);
        let is_complex = next.bluestein.is_none() && next.reals == Reals::Complex;
        if is_complex
            && self.transform.number == Number::F32
            && self.has_whole_sectors(next.axis)
            && let [PassRecipe::Stockham(first)] = &mut axis.passes[..]
            && let Some((column, block)) = measured_column(lines).filter(|(column, _)| self.runs_across(column))
        {
            first.block = Some(block);
            next.passes = vec![PassRecipe::Stockham(column)];
            return;
        }
        let ([PassRecipe::Stockham(first)], [PassRecipe::Stockham(second)]) = (&mut axis.passes[..], &mut next.passes[..]) else { return };
        // In rows at odd distances they lose: 4 of real 2048² on an H100 8 columns 0.1336, 4 columns
        // 0.2042 (without blocks 0.1317).
        let halved = is_complex && self.has_whole_sectors(next.axis) && self.halve(second, lines);
        if halved || second.lines < self.columns(COLUMNS) && second.n() > LONGEST_COLUMN / 2 {
            first.block = Some([8, 16]);
        }
    }

    /// Takes 4 columns instead of 8, if a workgroup would have so many numbers that a core had room
    /// for one alone, and there are enough of them. The array before needs blocks then: 2^22 as
    /// 2048·2048, 8 columns 0.2024 (without blocks 0.1893), 4 columns 0.1774 (without 0.1869); 4 of
    /// 2048² 0.1698, 4 columns 0.1599 (without 0.1750).
    fn halve(&self, stockham: &mut Stockham, lines: Lines) -> bool {
        let numbers = u64::from(stockham.n()) * u64::from(stockham.lines) * u64::from(self.words());
        let is_large = numbers >= 16_384 && stockham.lines == self.columns(COLUMNS) && u64::from(lines.count) >= MANY_COLUMNS;
        let mut half = Stockham { lines: self.columns(4), ..stockham.clone() };
        let halves = is_large && !self.profile.is_cpu() && self.in_pieces(&mut half, lines);
        if halves {
            *stockham = half;
        }
        halves
    }

    /// Takes two numbers of 16 bits in one access where that was faster.
    fn in_twos(&self, axes: &mut [AxisRecipe]) {
        if self.profile.is_cpu() || self.transform.number != Number::F32 {
            return;
        }
        let between = self.transform.between();
        for i in 0..axes.len() {
            let (first, last) = (i == 0, i + 1 == axes.len());
            let load = if first { self.transform.storage(End::Input) } else { between };
            let store = if last { self.transform.storage(End::Output) } else { between };
            let (AxisRecipe { axis, through: _, bluestein: None, reals: Reals::Complex, passes }, [Storage::Half(_), Storage::Half(_)]) =
                (&axes[i], [load, store])
            else {
                continue;
            };
            let [PassRecipe::Stockham(Stockham { block, .. })] = passes[..] else { continue };
            let lines = self.lines(*axis, Reals::Complex);
            let Some((radices, lanes, together)) = measured_in_twos(lines) else { continue };
            let mut own = Stockham { lines: together, block, width: 2, ..Stockham::new(radices, lanes) };
            let mut wide = axes.to_vec();
            // Not every array has neighbours in twos.
            if self.in_pieces(&mut own, lines) {
                wide[i].passes = vec![PassRecipe::Stockham(own)];
                if check_pass(self.transform, self.geometry, &wide, [i, 0], self.profile).is_ok() {
                    axes[i] = wide.swap_remove(i);
                }
            }
        }
    }

    /// A pass of a line that takes several.
    fn part(&self, n: u32, points: u64) -> Option<Stockham> {
        self.part_of(Lines { points, across: true, ..Lines::rows(n, u32::MAX) })
    }

    /// The same for lines that are known better.
    fn part_of(&self, lines: Lines) -> Option<Stockham> {
        // Fewer neighbours than 8 lose more than a pass costs, unless they have been measured: 2^24
        // as 4096·4096 with 4 of them 1.066, as 256·256·256 with 16 0.860.
        let of = |least: u32| self.within(|designer| designer.part_of_any_lines(lines).filter(|own| own.lines >= self.columns(least)));
        of(COLUMNS).or_else(|| if self.has_few_registers() { of(COLUMNS / 2) } else { None })
    }

    /// The same with as many lines as a workgroup has room for.
    fn part_of_any_lines(&self, lines: Lines) -> Option<Stockham> {
        let in_one_lane = self.profile.is_cpu() && (2..=LONGEST_IN_ONE_LANE.min(self.in_one_lane())).contains(&lines.n);
        if in_one_lane { self.complete((vec![lines.n], 1), lines) } else { self.pass(lines) }
    }

    /// The lengths of so many passes for a line that is too long for one.
    #[cfg(feature = "tune")]
    pub fn split(&self, n: u32, passes: u32) -> Option<Vec<u32>> {
        super::factors::split_lengths(n, passes, &|length| self.part(length, u64::MAX).is_some())
    }

    /// Two passes where the rules take three, because a workgroup has only 4 lines of more than
    /// 2048. 2^24, 4 times, in two 0.862, in three 0.851; but on an H100, where memory is slower
    /// beside the cores, 0.948 and 1.162. The rules have better passes for what was measured.
    #[cfg(feature = "tune")]
    pub fn in_two_of_few_lines(&self, axis: usize, n: u32) -> Option<AxisRecipe> {
        let lengths = super::factors::split_lengths(n, 2, &|length| length <= LONGEST_COLUMN)?;
        let lines = |length| Lines { points: n.into(), across: true, ..Lines::rows(length, u32::MAX) };
        let mut passes = lengths.iter().map(|&length| self.part_of_any_lines(lines(length))).collect::<Option<Vec<_>>>()?;
        passes[0].block = Some([16, 4]);
        Some(AxisRecipe::new(axis, passes.into_iter().map(PassRecipe::Stockham).collect()))
    }

    /// An axis in passes of these lengths.
    pub fn in_lengths(&self, axis: usize, reals: Reals, bluestein: Option<u32>, lengths: &[u32]) -> Option<AxisRecipe> {
        let Lines { count, across, .. } = self.lines(axis, Reals::Complex);
        let n: u32 = lengths.iter().product();
        let (last, points) = (lengths.len() - 1, u64::from(count) * u64::from(n));
        // Not in convolutions, whose passes go both ways: 20011, 500 times, as 16.10 in blocks and
        // 32.8 0.331, by the estimate 0.406; 65537, 64 times, 0.172 and 0.186 (H100).
        if bluestein.is_none()
            && self.is_estimated(n, points, across)
            && let Some(passes) = self.estimated_passes(lengths)
        {
            return Some(AxisRecipe { bluestein, reals, ..AxisRecipe::new(axis, passes) });
        }
        let passes = lengths.iter().enumerate().map(|(i, &length)| {
            // The last pass of a convolution is also the first one back.
            let convolution = bluestein.is_some() && i == last;
            let mut stockham = self.part_of(Lines { points, across: true, convolution, ..Lines::rows(length, u32::MAX) })?;
            let count = (points / u64::from(length)).min(u32::MAX.into()) as u32;
            stockham.lines = stockham.lines.min(at_least(count));
            // Of an axis across the fastest index 256 bytes: 8192² with 32 columns 0.816, with 16
            // 0.865.
            if across
                && length <= 128
                && !self.profile.is_cpu()
                && self.fits(&Stockham { lines: self.columns(32), ..stockham.clone() }, false)
            {
                stockham.lines = self.columns(32);
            }
            // The array between two passes in blocks that both of them touch in long pieces: 2^20
            // 0.558, without 0.621. On a processor a line of the cache: 100 rows of 7919 on lavapipe
            // with 8 numbers 19.8, with 32 25.7, without 21.0.
            if !across && i < last {
                let wanted = if self.profile.is_cpu() { CACHE_LINE } else { stockham.lines };
                stockham.block = Some([wanted.min(lengths[last]), 1]);
            }
            let lines = Lines { across: true, convolution, ..Lines::rows(length, count) };
            self.in_pieces(&mut stockham, lines);
            if !across {
                self.halve(&mut stockham, lines);
            }
            Some(PassRecipe::Stockham(stockham))
        });
        Some(AxisRecipe { bluestein, reals, ..AxisRecipe::new(axis, passes.collect::<Option<_>>()?) })
    }

    /// A recipe for lines that fit one pass.
    pub fn pass(&self, lines: Lines) -> Option<Stockham> {
        let n = lines.n;
        // Longer ones cannot fit, in however many pieces.
        let longest = {
            let most = self.most_elements();
            self.most_invocations().saturating_mul(most).min((self.profile.workgroup_bytes / self.words()).max(4 * most))
        };
        // Fewer than 4 columns lose more than another pass costs: 8192² in one pass over columns
        // 0.97, in two 0.816.
        if n > longest || lines.across && !self.profile.is_cpu() && n > LONGEST_COLUMN {
            return None;
        }
        if n == 1 {
            let most = self.most_invocations().clamp(1, 64);
            let halves = std::iter::successors(Some(most), |together| (*together > 1).then_some(together / 2));
            let mut shapes = halves.map(|together| Stockham { lines: together, banks: 0, ..Stockham::new(vec![1], 1) });
            return shapes.find(|stockham| self.fits(stockham, lines.pairs));
        }
        if self.barriers_are_dear() && n <= self.in_one_lane() && !lines.pairs && !lines.convolution {
            return self.complete((vec![n], 1), lines);
        }
        let known = if self.profile.is_cpu() || self.texts_are_long() || self.has_few_registers() {
            None
        } else {
            measured(lines).and_then(|shape| self.complete_in(shape, lines, 4))
        };
        known.or_else(|| self.estimated_row(lines)).or_else(|| self.search(lines))
    }

    /// 32-bit words of a real number. The rules were measured with f32. For wider numbers they keep
    /// the bytes: of workgroup memory, of neighbouring columns, and of an invocation's registers.
    pub fn words(&self) -> u32 {
        self.transform.number.words()
    }

    /// As many neighbouring lines as have the bytes of `count` lines of f32.
    pub fn columns(&self, count: u32) -> u32 {
        count / self.words()
    }

    /// Most complex numbers that an invocation holds.
    fn most_elements(&self) -> u32 {
        if self.texts_are_long() { 2 * LONG_TEXT } else { MAX_ELEMENTS / self.words() }
    }

    /// Whether an operation takes some 20 times the text that it takes in f32.
    pub fn texts_are_long(&self) -> bool {
        self.transform.number == Number::Double
    }

    /// Longest line in one lane, where that is worth while.
    pub fn in_one_lane(&self) -> u32 {
        if self.texts_are_long() { LONG_TEXT } else { self.most_elements() }
    }

    /// The largest prime factor of lengths that are no convolutions.
    pub fn max_prime(&self) -> u32 {
        if self.texts_are_long() { 13 } else { MAX_PRIME }
    }

    pub fn most_invocations(&self) -> u32 {
        self.profile.invocations.min(self.profile.workgroup_size[0])
    }

    /// All decisions for radices and lanes, if they fit the device. Rows in 4 pieces lose more than
    /// another pass costs, unless they have been measured: 2^15 with 1024 lanes 0.66, in two passes
    /// 0.52.
    pub fn complete(&self, shape: (Vec<u32>, u32), lines: Lines) -> Option<Stockham> {
        self.complete_in(shape, lines, 2)
    }

    /// The same with rows in at most so many pieces.
    fn complete_in(&self, (radices, lanes): (Vec<u32>, u32), lines: Lines, most_pieces: u32) -> Option<Stockham> {
        let n = lines.n;
        let is_cpu = self.profile.is_cpu();
        // A processor's memory has no banks. Without spare elements: n = 1024 0.217 in place of
        // 0.134, 4096 0.224 in place of 0.151.
        let mut stockham = Stockham { banks: if is_cpu { 0 } else { 32 }, ..Stockham::new(radices, lanes) };
        let wanted = match (lines.across, is_cpu) {
            // Frames whose spectra lie across, of 256 to 1024 samples: 8 of them 0.323, 0.363,
            // 0.436, 16 of them 0.423, 0.705, 0.776.
            (true, false) if lines.frames => self.columns(8),
            // Enough workgroups for every core come first: 256² 4 columns 0.0048, 8 0.0049.
            (true, false) if lines.count <= 256 || n > LONGEST_COLUMN / 2 => self.columns(4),
            (true, false) if lines.count < 4096 => self.columns(COLUMNS),
            (true, false) if n <= 512 => self.columns(SHORT_COLUMNS),
            (true, false) => self.columns(COLUMNS),
            // Two subgroups of 32. n = 512: 1 row 0.1303, 2 rows 0.1336; 64: 8 rows 0.2572, 4 rows
            // 0.2567, 16 rows 0.2643.
            //
            // One of frames, of 2²⁵ samples with a hop of a quarter: 256 by 16.8, 4 frames 0.227, 8
            // frames 0.236; 512 by 16.16, 2 frames 0.208, 4 frames 0.222, 8 frames 0.230.
            //
            // One on the way back to reals, of 2²⁶ of them: rows of 512 as 8.8.4, 1 row 0.1319, 2
            // rows 0.1375; 256 as 8.4.4, 2 rows 0.1324, 4 rows 0.1331.
            (false, false) if self.has_few_registers() => filling(lanes).0,
            (false, false) => (if lines.frames || lines.back { 32 } else { 64 } / lanes).max(1),
            // Lavapipe spreads its cost of a workgroup over more rows: 1024 rows of 1024, 1, 2, 4
            // rows 9.3, 8.9, 8.1.
            (_, true) => (256 / lanes).max(if lines.across { self.columns(COLUMNS) } else { 1 }),
        };
        let whole = !lines.across && self.has_few_registers();
        let mut together = if whole { wanted } else { 1 << wanted.ilog2() }.min(at_least(lines.count));
        loop {
            stockham.lines = together;
            if self.in_pieces(&mut stockham, lines) && (lines.across || self.profile.is_cpu() || stockham.pieces <= most_pieces) {
                return Some(stockham);
            }
            // Half as many columns are slow, but better than none: 4096² in 4 columns 0.183, where
            // 8 do not fit.
            let fewest = self.columns(if self.has_few_registers() { 2 } else { 4 });
            if together == 1 || lines.across && together <= fewest {
                return None;
            }
            together /= 2;
        }
    }

    /// Sets the pieces of an exchange, and whether it is split, so that the recipe fits the device,
    /// if it can.
    ///
    /// Two pieces from 16 KiB of workgroup memory on: it leaves room for more workgroups. Rows of
    /// 4096 0.263, in one piece 0.288, in four 0.29; 8192 0.266, in one 0.359, in four 0.283; 2^20
    /// as 1024·1024 0.558 and 0.673. Rows of 2048 0.262 and 0.259.
    ///
    /// Where there are too few workgroups to fill the device anyway, one piece: 1024² in place
    /// 0.0138 and 0.0141.
    fn in_pieces(&self, stockham: &mut Stockham, lines: Lines) -> bool {
        let Lines { pairs, count, .. } = lines;
        let exchanges = stockham.radices.len() > 1 || pairs;
        let bytes = stockham.n() * stockham.lines * 4 * self.words();
        let few = count.div_ceil(stockham.lines) <= 256;
        let least = match lines {
            // Spectra of frames across: 512 by 32.8 0.363, in one piece 0.397.
            Lines { frames: true, across: true, .. } => 8192,
            // Rows back to reals: 8192 of them in two pieces 0.180, in one 0.165.
            Lines { back: true, .. } => 32_768,
            _ => 16_384,
        };
        let is_one = self.profile.is_cpu() || bytes < least || few || !exchanges;
        let mut liked = if is_one { [1, 2, 4] } else { *measured_pieces(lines).unwrap_or(&[2, 1, 4]) };
        if let Some(memory) = self.registers.memory {
            // Memory for as many invocations as there are registers for, with a sixteenth more to
            // spread the banks.
            let share = u64::from(memory) * u64::from(stockham.lanes) * u64::from(stockham.lines);
            let is_large = |pieces: u32| u64::from(bytes / pieces) * 17 / 16 * MANY_INVOCATIONS > share;
            liked.sort_by_key(|pieces| (is_large(*pieces), *pieces));
        }
        for pieces in liked {
            let mut own = Stockham { pieces, exchange: Exchange::Split, ..stockham.clone() };
            if !self.runs(&own, lines) {
                continue;
            }
            // Split halves the memory. n = 64 whole 0.133, split 0.130; 1024 0.160 and 0.133; 4096
            // 0.212 and 0.151. On a processor a barrier costs more than memory: lavapipe, 1024 rows
            // of 1024, 9.3 and 11.0.
            let whole = Stockham { exchange: Exchange::Whole, ..own.clone() };
            if self.profile.is_cpu() && self.fits(&whole, pairs) {
                own = whole;
            }
            *stockham = own;
            return true;
        }
        false
    }

    /// Whether a pass fits the device, and its pieces the text.
    pub fn runs(&self, stockham: &Stockham, lines: Lines) -> bool {
        let Stockham { radices, lanes, pieces, .. } = stockham;
        let n = stockham.n();
        // What the text needs in several pieces: every butterfly stores to one piece, and every
        // round of lanes loads from one. A round begins at a multiple of the lanes among the n /
        // radix neighbours, and no piece ends within it.
        let kept = || {
            let ends = [radices[radices.len() - 1], if lines.convolution { radices[0] } else { *pieces }];
            let loading = if lines.convolution { radices } else { &radices[1..] };
            n.is_multiple_of(*pieces)
                && ends.iter().all(|radix| radix.is_multiple_of(*pieces))
                && loading.iter().all(|radix| (1..*pieces).all(|i| (i * (n / pieces) % (n / radix)).is_multiple_of(*lanes)))
                // What is exchanged to separate or to join pairs comes in turns of all lanes.
                && (!lines.pairs || (n / pieces).is_multiple_of(*lanes) && radices.iter().all(|radix| (n / radix).is_multiple_of(*lanes)))
        };
        (*pieces == 1 || kept()) && self.fits(stockham, lines.pairs)
    }

    /// Whether a pass over columns fits the device.
    pub fn runs_across(&self, stockham: &Stockham) -> bool {
        self.runs(stockham, Lines { across: true, ..Lines::rows(stockham.n(), u32::MAX) })
    }

    fn fits(&self, stockham: &Stockham, pairs: bool) -> bool {
        // First what bounds the numbers of a recipe that is not the rules'.
        if u64::from(stockham.lanes) * u64::from(stockham.lines) > self.most_invocations().into() {
            return false;
        }
        let n = u64::from(stockham.n());
        let (pieces, lanes) = (u64::from(stockham.pieces), u64::from(stockham.lanes));
        let mut elements = if stockham.radices.len() > 1 { n / pieces } else { 0 };
        if pairs {
            elements = elements.max(2 * (n / 2 + 1).div_ceil(pieces).next_multiple_of(lanes));
        }
        let bytes = 4 * u64::from(self.words()) * elements * u64::from(stockham.lines) * u64::from(stockham.exchange.words());
        // A butterfly has no smaller parts, so those of primes take what they must.
        let is_prime = || stockham.radices.iter().any(|radix| stockham.elements() <= largest_prime(*radix));
        let registers = registers_of(stockham.elements().saturating_mul(self.words()), stockham.radices.len());
        // Each of four schedulers has a quarter of the registers, and whole subgroups of 64.
        let invocations = (lanes * u64::from(stockham.lines)).next_multiple_of(256);
        bytes <= self.profile.workgroup_bytes.into()
            && stockham.elements() <= self.most_elements()
            && (registers <= self.registers.liked && invocations * u64::from(registers) <= self.registers.workgroup.into()
                || invocations <= 256 && is_prime())
    }

    /// The best radices and lanes by an estimate of their cost.
    fn search(&self, lines: Lines) -> Option<Stockham> {
        let n = lines.n;
        // Columns in two stages of up to 40: 1000² as 40·25 0.0156, as 10·10·10 0.0163; 1080 as
        // 40·27.
        let most = if self.texts_are_long() {
            LONG_TEXT
        } else if lines.across {
            40
        } else {
            16.max(largest_prime(n))
        };
        let mut best: Option<(f64, Stockham)> = None;
        for radices in factorizations(n, most.min(self.radix()).max(largest_prime(n))) {
            for lanes in lane_counts(n, &radices) {
                let mut cost = self.cost(n, &radices, lanes, lines);
                if self.has_few_registers() && !lines.across {
                    cost /= filling(lanes).1;
                }
                if best.as_ref().is_none_or(|(least, _)| cost < *least)
                    && let Some(stockham) = self.complete((radices.clone(), lanes), lines)
                {
                    best = Some((cost, stockham));
                }
            }
        }
        best.map(|(_, stockham)| stockham)
    }

    /// Lower is better: few stages, few idle lanes, a liked number of elements of an invocation,
    /// and on GPUs a short text and enough invocations.
    pub fn cost(&self, n: u32, radices: &[u32], lanes: u32, lines: Lines) -> f64 {
        let mut work = 0.0;
        for &radix in radices {
            let rounds = (n / radix).div_ceil(lanes);
            let slots = f64::from(rounds) * f64::from(lanes) * f64::from(radix);
            // Arithmetic of a butterfly grows with its radix, that of odd primes faster; an
            // exchange and its barriers come on top.
            let prime = f64::from(largest_prime(radix));
            work += slots / f64::from(n) * (2.0 + 0.15 * f64::from(radix.ilog2()) + if prime > 5.0 { 0.15 * prime } else { 0.0 });
        }
        let elements = radices.iter().map(|&radix| (n / radix).div_ceil(lanes) * radix).max().unwrap_or(1);
        // n = 2048: 16 elements 0.1336, 8 0.1393; 4096: 0.151 and 0.168. Of a short row about √n,
        // for the reason given in `measured`.
        let wanted = if lines.across {
            f64::from(n).sqrt().clamp(8.0, 40.0 / f64::from(self.words()))
        } else if self.profile.is_cpu() || n >= 2048 {
            16.0
        } else {
            f64::from(n).sqrt().clamp(2.0, 8.0)
        };
        let (most, least) = (radices.iter().max().copied().unwrap_or(1), radices.iter().min().copied().unwrap_or(1));
        let dear = if !lines.across && !self.profile.is_cpu() && n <= 64 { 1.6 } else { 0.6 };
        if !self.profile.is_cpu() && lines.points <= SMALL_ARRAY {
            work += 1.5 * (text_length(n, radices, lanes, lines) / LONGEST_GPU_TEXT).log2().max(0.0);
        }
        if !self.profile.is_cpu() && lines.across {
            work += 1.2 * (ENOUGH_INVOCATIONS * f64::from(elements) / lines.points as f64).log2().max(0.0);
        }
        work + dear * (f64::from(elements) / wanted).log2().abs() + 0.02 * (f64::from(most) / f64::from(least)).log2()
    }
}

/// Radices of numbers of two f32, and numbers of a lane. SwiftShader's compiler takes minutes for a
/// lane of 30 of them, and fails.
const LONG_TEXT: u32 = 8;

/// A text of this length takes NVIDIA's compiler about 0.1 s, and one of twice the length more than
/// twice as long. H200, first results of 719x1013, whose columns are convolutions of 1536, in ms:
/// 16.12.8 with 32 lanes 671, 64 lanes 349, 96 lanes 214, 128 lanes 192. It also runs as fast or
/// faster with a shorter text: 0.0285, 0.0281, 0.0281, 0.0288.
const LONGEST_GPU_TEXT: f64 = 250.0;

/// Up to so many points a first result should not wait for the compiler. In larger arrays only the
/// time of a run counts: 4000², 20.20.10 with 100 lanes 0.218, with 200 lanes and half the text
/// 0.253.
pub(super) const SMALL_ARRAY: u64 = 1 << 21;

/// Fewer invocations do not fill a large GPU. H200, 65537, a convolution of 384·384: 24.16 with 8
/// lanes 0.0472, with 16 0.0252, with 24 0.0241; 510510, 13.11.5 with 14 lanes 0.0190, with 65
/// 0.0157. Of 73 shapes this changed 30, whose times became 0.90 of what they were in the mean,
/// 0.53 to 1.05 (report `2026-11-22-h200-lanes`).
const ENOUGH_INVOCATIONS: f64 = 65_536.0;

/// How much text the butterflies of an invocation take: the values of all stages, weighted by the
/// operations for each.
fn text_length(n: u32, radices: &[u32], lanes: u32, lines: Lines) -> f64 {
    let of_stage = |&radix: &u32| {
        let prime = f64::from(largest_prime(radix));
        let each = if prime > 5.0 { prime / 2.0 } else { 1.0 + 0.5 * f64::from(radix.ilog2()) };
        f64::from((n / radix).div_ceil(lanes) * radix) * each
    };
    let text: f64 = radices.iter().map(of_stage).sum();
    if lines.convolution { 2.0 * text } else { text }
}

/// As many invocations should share the workgroup memory of a core.
const MANY_INVOCATIONS: u64 = 1024;

/// How many rows fill subgroups of 64 best, and how full those are. A subgroup more costs a little, as
/// a core has room for fewer workgroups then.
fn filling(lanes: u32) -> (u32, f64) {
    let full = |rows: u32| f64::from(rows * lanes) / f64::from((rows * lanes).next_multiple_of(64));
    let score = |rows: u32| full(rows) - 0.02 * f64::from((rows * lanes).div_ceil(64));
    let rows = (1..=(512 / lanes).max(1)).max_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap_or(1);
    (rows, full(rows))
}

/// The next power of two, up to what a workgroup can hold.
pub(super) fn at_least(count: u32) -> u32 {
    count.min(4096).next_power_of_two()
}

/// Numbers of lanes that leave no or few of them idle.
pub(super) fn lane_counts(n: u32, radices: &[u32]) -> Vec<u32> {
    let mut counts: Vec<u32> = radices.iter().flat_map(|radix| (1..=8).map(move |rounds| (n / radix).div_ceil(rounds))).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}
