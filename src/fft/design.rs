//! The rules that choose a recipe for a device.

use super::lower::MAX_ELEMENTS;
use super::recipe::{AxisRecipe, Exchange, PassRecipe, Recipe, Registers, Roots};
use super::transform::{Geometry, Kind, Transform};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;

pub(super) fn design(transform: &Transform, profile: &DeviceProfile) -> Result<Recipe> {
    let geometry = transform.geometry()?;
    let designer = Designer { transform, geometry: &geometry, profile };
    // Rows first: H200, columns first were 9 to 10% slower. Reals are where rows are.
    let mut order = geometry.axes.clone();
    if transform.kind != Kind::C2r {
        order.reverse();
    }
    let axes = (0..order.len()).map(|i| designer.axis(order[i], order.get(i + 1).copied())).collect::<Result<_>>()?;
    Ok(Recipe::Axes(axes))
}

struct Designer<'a> {
    transform: &'a Transform,
    geometry: &'a Geometry,
    profile: &'a DeviceProfile,
}

/// The largest prime that is a radix. Larger ones make a convolution (Bluestein), of more than twice the length.
const MAX_PRIME: u32 = 31;

/// What a pass is to transform.
#[derive(Clone, Copy)]
struct Lines {
    n: u32,
    /// Number of lines.
    count: u32,
    /// Lines of a workgroup that should lie side by side.
    side_by_side: u32,
    /// The line passes through workgroup memory once more, whole.
    whole: bool,
    /// It is a convolution: the stages come again in reverse.
    convolution: bool,
}

