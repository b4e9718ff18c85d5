//! The rules for rows of other lengths than powers of two in one pass on a GPU.
//!
//! Rows of more than 16384 numbers have recipes that were measured one by one. Every other choice is
//! judged by one estimate of its time, which was fitted to 1,145 recipes for 63 lengths of 576 to
//! 16000 on an NVIDIA H200 (report `2026-11-25-rows`). If one length is left out of the fit, the
//! choice for it takes 1.03 of the time of its best recipe in the mean, and 1.17 at most.

use super::designer::{Designer, SMALL_ARRAY, lane_counts};
use super::lines::Lines;
use crate::fft::factors::factorizations;
use crate::fft::recipe::Stockham;

/// Three stages: a fourth exchange costs more than radices of up to 40.
const STAGES: usize = 3;
const RADICES: [u32; 2] = [8, 40];

/// Shorter rows are left to the search of `pass.rs`, which is as good there. Longer ones fill a
/// core, and were measured one by one (`LONG`, and some in `measured.rs`).
const LENGTHS: [u32; 2] = [1400, 16_384];

/// Shorter rows back to reals, which load both ends of a spectrum, take 0.88 to 1.08 of the time of
/// the search, longer ones 0.73 to 1.00.
const LEAST_BACK: u32 = 6000;

/// In how many pieces a row is exchanged, and what each costs. Half of the memory leaves more for the
/// caches. Odd numbers were tried for 14 lengths, and took 0.80 to 1.12 of the time of one piece.
const PIECES: [(u32, f64); 5] = [(2, 0.0), (1, 0.075), (3, 0.075), (4, 0.075), (5, 0.075)];

/// Complex rows for which another recipe was faster than that of the least estimate by 5% or more:
/// radices, lanes and pieces. ms on an H200 of this one and of that, 2²⁵ numbers.
const MEASURED: [([u32; 3], u32, u32); 15] = [
    ([16, 15, 8], 128, 1),  // 1920: 0.1333, 0.1398
    ([15, 15, 15], 225, 3), // 3375: 0.1582, 0.1715
    ([15, 18, 15], 270, 1), // 4050: 0.1512, 0.1620
    ([15, 10, 30], 150, 2), // 4500: 0.1453, 0.1685
    ([10, 30, 18], 180, 2), // 5400: 0.1580, 0.1797
    ([25, 9, 25], 225, 1),  // 5625: 0.1611, 0.1743
    ([25, 10, 25], 250, 5), // 6250: 0.1665, 0.2119
    ([27, 9, 27], 243, 3),  // 6561: 0.1641, in one piece 0.2094
    ([25, 28, 10], 280, 2), // 7000: 0.1685, 0.1853
    ([35, 28, 8], 280, 2),  // 7840: 0.1681, 0.2274
    ([30, 10, 30], 300, 3), // 9000: 0.1618, 0.2094
    ([32, 24, 12], 384, 2), // 9216: 0.1431, 0.1753
    ([25, 27, 15], 405, 1), // 10125: 0.2186, 0.2448
    ([32, 12, 30], 384, 1), // 11520: 0.1786, 0.1920
    ([25, 32, 15], 480, 1), // 12000: 0.1817, 0.1923; H100 0.2099, 0.2179
];

