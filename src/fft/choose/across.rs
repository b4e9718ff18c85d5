//! The rules for lines that lie across an array larger than a cache of a GPU: columns, and the
//! passes of lines that take several.
//!
//! Every choice is judged by an estimate of a pass's time (`weights.txt`), whose unit is the time
//! in which a copy kernel moves the array once. Both have the same terms, and other weights. Where
//! the lines of a workgroup lie side by side matters most: a piece of the array that begins inside
//! a sector of memory costs the whole sector. So lines of an odd distance want to be many at a
//! time, and others few.

use super::designer::{Designer, SECTOR, SMALL_ARRAY, cheapest, registers_of, shapes};
use super::estimate::{Estimate, Term, doublings, weight};
use super::lines::LineClass;
use super::thresholds::number;
use crate::fft::factors::factorizations;
use crate::fft::recipe::{PassRecipe, Stockham};
use std::collections::HashMap;
use std::sync::LazyLock;

const MAX_RADIX: u32 = number("radix of columns");

/// Lines of a workgroup, as far as its memory allows: 32 to 256 bytes side by side. Numbers that
/// are no powers of two gain little, and lose up to 60% where they begin inside of sectors or leave
/// no room for padding.
const LINES: [u32; 4] = [4, 8, 16, 32];

/// Pieces of an exchange.
const PIECES: [u32; 3] = [1, 2, 4];

/// More passes than these are divided evenly.
const MAX_PASSES: u32 = number("passes of any lengths");

/// The best passes that were found so far, by their lengths and whether lines lie at whole sectors.
#[derive(Default)]
struct Passes(HashMap<(u32, bool), Option<(f64, Stockham)>>);

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
        let whole_sectors = (u64::from(distance) * u64::from(self.words()) * 8).is_multiple_of(SECTOR);
        // Fewer lines lose more than another pass costs.
        let least = || self.within(|designer| designer.least_estimate(&PASSES, length, whole_sectors, &LINES[1..]));
        passes.0.entry((length, whole_sectors)).or_insert_with(least).clone()
    }

    /// Whether these rules are for such lines: columns of complex numbers, where registers need not
    /// be kept to. More columns of a workgroup take more of them, and no such device was measured.
    pub fn estimates_columns(&self, lines: LineClass) -> bool {
        let LineClass { n, count, points, whole_sectors, .. } = lines;
        let plain = LineClass { across: true, points, whole_sectors, ..LineClass::rows(n, count) };
        let is_column = lines == plain && count < u32::MAX && n > 1;
        is_column && !self.profile.is_cpu() && !self.is_double_f32() && !self.has_few_registers() && points > SMALL_ARRAY
    }

    /// The pass over columns with the least estimate.
    pub fn estimated_column(&self, lines: LineClass) -> Option<Stockham> {
        self.least_estimate(&COLUMNS, lines.n, lines.whole_sectors, &LINES).map(|(_, own)| own)
    }

    fn least_estimate(&self, estimate: &Estimate<Pass>, n: u32, whole_sectors: bool, lines: &[u32]) -> Option<(f64, Stockham)> {
        // The fewest lines, in the most pieces.
        let bytes = 4 * u64::from(n) * u64::from(lines[0]) / u64::from(PIECES[PIECES.len() - 1]);
        if n > MAX_RADIX && bytes > self.profile.workgroup_bytes.into() {
            return None;
        }
        let ways = factorizations(n, (MAX_RADIX / self.words()).min(self.radix()));
        // As `cheapest` does, but a copy of each candidate would take longer than its estimate.
        let mut best: Option<(f64, Stockham)> = None;
        let all = shapes(n, ways).map(|(radices, lanes)| Stockham::new(radices, lanes)).map(|own| (own.elements(), own));
        for (elements, own) in all.filter(|(elements, _)| *elements <= self.most_elements()) {
            let mut pass = Pass { own, whole_sectors, words: self.words(), elements: elements * self.words() };
            for (&lines, pieces) in lines.iter().flat_map(|lines| PIECES.map(|pieces| (lines, pieces))) {
                (pass.own.lines, pass.own.pieces) = (self.columns(lines), pieces);
                let cost = estimate.of(&pass);
                if best.as_ref().is_none_or(|(least, _)| cost < *least - 1e-9) && self.runs_across(&pass.own) {
                    best = Some((cost, pass.own.clone()));
                }
            }
        }
        best
    }
}