impl Designer<'_> {
    fn axis(&self, axis: usize, next: Option<usize>) -> Result<AxisRecipe> {
        let n = self.transform.shape.extents()[axis] as u32;
        let rank = self.transform.shape.rank();
        let real = self.transform.kind != Kind::C2c(super::Direction::Forward)
            && self.transform.kind != Kind::C2c(super::Direction::Inverse)
            && axis + 1 == rank;
        let elements: u64 = self.geometry.input_extents.iter().map(|&extent| u64::from(extent)).product();
        let count = (elements / u64::from(self.geometry.input_extents[axis])).max(1) as u32;
        let lines = if real { count.div_ceil(2) } else { count };
        // Lines that are not along the array's fastest index should be several, so that what is accessed lies together.
        let stride = |strides: &[u32]| strides[axis];
        let smallest = |strides: &[u32], extents: &[u32]| {
            let longer = strides.iter().zip(extents).filter(|(_, extent)| **extent > 1);
            longer.map(|(stride, _)| *stride).min().unwrap_or(1)
        };
        let along = stride(&self.geometry.output.strides) <= smallest(&self.geometry.output.strides, &self.geometry.output_extents)
            && stride(&self.geometry.input.strides) <= smallest(&self.geometry.input.strides, &self.geometry.input_extents);
        let side_by_side = if along { 1 } else { COLUMNS };

        if is_smooth(n) {
            let single = Lines { n, count: lines, side_by_side, whole: real, convolution: false };
            if let Some(mut registers) = self.pass(single) {
                registers.block = next.and_then(|next| self.block(axis, next));
                return Ok(AxisRecipe { axis, bluestein: None, pairs: real, passes: vec![PassRecipe::Registers(registers)] });
            }
            if let Some(passes) = self.several(n, count, along) {
                return Ok(AxisRecipe { axis, bluestein: None, pairs: false, passes });
            }
        }
        let least = 2 * n - 1;
        let single = (least..=least.saturating_add(least / 4)).filter(|&m| largest_prime(m) <= 13).find_map(|m| {
            let registers = self.pass(Lines { n: m, count: lines, side_by_side, whole: real, convolution: true })?;
            Some(AxisRecipe { axis, bluestein: Some(m), pairs: real, passes: vec![PassRecipe::Registers(registers)] })
        });
        if let Some(recipe) = single {
            return Ok(recipe);
        }
        let mut m = least;
        loop {
            m = (m..).find(|&m| largest_prime(m) <= 5).unwrap_or(u32::MAX);
            if let Some(passes) = self.several(m, count, along) {
                return Ok(AxisRecipe { axis, bluestein: Some(m), pairs: false, passes });
            }
            if m > least.saturating_mul(2) {
                let what = format!("an FFT of length {n}");
                return Err(Error::Unsupported { what, why: "no passes were found for it on this device".to_owned() });
            }
            m += 1;
        }
    }

    /// Blocks between two axes.
    fn block(&self, _axis: usize, _next: usize) -> Option<[u32; 2]> {
        None
    }

    /// Two passes, or three, for a line that is too long for one.
    fn several(&self, n: u32, count: u32, along: bool) -> Option<Vec<PassRecipe>> {
        for passes in 2..=4 {
            if let Some(lengths) = balanced_lengths(n, passes, &|length| {
                let lines = Lines { n: length, count: u32::MAX, side_by_side: COLUMNS, whole: false, convolution: false };
                self.pass(lines).is_some()
            }) {
                let all = lengths.iter().enumerate().map(|(i, &length)| {
                    let others = u64::from(count) * u64::from(n / length);
                    let lines = Lines { n: length, count: others.min(u32::MAX.into()) as u32, side_by_side: COLUMNS, whole: false, convolution: false };
                    let mut registers = self.pass(lines)?;
                    let last = i + 1 == lengths.len();
                    if along && !last && lengths[lengths.len() - 1].is_multiple_of(COLUMNS) {
                        registers.block = Some([COLUMNS, 1]);
                    }
                    Some(PassRecipe::Registers(registers))
                });
                return all.collect();
            }
        }
        None
    }

    /// A recipe for lines that fit one pass.
    fn pass(&self, lines: Lines) -> Option<Registers> {
        let profile = self.profile;
        let n = lines.n;
        let words = profile.workgroup_bytes / 4;
        let most_invocations = profile.invocations.min(profile.workgroup_size[0]);
        if n == 1 {
            let together = most_invocations.min(64);
            return Some(Registers { lines: together, banks: 0, ..Registers::new(vec![1], 1) });
        }
        let side_by_side = lines.side_by_side.min(at_least(lines.count));
        let mut best: Option<(f64, Registers)> = None;
        for radices in factorizations(n, self.most_radix(lines)) {
            for lanes in lane_counts(n, &radices) {
                let registers = Registers::new(radices.clone(), lanes);
                let elements = registers.elements();
                if elements > MAX_ELEMENTS || lanes * side_by_side > most_invocations {
                    continue;
                }
                let exchanges = radices.len() > 1 || lines.whole;
                // Pieces that every stage's butterflies and lanes keep to.
                let pieces = (0..3).map(|log2| 1 << log2).find(|&pieces| {
                    let fits = n / pieces * side_by_side <= words;
                    let kept = pieces == 1
                        || !lines.whole
                            && n.is_multiple_of(pieces)
                            && (n / pieces).is_multiple_of(lanes)
                            && radices[radices.len() - 1].is_multiple_of(pieces)
                            && (!lines.convolution || radices[0].is_multiple_of(pieces))
                            && radices.iter().all(|radix| (n / radix).is_multiple_of(lanes));
                    !exchanges || fits && kept
                });
                let Some(pieces) = pieces else { continue };
                let cost = self.cost(&registers, lines);
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    let together = self.together(n, lanes, pieces, side_by_side, most_invocations, words, exchanges);
                    let together = together.min(at_least(lines.count));
                    let dense = n / pieces * together * 4;
                    let whole = profile.is_cpu() && dense * 2 <= profile.workgroup_bytes;
                    best = Some((
                        cost,
                        Registers {
                            lines: together,
                            pieces,
                            exchange: if whole { Exchange::Whole } else { Exchange::Split },
                            // H200 without spare elements: n = 1024 0.217 in place of 0.134 ms, 4096 0.224 in place of 0.151. A processor's memory has
                            // no banks.
                            banks: if profile.is_cpu() { 0 } else { 32 },
                            roots: Roots::Products,
                            ..registers
                        },
                    ));
                }
            }
        }
        best.map(|(_, registers)| registers)
    }

    fn most_radix(&self, lines: Lines) -> u32 {
        if lines.side_by_side > 1 { 32 } else { 16.max(largest_prime(lines.n)) }
    }

    /// Elements of an invocation that a GPU or a processor does best with.
    fn wanted_elements(&self, lines: Lines) -> f64 {
        let n = lines.n;
        // H200, n = 2048: 16 0.1336 in place of 8 0.1393 ms; 4096: 0.151 in place of 0.168. Of a short row about √n, as neighbouring invocations should
        // load neighbouring elements (n = 16: 4 elements 0.135, 8 0.241, 16 0.539 ms; n = 8: 2 elements 0.164, 4 0.153, 8 0.376 ms).
        if lines.side_by_side > 1 {
            f64::from(n).sqrt().clamp(8.0, 32.0)
        } else if self.profile.is_cpu() || n >= 2048 {
            16.0
        } else {
            f64::from(n).sqrt().clamp(2.0, 8.0)
        }
    }

    /// Lower is better: fewer stages, few idle lanes, and a liked number of elements.
    fn cost(&self, registers: &Registers, lines: Lines) -> f64 {
        let n = f64::from(lines.n);
        let mut work = 0.0;
        for &radix in &registers.radices {
            let rounds = (lines.n / radix).div_ceil(registers.lanes);
            let slots = f64::from(rounds) * f64::from(registers.lanes) * f64::from(radix);
            // Arithmetic of a butterfly grows with its radix, that of odd primes faster; an exchange and its barriers come on top.
            let prime = f64::from(largest_prime(radix));
            work += slots / n * (2.0 + 0.15 * f64::from(radix.ilog2()) + if prime > 5.0 { 0.15 * prime } else { 0.0 });
        }
        let off = (f64::from(registers.elements()) / self.wanted_elements(lines)).log2().abs();
        let most = registers.radices.iter().max().copied().unwrap_or(1);
        let least = registers.radices.iter().min().copied().unwrap_or(1);
        work + 0.6 * off + 0.02 * (f64::from(most) / f64::from(least)).log2()
    }

    /// Lines of a workgroup.
    #[expect(clippy::too_many_arguments, reason = "each is another limit")]
    fn together(&self, n: u32, lanes: u32, pieces: u32, side_by_side: u32, most: u32, words: u32, exchanges: bool) -> u32 {
        // Invocations of a workgroup: two subgroups of 32 on a GPU, where more made no difference or lost 1 to 3% (n = 512: 1 row 0.1303, 2 rows
        // 0.1336 ms). On lavapipe more rows spread its cost of a workgroup: 1024 rows of 1024, 1, 2, 4 rows 9.3, 8.9, 8.1 ms.
        let invocations = if self.profile.is_cpu() { 256 } else { 64 };
        let by_invocations = (invocations.min(most) / lanes).max(1);
        let by_memory = if exchanges { (words / (n / pieces)).max(1) } else { u32::MAX };
        let wanted = 1 << by_invocations.min(by_memory).ilog2();
        wanted.max(side_by_side)
    }
}