/// Longer complex rows, one to a core: radices, lanes and pieces. ms on an H100 of this recipe, of
/// two passes (17280, 18432, 21504, 21600 and 23040: of one pass in four stages) and of cuFFT, 2²⁴
/// numbers (report `2026-11-26-fours`). Two passes lose less where memory is faster: of the rows of
/// `measured.rs`, 20000 took 0.59 of their time on an H100 and 0.74 on an H200. So of the
/// lengths that had two passes only those with 0.8 at most are here. The driver takes 0.3 to 0.6 s
/// more to compile these than two short passes. Not here, as they gained less or lost: 24010, 24576,
/// 25200, 25600, 26250, 27440, 27648, 28000, 28125, 28800, and what was tried from 29160 on.
const LONG: [([u32; 3], u32, u32); 31] = [
    ([49, 7, 49], 343, 7),  // 16807: 0.142, 0.253, 0.126
    ([25, 45, 15], 375, 3), // 16875: 0.141, 0.225, 0.279
    ([63, 27, 10], 315, 2), // 17010: 0.138, 0.223, 0.407
    ([18, 32, 30], 576, 2), // 17280: 0.122, 0.144, 0.202
    ([27, 12, 54], 365, 2), // 17496: 0.133, 0.197, 0.123
    ([63, 24, 12], 378, 2), // 18144: 0.124, 0.189, 0.140
    ([27, 45, 15], 405, 3), // 18225: 0.141, 0.216, 0.128
    ([32, 24, 24], 768, 2), // 18432: 0.114, 0.135, 0.126
    ([25, 25, 30], 375, 2), // 18750: 0.145, 0.222, 0.146
    ([45, 12, 36], 540, 2), // 19440: 0.134, 0.190, 0.162
    ([49, 10, 40], 490, 2), // 19600: 0.127, 0.205, 0.294
    ([27, 27, 27], 365, 3), // 19683: 0.152, 0.215, 0.121
    ([25, 18, 45], 450, 3), // 20250: 0.140, 0.211, 0.137
    ([63, 18, 18], 378, 2), // 20412: 0.125, 0.209, 0.185
    ([54, 16, 24], 432, 2), // 20736: 0.120, 0.165, 0.130
    ([64, 12, 28], 384, 2), // 21504: 0.117, 0.146, 0.374
    ([6, 60, 60], 360, 2),  // 21600: 0.129, 0.138, 0.128
    ([54, 45, 9], 486, 3),  // 21870: 0.136, 0.220, 0.286
    ([35, 25, 25], 875, 5), // 21875: 0.179, 0.230, 0.168
    ([49, 28, 16], 458, 4), // 21952: 0.146, 0.244, 0.122
    ([18, 35, 35], 630, 7), // 22050: 0.143, 0.217, 0.387
    ([50, 16, 28], 467, 4), // 22400: 0.140, 0.190, 0.297
    ([50, 10, 45], 500, 5), // 22500: 0.140, 0.198, 0.140
    ([32, 12, 60], 384, 3), // 23040: 0.119, 0.140, 0.368
    ([54, 24, 18], 486, 2), // 23328: 0.133, 0.190, 0.214
    ([27, 18, 50], 486, 2), // 24300: 0.162, 0.207, 0.216
    ([50, 50, 10], 500, 5), // 25000: 0.141, 0.196, 0.133
    ([54, 18, 27], 486, 3), // 26244: 0.142, 0.208, 0.135
    ([30, 30, 30], 450, 3), // 27000: 0.163, 0.206, 0.163
    ([63, 56, 8], 504, 4),  // 28224: 0.153, 0.191, 0.291
    ([64, 56, 8], 512, 4),  // 28672: 0.150, 0.189, 0.279
];

/// Numbers of an invocation.
const MOST_ELEMENTS: u32 = 44;

/// Numbers of all butterflies of a stage, idle ones too, for a number of the row.
const MOST_IDLE: f64 = 1.25;

impl Designer<'_> {
    /// The three stages that were measured, or those with the least estimate, if these rules are for
    /// such rows.
    pub fn estimated_row(&self, lines: Lines) -> Option<Stockham> {
        let Lines { n, across, pairs, halves, convolution, half, back, .. } = lines;
        // Pairs of rows were not measured.
        let is_other = across || pairs && !halves || convolution || half || back && n < LEAST_BACK || n.is_power_of_two();
        if is_other || self.profile.is_cpu() || self.words() > 1 || lines.points <= SMALL_ARRAY {
            return None;
        }
        let [least, most] = LENGTHS;
        match n {
            _ if n < least => None,
            _ if n <= most => self.measured_row(&MEASURED, lines).or_else(|| self.least_row(lines)),
            _ if lines.are_many() => self.measured_row(&LONG, lines),
            _ => None,
        }
    }

    fn measured_row(&self, measured: &[([u32; 3], u32, u32)], lines: Lines) -> Option<Stockham> {
        let is_of = |radices: &[u32]| !lines.pairs && radices.iter().product::<u32>() == lines.n;
        let (radices, lanes, pieces) = measured.iter().copied().find(|(radices, ..)| is_of(radices))?;
        let own = Stockham { pieces, ..Stockham::new(radices.to_vec(), lanes) };
        self.runs(&own, lines).then_some(own)
    }

    fn least_row(&self, lines: Lines) -> Option<Stockham> {
        let n = lines.n;
        let mut best: Option<(f64, Stockham)> = None;
        for radices in factorizations(n, RADICES[1]).into_iter().flat_map(orders) {
            if radices.len() != STAGES || radices.iter().any(|radix| *radix < RADICES[0]) {
                continue;
            }
            for lanes in lane_counts(n, &radices) {
                for pieces in PIECES.map(|(pieces, _)| pieces) {
                    let own = Stockham { pieces, ..Stockham::new(radices.clone(), lanes) };
                    let numbers: u32 = radices.iter().map(|radix| rounds(&own, *radix) * lanes * radix).sum();
                    let is_idle = f64::from(numbers) > MOST_IDLE * f64::from(n) * STAGES as f64;
                    if is_idle || own.elements() > MOST_ELEMENTS || !self.runs(&own, lines) {
                        continue;
                    }
                    let cost = estimate(&own);
                    if best.as_ref().is_none_or(|(least, _)| cost < *least - 1e-9) {
                        best = Some((cost, own));
                    }
                }
            }
        }
        best.map(|(_, own)| own)
    }
}

