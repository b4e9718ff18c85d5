//! The rules for rows of other lengths than powers of two in one pass on a GPU.
//!
//! Longer rows have recipes that were measured one by one (`measured.txt`).
//! Every other choice is judged by one of two estimates of its time (`weights.txt`). That of three
//! stages is for long rows. Shorter ones, and lengths that have no three stages of such radices,
//! have that of any number of stages, which is compared with what the search of `pass.rs` finds.

use std::cmp::Reverse;
use std::sync::LazyLock;

use super::designer::{Designer, SMALL_ARRAY, cheapest, shapes};
use super::estimate::{Estimate, Term, doublings};
use super::lines::LineClass;
use super::thresholds::{decimal, number};
use crate::fft::factors::{factorizations, orders};
use crate::fft::recipe::Stockham;

const STAGES: usize = 3;
const RADICES: [u32; 2] = [number("least radix of three stages"), number("radix of three stages")];

/// Shorter rows have the estimate of any number of stages. Longer ones fill a core, and were
/// measured one by one.
const LENGTHS: [u32; 2] = [number("shortest row of three stages"), number("longest row of any stages")];

/// Shorter rows back to reals, which load both ends of a spectrum, keep what the search finds.
const LEAST_BACK: u32 = number("shortest row of three stages to reals");

/// In how many pieces a row may be exchanged. Half of the memory leaves more for the caches. Odd
/// numbers were tried for 14 lengths, and took 0.80 to 1.12 of the time of one piece.
const PIECES: [u32; 5] = [2, 1, 3, 4, 5];

/// Numbers of an invocation.
const MAX_IN_THREE_STAGES: u32 = number("most numbers of three stages");

/// Numbers of all butterflies of a stage, idle ones too, for a number of the row.
const MAX_IDLE: f64 = decimal("numbers of butterflies for one of the row, three stages");

/// What was measured for the estimate of any number of stages: rows from this length on, up to the
/// longest of `LENGTHS`.
const SHORTEST: u32 = number("shortest row of any stages");
const MAX_RADIX: u32 = number("most of a radix, any stages");
const LEAST_LANES: u32 = number("least lanes of any stages");
/// Those of an invocation, and of all butterflies as in `MAX_IDLE`.
const MAX_IN_ANY_STAGES: u32 = number("most numbers of any stages");
const MAX_IDLE_OF_STAGES: f64 = decimal("numbers of butterflies for one of the row, any stages");

/// The logarithm of the time that it must save.
const GAIN: f64 = decimal("gain of any stages");

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
        let all = all.filter(|own| own.radices.len() > 1 && own.elements() <= MAX_IN_ANY_STAGES && idle(own) <= MAX_IDLE_OF_STAGES);
        let all = all.map(|own| (ROWS.of(&own), own));
        let best = cheapest(all, |own| self.complete((own.radices, own.lanes), lines));
        match (best, own) {
            (Some((cost, best)), Some(own)) if cost < ROWS.of(&own) - GAIN => Some(best),
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
        let all = all.filter(|own| own.elements() <= MAX_IN_THREE_STAGES && idle(own) <= MAX_IDLE);
        // Rows back to reals mostly lose by two pieces.
        let (pieces, counted) = if to_reals { ([1, 2, 3, 4, 5], Some(PIECES[0])) } else { (PIECES, None) };
        let all = all.flat_map(|own| pieces.map(|pieces| Stockham { pieces, ..own.clone() }));
        let cost = |own: &Stockham| ROWS_OF_THREE_STAGES.of(&Stockham { pieces: counted.unwrap_or(own.pieces), ..own.clone() });
        let all = all.map(|own| (cost(&own), own));
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

/// How often a number of the recipe has doubled from another one on, if it has.
fn doubled(value: u32, from: u32) -> f64 {
    doublings(value.into(), from.into())
}

fn leaves_lanes(own: &Stockham) -> f64 {
    f64::from(!own.n().is_multiple_of(own.lanes))
}

fn multiples(own: &Stockham, of: u32) -> f64 {
    own.radices.iter().filter(|radix| radix.is_multiple_of(of)).count() as f64
}

static ROWS: LazyLock<Estimate<Stockham>> = LazyLock::new(|| Estimate::new("rows", TERMS));
static ROWS_OF_THREE_STAGES: LazyLock<Estimate<Stockham>> = LazyLock::new(|| Estimate::new("rows of three stages", TERMS_OF_THREE_STAGES));

/// Numbers of an invocation take registers, and rows of few lanes spread an access of a subgroup.
const TERMS: &[Term<Stockham>] = &[
    ("stages", |own| own.radices.len() as f64),
    ("doublings of an invocation's numbers from 20", |own| doubled(own.elements(), 20)),
    ("doublings of an invocation's numbers from 32", |own| doubled(own.elements(), 32)),
    ("invocations that fill no subgroup of 32", |own| {
        // As many rows as the fit had.
        let together = own.lanes << (64 / own.lanes).max(1).ilog2();
        doubled(together.next_multiple_of(32), together)
    }),
    ("halvings of lanes from 8", |own| doubled(8, own.lanes)),
    ("lanes that do not divide the row", leaves_lanes),
];

/// The stores of the first exchange are a radix apart, then neighbours as many as that radix. If
/// twos divide it, they meet in few banks; padding helps powers of two alone.
const TERMS_OF_THREE_STAGES: &[Term<Stockham>] = &[
    ("doublings of an invocation's numbers from 24", |own| doubled(own.elements(), 24)),
    ("doublings of lanes", |own| f64::from(own.lanes).log2()),
    ("pieces other than two", |own| f64::from(own.pieces != 2)),
    ("halvings of the first radix from 32", |own| doubled(32, own.radices[0])),
    ("twos in a first radix that is no power of two", |own| {
        f64::from(if own.radices[0].is_power_of_two() { 0 } else { own.radices[0].trailing_zeros() })
    }),
    ("doublings of rounds of the second stage", |own| f64::from(rounds(own, own.radices[1])).log2()),
    ("doublings of rounds of the third stage", |own| f64::from(rounds(own, own.radices[2])).log2()),
    ("halvings of the last radix from 20", |own| doubled(20, own.radices[2])),
    ("radices with a factor 3", |own| multiples(own, 3)),
    ("radices with a factor 5", |own| multiples(own, 5)),
    ("radices with a factor 7", |own| multiples(own, 7)),
    ("radices with a factor 9", |own| multiples(own, 9)),
    ("lanes that do not divide the row", leaves_lanes),
];

/// The names of all estimates and terms.
#[cfg(test)]
pub(super) fn terms() -> Vec<[&'static str; 2]> {
    let rows = TERMS.iter().map(|(term, _)| ["rows", term]);
    rows.chain(TERMS_OF_THREE_STAGES.iter().map(|(term, _)| ["rows of three stages", term])).collect()
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
            let saves = |searched: Stockham| ROWS.of(&own) < ROWS.of(&searched) - GAIN;
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
