//! Lines that fit one pass: radices, lanes, and lines of a workgroup.

use std::sync::LazyLock;

use super::designer::{COLUMNS, Designer, LONG_TEXT, LONGEST_COLUMN, SMALL_ARRAY, cheapest, lines_cap, shapes};
use super::estimate::{Estimate, Term, doublings};
use super::lines::LineClass;
use crate::fft::factors::{factorizations, largest_prime};
use crate::fft::place::Storage;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals, Stockham};
use crate::fft::spec::kind::End;
use crate::fft::spec::number::Number;

/// Neighbouring lines of shorter transforms: 128 bytes. 256³ 0.218, with 8 columns 0.247.
const SHORT_COLUMNS: u32 = 16;

/// A text of this length takes NVIDIA's compiler about 0.1 s, and one of twice the length more than
/// twice as long. A shorter one also runs as fast or faster: the columns of 719x1013 with 96 lanes
/// have their first result after 214 ms, with 32 lanes after 671.
const LONGEST_GPU_TEXT: f64 = 250.0;

/// Fewer invocations do not fill a large GPU: 65537, a convolution of 384·384, by 24.16 with 8
/// lanes 0.0472, with 24 0.0241 (report `2026-11-22-h200-lanes`).
const ENOUGH_INVOCATIONS: f64 = 65_536.0;

/// How much text the butterflies of an invocation take: the values of all stages, weighted by the
/// operations for each.
fn text_length(n: u32, radices: &[u32], lanes: u32, lines: LineClass) -> f64 {
    let of_stage = |&radix: &u32| {
        let prime = f64::from(largest_prime(radix));
        let each = if prime > 5.0 { prime / 2.0 } else { 1.0 + 0.5 * f64::from(radix.ilog2()) };
        f64::from((n / radix).div_ceil(lanes) * radix) * each
    };
    let text: f64 = radices.iter().map(of_stage).sum();
    if lines.convolution { 2.0 * text } else { text }
}

/// Two subgroups of 32.
pub(super) const ROW_INVOCATIONS: u32 = 64;

/// Rows of a workgroup of so many invocations, or one that takes more.
pub(super) fn rows_together(lanes: u32, invocations: u32) -> u32 {
    (invocations / lanes).max(1)
}

/// How many rows fill subgroups of 64 best, and how full those are. A subgroup more costs a little,
/// as a core has room for fewer workgroups then.
fn filling(lanes: u32) -> (u32, f64) {
    let full = |rows: u32| f64::from(rows * lanes) / f64::from((rows * lanes).next_multiple_of(64));
    let score = |rows: u32| full(rows) - 0.02 * f64::from((rows * lanes).div_ceil(64));
    let rows = (1..=(512 / lanes).max(1)).max_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap_or(1);
    (rows, full(rows))
}