/// How often an invocation computes a butterfly of a stage.
fn rounds(own: &Stockham, radix: u32) -> u32 {
    (own.n() / radix).div_ceil(own.lanes)
}

/// The logarithm of the time, but for what every recipe of a length has in common.
fn estimate(own: &Stockham) -> f64 {
    let &[first, middle, last] = &own.radices[..] else { unreachable!("there are three stages") };
    let log2 = |value: f64| value.log2().max(0.0);
    let above = |value: u32, least: u32| log2(f64::from(value) / f64::from(least));
    let below = |value: u32, most: u32| log2(f64::from(most) / f64::from(value));
    let multiples = |of: u32| own.radices.iter().filter(|radix| radix.is_multiple_of(of)).count() as f64;
    let leaves_lanes = !own.n().is_multiple_of(own.lanes);
    0.127 * above(own.elements(), 24)
        + 0.216 * f64::from(own.lanes).log2()
        + PIECES.iter().find(|(pieces, _)| *pieces == own.pieces).map_or(0.0, |(_, cost)| *cost)
        // The stores of the first exchange are a radix apart, then neighbours as many as that radix.
        // If twos divide it, they meet in few banks; padding helps powers of two alone.
        + 0.098 * below(first, 32)
        + 0.030 * f64::from(if first.is_power_of_two() { 0 } else { first.trailing_zeros() })
        + 0.084 * f64::from(rounds(own, middle)).log2()
        + 0.074 * f64::from(rounds(own, last)).log2()
        + 0.043 * below(last, 20)
        + 0.027 * multiples(3)
        + 0.065 * multiples(5)
        + 0.089 * multiples(7)
        + 0.073 * multiples(9)
        + if leaves_lanes { 0.088 } else { 0.0 }
}

/// All different orders of some radices.
fn orders(radices: Vec<u32>) -> Vec<Vec<u32>> {
    if radices.len() < 2 {
        return vec![radices];
    }
    let mut all = Vec::new();
    for (i, &first) in radices.iter().enumerate() {
        if radices[..i].contains(&first) {
            continue;
        }
        let rest = [&radices[..i], &radices[i + 1..]].concat();
        all.extend(orders(rest).into_iter().map(|rest| [&[first], &rest[..]].concat()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::C2c;
    use crate::fft::factors::largest_prime;
    use crate::gpu::DeviceProfile;

    fn chosen(n: u32, profile: &DeviceProfile) -> Option<Stockham> {
        let spec = C2c::forward(n as usize).batch(1 << 12);
        let geometry = spec.transform.geometry().unwrap();
        let designer = Designer::new(&spec.transform, &geometry, profile);
        let lines = Lines::rows(n, 1 << 12);
        let own = designer.estimated_row(lines);
        assert!(own.iter().all(|own| own.n() == n && designer.runs(own, lines)), "{own:?}");
        own
    }

    /// Every length of small primes has three stages on a large GPU, but not on a small one.
    #[test]
    fn three_stages_fit() {
        let large = DeviceProfile::large_gpu();
        let even = (700..6144).map(|half| 2 * half).filter(|n| largest_prime(*n) <= 5 && !n.is_power_of_two());
        let (mut all, mut small) = (0, 0);
        for n in even {
            all += 1;
            assert!(chosen(n, &large).is_some(), "{n}");
            small += u32::from(chosen(n, &DeviceProfile::webgpu_defaults()).is_some());
        }
        assert!(all > 50 && small > 0 && small < all, "{small} of {all}");
        assert_eq!(chosen(8192, &large), None);
        assert_eq!(chosen(1398, &large), None);
    }

    /// What was measured: 0.168 for 0.204, and 0.138 for 0.133.
    #[test]
    fn the_last_stage_takes_one_round() {
        let large = DeviceProfile::large_gpu();
        assert_eq!(chosen(8000, &large).unwrap().radices, [25, 10, 32]);
        assert_eq!(chosen(7680, &large).unwrap().radices, [32, 8, 30]);
    }

    #[test]
    fn measured_rows_fit() {
        let large = DeviceProfile::large_gpu();
        for (radices, lanes, pieces) in MEASURED.into_iter().chain(LONG) {
            let own = chosen(radices.iter().product(), &large).unwrap();
            assert_eq!((own.radices, own.lanes, own.pieces), (radices.to_vec(), lanes, pieces));
        }
    }

    #[test]
    fn orders_are_all_and_different() {
        assert_eq!(orders(vec![2, 3, 2]), [[2, 3, 2], [2, 2, 3], [3, 2, 2]]);
    }
}
