//! The rules for lines of other lengths than powers of two that take several passes on a GPU: which
//! lengths the passes have, and how each of them goes about it.
//!
//! Every choice is judged by one estimate of a pass's time (`weights.txt`), whose unit is the time
//! in which a copy kernel moves the array once. Where the lines of a workgroup lie side by side
//! matters most: a piece of the array that begins inside a sector of memory costs the whole sector,
//! on both ends. So lines of an odd distance want to be many at a time, and others few.

use super::designer::{Designer, SMALL_ARRAY, cheapest, shapes};
use super::estimate::{Estimate, Term, doublings, weight};
use crate::fft::factors::factorizations;
use crate::fft::recipe::{PassRecipe, Stockham};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Radices up to this one. 1000² as 40.25 takes 0.885 of the time of 10.10.10, with 40 numbers for
/// each invocation; from there on registers are missing.
const MOST: u32 = 40;

/// Lines of a workgroup, as far as its memory allows: 64 to 256 bytes side by side. Numbers that
/// are no powers of two gain little, and lose up to 60% where they begin inside of sectors or leave
/// no room for padding.
const LINES: [u32; 3] = [8, 16, 32];

/// More than so many passes are divided evenly, since there are too many ways to try them all.
const MAX_PASSES: u32 = 3;

/// How many sectors of a GPU's memory a distance between pieces keeps whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Alignment {
    /// Some pieces begin with any number of a sector.
    None,
    /// Each begins with the first number of a sector or with its middle.
    Half,
    Sector,
    /// Of 128 bytes, which a cache keeps together.
    Line,
}

impl Alignment {
    fn of(distance: u32, words: u32) -> Self {
        match distance.saturating_mul(words) {
            distance if distance.is_multiple_of(16) => Self::Line,
            distance if distance.is_multiple_of(4) => Self::Sector,
            distance if distance.is_multiple_of(2) => Self::Half,
            _ => Self::None,
        }
    }
}

/// The best passes that were found so far.
#[derive(Default)]
struct Passes(HashMap<(u32, Alignment), Option<(f64, Stockham)>>);

