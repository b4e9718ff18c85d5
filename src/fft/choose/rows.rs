//! The rules for rows of other lengths than powers of two in one pass on a GPU.
//!
//! Rows of more than 16384 numbers have recipes that were measured one by one (`measured.txt`).
//! Every other choice is judged by one estimate of its time, which was fitted to 1,145 recipes for
//! 63 lengths of 576 to 16000 on an NVIDIA H200 (report `2026-11-25-rows`). If one length is left
//! out of the fit, the choice for it takes 1.03 of the time of its best recipe in the mean, and
//! 1.17 at most. More terms choose no better (report `2026-11-27-estimates`).
//!
//! Shorter rows, and lengths that have no three stages of such radices, are judged by another
//! estimate of six terms, fitted to 1,166 recipes for 226 lengths of 36 to 16170 on the same card
//! (report `2026-11-28-rows`). It is compared with what the search of `pass.rs` finds.

use std::cmp::Reverse;

use super::designer::{Designer, SMALL_ARRAY, cheapest, shapes};
use super::lines::LineClass;
use super::pass::{ROW_INVOCATIONS, rows_together};
use crate::fft::factors::{factorizations, orders};
use crate::fft::recipe::Stockham;

/// Three stages: a fourth exchange costs more than radices of up to 40.
const STAGES: usize = 3;
const RADICES: [u32; 2] = [8, 40];

/// Shorter rows have the estimate of any number of stages. Longer ones fill a core, and were
/// measured one by one.
const LENGTHS: [u32; 2] = [1400, 16_384];

/// Shorter rows back to reals, which load both ends of a spectrum, take 0.88 to 1.08 of the time of
/// the search, longer ones 0.73 to 1.00.
const LEAST_BACK: u32 = 6000;

/// In how many pieces a row is exchanged, and what each costs. Half of the memory leaves more for
/// the caches. Odd numbers were tried for 14 lengths, and took 0.80 to 1.12 of the time of one
/// piece.
const PIECES: [(u32, f64); 5] = [(2, 0.0), (1, 0.075), (3, 0.075), (4, 0.075), (5, 0.075)];

/// Numbers of an invocation.
const MAX_ELEMENTS: u32 = 44;

/// Numbers of all butterflies of a stage, idle ones too, for a number of the row.
const MAX_IDLE: f64 = 1.25;

/// What was measured for the estimate of any number of stages: rows from this length on, up to the
/// longest of `LENGTHS`.
const SHORTEST: u32 = 36;
const MAX_RADIX: u32 = 49;
const LEAST_LANES: u32 = 3;
/// Those of an invocation, and of all butterflies as in `MAX_IDLE`.
const MAX_ELEMENTS_OF_STAGES: u32 = 49;
const MAX_IDLE_OF_STAGES: f64 = 1.1;

/// The logarithm of the time that it must save: below it, choices were slower as well.
const GAIN: f64 = 0.08;

