//! The passes of `fft/lanes` for a line, within bounds on their texts.

use super::designer::{MAX_PRIME, Text};
use super::thresholds::number;
use crate::fft::emit::lanes::{MAX_IN_LOOPS, MAX_OF_LANE, SUBGROUP, row_elements, slots};
use crate::fft::factors::split;
use crate::fft::recipe::PassRecipe;

/// Longest line of a single pass in one lane.
const LONGEST_COLUMN: u32 = number("longest column in one lane");

/// Rows up to here need accesses of full width.
const SHORT_ROW: u32 = number("longest row by full width");

/// Longest column of a single pass in several lanes.
const LONGEST_SHARED_COLUMN: u32 = number("longest column in lanes");

/// Longest texts of one of several passes over an axis: the second where the first makes the texts
/// of all passes together too long. A wider access does not pay for a longer one.
const LONGEST_PASSES: [u32; 2] = [number("text of a pass"), number("text of a short pass")];

/// Elements of an invocation up to which wider accesses are better than fewer elements.
const FEW_ELEMENTS: u32 = number("few numbers of a lane");

/// What the recipes of axes have in common.
pub(super) struct Rules {
    /// Widths of accesses to choose from, the largest first.
    pub(super) widths: Vec<u32>,
    /// The widest access of the device.
    pub(super) full: u32,
    pub(super) invocations: u32,
    pub(super) text: Text,
    /// Longest text of an axis, if it is to be short.
    pub(super) longest: u32,
    /// Longest text of a column in one pass, if it is to be short.
    pub(super) longest_column: u32,
    /// Longest text of a row, if there is such a text.
    pub(super) preferred_row: u32,
    /// Longest text of a row in loops.
    pub(super) longest_loops: u32,
    /// Longest text of several passes together, if shorter passes would do.
    pub(super) longest_passes: u32,
    /// Longest column in loops by 2 numbers.
    pub(super) longest_by_twos: u32,
    /// The elements of a line are whole lines of a cache apart.
    pub(super) aligned: bool,
}

impl Rules {
    fn pass(&self, factors: [u32; 2], lanes: u32, width: u32) -> PassRecipe {
        PassRecipe::Lanes { factors, lanes, width, invocations: self.invocations, loops: false }
    }

    fn allows(&self, size: (u32, u32), longest: u32) -> bool {
        let (elements, text) = size;
        elements <= MAX_OF_LANE && self.allows_text(text, longest)
    }

    fn allows_text(&self, text: u32, longest: u32) -> bool {
        self.text == Text::Long || text <= longest
    }

    /// A dense line in one pass, with few elements of a lane, then wide accesses, then few lanes.
    /// If that text is too long, loops, or else several passes.
    pub(super) fn row(&self, n: u32) -> Option<Vec<PassRecipe>> {
        let widths = self.widths.iter().filter(|width| n > SHORT_ROW || **width == self.full);
        let all = widths.flat_map(|&width| pairs(n, width).map(move |factors| (width, factors)));
        let all = all.flat_map(|(width, factors)| [1, 2, 4, 8].map(|lanes| (size(factors, lanes, width, 1), lanes, width, factors)));
        let all: Vec<_> = all.collect();
        let best = |longest: u32| {
            let fitting = all.iter().filter(|(size, ..)| self.allows(*size, longest));
            fitting.min_by_key(|&&((elements, _), lanes, width, _)| (elements.max(FEW_ELEMENTS), 4 - width, elements, lanes))
        };
        match best(self.preferred_row).or_else(|| best(self.longest)) {
            Some(&(_, lanes, width, factors)) => Some(vec![self.pass(factors, lanes, width)]),
            None if n > SHORT_ROW => self.in_loops(n).or_else(|| self.in_several(n, true)),
            None => None,
        }
    }

