//! Recipes that were the best of what was tried, for the lengths that were tried.
//!
//! Times in the comments are those of `designer.rs`; runs from 2026-11-25 on are in
//! benches/reports/2026-11-25-long-rows and 2026-11-25-rows.

use super::designer::MANY_COLUMNS;
use super::lines::Lines;
use crate::fft::recipe::Stockham;
use crate::plan::Placement;

/// From so many rows on, most cores of a large GPU have one of them. An H200 and an H100 have 132
/// cores.
const MANY_ROWS: u32 = 128;

impl Lines {
    /// Whether complex rows are so many that a workgroup may fill a core with one of them.
    pub(in crate::fft) fn are_many(self) -> bool {
        self.count >= MANY_ROWS && !self.pairs && !self.half
    }
}

/// Radices and lanes that were the best of what was tried.
pub(in crate::fft) fn measured(lines: Lines) -> Option<(Vec<u32>, u32)> {
    let (radices, lanes): (&[u32], u32) = match (lines.across, lines.n) {
        _ if lines.convolution => match lines.n {
            // The middle of a longer one: 65537, 64 times, as 576·256, with 16.16 0.1692, with 32.8
            // 0.1582; 20011, 500 times, as 162·256, 0.2896 and 0.2705.
            256 if lines.across && lines.count == u32::MAX => (&[32, 8], 8),
            // 1009: 8.16.16 0.341, 16.16.8 0.347, 16.8.16 0.377, 8.8.8.4 0.441.
            2048 => (&[8, 16, 16], 128),
            // 1237, 13000 times: 10.16.16 0.198, 20.16.8 0.220; as 3072 by 16.16.12 0.234, 12.16.16
            // 0.241, 24.16.8 0.257, by 16.16.12 with 64 lanes 0.303.
            2560 => (&[10, 16, 16], 160),
            3072 => (&[16, 16, 12], 192),
            // 2503, 6000 times: 16.16.20 0.206, 20.16.16 0.213, 16.20.16 0.256; as 6144 by 24.16.16
            // 0.247, by 12.8.8.8 with 256 lanes 0.271.
            5120 => (&[16, 16, 20], 320),
            6144 => (&[24, 16, 16], 384),
            // 4099: 24.24.16 0.644, 16.24.24 0.692, 32.18.16 0.728.
            9216 => (&[24, 24, 16], 384),
            // 5003, 3000 times: 32.20.16 0.270, 16.20.32 0.274, 10.32.32 0.277, 32.32.10 0.290; as
            // 12288 by 32.24.16 0.296, by 16.16.8.6 with 768 lanes 0.346.
            10_240 => (&[32, 20, 16], 320),
            12_288 => (&[32, 24, 16], 384),
            // 10007, 1000 times: 20.32.32 0.224, 20.16.8.8 with 512 lanes 0.233; as 24576 by
            // 16.16.12.8 0.310, as 81·256 0.258.
            20_480 => (&[20, 32, 32], 640),
            _ => return None,
        },
        // Spectrograms of 2²⁵ samples with a hop of a quarter, frames of 256 to 2048: 8.4.4 0.264,
        // 16.8 0.227; 8.8.4 0.239, 16.16 0.208; 8.8.8 0.244 (with 32 lanes 0.235), 16.8.4 0.224,
        // 16.4.8 0.222; 8.8.16 0.256, 16.16.4 0.238, 16.8.8 0.236.
        (false, 128) if lines.frames => (&[16, 8], 8),
        (false, 256) if lines.frames => (&[16, 16], 16),
        (false, 512) if lines.frames => (&[16, 4, 8], 32),
        (false, 1024) if lines.frames => (&[16, 8, 8], 64),
        // The same with frequencies first, and frames of 4096: 8.4.4 0.338, 16.8 0.323; 16.16 0.393,
        // 32.8 0.363; 8.8.8 0.484, 16.8.4 0.474, 16.32 0.436; 16.8.8 0.522, 32.32 0.504; 16.16.8
        // 0.657, 16.8.16 0.644.
        (true, 128) if lines.frames => (&[16, 8], 8),
        (true, 256) if lines.frames => (&[32, 8], 8),
        (true, 512) if lines.frames => (&[16, 32], 16),
        (true, 1024) if lines.frames => (&[32, 32], 32),
        (true, 2048) if lines.frames => (&[16, 8, 16], 128),
        // Rows back to reals, 2²⁶ of them. Of 512: 8.4.8 0.1313, 8.8.4 0.1319. 1024: 8.4.16 0.1313,
        // 8.8.8 0.1385, in pairs 0.1321. 1920: 8.8.15 0.1360, 15.8.8 with 64 lanes 0.1519. 4096:
        // 8.16.16 with 256 lanes 0.1433, with 128 0.1544. 8192: 16.16.16 0.1652, 16.8.32 0.1660.
        (false, 256) if lines.back => (&[8, 4, 8], 32),
        (false, 512) if lines.back => (&[8, 4, 16], 64),
        (false, 960) if lines.back => (&[8, 8, 15], 120),
        (false, 2048) if lines.back => (&[8, 16, 16], 256),
        // Neighbouring invocations should load neighbouring elements. n = 8: 2 elements 0.164, 4
        // 0.153, 8 0.376; 16: 4 elements 0.135, 8 0.241, 16 0.539.
        (false, 4) => (&[2, 2], 2),
        (false, 8) => (&[4, 2], 2),
        (false, 16) => (&[4, 4], 4),
        (false, 32) => (&[8, 4], 4),
        (false, 64) => (&[8, 8], 8),
        // 128³: 8.4.4 0.0278, 16.8 0.0285.
        (false, 128) => (&[8, 4, 4], 16),
        // 8.8.4 0.1622, 16.16 0.1412: half the bytes leave the arithmetic to decide.
        (false, 256) if lines.half => (&[16, 16], 16),
        // 16.8.8 0.1966, 16.16.4 0.1649, 4.16.16 0.1644, 32.32 0.1887.
        (false, 1024) if lines.half && !lines.pairs => (&[4, 16, 16], 64),
        // 8.8.4 0.2557, 16.16 0.2634.
        (false, 256) => (&[8, 8, 4], 32),
        (false, 512) => (&[8, 8, 8], 64),
        // 10.10.8 with 20 lanes 0.1850; as halves of 1600 reals 0.0802 and 0.1308, back 0.0935 and
        // 0.1218.
        (false, 800) => (&[8, 10, 10], 80),
        // 10.5.20 0.1361, 10.10.10 with 50 lanes 0.1414, with 100 0.1426.
        (false, 1000) if lines.count > 16_384 => (&[10, 5, 20], 50),
        (false, 1000) => (&[10, 10, 10], 100),
        // 8.8.16 0.2547, 8.8.4.4 0.2595, 16.8.8 0.2612; but in 1024² 16.8.8 0.0142, 8.8.4.4 0.0146.
        // Real 1024² in place 0.0113 and 0.0116.
        (false, 1024) if lines.count > 16_384 || lines.pairs => (&[8, 8, 16], 128),
        (false, 1024) => (&[16, 8, 8], 64),
        // Real 4096², as halves: 8.16.16 0.1138, 16.16.8 0.1217.
        (false, 2048) if lines.pairs => (&[8, 16, 16], 128),
        // 16.16.8 0.2607, 8.8.8.4 0.2619, 32.8.8 0.2629.
        (false, 2048) => (&[16, 16, 8], 128),
        // 16.16.16 0.2632, 32.16.8 0.306.
        (false, 4096) => (&[16, 16, 16], 256),
        // 32.16.16 0.2643, 16.16.32 0.2645, 16.8.8.8 0.2829.
        (false, 8192) => (&[32, 16, 16], 256),
        // 32.16.32 0.3169, 16.32.32 0.3255, 16.16.8.8 0.384; with 256 lanes 64.32.8 0.362.
        (false, 16_384) => (&[32, 16, 32], 512),
        // Longer rows fill a core with one workgroup. They win where 64 numbers of an invocation
        // are no more than its registers hold: 2^15 with 512 lanes 0.421, with 1024 0.62, in two
        // passes 0.520 (H100 0.512, 0.62, 0.728). 18000: 45.20.20 0.213, 25.30.24 0.223, four stages
        // 0.258; 19200: 32.20.30 0.205, 20.32.30 0.220, two passes 0.290; 20000: 25.20.40 0.206
        // (H100 0.219), two passes 0.278 (H100 0.371); 20480: 32.32.20 0.198, 32.20.32 0.214, two
        // passes 0.268; 24000: 15.40.40 0.257, two passes 0.320; 30720: 32.30.32 0.251, two passes
        // 0.267. Not so 24576, 25600, 27648, 28800, 32000.
        (false, 18_000) if lines.are_many() => (&[45, 20, 20], 450),
        (false, 19_200) if lines.are_many() => (&[32, 20, 30], 320),
        (false, 20_000) if lines.are_many() => (&[25, 20, 40], 500),
        (false, 20_480) if lines.are_many() => (&[32, 32, 20], 640),
        (false, 24_000) if lines.are_many() => (&[15, 40, 40], 600),
        (false, 30_720) if lines.are_many() => (&[32, 30, 32], 512),
        (false, 32_768) if lines.are_many() => (&[32, 32, 32], 512),
        // As halves of 10000 reals: 25.20.10 0.0956; by the estimate of `rows.rs` 8.25.25 0.1131.
        (false, 5000) if lines.halves && !lines.back => (&[25, 20, 10], 250),
        // 9.9.27 0.1497, 9.9.9.3 0.1509 with 243 lanes and 0.158 with 122.
        (false, 2187) => (&[9, 9, 27], 81),
        (true, 64) => (&[8, 8], 8),
        (true, 128) => (&[16, 8], 8),
        (true, 256) => (&[16, 16], 16),
        // 512²: 8.8.8 0.0077, 32.16 0.0078; 512³: 1.93 and 1.837.
        (true, 512) if lines.count <= 512 => (&[8, 8, 8], 64),
        (true, 512) => (&[32, 16], 16),
        // 1000²: 40.25 with 40 lanes 0.0156, with 25 0.0160, 10.10.10 0.0163.
        (true, 1000) => (&[40, 25], 40),
        (true, 1024) => (&[32, 32], 32),
        // 1080x1920: 40.27 0.0263, 36.30 0.0265, 12.10.9 0.0282.
        (true, 1080) => (&[40, 27], 40),
        // 2048²: 64.32 with 32 lanes 0.0452, 16.16.8 with 64 0.0461; but 2^22 as 2048·2048 0.772
        // and 0.721.
        (true, 2048) if lines.count <= 2048 => (&[64, 32], 32),
        // 2^22 in 4 lines: 16.8.16 0.1774, 16.16.8 with 64 lanes 0.1821; in 8 lines 0.2071 and
        // 0.2015. Columns of 2048² 0.1596 and 0.1585.
        (true, 2048) if lines.count == u32::MAX && lines.points >= 2048 * MANY_COLUMNS => (&[16, 8, 16], 128),
        (true, 2048) => (&[16, 16, 8], 64),
        // 4096²: 64.64 0.1898, 32.16.8 0.1925, 16.16.16 0.2.
        (true, 4096) => (&[64, 64], 64),
        _ => return None,
    };
    Some((radices.to_vec(), lanes))
}