impl Designer<'_> {
    /// Of rows of one pass what takes less time than `own` by an estimate for any number of stages,
    /// or else `own`.
    pub fn faster_row(&self, lines: LineClass, own: Option<Stockham>) -> Option<Stockham> {
        let n = lines.n;
        let is_other = lines != LineClass { points: lines.points, ..LineClass::rows(n, lines.count) };
        if is_other || !self.estimates_rows(lines) || self.has_few_registers() || !(SHORTEST..=LENGTHS[1]).contains(&n) {
            return own;
        }
        // Of equal costs those with a large radix in the middle are faster, and of two stages
        // mostly those with the large one last.
        let mut ways: Vec<Vec<u32>> = factorizations(n, MAX_RADIX).iter().flat_map(|radices| orders(radices)).collect();
        ways.sort_by_key(|radices| match radices[..] {
            [first, _] => (Reverse(None), first),
            _ => (Reverse(radices.iter().skip(1).rev().skip(1).max().copied()), 0),
        });
        let all = shapes(n, ways).filter(|(_, lanes)| *lanes >= LEAST_LANES).map(|(radices, lanes)| Stockham::new(radices, lanes));
        let all = all.filter(|own| own.radices.len() > 1 && own.elements() <= MAX_ELEMENTS_OF_STAGES && idle(own) <= MAX_IDLE_OF_STAGES);
        let all = all.map(|own| (estimate_of_stages(&own), own));
        let best = cheapest(all, |own| self.complete((own.radices, own.lanes), lines));
        match (best, own) {
            (Some((cost, best)), Some(own)) if cost < estimate_of_stages(&own) - GAIN => Some(best),
            (best, None) => best.map(|(_, best)| best),
            (_, own) => own,
        }
    }

    /// The three stages with the least estimate, if these rules are for such rows.
    pub fn estimated_row(&self, lines: LineClass) -> Option<Stockham> {
        let LineClass { n, across, exchanges_mirror, halves, convolution, is_16_bit, to_reals, .. } = lines;
        // Pairs of rows were not measured.
        let is_other = across || exchanges_mirror && !halves || convolution || is_16_bit || to_reals && n < LEAST_BACK;
        if is_other || !self.estimates_rows(lines) || !(LENGTHS[0]..=LENGTHS[1]).contains(&n) {
            return None;
        }
        let ways = factorizations(n, RADICES[1]).into_iter().flat_map(|radices| orders(&radices));
        let ways = ways.filter(|radices| radices.len() == STAGES && radices.iter().all(|radix| *radix >= RADICES[0]));
        let all = shapes(n, ways).map(|(radices, lanes)| Stockham::new(radices, lanes));
        let all = all.filter(|own| own.elements() <= MAX_ELEMENTS && idle(own) <= MAX_IDLE);
        let all = all.flat_map(|own| PIECES.map(|(pieces, _)| Stockham { pieces, ..own.clone() })).map(|own| (estimate(&own), own));
        cheapest(all, |own| self.runs(&own, lines).then_some(own)).map(|(_, own)| own)
    }

    /// Whether rows of such a length were measured at all on such a device: large arrays of f32.
    fn estimates_rows(&self, lines: LineClass) -> bool {
        !self.profile.is_cpu() && self.words() == 1 && lines.points > SMALL_ARRAY && !lines.n.is_power_of_two()
    }
}

/// How often an invocation computes a butterfly of a stage.
fn rounds(own: &Stockham, radix: u32) -> u32 {
    (own.n() / radix).div_ceil(own.lanes)
}

/// Numbers of all butterflies of a stage, idle ones too, for a number of the row.
fn idle(own: &Stockham) -> f64 {
    let numbers: u32 = own.radices.iter().map(|radix| rounds(own, *radix) * own.lanes * radix).sum();
    f64::from(numbers) / (f64::from(own.n()) * own.radices.len() as f64)
}

/// How often a number has doubled from another one on, if it has.
fn doublings(value: u32, from: u32) -> f64 {
    (f64::from(value) / f64::from(from)).log2().max(0.0)
}

/// The same as `estimate`, for any number of stages: what a stage costs, registers, invocations of
/// a subgroup of 32 without work, rows that an access of a subgroup is spread over, and lanes that
/// do not divide the row.
fn estimate_of_stages(own: &Stockham) -> f64 {
    let together = own.lanes << rows_together(own.lanes, ROW_INVOCATIONS).ilog2();
    0.102 * own.radices.len() as f64
        + 0.157 * doublings(own.elements(), 20)
        + 0.167 * doublings(own.elements(), 32)
        + 0.197 * doublings(together.next_multiple_of(32), together)
        + 0.186 * doublings(8, own.lanes)
        + if own.n().is_multiple_of(own.lanes) { 0.0 } else { 0.048 }
}

