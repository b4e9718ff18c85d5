//! What the rules know of a transform and a device.
//!
//! Times in the comments are medians in ms on an NVIDIA H200 through Vulkan unless said otherwise;
//! benches/reports/2026-11-28-rules has what else was measured.

use super::lines::LineClass;
use super::thresholds::number;
use crate::fft::limits::MAX_ELEMENTS;
use crate::fft::place::Storage;
use crate::fft::recipe::Reals;
use crate::fft::spec::geometry::Geometry;
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::number::Number;
use crate::fft::spec::real_kind::RealKind;
use crate::fft::spec::transform::Transform;
use crate::gpu::{DeviceProfile, Registers};

/// The largest prime that is a radix.
pub(in crate::fft) const MAX_PRIME: u32 = number("largest prime radix");

/// Neighbouring lines that a workgroup should have at least where the array's fastest index is not
/// the line's.
pub(in crate::fft) const COLUMNS: u32 = number("columns");

/// As many are better than none.
pub(super) const FEWEST_COLUMNS: u32 = number("fewest columns");

/// Longest column of one pass, of which a workgroup has [`FEWEST_COLUMNS`].
pub(super) const LONGEST_COLUMN: u32 = number("longest column");

/// Bytes that a GPU's memory reads at once.
pub(super) const SECTOR: u64 = 32;

/// From so many columns on there are enough workgroups for each of them to take fewer.
pub(in crate::fft) const MANY_COLUMNS: u32 = number("many columns in all");

/// Longest line of a pass that a processor transforms in one lane, where a long axis is divided
/// into such.
pub(in crate::fft) const LONGEST_IN_ONE_LANE: u32 = number("longest lane of passes");

