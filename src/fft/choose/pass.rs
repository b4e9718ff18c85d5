//! Lines that fit one pass: radices, lanes, and lines of a workgroup.

use std::sync::LazyLock;

use super::designer::{COLUMNS, Designer, FEWEST_COLUMNS, LONG_TEXT, LONGEST_COLUMN, SMALL_ARRAY, cheapest, lines_cap, shapes};
use super::estimate::{Estimate, Term, doublings};
use super::lines::LineClass;
use super::thresholds::{decimal, number};
use crate::fft::factors::{factorizations, largest_prime};
use crate::fft::place::Storage;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals, Stockham};
use crate::fft::spec::kind::End;
use crate::fft::spec::number::Number;

/// Neighbouring lines of short transforms, and the longest of these.
const SHORT_COLUMNS: u32 = number("columns of short lines");
const LONGEST_SHORT_COLUMN: u32 = number("longest short column");
const FEWEST_OF_FEW_REGISTERS: u32 = number("fewest columns of few registers");

/// Fewer columns in all should have more workgroups.
const FEW_COLUMNS: u32 = number("few columns in all");

/// From so many on a workgroup has [`SHORT_COLUMNS`].
const COLUMNS_FOR_MORE: u32 = number("columns in all for more short ones");

pub(super) const RADIX_OF_ROWS: u32 = number("radix of rows");

/// The least and the most numbers of an invocation that columns like to have.
const NUMBERS_OF_COLUMNS: [f64; 2] =
    [decimal("least numbers of an invocation, columns"), decimal("most numbers of an invocation, columns")];

const SHORT_ROW: u32 = number("short row");

/// A text of twice this length takes a driver's compiler more than twice as long, and runs no
/// faster.
const LONGEST_GPU_TEXT: f64 = decimal("text of the compiler");

/// Fewer invocations do not fill a large GPU.
const ENOUGH_INVOCATIONS: f64 = decimal("invocations of a device");

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

/// Of a workgroup of rows, and of one of frames or rows back to reals.
const ROW_INVOCATIONS: u32 = number("invocations of rows");
const INVOCATIONS_OF_FRAMES: u32 = number("invocations of frames or rows to reals");

/// Subgroups to fill with rows, the most invocations of a workgroup for that, and what each
/// subgroup beyond those that rows have anyway costs, as a core has room for fewer workgroups then.
#[derive(Clone, Copy)]
struct Filling {
    subgroup: u32,
    most: u32,
    cost: f64,
}

const FILLING: Filling =
    Filling { subgroup: number("subgroup of rows"), most: number("most invocations of rows"), cost: decimal("cost of a subgroup") };
const FILLING_OF_FEW_REGISTERS: Filling = Filling {
    subgroup: number("subgroup of rows, few registers"),
    most: number("most invocations of rows, few registers"),
    cost: decimal("cost of a subgroup, few registers"),
};

impl Filling {
    /// How full the subgroups of so many invocations are.
    fn full(self, invocations: u32) -> f64 {
        f64::from(invocations) / f64::from(invocations.next_multiple_of(self.subgroup))
    }

    /// How many rows of so many lanes fill subgroups best, where so many invocations cost nothing.
    fn rows(self, lanes: u32, free: u32) -> u32 {
        let score = |rows: &u32| {
            let invocations = rows * lanes;
            let beyond = invocations.saturating_sub(free).div_ceil(self.subgroup);
            self.full(invocations) - self.cost * f64::from(beyond)
        };
        (1..=(self.most / lanes).max(1)).max_by(|a, b| score(a).total_cmp(&score(b))).unwrap_or(1)
    }
}

/// Most pieces of an exchange of rows.
const PIECES: u32 = number("pieces of rows");

