//! Lines that take several passes.

use super::designer::{COLUMNS, Designer, LONGEST_COLUMN, LONGEST_IN_ONE_LANE, lines_cap};
use super::lines::LineClass;
use super::thresholds::number;
use crate::fft::emit::lanes::CACHE_LINE;
use crate::fft::factors::{split, split_lengths};
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals, Stockham};
use crate::fft::spec::number::Number;

impl Designer<'_> {
    /// An axis in several passes.
    pub fn in_several(&self, axis: usize, reals: Reals, bluestein: Option<u32>) -> Option<AxisRecipe> {
        let n = bluestein.unwrap_or(self.lines(axis, reals).n);
        let LineClass { count, across, .. } = self.lines(axis, Reals::Complex);
        let points = u64::from(count) * u64::from(n);
        let is_plain = reals == Reals::Complex && bluestein.is_none() && !across;
        if is_plain && let Some(passes) = self.measured_passes(LineClass::rows(n, count)) {
            return Some(AxisRecipe::new(axis, passes));
        }
        let estimated = bluestein.is_none() && self.is_estimated(n, points, across);
        let lengths = if estimated { self.estimated_lengths(n) } else { None };
        let lengths = lengths.or_else(|| split(n, &|length| self.part(length, u64::MAX).is_some()))?;
        self.in_lengths(axis, reals, bluestein, &lengths)
    }

    /// Passes that were measured, where they fit the device.
    fn measured_passes(&self, lines: LineClass) -> Option<Vec<PassRecipe>> {
        let passes = self.measured().passes(lines).filter(|_| self.transform.number == Number::F32)?;
        passes.iter().all(|own| self.runs_across(own)).then(|| passes.into_iter().map(PassRecipe::Stockham).collect())
    }

    /// A pass of a line that takes several.
    pub(super) fn part(&self, n: u32, points: u64) -> Option<Stockham> {
        self.part_of(LineClass { points, across: true, ..LineClass::rows(n, u32::MAX) })
    }

    /// The same for lines that are known better.
    fn part_of(&self, lines: LineClass) -> Option<Stockham> {
        // Fewer neighbours lose more than a pass costs, unless they have been measured.
        let of = |least: u32| self.within(|designer| designer.part_of_any_lines(lines).filter(|own| own.lines >= self.columns(least)));
        of(COLUMNS).or_else(|| if self.has_few_registers() { of(COLUMNS / 2) } else { None })
    }

    /// The same with as many lines as a workgroup has room for.
    fn part_of_any_lines(&self, lines: LineClass) -> Option<Stockham> {
        let in_one_lane = self.profile.is_cpu() && (2..=LONGEST_IN_ONE_LANE.min(self.in_one_lane())).contains(&lines.n);
        if in_one_lane { self.complete((vec![lines.n], 1), lines) } else { self.pass(lines) }
    }

    /// The lengths of so many passes for a line that is too long for one.
    pub fn split(&self, n: u32, passes: u32) -> Option<Vec<u32>> {
        split_lengths(n, passes, &|length| self.part(length, u64::MAX).is_some())
    }

    /// Two passes where the rules take three, because a workgroup has only 4 lines of more than
    /// 2048. Which is faster differs between cards.
    pub fn in_two_of_few_lines(&self, axis: usize, n: u32) -> Option<AxisRecipe> {
        let lengths = split_lengths(n, 2, &|length| length <= LONGEST_COLUMN)?;
        let points = u64::from(self.lines(axis, Reals::Complex).count) * u64::from(n);
        let lines = |length| LineClass { points, across: true, ..LineClass::rows(length, u32::MAX) };
        let mut passes = lengths.iter().map(|&length| self.part_of_any_lines(lines(length))).collect::<Option<Vec<_>>>()?;
        passes[0].block = Some([16, 4]);
        Some(AxisRecipe::new(axis, passes.into_iter().map(PassRecipe::Stockham).collect()))
    }

    /// An axis in one pass or else in several; pairs of rows take one.
    pub fn in_any(&self, axis: usize, reals: Reals, bluestein: Option<u32>) -> Option<AxisRecipe> {
        let several = || if reals == Reals::Pairs { None } else { self.in_several(axis, reals, bluestein) };
        self.in_one(axis, reals, bluestein).or_else(several)
    }

    /// An axis in passes of these lengths.
    pub fn in_lengths(&self, axis: usize, reals: Reals, bluestein: Option<u32>, lengths: &[u32]) -> Option<AxisRecipe> {
        let LineClass { count, across, .. } = self.lines(axis, Reals::Complex);
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
            let mut stockham = self.part_of(LineClass { points, across: true, convolution, ..LineClass::rows(length, u32::MAX) })?;
            let count = (points / u64::from(length)).min(u32::MAX.into()) as u32;
            stockham.lines = stockham.lines.min(lines_cap(count));
            let lines = LineClass { across: true, convolution, ..LineClass::rows(length, count) };
            let more = Stockham { lines: self.columns(const { number("columns of an axis across") }), ..stockham.clone() };
            if across && length <= const { number("longest pass of an axis across") } && !self.profile.is_cpu() && self.fits(&more, lines) {
                stockham = more;
            }
            // The array between two passes in blocks that both of them touch in long pieces: 2^20
            // 0.558, without 0.621. On a processor a line of the cache: 100 rows of 7919 on
            // lavapipe with 8 numbers 19.8, with 32 25.7, without 21.0.
            if !across && i < last {
                let wanted = if self.profile.is_cpu() { CACHE_LINE } else { stockham.lines };
                stockham.block = Some([wanted.min(lengths[last]), 1]);
            }
            self.in_pieces(&mut stockham, lines);
            if !across {
                self.halve(&mut stockham, lines);
            }
            Some(PassRecipe::Stockham(stockham))
        });
        Some(AxisRecipe { bluestein, reals, ..AxisRecipe::new(axis, passes.collect::<Option<_>>()?) })
    }
}
