//! Where exchanged elements lie in workgroup memory, chosen for few bank conflicts.
//!
//! The workgroup memory of GPUs is divided into banks of 4 bytes, commonly 32 of them. Invocations
//! of a subgroup that access different words of one bank wait for one another. The stores of a
//! Stockham stage are r or p·r elements apart, which often is a power of two. Without padding, most
//! of them fall into a few banks. The padding is found by trying layouts.

/// Element i of line c lies at a + ((a >> shift) << log2_step). Here a is i·lines + c if the lines
/// are interleaved, and c·n + i otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Layout {
    pub interleaved: bool,
    /// 0 for no padding.
    pub shift: u32,
    pub log2_step: u32,
}

impl Layout {
    /// No padding, one line after the other.
    pub const DENSE: Self = Self { interleaved: false, shift: 0, log2_step: 0 };

    /// The place of element `i` of line `c`, for lines of length `n`.
    pub fn place(self, i: u32, c: u32, lines: u32, n: u32) -> u32 {
        let dense = if self.interleaved { i * lines + c } else { c * n + i };
        if self.shift == 0 { dense } else { dense + ((dense >> self.shift) << self.log2_step) }
    }
}

/// One access by all invocations at the same time.
#[derive(Clone)]
pub(in crate::fft) struct Touch {
    /// For each lane, the element that it accesses, if any.
    pub elements: Vec<Option<u32>>,
    /// Whether neighbouring invocations belong to neighbouring lines rather than to neighbouring
    /// lanes.
    pub lines_fast: bool,
}

/// The properties of the workgroup that matter for the exchange.
#[derive(Clone, Copy)]
pub(in crate::fft) struct Exchanging {
    /// Elements of a line that are exchanged at a time.
    pub n: u32,
    pub lanes: u32,
    pub lines: u32,
    pub words: u32,
    /// Number of banks, or 0 if the memory has none.
    pub banks: u32,
    /// Workgroup memory in words.
    pub available: u32,
}

impl Exchanging {
    fn elements(&self, layout: Layout) -> u32 {
        layout.place(self.n - 1, self.lines - 1, self.lines, self.n) + 1
    }

    fn fits(&self, layout: Layout) -> bool {
        self.elements(layout) * self.words <= self.available
    }

    /// The layout with the fewest conflicts for these accesses among those that fit the memory, and
    /// the number of elements that it needs.
    pub fn best_layout(&self, touches: &[Touch]) -> Option<(Layout, u32)> {
        let (mut best, mut least) = (Layout::DENSE, self.elements(Layout::DENSE));
        if !self.fits(best) {
            return None;
        }
        if self.banks == 0 {
            return Some((best, least));
        }
        let accesses = self.accesses(touches);
        let mut fewest = self.conflicts(best, &accesses, u32::MAX);
        for interleaved in [false, true] {
            if interleaved && self.lines == 1 {
                continue;
            }
            let unspread = interleaved.then_some(Layout { interleaved, ..Layout::DENSE });
            let spread = (2..=10).flat_map(|shift| (0..shift.min(5)).map(move |log2_step| Layout { interleaved, shift, log2_step }));
            for layout in unspread.into_iter().chain(spread).filter(|layout| self.fits(*layout)) {
                // With equal conflicts, prefer the smaller memory.
                let elements = self.elements(layout);
                let Some(most) = fewest.checked_sub(u32::from(elements >= least)) else { continue };
                let conflicts = self.conflicts(layout, &accesses, most);
                if conflicts <= most {
                    (best, least, fewest) = (layout, elements, conflicts);
                }
            }
        }
        Some((best, least))
    }

    /// What invocations access together: the different elements, with their lines, of the first, a
    /// middle and the last subgroup, for each touch.
    fn accesses(&self, touches: &[Touch]) -> Vec<Vec<(u32, u32)>> {
        let invocations = self.lanes * self.lines;
        // Accesses to elements of two words are served for half as many invocations at a time.
        let together = (self.banks / self.words).min(invocations);
        let mut firsts = vec![0, invocations / 2 / together * together, invocations - together];
        firsts.dedup();
        let mut accesses = Vec::with_capacity(touches.len() * firsts.len());
        for touch in touches {
            let lane_and_line = |invocation: u32| {
                if touch.lines_fast {
                    (invocation / self.lines, invocation % self.lines)
                } else {
                    (invocation % self.lanes, invocation / self.lanes)
                }
            };
            for &first in &firsts {
                let accessed = (first..first + together).filter_map(|invocation| {
                    let (t, c) = lane_and_line(invocation);
                    touch.elements[t as usize].map(|i| (i, c))
                });
                let mut access: Vec<(u32, u32)> = accessed.collect();
                access.sort_unstable();
                access.dedup();
                accesses.push(access);
            }
        }
        accesses
    }