/// What the estimate looks at.
struct Pass {
    own: Stockham,
    /// Whether what lies side by side begins at sectors of memory.
    whole_sectors: bool,
    /// 32-bit words of a real number.
    words: u32,
    /// Numbers of an invocation, counted as f32.
    elements: u32,
}

impl Pass {
    fn invocations(&self) -> u32 {
        self.own.lanes * self.own.lines
    }

    /// Those of all invocations of a workgroup, in subgroups of 32.
    fn registers(&self) -> f64 {
        f64::from(registers_of(self.elements, self.own.radices.len())) * f64::from(self.invocations().next_multiple_of(32))
    }

    /// Runs of the array as long as those of 16 lines.
    fn runs(&self) -> f64 {
        16.0 / f64::from(self.own.lines * self.words)
    }

    /// Of workgroup memory, for an exchange.
    fn kib(&self) -> f64 {
        let Stockham { radices, lines, pieces, .. } = &self.own;
        if radices.len() == 1 { 0.0 } else { f64::from(self.own.n()) * f64::from(lines * self.words) / 256.0 / f64::from(*pieces) }
    }
}

/// The names of both estimates.
const NAMES: [&str; 2] = ["columns", "lines of several passes"];
const LONGER_FIRST: &str = "a longer pass before a shorter one";
static OF_LONGER_FIRST: LazyLock<f64> = LazyLock::new(|| weight(NAMES[1], LONGER_FIRST));
static COLUMNS: LazyLock<Estimate<Pass>> = LazyLock::new(|| Estimate::new(NAMES[0], TERMS));
static PASSES: LazyLock<Estimate<Pass>> = LazyLock::new(|| Estimate::new(NAMES[1], TERMS));

/// Each additional stage is one more exchange. From 20 numbers on there are fewer invocations for
/// each core. What a workgroup holds leaves less of the same memory to the caches, and the more
/// invocations it has, the fewer cores it fills. If all of them are to fit a core, the compiler
/// spills.
const TERMS: &[Term<Pass>] = &[
    ("stages", |pass| pass.own.radices.len() as f64),
    ("doublings of an invocation's numbers from 20", |pass| doublings(pass.elements.into(), 20.0)),
    ("runs of 16 lines", Pass::runs),
    ("runs of 16 lines inside of sectors", |pass| if pass.whole_sectors { 0.0 } else { pass.runs() }),
    ("workgroup memory after 16 KiB", |pass| (pass.kib() / 16.0 - 1.0).max(0.0)),
    ("doublings of invocations from 200", |pass| doublings(pass.invocations().into(), 200.0)),
    ("doublings of a workgroup's registers from 96 Ki", |pass| doublings(pass.registers(), 98_304.0)),
    ("four pieces", |pass| f64::from(pass.own.pieces == 4)),
];

/// The names of both estimates and of their terms.
#[cfg(test)]
pub(super) fn terms() -> Vec<[&'static str; 2]> {
    let both = NAMES.iter().flat_map(|name| TERMS.iter().map(|(term, _)| [*name, *term]));
    both.chain([[NAMES[1], LONGER_FIRST]]).collect()
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
                            own.n() == length && designer.with_any_registers().runs_across(&own) && own.lines >= 8 && cost > 0.0,
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
            let lines = |length, whole_sectors| designer.least_estimate(&PASSES, length, whole_sectors, &LINES).unwrap().1.lines;
            let all = |whole_sectors| [81, 120, 441].map(|length| lines(length, whole_sectors));
            let [odd, even] = [false, true].map(all);
            assert!(odd.iter().zip(even).all(|(odd, even)| *odd >= even) && odd != even, "{odd:?} {even:?}");
        });
    }
}