impl Designer<'_> {
    /// Whether these rules are for a line of length n in an array of so many numbers. Powers of two
    /// have recipes that were measured one by one. In small arrays the number of invocations and
    /// the driver's compiler decide.
    pub fn is_estimated(&self, n: u32, points: u64, across: bool) -> bool {
        !self.profile.is_cpu() && !self.is_double_f32() && !across && !n.is_power_of_two() && points > SMALL_ARRAY
    }

    /// The lengths of as few passes as may be, 2 at least, with the least estimate in all; `None`
    /// if there are none.
    pub fn estimated_lengths(&self, n: u32) -> Option<Vec<u32>> {
        let mut passes = Passes::default();
        (2..=MAX_PASSES).find_map(|count| self.best_lengths(&mut passes, n, n, count)).map(|(_, lengths)| lengths)
    }

    /// The passes of these lengths with the least estimates; `None` if there are none.
    pub fn estimated_passes(&self, lengths: &[u32]) -> Option<Vec<PassRecipe>> {
        let mut passes = Passes::default();
        let n: u32 = lengths.iter().product();
        let pass = |(f, &length): (usize, &u32)| {
            let (_, own) = self.estimated_pass(&mut passes, n, length, lengths[f + 1..].iter().product())?;
            Some(PassRecipe::Stockham(own))
        };
        lengths.iter().enumerate().map(pass).collect()
    }

    /// The first `count` passes of a line of length n, whose lengths have the product `rest`.
    fn best_lengths(&self, passes: &mut Passes, n: u32, rest: u32, count: u32) -> Option<(f64, Vec<u32>)> {
        let shorter = (2..=rest.isqrt()).filter(|divisor| rest.is_multiple_of(*divisor));
        let divisors = shorter.flat_map(|divisor| [divisor, rest / divisor]);
        let divisors = divisors.chain([rest]).filter(|divisor| if count == 1 { *divisor == rest } else { *divisor < rest });
        let all = divisors.filter_map(|length| {
            let (own, _) = self.estimated_pass(passes, n, length, n / rest)?;
            let (cost, mut lengths) = if count == 1 { (0.0, Vec::new()) } else { self.best_lengths(passes, n, rest / length, count - 1)? };
            let cost = own + cost + if lengths.last().is_some_and(|before| *before > length) { *OF_LONGER_FIRST } else { 0.0 };
            lengths.push(length);
            Some((cost, lengths))
        });
        cheapest(all, Some)
    }

    /// The pass over lines of such a length, where the lengths of the following passes have the
    /// product `after`, and its estimate.
    fn estimated_pass(&self, passes: &mut Passes, n: u32, length: u32, after: u32) -> Option<(f64, Stockham)> {
        // The last pass loads whole lines; what it stores is as far apart as its lines are many.
        let distance = if after == 1 { n / length } else { after };
        let alignment = Alignment::of(distance, self.words());
        let least = || self.within(|designer| designer.least_estimate(length, alignment));
        passes.0.entry((length, alignment)).or_insert_with(least).clone()
    }

    fn least_estimate(&self, n: u32, alignment: Alignment) -> Option<(f64, Stockham)> {
        // Half of 8 lines at least are exchanged at a time.
        if n > MOST && n > self.profile.workgroup_bytes / 16 {
            return None;
        }
        let ways = factorizations(n, (MOST / self.words()).min(self.radix()));
        let all = shapes(n, ways).flat_map(|shape| LINES.map(|lines| (shape.clone(), self.columns(lines))));
        let all = all.filter_map(|((radices, lanes), lines)| {
            let liked = if n * lines * 4 * self.words() < 16_384 || radices.len() == 1 { [1, 2] } else { [2, 1] };
            let shape = |pieces| Stockham { lines, pieces, ..Stockham::new(radices.clone(), lanes) };
            let own = liked.map(shape).into_iter().find(|own| self.runs_across(own))?;
            let pass = Pass { own, alignment, words: self.words().into() };
            Some((LINES_OF_SEVERAL_PASSES.of(&pass), pass.own))
        });
        cheapest(all, Some)
    }
}

/// What the estimate looks at.
struct Pass {
    own: Stockham,
    alignment: Alignment,
    /// 32-bit words of a real number.
    words: f64,
}

impl Pass {
    /// Numbers of an invocation, counted as f32.
    fn elements(&self) -> f64 {
        f64::from(self.own.elements()) * self.words
    }

    fn idle(&self) -> f64 {
        let Self { own, .. } = self;
        let slots: u32 = own.radices.iter().map(|&radix| (own.n() / radix).div_ceil(own.lanes) * radix).sum();
        f64::from(slots) * f64::from(own.lanes) / (own.radices.len() as f64 * f64::from(own.n())) - 1.0
    }

    /// Runs of the array as long as those of 16 lines, if they are aligned so.
    fn runs(&self, alignment: Alignment) -> f64 {
        if self.alignment == alignment { 16.0 / (f64::from(self.own.lines) * self.words) } else { 0.0 }
    }

    /// Of workgroup memory.
    fn kib(&self) -> f64 {
        f64::from(self.own.n()) * f64::from(self.own.lines) * self.words / 256.0 / f64::from(self.own.pieces)
    }
}

const NAME: &str = "lines of several passes";
const LONGER_FIRST: &str = "a longer pass before a shorter one";
static OF_LONGER_FIRST: LazyLock<f64> = LazyLock::new(|| weight(NAME, LONGER_FIRST));
static LINES_OF_SEVERAL_PASSES: LazyLock<Estimate<Pass>> = LazyLock::new(|| Estimate::new(NAME, TERMS));