    /// A dense line in loops, with accesses of full width. Where they are impossible, the factors
    /// with the shortest text, by accesses of any width: a narrow access need not be slower.
    fn in_loops(&self, n: u32) -> Option<Vec<PassRecipe>> {
        let (wide, narrow): (Vec<u32>, Vec<u32>) = self.widths.iter().partition(|width| **width == self.full);
        let (_, pass) = self.shortest_loops(n, &wide).or_else(|| self.shortest_loops(n, &narrow))?;
        Some(vec![pass])
    }

    /// The loops with the shortest text, by accesses of these widths, and the length of that text.
    fn shortest_loops(&self, n: u32, widths: &[u32]) -> Option<(u32, PassRecipe)> {
        let (lanes, invocations) = (SUBGROUP, self.invocations);
        let of_width = |&width: &u32| {
            let all = pairs(n, width).filter(move |[j, _]| lanes * width < 4 * j);
            all.map(move |factors| (size_in_loops(factors, lanes, width), 4 - width, factors))
        };
        let fits = |(elements, text): (u32, u32)| elements <= MAX_IN_LOOPS && self.allows_text(text, self.longest_loops);
        let fitting = widths.iter().flat_map(of_width).filter(|(size, ..)| fits(*size));
        let ((_, text), narrow, factors) = fitting.min_by_key(|&((_, text), narrow, factors)| (text, narrow, factors))?;
        Some((text, PassRecipe::Lanes { factors, lanes, width: 4 - narrow, invocations, loops: true }))
    }

    /// A line across the fastest index, whole or in several passes.
    pub(super) fn column(&self, n: u32) -> Option<Vec<PassRecipe>> {
        // Accesses of one number are too short: 512 columns of 512 in 8 lanes take 2.4, in two
        // passes by 2 numbers 1.75.
        let widths = || self.widths.iter().copied().filter(|&width| width > 1 || self.widths[0] == 1 || self.text == Text::Long);
        if n <= LONGEST_COLUMN
            && let Some(width) = widths().find(|&width| self.allows(size([n, 1], 1, 1, width), self.longest_column))
        {
            return Some(vec![self.pass([n, 1], 1, width)]);
        }
        if n <= LONGEST_SHARED_COLUMN {
            let factors = pairs(n, 1).filter(|[larger, _]| *larger <= LONGEST_COLUMN);
            let all: Vec<_> = factors.flat_map(|factors| [2, 4, 8].map(|lanes| (lanes, factors))).collect();
            // Wide accesses come first: 512² in 8 lanes by 4 numbers 1.91, in 4 lanes by 2 2.16.
            for width in widths() {
                let fitting = all.iter().map(|&(lanes, factors)| (lanes, size(factors, lanes, 1, width), factors));
                if let Some((lanes, _, factors)) = fitting.filter(|(_, size, _)| self.allows(*size, self.longest_column)).min() {
                    return Some(vec![self.pass(factors, lanes, width)]);
                }
            }
        }
        let several = self.in_several(n, false);
        // One pass in loops by 1 number, where its text is about as short as that of several
        // passes: 1080x1920 16.1 ms, in several passes 27.6. Rows that do not begin with a line of
        // the cache gain less or lose.
        let in_loops = n <= LONGEST_SHARED_COLUMN && self.aligned && self.text == Text::Short;
        let loops = if in_loops { self.shortest_loops(n, &[1]) } else { None };
        let longest = several.as_deref().map_or(u32::MAX, |passes| text_of(passes).saturating_add(text_of(passes) / 8));
        match loops {
            Some((text, mut pass)) if text <= longest => {
                // 2 numbers instead of 1, where that pays for the text, which takes 0.05 to 0.3 s
                // more to compile.
                if let PassRecipe::Lanes { width, .. } = &mut pass
                    && n <= self.longest_by_twos
                    && self.widths.contains(&2)
                {
                    *width = 2;
                }
                Some(vec![pass])
            }
            _ => several,
        }
    }