/// The rules for one transform on one device.
#[derive(Clone, Copy)]
pub(in crate::fft) struct Designer<'a> {
    pub transform: &'a Transform,
    pub geometry: &'a Geometry,
    pub profile: &'a DeviceProfile,
    /// Whether rows of reals may be taken in pairs, where they mix anyway.
    pub pairs: bool,
    /// What is to be kept to; `liked` is the most of an invocation.
    pub(super) registers: Registers,
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
        let mut steps =
            std::iter::successors(Some(self.registers.liked), |own| (*own < most).then(|| most.min(own.saturating_mul(2).max(1))));
        steps.find_map(|liked| find(&Self { registers: Registers { liked, ..self.registers }, ..*self }))
    }

    /// The largest radix for which the registers are enough.
    pub fn radix(&self) -> u32 {
        (self.registers.liked.saturating_sub(registers_of(0, 2)) / 4 / self.words()).max(2)
    }

    /// Whether the registers of the device are too few for the recipes that were measured.
    pub(super) fn has_few_registers(&self) -> bool {
        self.registers.liked < Registers::PLENTY.liked
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
    pub(super) fn has_pairs_of_columns(&self, axis: usize) -> bool {
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
    pub fn lines(&self, axis: usize, reals: Reals) -> LineClass {
        let n = self.transform.inner(axis).n;
        let is_input = self.has_reals(axis) && self.transform.kind == Kind::R2c;
        let extents = if is_input { &self.geometry.input_extents } else { &self.geometry.output_extents };
        let others = extents.iter().enumerate().filter(|(own, _)| *own != axis).map(|(_, &extent)| u64::from(extent));
        let count = others.product::<u64>().min(u32::MAX.into()) as u32;
        let is_half = |end: End| matches!(self.transform.storage(end), Storage::Half(_));
        let is_16_bit = is_half(End::Input) && is_half(End::Output);
        let frames = self.transform.framing.is_some_and(|framing| 2 * u64::from(framing.hop) <= u64::from(framing.n));
        let across = !self.is_fastest(axis);
        let whole_sectors = across && self.has_whole_sectors(axis);
        let rows = LineClass { across, whole_sectors, is_16_bit, ..LineClass::rows(n, count) };
        match reals {
            Reals::Complex => rows,
            Reals::Pairs => LineClass { count: count.div_ceil(2), exchanges_mirror: true, ..rows },
            Reals::Halves | Reals::Packed => {
                LineClass { n: n / 2, exchanges_mirror: true, halves: true, frames, to_reals: self.transform.kind == Kind::C2r, ..rows }
            }
        }
    }

    /// Whether the device is a processor whose barriers cost more than a pass through memory:
    /// SwiftShader, with vectors of 4, where 1024 rows of 1024 take 18.0 ms with a lane for each
    /// line of up to 64, and 111 with lines shared by lanes. On lavapipe, with vectors of 8, it is
    /// the reverse.
    pub(super) fn prefers_one_lane(&self) -> bool {
        self.profile.is_cpu() && self.profile.one_lane
    }

    /// Whether the axis is the fastest index of input and output.
    pub(super) fn is_fastest(&self, axis: usize) -> bool {
        let sides = [(&self.geometry.input, &self.geometry.input_extents), (&self.geometry.output, &self.geometry.output_extents)];
        sides.into_iter().all(|(placed, extents)| {
            // Frames of a signal share its elements.
            let longer = placed.strides.iter().zip(extents).filter(|(stride, extent)| **extent > 1 && **stride > 0);
            longer.map(|(stride, _)| *stride).min().is_none_or(|least| placed.strides[axis] <= least)
        })
    }

    /// Whether lines begin at sectors of memory on both sides.
    pub(super) fn has_whole_sectors(&self, axis: usize) -> bool {
        let sides = [(End::Input, &self.geometry.input), (End::Output, &self.geometry.output)];
        sides
            .iter()
            .all(|(end, placed)| (u64::from(placed.strides[axis]) * u64::from(self.transform.form_of(*end).bytes())).is_multiple_of(SECTOR))
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

    /// Maximum number of complex numbers that an invocation holds.
    pub(super) fn most_elements(&self) -> u32 {
        if self.is_double_f32() { 2 * LONG_TEXT } else { MAX_ELEMENTS / self.words() }
    }

    /// Whether an operation takes some 20 times the text that it takes in f32.
    pub fn is_double_f32(&self) -> bool {
        self.transform.number == Number::F64ByF32
    }

    /// Longest line in one lane, where that is worth while.
    pub fn in_one_lane(&self) -> u32 {
        if self.is_double_f32() { LONG_TEXT } else { self.most_elements() }
    }

    /// The largest prime factor of lengths that are no convolutions.
    pub fn max_prime(&self) -> u32 {
        if self.is_double_f32() { const { number("largest prime radix of double-single") } } else { MAX_PRIME }
    }
}

/// Radices of numbers of two f32, and numbers of a lane.
pub(super) const LONG_TEXT: u32 = number("radix of double-single");

/// Up to so many points a first result should not wait for the compiler.
pub(in crate::fft) const SMALL_ARRAY: u64 = number("points of a small array") as u64;

/// The next power of two, up to what a workgroup can hold.
pub(in crate::fft) fn lines_cap(count: u32) -> u32 {
    count.min(4096).next_power_of_two()
}

/// Numbers of lanes that leave no or few of them idle.
pub(in crate::fft) fn lane_counts(n: u32, radices: &[u32]) -> Vec<u32> {
    let mut counts: Vec<u32> = radices.iter().flat_map(|radix| (1..=8).map(move |rounds| (n / radix).div_ceil(rounds))).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Radices and lanes, for each way to factor a length.
pub(in crate::fft) fn shapes(n: u32, ways: impl IntoIterator<Item = Vec<u32>>) -> impl Iterator<Item = (Vec<u32>, u32)> {
    ways.into_iter().flat_map(move |radices| lane_counts(n, &radices).into_iter().map(move |lanes| (radices.clone(), lanes)))
}

/// Of candidates with their costs the cheapest that can be completed, and its cost. Of those that
/// differ by no more than rounding errors it is the first.
pub(super) fn cheapest<C, T>(candidates: impl IntoIterator<Item = (f64, C)>, complete: impl Fn(C) -> Option<T>) -> Option<(f64, T)> {
    let mut best: Option<(f64, T)> = None;
    for (cost, candidate) in candidates {
        if best.as_ref().is_none_or(|(least, _)| cost < *least - 1e-9)
            && let Some(own) = complete(candidate)
        {
            best = Some((cost, own));
        }
    }
    best
}

/// How long texts may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::fft) enum Text {
    /// Compiled in tenths of a second. The rules' choice, where a program waits for its first
    /// result.
    Short,
    /// The fastest ones, which take seconds to compile. A search tries them.
    Long,
}

/// 32-bit registers of an invocation that holds so many complex numbers of f32, about: what drivers
/// of AMD, Apple and Qualcomm take for butterflies of 8 to 32 numbers (benches/reports/reach).
/// Between stages, places in workgroup memory and roots of unity come on top.
pub(in crate::fft) fn registers_of(elements: u32, stages: usize) -> u32 {
    if stages > 1 { elements.saturating_mul(4).saturating_add(24) } else { elements.saturating_mul(3).saturating_add(16) }
}