/// Each additional stage is one more exchange. From 20 numbers on there are fewer invocations for
/// each core, from 32 on also less room for what was loaded ahead. What a workgroup holds leaves
/// less of the same memory to the caches, and the more invocations it has, the fewer cores it fills.
const TERMS: &[Term<Pass>] = &[
    ("pass", |_| 1.0),
    ("stages after two", |pass| pass.own.radices.len() as f64 - 2.0),
    ("doublings of an invocation's numbers from 20 to 32", |pass| doublings(pass.elements().min(32.0), 20.0)),
    ("doublings of an invocation's numbers from 32", |pass| doublings(pass.elements(), 32.0)),
    ("idle lanes", Pass::idle),
    ("runs of 16 lines at any number of a sector", |pass| pass.runs(Alignment::None)),
    ("runs of 16 lines at half a sector", |pass| pass.runs(Alignment::Half)),
    ("runs of 16 lines at a sector", |pass| pass.runs(Alignment::Sector)),
    ("runs of 16 lines at a line of a cache", |pass| pass.runs(Alignment::Line)),
    ("workgroup memory after 16 KiB", |pass| (pass.kib() / 16.0 - 1.0).max(0.0)),
    ("doublings of invocations from 200", |pass| doublings(f64::from(pass.own.lanes) * f64::from(pass.own.lines), 200.0)),
    ("doublings of the length from 256", |pass| doublings(pass.own.n().into(), 256.0)),
];

/// The names of the estimate and its terms.
#[cfg(test)]
pub(super) fn terms() -> Vec<[&'static str; 2]> {
    TERMS.iter().map(|(term, _)| *term).chain([LONGER_FIRST]).map(|term| [NAME, term]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::C2c;
    use crate::gpu::DeviceProfile;

    fn with_designer<T>(profile: &DeviceProfile, of: impl FnOnce(&Designer<'_>) -> T) -> T {
        let spec = C2c::forward(46_656).batch(256);
        let geometry = spec.transform.geometry().unwrap();
        of(&Designer::new(&spec.transform, &geometry, profile))
    }

    #[test]
    fn distances_keep_whole_what_divides_them() {
        let all = [(243, Alignment::None), (250, Alignment::Half), (324, Alignment::Sector), (144, Alignment::Line)];
        for (distance, expected) in all {
            assert!(Alignment::of(distance, 1) == expected, "{distance}");
        }
        assert!(Alignment::of(2, 2) == Alignment::Sector);
    }

    /// Passes of a length multiply to it, are as few as may be, and fit, on small devices too.
    #[test]
    fn estimated_passes_fit() {
        for profile in [DeviceProfile::webgpu_defaults(), DeviceProfile::large_gpu()] {
            with_designer(&profile, |designer| {
                for (n, count) in [(46_656, 2), (59_049, 2), (30_030, 2), (117_649, 2), (250_000, 2), (43 * 3, 0), (48_000_000, 3)] {
                    let Some(lengths) = designer.estimated_lengths(n) else {
                        assert_eq!(count, 0, "{n}");
                        continue;
                    };
                    assert_eq!((lengths.len(), lengths.iter().product()), (count, n), "{lengths:?}");
                    let mut passes = Passes::default();
                    for (f, &length) in lengths.iter().enumerate() {
                        let after = lengths[f + 1..].iter().product();
                        let (cost, own) = designer.estimated_pass(&mut passes, n, length, after).unwrap();
                        assert!(
                            own.n() == length && designer.with_any_registers().runs_across(&own) && own.lines >= 8 && cost > 0.9,
                            "{own:?} {cost}"
                        );
                    }
                }
            });
        }
    }

    /// What was measured: 0.125 for 0.153, and 0.107 for 0.137.
    #[test]
    fn odd_distances_want_more_lines_than_even_ones() {
        let profile = DeviceProfile::large_gpu();
        with_designer(&profile, |designer| {
            for (length, alignment, lines) in [(81, Alignment::None, 32), (120, Alignment::None, 32), (144, Alignment::Line, 16)] {
                assert_eq!(designer.least_estimate(length, alignment).unwrap().1.lines, lines, "{length}");
            }
        });
    }
}