/// The logarithm of the time, but for what every recipe of a length has in common.
fn estimate(own: &Stockham) -> f64 {
    let &[first, middle, last] = &own.radices[..] else { unreachable!("there are three stages") };
    let multiples = |of: u32| own.radices.iter().filter(|radix| radix.is_multiple_of(of)).count() as f64;
    let leaves_lanes = !own.n().is_multiple_of(own.lanes);
    0.127 * doublings(own.elements(), 24)
        + 0.216 * f64::from(own.lanes).log2()
        + PIECES.iter().find(|(pieces, _)| *pieces == own.pieces).map_or(0.0, |(_, cost)| *cost)
        // The stores of the first exchange are a radix apart, then neighbours as many as that
        // radix. If twos divide it, they meet in few banks; padding helps powers of two alone.
        + 0.098 * doublings(32, first)
        + 0.030 * f64::from(if first.is_power_of_two() { 0 } else { first.trailing_zeros() })
        + 0.084 * f64::from(rounds(own, middle)).log2()
        + 0.074 * f64::from(rounds(own, last)).log2()
        + 0.043 * doublings(20, last)
        + 0.027 * multiples(3)
        + 0.065 * multiples(5)
        + 0.089 * multiples(7)
        + 0.073 * multiples(9)
        + if leaves_lanes { 0.088 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::C2c;
    use crate::fft::factors::largest_prime;
    use crate::gpu::DeviceProfile;

    fn chosen(n: u32, profile: &DeviceProfile) -> Option<Stockham> {
        let spec = C2c::forward(n as usize).batch(1 << 12);
        let geometry = spec.transform.geometry().unwrap();
        let designer = Designer::new(&spec.transform, &geometry, profile);
        let lines = LineClass::rows(n, 1 << 12);
        let own = designer.estimated_row(lines);
        assert!(own.iter().all(|own| own.n() == n && designer.runs(own, lines)), "{own:?}");
        own
    }

    /// Every length of small primes has three stages on a large GPU, but not on a small one.
    #[test]
    fn three_stages_fit() {
        let large = DeviceProfile::large_gpu();
        let even = (700..6144).map(|half| 2 * half).filter(|n| largest_prime(*n) <= 5 && !n.is_power_of_two());
        let (mut all, mut small) = (0, 0);
        for n in even {
            all += 1;
            assert!(chosen(n, &large).is_some(), "{n}");
            small += u32::from(chosen(n, &DeviceProfile::webgpu_defaults()).is_some());
        }
        assert!(all > 50 && small > 0 && small < all, "{small} of {all}");
        assert_eq!(chosen(8192, &large), None);
        assert_eq!(chosen(1398, &large), None);
    }

    /// The estimate saves what it must over the search.
    #[test]
    fn rows_of_any_number_of_stages_take_less_time_than_the_search() {
        let chosen = |n: u32, profile: &DeviceProfile| {
            let spec = C2c::forward(n as usize).batch(1 << 14);
            let geometry = spec.transform.geometry().unwrap();
            let designer = Designer::new(&spec.transform, &geometry, profile);
            let lines = LineClass::rows(n, 1 << 14);
            (designer.pass(lines).unwrap(), designer.search(lines))
        };
        let large = DeviceProfile::large_gpu();
        for n in [3125, 4375, 6125, 1296, 1344, 700, 385] {
            let (own, searched) = chosen(n, &large);
            let saves = |searched: Stockham| estimate_of_stages(&own) < estimate_of_stages(&searched) - GAIN;
            assert!(own.radices.len() <= 3 && searched.is_none_or(saves), "{n}: {own:?}");
        }
        // On a device with few registers no invocation takes so many numbers.
        assert!(chosen(700, &DeviceProfile::webgpu_defaults()).0.elements() <= 16);
    }

    /// What was measured: 0.168 for 0.204, and 0.138 for 0.133.
    #[test]
    fn the_last_stage_takes_one_round() {
        let large = DeviceProfile::large_gpu();
        assert_eq!(chosen(8000, &large).unwrap().radices, [25, 10, 32]);
        assert_eq!(chosen(7680, &large).unwrap().radices, [32, 8, 30]);
    }
}