    /// A line in several passes of lines in one lane. 2048² as 64·32 94.7, as 32·64 99.0.
    fn in_several(&self, n: u32, row: bool) -> Option<Vec<PassRecipe>> {
        if self.text == Text::Long {
            let factors = pairs(n, 1).min().filter(|&[larger, _]| larger <= LONGEST_COLUMN && !row)?;
            return Some(factors.map(|factor| self.pass([factor, 1], 1, self.widths[0])).to_vec());
        }
        let narrow = *self.widths.iter().find(|width| **width <= 2)?;
        let passes = |longest: u32| {
            let is_short = |length: u32| code_size(length).saturating_mul(narrow) <= longest;
            let lengths = split(n, &|length| length <= LONGEST_COLUMN && (is_short(length) || length <= MAX_PRIME))?;
            let mut rest = n;
            let passes = lengths.into_iter().map(|length| {
                // In a row the neighbours of an element are the other digits of its index, for the
                // last pass those of another line.
                rest /= length;
                let wide = is_short(length) && (!row || rest.is_multiple_of(narrow) && rest > 1);
                self.pass([length, 1], 1, if wide { narrow } else { 1 })
            });
            Some(passes.collect::<Vec<_>>())
        };
        let [longer, shorter] = LONGEST_PASSES.map(passes);
        longer.filter(|passes| text_of(passes) <= self.longest_passes).or(shorter)
    }
}

/// The same with loops, which have one DFT of each factor, and move every number a few times.
fn size_in_loops([j, k]: [u32; 2], lanes: u32, along: u32) -> (u32, u32) {
    let elements = row_elements([j, k], lanes, along);
    (elements, code_size(j).saturating_add(code_size(k)).saturating_add(elements.saturating_mul(2)))
}

/// Complex numbers of an invocation, and the length of its text.
fn size([j, k]: [u32; 2], lanes: u32, along: u32, across: u32) -> (u32, u32) {
    let slots = |n: u32| slots(n, lanes, along);
    let text = slots(k).saturating_mul(code_size(j)).saturating_add(slots(j).saturating_mul(code_size(k)));
    (across.saturating_mul(row_elements([j, k], lanes, along)), across.saturating_mul(text))
}

/// The length of the text of lines in one lane, by passes.
fn text_of(passes: &[PassRecipe]) -> u32 {
    let text = |pass: &PassRecipe| match pass {
        PassRecipe::Lanes { factors: [n, _], width, .. } => code_size(*n).saturating_mul(*width),
        _ => u32::MAX,
    };
    passes.iter().map(text).fold(0, u32::saturating_add)
}

/// The length of the text of a DFT of n by codelets: 1 for each value and each factor 2 or 3 of n,
/// more for larger primes. Lengths without a recipe are asked for too, so it may be any number.
pub(in crate::fft) fn code_size(n: u32) -> u32 {
    let (mut rest, mut prime, mut twice) = (n, 2, 0);
    while rest > 1 {
        if u64::from(prime) * u64::from(prime) > rest.into() {
            // No smaller prime divides it.
            prime = rest;
        }
        if rest.is_multiple_of(prime) {
            rest /= prime;
            twice += u64::from((prime - 1).max(2));
        } else {
            prime += 1;
        }
    }
    u32::try_from(u64::from(n) * twice / 2).unwrap_or(u32::MAX)
}

/// Two factors larger than 1 that are multiples of `of`, the larger first.
pub(in crate::fft) fn pairs(n: u32, of: u32) -> impl Iterator<Item = [u32; 2]> {
    let factors = (2..=n.isqrt()).filter(move |small| n.is_multiple_of(*small)).map(move |small| [n / small, small]);
    factors.filter(move |factors| factors.iter().all(|factor| factor.is_multiple_of(of)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by fuzzing: the weights of lengths with a large prime exceed 32 bits, and looking for
    /// the prime took seconds.
    #[test]
    fn code_sizes_of_any_length_are_numbers() {
        assert_eq!([1, 2, 3, 4, 12, 31, 67].map(code_size), [0, 2, 3, 8, 36, 465, 2211]);
        assert_eq!([1_000_732, 4_294_967_291, u32::MAX].map(code_size), [u32::MAX; 3]);
        assert_eq!(size([1_000_732, 1], 1, 1, 4).1, u32::MAX);
    }
}