/// The largest power of two that is no larger.
fn power_of_two(count: u32) -> u32 {
    1 << count.ilog2()
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
        if n > longest || lines.across && !self.profile.is_cpu() && n > LONGEST_COLUMN {
            return None;
        }
        if n == 1 {
            let most = self.profile.invocations_in_a_row().clamp(1, 64);
            let halves = std::iter::successors(Some(most), |together| (*together > 1).then_some(together / 2));
            let mut shapes = halves.map(|together| Stockham { lines: together, banks: 0, ..Stockham::new(vec![1], 1) });
            return shapes.find(|stockham| self.fits(stockham, lines));
        }
        if self.prefers_one_lane() && n <= self.in_one_lane() && !lines.exchanges_mirror && !lines.convolution {
            return self.complete((vec![n], 1), lines);
        }
        let is_estimated = self.estimates_columns(lines);
        let known = Some(lines).filter(|_| !self.is_double_f32()).and_then(|lines| self.measured().one(lines));
        let known = known.and_then(|(own, is_whole)| match is_whole {
            true => (self.words() == 1 && self.runs(&own, lines)).then_some(own),
            false if is_estimated || self.has_few_registers() => None,
            false => self.complete_in((own.radices, own.lanes), lines, const { number("pieces of measured rows") }),
        });
        let known = known.or_else(|| if is_estimated { self.estimated_column(lines) } else { self.estimated_row(lines) });
        known.or_else(|| self.faster_row(lines, self.search(lines)))
    }

    /// How many rows a workgroup of a GPU should have.
    fn rows(&self, lanes: u32, lines: LineClass) -> u32 {
        let invocations = if lines.frames || lines.to_reals { INVOCATIONS_OF_FRAMES } else { ROW_INVOCATIONS };
        if self.has_few_registers() {
            FILLING_OF_FEW_REGISTERS.rows(lanes, ROW_INVOCATIONS)
        } else if lines.frames || lanes < const { number("fewest lanes to fill with") } {
            power_of_two((invocations / lanes).max(1))
        } else {
            FILLING.rows(lanes, invocations)
        }
    }

    /// All decisions for radices and lanes, if they fit the device. Rows in more pieces lose more
    /// than another pass costs.
    pub fn complete(&self, shape: (Vec<u32>, u32), lines: LineClass) -> Option<Stockham> {
        self.complete_in(shape, lines, PIECES)
    }

    /// The same with rows in at most so many pieces.
    fn complete_in(&self, (radices, lanes): (Vec<u32>, u32), lines: LineClass, most_pieces: u32) -> Option<Stockham> {
        let n = lines.n;
        let is_cpu = self.profile.is_cpu();
        // A processor's memory has no banks.
        let mut stockham = Stockham { banks: if is_cpu { 0 } else { const { number("banks") } }, ..Stockham::new(radices, lanes) };
        let wanted = match (lines.across, is_cpu) {
            // Frames whose spectra lie across share their samples.
            (true, false) if lines.frames => self.columns(COLUMNS),
            (true, false) if lines.count <= FEW_COLUMNS || n > LONGEST_COLUMN / 2 => self.columns(FEWEST_COLUMNS),
            (true, false) if lines.count >= COLUMNS_FOR_MORE && n <= LONGEST_SHORT_COLUMN => self.columns(SHORT_COLUMNS),
            (true, false) => self.columns(COLUMNS),
            (false, false) => self.rows(lanes, lines),
            (_, true) => (const { number("invocations of a processor") } / lanes).max(if lines.across { self.columns(COLUMNS) } else { 1 }),
        };
        let wanted = if lines.across || is_cpu { power_of_two(wanted) } else { wanted };
        let mut together = wanted.min(lines_cap(lines.count));
        loop {
            stockham.lines = together;
            if self.in_pieces(&mut stockham, lines) && (lines.across || self.profile.is_cpu() || stockham.pieces <= most_pieces) {
                return Some(stockham);
            }
            let fewest = self.columns(if self.has_few_registers() { FEWEST_OF_FEW_REGISTERS } else { FEWEST_COLUMNS });
            if together == 1 || lines.across && together <= fewest {
                return None;
            }
            together /= 2;
        }
    }

    /// The best radices and lanes by an estimate of their cost.
    pub(super) fn search(&self, lines: LineClass) -> Option<Stockham> {
        let n = lines.n;
        let most = if self.is_double_f32() {
            LONG_TEXT
        } else if lines.across {
            const { number("radix of columns") }
        } else {
            RADIX_OF_ROWS.max(largest_prime(n))
        };
        let few = FILLING_OF_FEW_REGISTERS;
        let filled =
            |lanes: u32| if self.has_few_registers() && !lines.across { few.full(few.rows(lanes, ROW_INVOCATIONS) * lanes) } else { 1.0 };
        let all = shapes(n, factorizations(n, most.min(self.radix()).max(largest_prime(n))));
        let all = all.map(|shape| (self.cost(n, &shape.0, shape.1, lines) / filled(shape.1), shape));
        cheapest(all, |shape| self.complete(shape, lines)).map(|(_, stockham)| stockham)
    }

    /// Lower is better: few stages, few idle lanes, a liked number of elements of an invocation,
    /// and on GPUs a short text and enough invocations.
    pub fn cost(&self, n: u32, radices: &[u32], lanes: u32, lines: LineClass) -> f64 {
        let is_cpu = self.profile.is_cpu();
        let elements = radices.iter().map(|&radix| (n / radix).div_ceil(lanes) * radix).max().unwrap_or(1);
        let wanted = if lines.across {
            f64::from(n).sqrt().clamp(NUMBERS_OF_COLUMNS[0], NUMBERS_OF_COLUMNS[1] / f64::from(self.words()))
        } else if is_cpu || n >= const { number("shortest row of so many numbers") } {
            const { number("numbers of an invocation, rows") }.into()
        } else {
            f64::from(n).sqrt().clamp(2.0, const { number("numbers of an invocation, short rows") }.into())
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
            is_short_row: !lines.across && !is_cpu && n <= SHORT_ROW,
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

/// The arithmetic of a butterfly grows with its radix, that of odd primes faster; an exchange and
/// its barriers come on top. Idle lanes count as others do.
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