/// The pieces of an exchange, the best number first, where others than those of the rules were
/// faster: convolutions of 5120, 9216 and 20480 in one piece 0.206, 0.614 and none, in 2 pieces
/// 0.221, 0.654 and 0.258, in 4 of 20480 0.224.
pub(in crate::fft) fn measured_pieces(lines: Lines) -> Option<&'static [u32; 3]> {
    match lines.n {
        5120 | 9216 if lines.convolution => Some(&[1, 2, 4]),
        20_480 if lines.convolution => Some(&[4, 2, 1]),
        _ => None,
    }
}

/// Passes of a long line that were faster than those of the rules. ms on an H200 and an H100:
///
/// | | the rules' three passes | these |
/// |---|---|---|
/// | 2^23 | 0.139 | 0.113, 0.132 |
/// | 2^23, 8 times | 0.830 | 0.743 with 8 lines of 2048, 0.767 with 4 |
/// | 2^24 | 0.225, 0.301 | 0.240, 0.260 |
/// | 2^24, 4 times | 0.851, 1.162 | 0.839, 0.928; 64.64 twice 0.862, 0.948; 32.8.16 twice 0.874, 0.930 |
/// | 2^28 | 7.09 | 3.61, 4.75; 512·512·1024 without blocks 3.77; 1024·512·512 5.09 |
/// | 2^28 in place | 4.09, 4.90 | , 5.92 |
///
/// Two passes have 4 parts at a time, since a workgroup has no room for 8 of 4096 numbers. Out of
/// place, blocks between the passes of 2^28 make the second one slow (4.35 of 6.9): it loads and
/// stores at the same places of two arrays of 2 GiB.
pub(in crate::fft) fn measured_passes(n: u32, placement: Placement) -> Option<Vec<Stockham>> {
    let pass = |radices: &[u32], lanes, lines| Stockham { lines, pieces: 2, ..Stockham::new(radices.to_vec(), lanes) };
    let blocks = |own: Stockham| Stockham { block: Some([16, 4]), ..own };
    match n {
        0x80_0000 => Some(vec![blocks(pass(&[16, 8, 16], 128, 8)), pass(&[64, 64], 64, 4)]),
        0x100_0000 => Some(vec![blocks(pass(&[32, 8, 16], 128, 4)), pass(&[64, 64], 64, 4)]),
        0x1000_0000 if placement == Placement::OutOfPlace => {
            Some(vec![pass(&[16, 16], 16, 16), pass(&[32, 32], 32, 8), pass(&[32, 32], 32, 8)])
        }
        _ => None,
    }
}