impl Designer<'_> {
    /// Takes two numbers of 16 bits in one access where that was faster.
    pub(super) fn in_twos(&self, axes: &mut [AxisRecipe]) {
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
            let Some(own) = self.measured().in_twos(lines) else { continue };
            let mut own = Stockham { block, width: 2, ..own };
            let mut wide = axes.to_vec();
            // Not every array has neighbours in twos.
            if self.in_pieces(&mut own, lines) {
                wide[i].passes = vec![PassRecipe::Stockham(own)];
                if self.fits_in(&wide, i) {
                    axes[i] = wide.swap_remove(i);
                }
            }
        }
    }

    /// A recipe for lines that fit one pass.
    pub fn pass(&self, lines: LineClass) -> Option<Stockham> {
        let n = lines.n;
        // Longer ones cannot fit, in however many pieces.
        let longest = {
            let most = self.most_elements();
            self.profile.invocations_in_a_row().saturating_mul(most).min((self.profile.workgroup_bytes / self.words()).max(4 * most))
        };
        // Fewer than 4 columns lose more than another pass costs: 8192² in one pass over columns
        // 0.97, in two 0.816.
        if n > longest || lines.across && !self.profile.is_cpu() && n > LONGEST_COLUMN {
            return None;
        }
        if n == 1 {
            let most = self.profile.invocations_in_a_row().clamp(1, 64);
            let halves = std::iter::successors(Some(most), |together| (*together > 1).then_some(together / 2));
            let mut shapes = halves.map(|together| Stockham { lines: together, banks: 0, ..Stockham::new(vec![1], 1) });
            return shapes.find(|stockham| self.fits(stockham, lines.exchanges_mirror));
        }
        if self.prefers_one_lane() && n <= self.in_one_lane() && !lines.exchanges_mirror && !lines.convolution {
            return self.complete((vec![n], 1), lines);
        }
        let is_estimated = self.estimates_columns(lines);
        let known = Some(lines).filter(|_| !self.is_double_f32()).and_then(|lines| self.measured().one(lines));
        let known = known.and_then(|(own, is_whole)| match is_whole {
            true => (self.words() == 1 && self.runs(&own, lines)).then_some(own),
            false if is_estimated || self.has_few_registers() => None,
            false => self.complete_in((own.radices, own.lanes), lines, 4),
        });
        let known = known.or_else(|| if is_estimated { self.estimated_column(lines) } else { self.estimated_row(lines) });
        known.or_else(|| self.faster_row(lines, self.search(lines)))
    }

    /// All decisions for radices and lanes, if they fit the device. Rows in 4 pieces lose more than
    /// another pass costs, unless they have been measured: 2^15 with 1024 lanes 0.66, in two passes
    /// 0.52.
    pub fn complete(&self, shape: (Vec<u32>, u32), lines: LineClass) -> Option<Stockham> {
        self.complete_in(shape, lines, 2)
    }

    /// The same with rows in at most so many pieces.
    fn complete_in(&self, (radices, lanes): (Vec<u32>, u32), lines: LineClass, most_pieces: u32) -> Option<Stockham> {
        let n = lines.n;
        let is_cpu = self.profile.is_cpu();
        // A processor's memory has no banks. Without spare elements: n = 1024 0.217 in place of
        // 0.134, 4096 0.224 in place of 0.151.
        let mut stockham = Stockham { banks: if is_cpu { 0 } else { 32 }, ..Stockham::new(radices, lanes) };
        let wanted = match (lines.across, is_cpu) {
            // Frames whose spectra lie across, 512 samples: 8 of them 0.363, 16 of them 0.705.
            (true, false) if lines.frames => self.columns(8),
            // Enough workgroups for every core come first: 256² 4 columns 0.0048, 8 0.0049.
            (true, false) if lines.count <= 256 || n > LONGEST_COLUMN / 2 => self.columns(4),
            (true, false) if lines.count < 4096 => self.columns(COLUMNS),
            (true, false) if n <= 512 => self.columns(SHORT_COLUMNS),
            (true, false) => self.columns(COLUMNS),
            // Of frames, and of rows back to reals, one subgroup of 32.
            (false, false) if self.has_few_registers() => filling(lanes).0,
            (false, false) => rows_together(lanes, if lines.frames || lines.to_reals { 32 } else { ROW_INVOCATIONS }),
            // Lavapipe spreads its cost of a workgroup over more rows.
            (_, true) => (256 / lanes).max(if lines.across { self.columns(COLUMNS) } else { 1 }),
        };
        let whole = !lines.across && self.has_few_registers();
        let mut together = if whole { wanted } else { 1 << wanted.ilog2() }.min(lines_cap(lines.count));
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

    /// The best radices and lanes by an estimate of their cost.
    pub(super) fn search(&self, lines: LineClass) -> Option<Stockham> {
        let n = lines.n;
        // Columns in two stages of up to 40: 1000² as 40·25 0.0156, as 10·10·10 0.0163; 1080 as
        // 40·27.
        let most = if self.is_double_f32() {
            LONG_TEXT
        } else if lines.across {
            40
        } else {
            16.max(largest_prime(n))
        };
        let all = shapes(n, factorizations(n, most.min(self.radix()).max(largest_prime(n)))).map(|shape| {
            let cost = self.cost(n, &shape.0, shape.1, lines);
            (if self.has_few_registers() && !lines.across { cost / filling(shape.1).1 } else { cost }, shape)
        });
        cheapest(all, |shape| self.complete(shape, lines)).map(|(_, stockham)| stockham)
    }

    /// Lower is better: few stages, few idle lanes, a liked number of elements of an invocation,
    /// and on GPUs a short text and enough invocations.
    pub fn cost(&self, n: u32, radices: &[u32], lanes: u32, lines: LineClass) -> f64 {
        let is_cpu = self.profile.is_cpu();
        let elements = radices.iter().map(|&radix| (n / radix).div_ceil(lanes) * radix).max().unwrap_or(1);
        // n = 2048: 16 elements 0.1336, 8 0.1393; 4096: 0.151 and 0.168. Of a short row about √n,
        // for the reason given in `measured`.
        let wanted = if lines.across {
            f64::from(n).sqrt().clamp(8.0, 40.0 / f64::from(self.words()))
        } else if is_cpu || n >= 2048 {
            16.0
        } else {
            f64::from(n).sqrt().clamp(2.0, 8.0)
        };
        let (most, least) = (radices.iter().max().copied().unwrap_or(1), radices.iter().min().copied().unwrap_or(1));
        let butterflies = |each: fn(u32) -> f64| {
            let of_stage = |&radix: &u32| f64::from((n / radix).div_ceil(lanes) * lanes * radix) / f64::from(n) * each(radix);
            radices.iter().map(of_stage).sum::<f64>()
        };
        ANY.of(&Counts {
            stages: butterflies(|_| 1.0),
            doublings: butterflies(|radix| radix.ilog2().into()),
            primes: butterflies(|radix| Some(largest_prime(radix)).filter(|prime| *prime > 5).unwrap_or(0).into()),
            off: (f64::from(elements) / wanted).log2().abs(),
            is_short_row: !lines.across && !is_cpu && n <= 64,
            text: if is_cpu || lines.points > SMALL_ARRAY {
                0.0
            } else {
                doublings(text_length(n, radices, lanes, lines), LONGEST_GPU_TEXT)
            },
            idle: if is_cpu || !lines.across { 0.0 } else { doublings(ENOUGH_INVOCATIONS * f64::from(elements), lines.points as f64) },
            apart: (f64::from(most) / f64::from(least)).log2(),
        })
    }
}

