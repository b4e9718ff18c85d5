//! Where elements of an exchange lie in workgroup memory, so that invocations that work together meet in few banks.
//!
//! Workgroup memory of GPUs is divided into banks of 4 bytes, commonly 32; invocations of a subgroup that access different words of one bank
//! wait for one another. Stockham's stores are r or p·r elements apart, which are powers of two, so without spare elements most of them
//! fall into few banks. The spare elements are found by trying.

/// Element i of a row is stored at i + ((i >> shift) << log2_step); a row starts `pitch` elements after the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// 0 for no spare elements.
    pub shift: u32,
    pub log2_step: u32,
    pub pitch: u32,
}

impl Layout {
    /// Dense rows of `n`.
    pub fn dense(n: u32) -> Self {
        Self { shift: 0, log2_step: 0, pitch: n }
    }

    /// Place of element `i` in its row.
    pub fn place(self, i: u32) -> u32 {
        if self.shift == 0 { i } else { i + ((i >> self.shift) << self.log2_step) }
    }
}

/// One access of all invocations at once: for invocation `t` of row `line`, the element that it touches.
pub(super) type Access<'a> = &'a dyn Fn(u32) -> u32;

/// What is known of the workgroup that exchanges.
#[derive(Clone, Copy)]
pub(super) struct Exchanging {
    /// Length of a row.
    pub n: u32,
    /// Invocations for a row.
    pub lanes: u32,
    /// Rows of the workgroup.
    pub rows: u32,
    /// Words of an element.
    pub words: u32,
    /// Number of banks; 0 where there are none.
    pub banks: u32,
    /// Workgroup memory in words.
    pub available: u32,
}

impl Exchanging {
    /// The layout with the fewest waits for these accesses that fits the memory.
    pub fn best_layout(&self, accesses: &[Access<'_>]) -> Layout {
        let dense = Layout::dense(self.n);
        if self.banks == 0 {
            return dense;
        }
        let mut best = (self.waits(dense, accesses), dense);
        for shift in 2..=10 {
            for log2_step in 0..shift.min(5) {
                let unpitched = Layout { shift, log2_step, pitch: 0 };
                let end = unpitched.place(self.n - 1) + 1;
                for pitch in [end, end | 1] {
                    let layout = Layout { pitch, ..unpitched };
                    if pitch * self.rows * self.words > self.available {
                        continue;
                    }
                    let waits = self.waits(layout, accesses);
                    // Equal waits: the smaller memory stays.
                    if (waits, pitch) < (best.0, best.1.pitch) {
                        best = (waits, layout);
                    }
                }
            }
        }
        best.1
    }

    /// Accesses to the fullest bank, added up over the accesses of the first and the last `banks` invocations.
    pub fn waits(&self, layout: Layout, accesses: &[Access<'_>]) -> u32 {
        let invocations = self.lanes * self.rows;
        // Elements of two words are served to half as many invocations at a time.
        let together = (self.banks / self.words).min(invocations);
        let mut waits = 0;
        for access in accesses {
            for first in [0, invocations - together] {
                let mut words = Vec::new();
                for invocation in first..first + together {
                    let (t, line) = (invocation % self.lanes, invocation / self.lanes);
                    let place = line * layout.pitch + layout.place(access(t));
                    words.extend((0..self.words).map(|word| place * self.words + word));
                }
                words.sort_unstable();
                words.dedup();
                let mut load = vec![0; self.banks as usize];
                for word in words {
                    load[(word % self.banks) as usize] += 1;
                }
                waits += load.into_iter().max().unwrap_or(0);
            }
        }
        waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW_OF_1024: Exchanging = Exchanging { n: 1024, lanes: 128, rows: 1, words: 1, banks: 32, available: 4096 };

    #[test]
    fn stores_of_a_first_radix_8_stage_need_spare_elements() {
        let stores: Vec<Box<dyn Fn(u32) -> u32>> =
            (0..8).map(|k: u32| Box::new(move |t: u32| t * 8 + k) as Box<dyn Fn(u32) -> u32>).collect();
        let accesses: Vec<Access<'_>> = stores.iter().map(|store| &**store as Access<'_>).collect();
        assert_eq!(ROW_OF_1024.waits(Layout::dense(1024), &accesses), 8 * 2 * 8);
        let best = ROW_OF_1024.best_layout(&accesses);
        assert_eq!(ROW_OF_1024.waits(best, &accesses), 8 * 2, "{best:?}");
    }

    #[test]
    fn without_banks_or_memory_rows_stay_dense() {
        let stores: [Access<'_>; 1] = [&|t| t * 8];
        assert_eq!(Exchanging { banks: 0, ..ROW_OF_1024 }.best_layout(&stores), Layout::dense(1024));
        assert_eq!(Exchanging { available: 1024, ..ROW_OF_1024 }.best_layout(&stores), Layout::dense(1024));
    }

    #[test]
    fn layouts_keep_elements_apart() {
        let layout = Layout { shift: 3, log2_step: 1, pitch: 0 };
        let mut places: Vec<u32> = (0..1024).map(|i| layout.place(i)).collect();
        places.dedup();
        assert_eq!(places.len(), 1024);
    }
}