/// One pass over columns of 8192 numbers, and the blocks of the array before it. ms on an H200 and
/// an H100, 8192², in two passes over columns 0.8116 and 1.118: 16.16.32 0.7928 and 0.948, 32.32.8
/// 0.7931 and 0.960, 32.16.16 0.829 and 0.994, with 256 lanes 0.888. In blocks of 16 x 4 instead of
/// 8 x 8 0.834.
pub(in crate::fft) fn measured_column(lines: Lines) -> Option<(Stockham, [u32; 2])> {
    let is_known = lines.n == 8192 && u64::from(lines.count) >= MANY_COLUMNS;
    is_known.then(|| (Stockham { lines: 4, pieces: 4, ..Stockham::new(vec![16, 16, 32], 128) }, [8, 8]))
}

/// Radices, lanes and lines of columns of 16-bit numbers that are faster with accesses of two
/// numbers. H200, ms with accesses of one and of two: 256³ 0.1396 and 0.1332 (bf16 0.169 and
/// 0.157), 64 of 512² 0.1086 and 0.0934, 4096² 0.1726 and 0.1471.
///
/// Not so: rows (64 0.1456 and 0.1453, 256 0.141 and 0.155, 1024 0.1637 and 0.1639, 4096 0.187 and
/// 0.188, 1000 0.202 and 0.219), columns of 2048 (0.0347 twice), and arrays that stay in a cache,
/// where the bytes are not what takes time: 512² 0.0067 and 0.0066, 1024² 0.0124 twice, 128³ 0.0221
/// twice.
pub(in crate::fft) fn measured_in_twos(lines: Lines) -> Option<(Vec<u32>, u32, u32)> {
    const LEAST_ELEMENTS: u64 = 1 << 23;
    if !lines.across || u64::from(lines.n) * u64::from(lines.count) < LEAST_ELEMENTS {
        return None;
    }
    match lines.n {
        256 => Some((vec![16, 16], 16, 16)),
        512 => Some((vec![8, 8, 8], 64, 16)),
        4096 => Some((vec![32, 8, 16], 128, 8)),
        _ => None,
    }
}