/// Columns of a workgroup: 8 complex numbers are 64 bytes, two sectors of a GPU's cache line.
const COLUMNS: u32 = 8;

/// The next power of two, up to what a workgroup can hold.
fn at_least(count: u32) -> u32 {
    count.min(4096).next_power_of_two()
}

fn largest_prime(n: u32) -> u32 {
    let (mut n, mut largest, mut p) = (n, 1, 2);
    while p * p <= n {
        while n.is_multiple_of(p) {
            largest = largest.max(p);
            n /= p;
        }
        p += 1;
    }
    if n > 1 { largest.max(n) } else { largest }
}

fn is_smooth(n: u32) -> bool {
    largest_prime(n) <= MAX_PRIME
}

/// The ways to write n as a product of as few radices as possible, or one more, each at most `most`, in descending order.
fn factorizations(n: u32, most: u32) -> Vec<Vec<u32>> {
    fn extend(n: u32, most: u32, left: u32, chosen: &mut Vec<u32>, all: &mut Vec<Vec<u32>>) {
        if n == 1 {
            all.push(chosen.clone());
            return;
        }
        if left == 0 || f64::from(most).powi(left as i32) < f64::from(n) {
            return;
        }
        for radix in (2..=most.min(n)).rev().filter(|radix| n.is_multiple_of(*radix)) {
            chosen.push(radix);
            extend(n / radix, radix, left - 1, chosen, all);
            chosen.pop();
        }
    }
    for stages in 1..=32 {
        let mut all = Vec::new();
        extend(n, most, stages, &mut Vec::new(), &mut all);
        if !all.is_empty() {
            extend(n, most, stages + 1, &mut Vec::new(), &mut all);
            return all;
        }
    }
    Vec::new()
}

/// Numbers of lanes that leave no or few of them idle.
fn lane_counts(n: u32, radices: &[u32]) -> Vec<u32> {
    let mut counts: Vec<u32> =
        radices.iter().flat_map(|radix| (1..=8).map(move |rounds| (n / radix).div_ceil(rounds))).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// n as a product of so many lengths of about the same size that all fit.
fn balanced_lengths(n: u32, passes: u32, fits: &dyn Fn(u32) -> bool) -> Option<Vec<u32>> {
    if passes == 1 {
        return fits(n).then(|| vec![n]);
    }
    let ideal = f64::from(n).powf(1.0 / f64::from(passes));
    let mut divisors: Vec<u32> = (2..=n.isqrt()).filter(|d| n.is_multiple_of(*d)).flat_map(|d| [d, n / d]).collect();
    let distance = |d: u32| (f64::from(d) / ideal).ln().abs();
    divisors.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(b.cmp(a)));
    divisors.dedup();
    for length in divisors.into_iter().filter(|d| distance(*d) < 3.0) {
        if fits(length)
            && let Some(mut rest) = balanced_lengths(n / length, passes - 1, fits)
        {
            rest.insert(0, length);
            return Some(rest);
        }
    }
    None
}
