//! The rules for lengths with a large prime factor, whose transform becomes a convolution
//! (Bluestein): how long it is, and which passes it has.

use super::designer::{COLUMNS, Designer, LONGEST_IN_ONE_LANE, SMALL_ARRAY};
use super::lines::LineClass;
use super::thresholds::number;
use crate::error::{Error, Result, check_count};
use crate::fft::factors::{largest_prime, split, split_lengths};
use crate::fft::recipe::{AxisRecipe, Reals};

/// Longest convolutions in one pass of a processor, of rows and of columns. Several passes of lines
/// in one lane compile several times as fast, since a driver unrolls every barrier with all that
/// invocations hold, and the longer ones run faster too.
pub(in crate::fft) const LONGEST_ON_CPU: [u32; 2] = [number("longest row of a convolution"), number("longest column of a convolution")];

/// The last length of a long convolution on a GPU, whose pass transforms there and back.
const LAST: u32 = number("last length of a convolution");

/// Shorter convolutions are not divided like this.
const LEAST: u32 = number("shortest convolution in passes");

impl Designer<'_> {
    /// An axis as a convolution.
    pub fn convolution(&self, axis: usize, reals: Reals) -> Result<AxisRecipe> {
        // Rows that may not mix are taken in halves. Pairs are for one pass alone.
        let halves = reals == Reals::Complex && self.has_reals(axis) && self.has_halves(axis);
        let [reals, in_several] = if halves { [Reals::Halves; 2] } else { [reals, Reals::Complex] };
        let lines = LineClass { n: self.lines(axis, in_several).n, ..self.lines(axis, Reals::Complex) };
        let n = lines.n;
        let required = 2 * u64::from(n) - 1;
        let m = self.convolution_length(required);
        let what = || format!("an FFT of length {n}, whose largest prime factor is {}, as a convolution", largest_prime(n));
        check_count(what, m)?;
        let m = m as u32;
        if self.profile.is_cpu()
            && m > LONGEST_ON_CPU[usize::from(lines.across)]
            && let Some(lengths) = split(m, &|length| length <= LONGEST_IN_ONE_LANE.min(self.in_one_lane()))
            && let Some(recipe) = self.in_lengths(axis, in_several, Some(m), &lengths)
        {
            return Ok(recipe);
        }
        if let Some(recipe) = self.in_one(axis, reals, Some(m)) {
            return Ok(recipe);
        }
        let quick = self.quick_lengths(lines, m).and_then(|lengths| {
            let m = lengths.iter().product();
            self.in_lengths(axis, in_several, Some(m), &lengths)
        });
        quick.or_else(|| self.in_several(axis, in_several, Some(m))).ok_or_else(|| {
            // Lengths up to 64 take one invocation for each line and no workgroup memory, so
            // whatever a long one is split into fails for want of lines alone.
            let columns = self.columns(COLUMNS);
            let what = format!("an FFT of length {n}, in passes over {columns} neighbouring lines,");
            let (limit, available) = ("max_compute_invocations_per_workgroup", self.profile.invocations_in_a_row().into());
            Error::LimitExceeded { what, limit, required: columns.into(), available }
        })
    }

    /// The length of a convolution of at least so many numbers, if it takes one pass.
    ///
    /// Arithmetic decides, and powers of two have the least; five times one pays where it was
    /// measured, and takes less memory everywhere: 5003 as 10240 0.270, as 12288 0.296.
    fn convolution_length(&self, required: u64) -> u64 {
        let is_measured = |m: u64| {
            let lines = |m| LineClass { convolution: true, ..LineClass::rows(m, 1) };
            u32::try_from(m).is_ok_and(|m| self.all_measured().one(lines(m)).is_some())
        };
        let least = required.next_power_of_two();
        let [nine, five, three] = [(9, 16), (5, 8), (3, 4)].map(|(times, over)| least / over * times);
        let has_five = !self.profile.is_cpu() && self.words() == 1 && is_measured(five);
        let all = [Some(nine), has_five.then_some(five), Some(three)];
        all.into_iter().flatten().find(|&m| m >= required).unwrap_or(least)
    }

    /// The lengths of a convolution in several passes of a GPU, if `m` would do.
    fn quick_lengths(&self, LineClass { n, count, across, .. }: LineClass, m: u32) -> Option<Vec<u32>> {
        if self.profile.is_cpu() || self.words() > 1 || across || m < LEAST {
            return None;
        }
        // Three lengths have more invocations.
        if m >= const { number("shortest convolution in three") } && u64::from(m) * u64::from(count) <= SMALL_ARRAY {
            return split_lengths(m, 3, &|length| length <= const { number("lengths of three") });
        }
        let required = (2 * n - 1).div_ceil(LAST);
        let is_smooth = |length: &u32| largest_prime(*length) <= 5;
        (required..=const { number("first length of a convolution") }).find(is_smooth).map(|first| vec![first, LAST])
    }
}