    /// The number of accesses to the fullest bank beyond those that no layout can avoid, summed
    /// over all accesses; or more than `most`, once it is more.
    fn conflicts(&self, layout: Layout, accesses: &[Vec<(u32, u32)>], most: u32) -> u32 {
        let mut conflicts = 0;
        let mut load = vec![0; self.banks as usize];
        for access in accesses {
            load.fill(0);
            for &(i, c) in access {
                let place = layout.place(i, c, self.lines, self.n);
                for word in 0..self.words {
                    load[((place * self.words + word) % self.banks) as usize] += 1;
                }
            }
            let least = (access.len() as u32 * self.words).div_ceil(self.banks);
            conflicts += load.iter().max().copied().unwrap_or(0) - least;
            if conflicts > most {
                break;
            }
        }
        conflicts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROW_OF_1024: Exchanging = Exchanging { n: 1024, lanes: 128, lines: 1, words: 1, banks: 32, available: 4096 };

    fn touches(of: impl Fn(u32, u32) -> u32) -> Vec<Touch> {
        (0..8).map(|k| Touch { elements: (0..128).map(|t| Some(of(t, k))).collect(), lines_fast: false }).collect()
    }

    #[test]
    fn stores_of_a_first_radix_8_stage_need_spare_elements() {
        let stores = touches(|t, k| t * 8 + k);
        let conflicts = |layout| ROW_OF_1024.conflicts(layout, &ROW_OF_1024.accesses(&stores), u32::MAX);
        assert_eq!(conflicts(Layout::DENSE), 8 * 3 * 7);
        let (best, _) = ROW_OF_1024.best_layout(&stores).unwrap();
        assert_eq!(conflicts(best), 0, "{best:?}");
    }

    proptest! {
        #[test]
        fn the_search_finds_the_least_of_all_layouts(
            (log2_lanes, lines, words) in (0..6u32, 1..9u32, 1..3u32),
            banks in prop::sample::select(vec![12, 16, 32]),
            (each, step, shift, lines_fast) in (1..13u32, 1..400u32, 0..400u32, any::<bool>()),
        ) {
            let lanes = 1 << log2_lanes;
            let n = lanes * each;
            let own = Exchanging { n, lanes, lines, words, banks, available: n * lines * words * 2 };
            let touch = |k| Touch { elements: (0..lanes).map(|t| Some((t * step + k * shift) % n)).collect(), lines_fast };
            let touches: Vec<Touch> = (0..4).map(touch).collect();
            let accesses = own.accesses(&touches);
            let cost = |layout| (own.conflicts(layout, &accesses, u32::MAX), own.elements(layout));
            let spread = (2..=10).flat_map(|shift| (0..shift.min(5)).map(move |log2_step| (shift, log2_step)));
            let all = spread
                .chain([(0, 0)])
                .flat_map(|(shift, log2_step)| [false, true].map(|interleaved| Layout { interleaved, shift, log2_step }));
            let (found, elements) = own.best_layout(&touches).unwrap();
            prop_assert_eq!(Some(cost(found)), all.filter(|layout| own.fits(*layout)).map(cost).min());
            prop_assert_eq!(own.elements(found), elements);
        }
    }

    #[test]
    fn what_several_invocations_access_is_accessed_once() {
        let in_pairs = ROW_OF_1024.accesses(&touches(|t, _| t / 2));
        assert!(in_pairs.iter().all(|access| access.len() == 16));
        assert_eq!(in_pairs.len(), 8 * 3);
        let columns = Exchanging { lines: 2, lanes: 64, ..ROW_OF_1024 };
        // The same element of another line is another one.
        let lines = Touch { elements: vec![Some(5); 64], lines_fast: true };
        assert!(columns.accesses(&[lines]).iter().all(|access| access == &[(5, 0), (5, 1)]));
    }

    #[test]
    fn without_banks_or_memory_lines_stay_dense() {
        let stores = touches(|t, k| t * 8 + k);
        assert_eq!(Exchanging { banks: 0, ..ROW_OF_1024 }.best_layout(&stores), Some((Layout::DENSE, 1024)));
        assert_eq!(Exchanging { available: 1024, ..ROW_OF_1024 }.best_layout(&stores), Some((Layout::DENSE, 1024)));
        assert_eq!(Exchanging { available: 1023, ..ROW_OF_1024 }.best_layout(&stores), None);
    }

    #[test]
    fn layouts_keep_elements_apart() {
        for interleaved in [false, true] {
            let layout = Layout { interleaved, shift: 3, log2_step: 1 };
            let mut places: Vec<u32> = (0..256).flat_map(|i| (0..4).map(move |c| layout.place(i, c, 4, 256))).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), 1024);
        }
    }
}
