//! How a kernel is divided into parts, each in partitions of one length, and what that costs.

/// A part of the kernel in partitions of one length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// Blocks of a partition.
    pub blocks: usize,
    /// Its first tap, and the one after its last.
    pub from: usize,
    pub to: usize,
}

/// Operations that count as much as one more dispatch. On lavapipe a dispatch takes 0.04 ms, in
/// which it computes about as many.
const DISPATCH: u64 = 1 << 15;

/// Larger partitions that the rules choose at most.
const LARGER: usize = 2;

impl Part {
    /// Taps of a partition.
    pub fn len(&self, block: usize) -> usize {
        self.blocks * block
    }

    /// Spectra of the input that it needs: one more than partitions, because the frames of the
    /// kernel overlap.
    pub fn spectra(&self, block: usize) -> usize {
        (self.to - self.from).div_ceil(self.len(block)) + 1
    }

    /// Operations of a transform of one channel.
    fn transform(&self, block: usize) -> u64 {
        let n = 2 * self.len(block) as u64;
        5 * n * u64::from(n.ilog2()) / 2
    }

    /// Operations of the products and sums of one channel.
    fn sums(&self, block: usize) -> u64 {
        8 * self.spectra(block) as u64 * (self.len(block) as u64 + 1)
    }
}

/// Divides the kernel. Partitions of m blocks are computed while the m blocks after them come, so
/// that they begin at tap 2·m blocks.
pub(super) fn divide(block: usize, taps: usize, larger: &[usize]) -> Vec<Part> {
    let begins = larger.iter().map(|&blocks| (blocks, blocks.saturating_mul(2).saturating_mul(block)));
    let mut parts = vec![Part { blocks: 1, from: 0, to: taps }];
    for (blocks, from) in begins.take_while(|&(_, from)| from < taps) {
        let last = parts.len() - 1;
        parts[last].to = from;
        parts.push(Part { blocks, from, to: taps });
    }
    parts
}

/// In how many slices the sums of each part are computed: at most one for each block but the one in
/// which the input is transformed, and none with less work than there is in every block anyway.
pub(super) fn slices(parts: &[Part], block: usize) -> Vec<usize> {
    let always = every_block(parts, block);
    parts.iter().map(|part| (part.sums(block) / always).clamp(1, (part.blocks as u64 - 1).max(1)) as usize).collect()
}

fn every_block(parts: &[Part], block: usize) -> u64 {
    3 * DISPATCH + 2 * parts[0].transform(block) + parts[0].sums(block)
}

/// Operations in the block that has most of them, if it has all kinds of work.
fn busiest(parts: &[Part], block: usize) -> u64 {
    let larger = parts.iter().zip(slices(parts, block)).skip(1);
    let work = larger.map(|(part, slices)| 2 * DISPATCH + part.sums(block) / slices as u64 + part.transform(block));
    every_block(parts, block) + work.sum::<u64>()
}

/// The larger partitions for which the busiest block has least work, among powers of two.
pub(super) fn larger(block: usize, taps: usize) -> Vec<usize> {
    let most = (taps / 2 / block).max(1).ilog2();
    let mut all = vec![Vec::new()];
    let mut longest: Vec<Vec<usize>> = all.clone();
    for _ in 0..LARGER {
        longest = longest
            .iter()
            .flat_map(|own| {
                let least = own.last().map_or(1, |blocks: &usize| blocks.ilog2() + 1);
                (least..=most).map(|log| own.iter().copied().chain([1 << log]).collect())
            })
            .collect();
        all.extend(longest.iter().cloned());
    }
    all.into_iter().min_by_key(|larger| busiest(&divide(block, taps, larger), block)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_each_tap_once_and_begin_when_they_can_be_ready() {
        for block in [1, 3, 64, 128] {
            for taps in [1, 2, 5, 64, 127, 1000, 144_000] {
                for larger in [vec![], vec![2], vec![4, 8], vec![2, 16, 64], larger(block, taps)] {
                    let parts = divide(block, taps, &larger);
                    assert_eq!((parts[0].from, parts[parts.len() - 1].to), (0, taps));
                    assert!(parts.windows(2).all(|two| two[0].to == two[1].from));
                    assert!(parts.iter().all(|part| part.from < part.to));
                    assert!(parts[1..].iter().all(|part| part.from == 2 * part.len(block)));
                    let slices = slices(&parts, block);
                    assert!(parts[1..].iter().zip(&slices[1..]).all(|(part, &slices)| (1..part.blocks.max(2)).contains(&slices)));
                }
            }
        }
    }

    /// A response of three seconds needs larger partitions in short blocks, and none in blocks as
    /// long as itself.
    #[test]
    fn work_decides_on_partitions() {
        assert_eq!(larger(128, 200), [0; 0]);
        assert_eq!(larger(144_000, 144_000), [0; 0]);
        let chosen = larger(128, 144_000);
        let [uniform, own] = [&[][..], &chosen].map(|larger| busiest(&divide(128, 144_000, larger), 128));
        assert!(!chosen.is_empty() && own < uniform / 2, "{chosen:?}: {own} of {uniform}");
    }
}