/// What the estimate for lines that no other one is for counts.
struct Counts {
    stages: f64,
    doublings: f64,
    primes: f64,
    off: f64,
    is_short_row: bool,
    text: f64,
    idle: f64,
    apart: f64,
}

static ANY: LazyLock<Estimate<Counts>> = LazyLock::new(|| Estimate::new("any lines", TERMS));

/// The arithmetic of a butterfly grows with its radix, that of odd primes faster; an exchange and its
/// barriers come on top. Idle lanes count as others do.
const TERMS: &[Term<Counts>] = &[
    ("stages", |own| own.stages),
    ("doublings of the radix of a stage", |own| own.doublings),
    ("primes above 5 in a stage", |own| own.primes),
    ("doublings or halvings of an invocation's numbers", |own| own.off),
    ("doublings or halvings of them in a short row", |own| if own.is_short_row { own.off } else { 0.0 }),
    ("doublings of the text of a small array from 250", |own| own.text),
    ("halvings of invocations from 65536", |own| own.idle),
    ("doublings between the least radix and the largest", |own| own.apart),
];

/// The names of its terms.
#[cfg(test)]
pub(super) fn terms() -> impl Iterator<Item = [&'static str; 2]> {
    TERMS.iter().map(|(term, _)| ["any lines", term])
}
