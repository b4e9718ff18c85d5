//! Lengths of one axis, in both directions and placements, and their accuracy.

use crate::cases::*;
use crate::harness::*;

/// Enough rows that the errors of short transforms are averaged.
fn batch(n: usize) -> usize {
    (4096 / n).max(1)
}

/// Lengths up to 512. A thorough run has all of them, the others the shortest, the powers of two, and
/// of the rest a sample, each kind of adapter its own.
pub fn every_short_length(device: &Device) {
    let device = &device.alone();
    let sampled = if device.is_slow() { 19 } else { 8 };
    let tally = Tally::new(device, "lengths to 512");
    for n in 1..=512usize {
        if !(device.is_thorough() || n <= 16 || n.is_power_of_two() || n % 23 == sampled) {
            continue;
        }
        for (kind, in_place) in [(Kind::Forward, n % 4 < 2), (Kind::Inverse, n % 4 >= 2)] {
            if n <= 8 || device.is_thorough() || (n % 2 == 0) == (kind == Kind::Forward) {
                tally.run(device, &Case::new(kind, &[n]).batch(batch(n)).in_place(in_place));
            }
        }
    }
    tally.finish();
}

/// 2^k, 2^k ± 1, powers of odd primes, products of small primes, primes, squares of primes. The
/// most important lengths come first: runs that are not thorough have [`IMPORTANT`].
const LONG: [usize; 61] = [
    1000,
    1009,
    961,
    4097,
    4096,
    10_007,
    14_641,
    30_030,
    65_536,
    65_537,
    1 << 20,
    1_000_000,
    999_983,
    1023,
    2187,
    1 << 17,
    531_441,
    100_003,
    1024,
    1025,
    1369,
    2047,
    2048,
    2049,
    3125,
    4095,
    8192,
    16_807,
    10_201,
    28_561,
    65_535,
    1 << 24,
    510_510,
    360_360,
    78_125,
    59_049,
    16_384,
    32_768,
    1 << 18,
    1 << 19,
    1 << 21,
    1 << 22,
    1 << 23,
    8191,
    8193,
    32_767,
    32_769,
    (1 << 20) - 1,
    (1 << 20) + 1,
    1009 * 1009,
    1021 * 1031,
    4001,
    5003,
    12_289,
    40_320,
    46_189,
    3_628_800,
    4_782_969,
    5_764_801,
    10_000_000,
    14_348_907,
];

/// So many of them: one of each kind at least.
const IMPORTANT: usize = 12;

pub fn long_lengths(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "lengths from 512 on");
    let count = if device.is_thorough() { LONG.len() } else { IMPORTANT };
    for (i, n) in LONG.into_iter().enumerate().take(count) {
        if device.is_slow() && n > 1 << 17 {
            continue;
        }
        let kind = if i % 2 == 0 { Kind::Forward } else { Kind::Inverse };
        tally.run(device, &Case::new(kind, &[n]).batch(batch(n)).in_place(i % 4 < 2));
    }
    tally.finish();
}

/// Rows that fill a core of a GPU with one workgroup where there are many of them, two passes of 4
/// lines, and a convolution in passes there and back. Processors have other recipes for them, so
/// that these say little there: few rows must do, unless the run is thorough.
pub fn many_long_rows(device: &Device) {
    let device = &device.alone();
    let few = device.is_slow() || !device.is_thorough();
    let tally = Tally::new(device, "many long rows");
    let lengths = [18_000, 19_200, 20_000, 20_480, 24_000, 30_720, 32_768, 10_007, 20_011, 65_537];
    for (i, n) in lengths.into_iter().enumerate() {
        if few && i % 4 > 0 {
            continue;
        }
        let kind = if i % 2 == 0 { Kind::Forward } else { Kind::Inverse };
        tally.run(device, &Case::new(kind, &[n]).batch(if few { 4 } else { 130 }).in_place(i % 4 < 2));
    }
    // As many numbers as a large array has, which is when the rules look for the fastest row.
    for (i, n) in [8000, 15_625, 6561, 1792, 12_500, 3072].into_iter().enumerate() {
        let (kind, real) = if i % 2 == 0 { (Kind::Forward, Kind::R2c) } else { (Kind::Inverse, Kind::C2r) };
        let batch = if few { 3 } else { (1 << 21) / n + 1 };
        tally.run(device, &Case::new(kind, &[n]).batch(batch).in_place(i % 4 < 2));
        tally.run(device, &Case::new(real, &[2 * n]).batch(batch));
    }
    if !few {
        tally.run(device, &Case::new(Kind::Forward, &[1 << 23]).batch(4));
        tally.run(device, &Case::new(Kind::Inverse, &[1 << 24]).batch(2).in_place(true));
        tally.run(device, &Case::new(Kind::Forward, &[8192, 4096]));
    }
    tally.finish();
}
